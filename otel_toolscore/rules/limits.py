"""limit, repeats: rules on how many calls, how much and how often the same."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Final

import msgspec

from otel_toolscore.compare import canonical
from otel_toolscore.compare.equality import Kind, kind_of, number_in
from otel_toolscore.model import MISSING, ToolCall
from otel_toolscore.nested_json import UNREAD
from otel_toolscore.paths import Path
from otel_toolscore.rules.counting import Amount, Groups, Number
from otel_toolscore.rules.history import Entry, Per
from otel_toolscore.rules.judge import Answer, Situation, inconclusive, shown, violation
from otel_toolscore.rules.names import fold
from otel_toolscore.rules.pattern import Pattern, accused_variants, evidence_of, unreadable
from otel_toolscore.rules.truth import Fit, unknown

_ONE_GROUP: Final[tuple[Hashable, ...]] = ((),)


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by each match beyond `max` (or each that takes the `sum` over it), counted apart by the value at `by`."""

    call: Pattern
    max: Fraction
    within_ns: int | None = None
    """Length of the sliding window; None: the whole of `per`."""
    by: Path | None = None
    sum: Path | None = None
    per: Per = "run"


class Repeats(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by each call of the same tool with the same arguments beyond `max`."""

    call: Pattern
    max: int
    per: Per = "run"


class CountedCall(Entry):
    """A call as it is counted: what it adds, and to which groups."""

    __slots__ = ("amount", "groups", "part", "unknown")

    def __init__(self, situation: Situation, fit: Fit) -> None:
        super().__init__(situation, fit)
        self.part: Hashable = ()
        """Calls of different parts are of different groups, whatever the groups."""
        self.groups: tuple[Hashable, ...] | None = _ONE_GROUP
        """None where they are not known."""
        self.amount: Number | None = 1
        """None where it is not known."""
        self.unknown: Fit | None = None
        """Why the groups or the amount are not known."""

    @property
    def own(self) -> Amount:
        """What the call adds if it counts."""
        return Amount(unknown=1) if self.amount is None else Amount(self.amount, self.amount)

    @property
    def doubt(self) -> Fit | None:
        """Why it is not certain what the call adds, and where; None where it is."""
        return self.fit if self.fit.truth is None else self.unknown


class Counter:
    """The memory of `limit` and `repeats`. What it drops is still in its totals, or possible there."""

    lost = False

    def __init__(self, most: Fraction, within_ns: int | None, what: str, bound: int) -> None:
        self._most = _whole(most)
        self._within = within_ns
        self._what = what
        self._groups = Groups(bound)

    def put(self, entry: Entry, doubt: str | None) -> None:
        """Remember a call; `doubt` says why it may not belong here."""
        assert isinstance(entry, CountedCall)
        own = entry.doubt
        certain = entry.fit.truth is True and doubt is None
        amount = entry.own if certain else entry.own.possible()
        self._groups.add(entry.part, entry.groups, entry.place, amount, own.cause if own is not None else doubt)

    def drop(self, entry: Entry) -> None:
        """Forget a call."""
        assert isinstance(entry, CountedCall)
        self._groups.remove(entry.part, entry.groups, entry.place)

    def trim(self) -> None:
        """Forget what is beyond the bound."""
        self._groups.trim()

    def judge(self, entry: Entry, _gaps: tuple[str, ...]) -> Answer | None:
        """The answer about a call that was put. Calls that are missing accuse nobody, so that gaps do not matter."""
        assert isinstance(entry, CountedCall)
        before = list(self._groups.before(entry.part, entry.groups, entry.place, self._within))
        totals = [seen.amount.plus(entry.own) for seen in before]
        over = [total.exceeds(self._most) for total in totals]
        if entry.fit.truth is True and (all(over) if entry.groups is None else any(over)):
            return violation(self._beyond(entry), entry.fit.path)
        may_be_over = [seen.cause for seen, total in zip(before, totals, strict=True) if total.may_exceed(self._most)]
        if not may_be_over:
            return None
        doubt = entry.doubt
        why = doubt if doubt is not None else unknown(min(cause or "" for cause in may_be_over))
        return inconclusive(self._beyond(entry), why)

    def _beyond(self, entry: Entry) -> str:
        return f"the call of {shown(entry.call)} is beyond {self._what}"


class LimitJudge:
    """How `limit` sees a call."""

    def __init__(self, constraint: Limit) -> None:
        self.accused = constraint.call
        self.naming: tuple[Pattern, ...] | None = (constraint.call,)
        self.per: Per = constraint.per
        self._constraint = constraint
        self._what = _limit_text(constraint)

    def enter(self, situation: Situation, fit: Fit) -> Entry | None:
        """An accused call, with what it adds."""
        if fit.truth is False:
            return None
        entry = CountedCall(situation, fit)
        if self._constraint.by is not None:
            self._group(entry, self._constraint.by, situation)
        if self._constraint.sum is not None:
            self._weigh(entry, self._constraint.sum, situation)
        return entry

    def machine(self, bound: int) -> Counter:
        """An empty count."""
        return Counter(self._constraint.max, self._constraint.within_ns, self._what, bound)

    def _group(self, entry: CountedCall, path: Path, situation: Situation) -> None:
        groups: dict[Hashable, None] = {}
        cause = None
        for variant in accused_variants(self.accused, situation.call, situation.context):
            evidence = evidence_of(variant, situation.call)
            if evidence.state != "captured":
                cause = unreadable("arguments", evidence)
                continue
            for _, value in path.candidates(evidence.value, nested_text=True):
                if value is UNREAD:
                    cause = "arguments_not_comparable"
                else:
                    groups[canonical(value)] = None
        if groups:
            entry.groups = tuple(groups)
        else:
            entry.groups, entry.unknown = None, unknown(cause or "arguments_not_comparable", path.text)

    def _weigh(self, entry: CountedCall, path: Path, situation: Situation) -> None:
        amounts: list[Number] = []
        for variant in accused_variants(self.accused, situation.call, situation.context):
            evidence = evidence_of(variant, situation.call)
            if evidence.state != "captured":
                entry.amount, entry.unknown = None, unknown(unreadable("arguments", evidence), path.text)
                return
            parts = [amount_of(value) for _, value in path.candidates(evidence.value, nested_text=True)]
            if any(part is None for part in parts):
                entry.amount, entry.unknown = None, unknown("arguments_not_comparable", path.text)
                return
            amounts.append(sum(part for part in parts if part is not None))
        entry.amount = max(amounts)


class RepeatsJudge:
    """How `repeats` sees a call."""

    def __init__(self, constraint: Repeats) -> None:
        self.accused = constraint.call
        self.naming: tuple[Pattern, ...] | None = (constraint.call,)
        self.per: Per = constraint.per
        self._max = constraint.max

    def enter(self, situation: Situation, fit: Fit) -> Entry | None:
        """An accused call, with what it adds."""
        if fit.truth is False:
            return None
        call = situation.call
        entry = CountedCall(situation, fit)
        entry.part = _tool(call)
        variants = [evidence_of(variant, call) for variant in accused_variants(self.accused, call, situation.context)]
        known = [evidence.value for evidence in variants if evidence.state == "captured"]
        if known:
            entry.groups = tuple(dict.fromkeys(map(canonical, known)))
        else:
            entry.groups, entry.unknown = None, unknown(unreadable("arguments", variants[0]))
        return entry

    def machine(self, bound: int) -> Counter:
        """An empty count."""
        return Counter(Fraction(self._max), None, f"the limit of {_count(self._max, 'identical call')}", bound)


def amount_of(value: object) -> Number | None:
    """The number that a value adds to a sum: nothing adds nothing, text that is a JSON number counts; None: not known."""
    if value is MISSING or value is None:
        return 0
    number = number_in(value) if isinstance(value, str) else value
    if kind_of(number) is not Kind.NUMBER:
        return None
    if isinstance(number, int | Fraction):
        return number
    # The decimal that was written, not the binary that stands for it: 0.1 and 0.2 are 0.3.
    approximate = float(number)  # type: ignore[arg-type]
    return _whole(Fraction(repr(approximate))) if math.isfinite(approximate) else None


def _whole(number: Fraction) -> Number:
    """The same number, as an int where it is whole: those are quicker."""
    return number.numerator if number.denominator == 1 else number


def _tool(call: ToolCall) -> Hashable:
    """Which tool it is, for saying that two calls are of the same one."""
    return (None if call.server is None else fold(call.server), fold(call.tool))


def _limit_text(constraint: Limit) -> str:
    most = constraint.max
    if constraint.sum is not None:
        text = f"the limit of {_number(most)} for the sum of `{constraint.sum.text}`"
    else:
        text = f"the limit of {_count(most, 'call')}"
    if constraint.by is not None:
        text += f" with the same `{constraint.by.text}`"
    if constraint.within_ns is not None:
        text += f" within {_number(Fraction(constraint.within_ns, 10**9))} s"
    return text


def _count(number: Fraction | int, noun: str) -> str:
    return f"{_number(Fraction(number))} {noun}{'' if number == 1 else 's'}"


def _number(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"
