"""before, never_after: rules on the order of calls.

A call is earlier than another if it ended when the other started, or before; never than itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec

from otel_toolscore.compare import canonical
from otel_toolscore.model import MISSING
from otel_toolscore.nested_json import UNREAD
from otel_toolscore.paths import Path
from otel_toolscore.rules.admission import Admissions, Needs
from otel_toolscore.rules.correlation import rows
from otel_toolscore.rules.earlier import Ends, OrderedCall
from otel_toolscore.rules.history import Entry, Machine, Per
from otel_toolscore.rules.judge import Answer, Situation, inconclusive, shown, violation
from otel_toolscore.rules.pattern import Pattern, accused_variants, evidence_of, examine, outcome_fits, unreadable
from otel_toolscore.rules.truth import Fit, all_hold, unknown


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by a `call` without an earlier successful `needs` (with equal values at the `same` paths)."""

    call: Pattern
    needs: Pattern
    same: tuple[tuple[Path, Path], ...] = ()
    """(path in `call`, path in `needs`)"""
    once: bool = False
    per: Per = "run"


class NeverAfter(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by a `call` after an `after`."""

    call: Pattern
    after: Pattern
    per: Per = "run"


class NeverAfterJudge:
    """How `never_after` sees a call."""

    def __init__(self, constraint: NeverAfter) -> None:
        self.accused = constraint.call
        self.naming: tuple[Pattern, ...] | None = (constraint.call, constraint.after)
        self.per: Per = constraint.per
        self._after = constraint.after

    def enter(self, situation: Situation, fit: Fit) -> Entry | None:
        """A call that is accused, or that is the other one."""
        other = examine(self._after, situation.call, accuse=True, context=situation.context)
        return None if fit.truth is False and other.truth is False else OrderedCall(situation, fit, other)

    def machine(self, _bound: int) -> Machine:
        """An empty memory; it stays small of itself."""
        return _Firsts()


class _Firsts:
    """The calls after which others must not come. Only the earliest matter, so that none is lost."""

    lost = False

    def __init__(self) -> None:
        self._ends = Ends()

    def put(self, entry: Entry, doubt: str | None) -> None:
        """Remember a call; `doubt` says why it may not belong here."""
        assert isinstance(entry, OrderedCall)
        if entry.other.truth is not False:
            self._ends.add(entry, entry.other.cause or doubt)
            self._ends.keep_earliest()

    def drop(self, entry: Entry) -> None:
        """Forget a call."""
        self._ends.remove(entry)

    def trim(self) -> None:
        """There is never more than the earliest."""

    def judge(self, entry: Entry, _gaps: tuple[str, ...]) -> Answer | None:
        """The answer about a call that was put. Calls that are missing accuse nobody, so that gaps do not matter."""
        both = all_hold((entry.fit, self._ends.earlier(entry)))
        if both.truth is False:
            return None
        what = f"the call of {shown(entry.call)} comes after one that it must not follow"
        return violation(what, both.path) if both.truth else inconclusive(what, both)


class BeforeJudge:
    """How `before` sees a call."""

    def __init__(self, constraint: Before) -> None:
        self.accused = constraint.call
        self.naming: tuple[Pattern, ...] | None = (constraint.call, constraint.needs)
        self.per: Per = constraint.per
        self._needs = constraint.needs
        self._once = constraint.once
        self._wanting = tuple(path for path, _ in constraint.same)
        self._offering = tuple(path for _, path in constraint.same)
        shared = ", ".join(f"`{path.text}`" for path in self._wanting)
        self._what = "an earlier successful call that the rule needs" + (f", with the same {shared}" if shared else "")

    def enter(self, situation: Situation, fit: Fit) -> Entry | None:
        """A call that is accused, or that is the other one."""
        needed = self._needed(situation)
        if fit.truth is False and needed.truth is False:
            return None
        entry = OrderedCall(situation, fit, needed)
        if self._wanting:
            if fit.truth is not False:
                self._want(entry, situation)
            if needed.truth is not False:
                self._offer(entry, situation)
        return entry

    def machine(self, bound: int) -> Machine:
        """An empty memory."""
        return Admissions(self._what, bound) if self._once else Needs(self._what, bound)

    def _needed(self, situation: Situation) -> Fit:
        """Whether the call is one that is needed: a successful one, unless the pattern itself asks for an outcome."""
        fit = examine(self._needs, situation.call, accuse=False, context=situation.context)
        if fit.truth is False or self._needs.outcome is not None:
            return fit
        return all_hold((fit, outcome_fits(("ok",), situation.call.outcome)))

    def _want(self, entry: OrderedCall, situation: Situation) -> None:
        wants: dict[Hashable, None] = {}
        for variant in accused_variants(self.accused, situation.call, situation.context):
            evidence = evidence_of(variant, situation.call)
            if evidence.state != "captured":
                entry.unknown = unknown(unreadable("arguments", evidence), self._wanting[0].text)
                continue
            found = rows(self._wanting, evidence.value, nested_text=True)
            if found is None:
                entry.unknown = unknown("arguments_too_many_values", self._wanting[0].text)
                continue
            for row in found:
                self._want_row(entry, row, wants)
        entry.wants = None if entry.unknown is not None else tuple(wants)

    def _want_row(self, entry: OrderedCall, row: Sequence[object], wants: dict[Hashable, None]) -> None:
        for path, value in zip(self._wanting, row, strict=True):
            if value is UNREAD:
                entry.unknown = unknown("arguments_not_comparable", path.text)
                return
            if value is MISSING or value is None:
                entry.missing = path.text
                return
        wants[tuple(canonical(value, strict=True) for value in row)] = None

    def _offer(self, entry: OrderedCall, situation: Situation) -> None:
        """The values on which all variants agree."""
        agreed: dict[Hashable, None] | None = None
        for variant in situation.call.described():
            evidence = evidence_of(variant, situation.call)
            found = rows(self._offering, evidence.value, nested_text=False) if evidence.state == "captured" else None
            if found is None:
                entry.offers = None
                cause = "arguments_too_many_values" if evidence.state == "captured" else unreadable("arguments", evidence)
                entry.other = all_hold((entry.other, unknown(cause)))
                return
            whole = [row for row in found if all(value is not MISSING and value is not None for value in row)]
            offered: dict[Hashable, None] = dict.fromkeys(tuple(canonical(value, strict=True) for value in row) for row in whole)
            agreed = offered if agreed is None else {key: None for key in agreed if key in offered}
        entry.offers = tuple(agreed or ())
