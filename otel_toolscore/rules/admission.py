"""The memory of `before`: which calls an earlier one admits.

`Needs`: an earlier call admits any number of later ones. `Admissions` (`once`): each admits one, so that it matters who came
first; every call is given its answer in the order of calls, and what it uses up, for certain or perhaps, is noted.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Container, Hashable
from operator import attrgetter
from typing import Final, NamedTuple

from otel_toolscore.rules.earlier import Ends, OrderedCall
from otel_toolscore.rules.history import HISTORY_EVICTED, Entry
from otel_toolscore.rules.judge import Answer, Place, inconclusive, shown, violation
from otel_toolscore.rules.truth import NO, YES, Fit, all_hold, some_holds, unknown

_BY_PLACE: Final = attrgetter("place")
_NONE: Final = Ends()


def answer(entry: OrderedCall, admitted: Fit, what: str, gaps: tuple[str, ...]) -> Answer | None:
    """The answer about a call, given whether earlier calls admit it."""
    if entry.missing is not None:
        if entry.fit.truth is True:
            return violation(f"the call of {shown(entry.call)} has no value at a path that {what} must share", entry.missing)
        return inconclusive(f"the call of {shown(entry.call)} needs {what}", entry.fit)
    if admitted.truth is False and gaps:
        admitted = unknown(gaps[0])
    if admitted.truth is True:
        return None
    if admitted.truth is False and entry.fit.truth is True:
        return violation(f"the call of {shown(entry.call)} comes without {what}", entry.fit.path)
    return inconclusive(f"the call of {shown(entry.call)} lacks {what}", entry.fit if entry.fit.truth is None else admitted)


class _Supply:
    """The calls that others need, by the values that they offer."""

    def __init__(self) -> None:
        self.by_value: dict[Hashable, Ends] = {}
        self.open = Ends()
        """Those whose values are not known."""
        self.any = Ends()
        """All of them, whatever they offer."""

    def add(self, entry: OrderedCall, doubt: str | None) -> list[Ends]:
        """Where it went."""
        cause = entry.other.cause or doubt
        offered = [self.open] if entry.offers is None else [self.by_value.setdefault(value, Ends()) for value in entry.offers]
        places = [*offered, self.any]
        for ends in places:
            ends.add(entry, cause)
        return places

    def remove(self, entry: OrderedCall) -> None:
        offered = [self.open] if entry.offers is None else [self.by_value[value] for value in entry.offers if value in self.by_value]
        for ends in (*offered, self.any):
            ends.remove(entry)


class Needs:
    """Any earlier call admits; only the earliest of each value matter."""

    def __init__(self, what: str, bound: int) -> None:
        self.lost = False
        self._what = what
        self._bound = bound
        self._supply = _Supply()

    def put(self, entry: Entry, doubt: str | None) -> None:
        """Remember a call; `doubt` says why it may not belong here."""
        assert isinstance(entry, OrderedCall)
        if entry.other.truth is False:
            return
        for ends in self._supply.add(entry, doubt):
            ends.keep_earliest()

    def drop(self, entry: Entry) -> None:
        """Forget a call."""
        assert isinstance(entry, OrderedCall)
        self._supply.remove(entry)

    def judge(self, entry: Entry, gaps: tuple[str, ...]) -> Answer | None:
        """The answer about a call that was put."""
        assert isinstance(entry, OrderedCall)
        return answer(entry, self._admitted(entry), self._what, gaps)

    def trim(self) -> None:
        """Forget the values that came first, beyond the bound."""
        values = self._supply.by_value
        if len(values) > self._bound:
            self.lost = True
            for value in list(values)[: len(values) - self._bound + self._bound // 8]:
                del values[value]

    def _admitted(self, entry: OrderedCall) -> Fit:
        if entry.wants is None:
            any_earlier = self._supply.any.earlier(entry)
            return NO if any_earlier.truth is False else entry.unknown or any_earlier
        return all_hold(self._has(value, entry) for value in entry.wants)

    def _has(self, value: Hashable, entry: OrderedCall) -> Fit:
        of_value = self._supply.by_value.get(value)
        return some_holds((NO if of_value is None else of_value.earlier(entry), self._supply.open.earlier(entry)))


class _Used:
    """What the calls so far use up of the earlier ones."""

    def __init__(self) -> None:
        self.certainly: Counter[Hashable] = Counter()
        self.perhaps: Counter[Hashable] = Counter()
        self.certainly_any = 0
        """How many calls use one up for certain, whatever its value."""
        self.perhaps_any = 0
        """How many calls, of unknown values, perhaps use one up."""
        self.causes: dict[Hashable, str] = {}
        """Why it is only perhaps, by value."""
        self.cause_any: str | None = None

    def copy(self) -> _Used:
        other = _Used()
        other.certainly, other.perhaps, other.causes = self.certainly.copy(), self.perhaps.copy(), self.causes.copy()
        other.certainly_any, other.perhaps_any, other.cause_any = self.certainly_any, self.perhaps_any, self.cause_any
        return other

    def note(self, asker: _Asker, admitted: Fit) -> None:
        """What a call with this answer uses up."""
        if admitted.truth is False:
            return
        entry = asker.entry
        cause = entry.fit.cause or admitted.cause or asker.doubt
        if cause is None:
            self.certainly.update(entry.wants or ())
            self.certainly_any += 1
        elif entry.wants is None:
            self.perhaps_any += 1
            self.cause_any = self.cause_any or cause
        else:
            self.perhaps.update(entry.wants)
            for value in entry.wants:
                self.causes.setdefault(value, cause)

    def forget(self, forgotten: Counter[Hashable], offered: Container[Hashable]) -> bool:
        """Forget what was used of calls that are forgotten: so many, for certain, of each value. True where all of them were
        used up for certain. Of values that nothing offers any more, everything is forgotten.
        """
        used_up = all(self.certainly[value] >= count for value, count in forgotten.items())
        self.certainly -= forgotten
        self.certainly_any = max(0, self.certainly_any - forgotten.total())
        for counts in (self.certainly, self.perhaps, self.causes):
            for value in [value for value in counts if value not in offered]:
                del counts[value]
        return used_up


class _Asker(NamedTuple):
    """A call that needs another."""

    entry: OrderedCall
    doubt: str | None
    """Why it may not belong here."""

    @property
    def place(self) -> Place:
        return self.entry.place


class Admissions:
    """Each earlier call admits one."""

    def __init__(self, what: str, bound: int) -> None:
        self.lost = False
        self._what = what
        self._bound = bound
        self._supply = _Supply()
        self._suppliers: list[tuple[OrderedCall, str | None]] = []
        self._askers: list[_Asker] = []
        self._admitted: list[Fit] = []
        """For the first askers, in order, whether they are admitted."""
        self._used = _Used()
        """By the askers that have their answer, and by those before them that are no longer kept."""
        self._used_before = _Used()
        """By those that are no longer kept."""
        self._forgot = False
        """Whether calls that admitted others are no longer kept, so that nothing can be judged again exactly."""

    def put(self, entry: Entry, doubt: str | None) -> None:
        """Remember a call; `doubt` says why it may not belong here."""
        assert isinstance(entry, OrderedCall)
        if entry.other.truth is not False:
            self._supply.add(entry, doubt)
            self._suppliers.append((entry, doubt))
            if self._bears_on_answers(entry):
                self._start_over()
        if entry.fit.truth is not False:
            at = bisect.bisect_left(self._askers, entry.place, key=_BY_PLACE)
            self._askers.insert(at, _Asker(entry, doubt))
            if at < len(self._admitted):
                self._start_over()

    def trim(self) -> None:
        """Forget the calls that came first, beyond the bound."""
        if len(self._askers) > self._bound:
            self._forget_askers(len(self._askers) - self._bound + self._bound // 8)
        if len(self._suppliers) > self._bound:
            self._forget_suppliers(len(self._suppliers) - self._bound + self._bound // 8)

    def drop(self, entry: Entry) -> None:
        """Forget a call."""
        assert isinstance(entry, OrderedCall)
        self._supply.remove(entry)
        self._suppliers = [each for each in self._suppliers if each[0] is not entry]
        self._askers = [asker for asker in self._askers if asker.entry is not entry]
        self._start_over()

    def judge(self, entry: Entry, gaps: tuple[str, ...]) -> Answer | None:
        """The answer about a call that was put."""
        assert isinstance(entry, OrderedCall)
        at = bisect.bisect_left(self._askers, entry.place, key=_BY_PLACE)
        self._admit_until(at + 1)
        return answer(entry, self._admitted[at], self._what, gaps)

    def _admit_until(self, count: int) -> None:
        for asker in self._askers[len(self._admitted) : count]:
            admitted = self._whether_admitted(asker.entry)
            self._admitted.append(admitted)
            self._used.note(asker, admitted)

    def _whether_admitted(self, entry: OrderedCall) -> Fit:
        if entry.missing is not None:
            return NO
        if entry.wants is None:
            left = sum(self._supply.any.count_earlier(entry)) - self._used.certainly_any
            return entry.unknown or NO if left > 0 else NO
        return all_hold(self._left(value, entry) for value in entry.wants)

    def _left(self, value: Hashable, entry: OrderedCall) -> Fit:
        """Whether an earlier call of the value is left for the asker."""
        used = self._used
        of_value = self._supply.by_value.get(value, _NONE)
        certain, possible = of_value.count_earlier(entry)
        left = certain - used.certainly[value]
        if left - used.perhaps[value] - used.perhaps_any > 0:
            return YES
        if left > 0:
            return unknown(used.causes.get(value) or used.cause_any or HISTORY_EVICTED)
        if left + possible + sum(self._supply.open.count_earlier(entry)) > 0:
            return unknown(of_value.cause_earlier(entry) or self._supply.open.cause_earlier(entry) or HISTORY_EVICTED)
        return NO

    def _bears_on_answers(self, entry: OrderedCall) -> bool:
        """Whether the call is earlier than one that has its answer."""
        if not self._admitted:
            return False
        last = self._askers[len(self._admitted) - 1].entry
        return last.start is None or entry.end is None or entry.end <= last.start

    def _start_over(self) -> None:
        self.lost = self.lost or self._forgot
        self._admitted.clear()
        self._used = self._used_before.copy()

    def _forget_askers(self, count: int) -> None:
        self._admit_until(count)
        for asker, admitted in zip(self._askers[:count], self._admitted[:count], strict=True):
            self._used_before.note(asker, admitted)
        del self._askers[:count], self._admitted[:count]

    def _forget_suppliers(self, count: int) -> None:
        """What they admitted stays admitted. Something is lost where they might still have admitted others."""
        forgotten: Counter[Hashable] = Counter()
        for entry, doubt in self._suppliers[:count]:
            if entry.offers is None or entry.other.truth is None or doubt is not None:
                self.lost = True
            else:
                forgotten.update(entry.offers)
        del self._suppliers[:count]
        self._supply = _Supply()
        for entry, doubt in self._suppliers:
            self._supply.add(entry, doubt)
        self._forgot = True
        self.lost = not self._used.forget(forgotten, self._supply.by_value) or self.lost
        self._used_before.forget(forgotten, self._supply.by_value)
