"""Counts and sums over the calls before a call, kept apart by group, in three-valued logic.

Every call adds an amount to its groups. What a call sees is the total over the calls before it (by place, and within the
window): at least `low`, and at most `high` unless an amount is not known.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from otel_toolscore.rules.history import HISTORY_EVICTED, TIME_UNKNOWN
from otel_toolscore.rules.judge import Place

Number: TypeAlias = int | Fraction


class Amount(NamedTuple):
    """What a call adds, or what calls add up to."""

    low: Number = 0
    high: Number = 0
    unknown: int = 0
    """How many of the amounts are not known; they are taken to be not negative."""

    def plus(self, other: Amount) -> Amount:
        """Both together."""
        return Amount(self.low + other.low, self.high + other.high, self.unknown + other.unknown)

    def minus(self, other: Amount) -> Amount:
        """This without the other, which is a part of it."""
        return Amount(self.low - other.low, self.high - other.high, self.unknown - other.unknown)

    def possible(self) -> Amount:
        """The same, where it is not certain that any of it counts."""
        return Amount(min(self.low, 0), max(self.high, 0), self.unknown)

    def exceeds(self, most: Number) -> bool:
        """Certainly more than `most`."""
        return self.low > most

    def may_exceed(self, most: Number) -> bool:
        """Perhaps more than `most`."""
        return self.unknown > 0 or self.high > most


NOTHING: Final = Amount()


class Seen(NamedTuple):
    """A total, and the cause for which it is not certain."""

    amount: Amount
    cause: str | None

    def plus(self, other: Seen) -> Seen:
        """Both together."""
        return Seen(self.amount.plus(other.amount), self.cause or other.cause)


_NOTHING_SEEN: Final = Seen(NOTHING, None)


class Series:
    """Amounts in the order of their calls, with running totals."""

    __slots__ = ("_doubts", "_dropped", "_dropped_last", "_places", "_totals")

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._totals: list[Amount] = []
        """At i: over all up to and including the i-th, and over what was dropped."""
        self._doubts: list[tuple[Place, str]] = []
        """Where an amount is not certain, and why."""
        self._dropped = NOTHING
        self._dropped_last: Place | None = None
        """The last place among those that were dropped."""

    def __len__(self) -> int:
        return len(self._places)

    @property
    def used(self) -> bool:
        """Whether anything was ever counted here."""
        return bool(self._places) or self._dropped_last is not None

    def add(self, place: Place, amount: Amount, cause: str | None) -> None:
        """Count the amount at the place; `cause` says why it is not certain."""
        at = bisect.bisect_left(self._places, place)
        self._places.insert(at, place)
        self._totals.insert(at, self._up_to(at).plus(amount))
        for later in range(at + 1, len(self._totals)):
            self._totals[later] = self._totals[later].plus(amount)
        if cause is not None:
            bisect.insort(self._doubts, (place, cause))

    def remove(self, place: Place) -> None:
        """Take back what was added at the place, unless it was dropped meanwhile."""
        at = bisect.bisect_left(self._places, place)
        if at == len(self._places) or self._places[at] != place:
            return
        amount = self._totals[at].minus(self._up_to(at))
        del self._places[at], self._totals[at]
        for later in range(at, len(self._totals)):
            self._totals[later] = self._totals[later].minus(amount)
        doubt = bisect.bisect_left(self._doubts, (place,))
        if doubt < len(self._doubts) and self._doubts[doubt][0] == place:
            del self._doubts[doubt]

    def drop_first(self) -> None:
        """No longer tell the first amount apart; it stays in the totals."""
        first = self._places.pop(0)
        self._dropped = self._totals.pop(0)
        self._dropped_last = first if self._dropped_last is None else max(first, self._dropped_last)
        while len(self._doubts) > 1 and self._doubts[1][0] <= first:
            del self._doubts[0]

    def before(self, place: Place, within: int | None) -> Seen:
        """The total before the place; with `within`, over the window (start - within, start] of starts.

        A call without a start may be in every window, and in its own window there may be any other call.
        """
        if within is None:
            if self._dropped_last is not None and place < self._dropped_last:
                return Seen(self._dropped.possible(), HISTORY_EVICTED)
            return Seen(self._up_to(bisect.bisect_left(self._places, place)), self._doubt(place, None))
        # Calls without a start stand last.
        timed = bisect.bisect_left(self._places, (True,)) if self._places and self._places[-1][0] else len(self._places)
        others = self.total().minus(self._up_to(timed)) if timed < len(self._places) else NOTHING
        if place[0]:
            at = bisect.bisect_left(self._places, place)
            if at < len(self._places) and self._places[at] == place:
                others = others.minus(self._totals[at].minus(self._up_to(at)))
            return Seen(self._up_to(timed).plus(others).possible(), TIME_UNKNOWN)
        after = place[1] - within
        until = bisect.bisect_left(self._places, place)
        amount = self._up_to(until).minus(self._up_to(min(until, bisect.bisect_left(self._places, (False, after + 1)))))
        seen = Seen(amount, self._doubt(place, after))
        if others != NOTHING:
            seen = seen.plus(Seen(others.possible(), TIME_UNKNOWN))
        if self._dropped_last is not None and (self._dropped_last[0] or self._dropped_last[1] > after):
            seen = seen.plus(Seen(self._dropped.possible(), HISTORY_EVICTED))
        return seen

    def total(self) -> Amount:
        """Over everything."""
        return self._up_to(len(self._totals))

    @property
    def last_start(self) -> int:
        """The last start among the calls, those that were dropped included."""
        last = self._places[-1] if self._places else self._dropped_last
        return 0 if last is None else last[1]

    def _up_to(self, count: int) -> Amount:
        return self._totals[count - 1] if count else self._dropped

    def _doubt(self, place: Place, after: int | None) -> str | None:
        """The cause of the last doubt before the place and within the window."""
        at = bisect.bisect_left(self._doubts, (place,))
        if at == 0:
            return None
        doubtful, cause = self._doubts[at - 1]
        return cause if after is None or doubtful[0] or doubtful[1] > after else None


class _Part:
    """The groups to which a call may belong whose group is not known."""

    __slots__ = ("series", "ungrouped")

    def __init__(self) -> None:
        self.series: dict[Hashable, Series] = {}
        self.ungrouped = Series()


class Groups:
    """A `Series` for each group, within parts; and a bound on what they hold together.

    A call whose group is not known is possible in every group of its part.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._parts: dict[Hashable, _Part] = {}
        self._count = 0
        self._order: deque[Series] = deque()
        self._lost = NOTHING
        self._lost_until: int | None = None

    def add(self, part: Hashable, groups: Iterable[Hashable] | None, place: Place, amount: Amount, cause: str | None) -> None:
        """Count the amount in each of the groups (None: they are not known); `cause` says what is not certain."""
        among = self._parts.get(part)
        if among is None:
            among = self._parts[part] = _Part()
        if groups is None:
            self._append(among.ungrouped, place, amount.possible(), cause)
        else:
            for group in groups:
                series = among.series.get(group)
                if series is None:
                    series = among.series[group] = Series()
                    self._count += 1
                self._append(series, place, amount, cause)

    def trim(self) -> None:
        """Keep the bound: the oldest amounts are no longer told apart, the oldest groups are lost."""
        while len(self._order) > self._bound:
            oldest = self._order.popleft()
            if len(oldest):
                oldest.drop_first()
        while self._count > self._bound or len(self._parts) > self._bound:
            self._lose_part()

    def remove(self, part: Hashable, groups: Iterable[Hashable] | None, place: Place) -> None:
        """Take back what was added."""
        among = self._parts.get(part)
        if among is None:
            return
        if groups is None:
            among.ungrouped.remove(place)
            return
        for group in groups:
            if group in among.series:
                among.series[group].remove(place)

    def before(self, part: Hashable, groups: Iterable[Hashable] | None, place: Place, within: int | None) -> Iterator[Seen]:
        """The total before the place in each of the groups; where they are not known, in each that there is and in a new one."""
        among = self._parts.get(part) or _Part()
        shared = among.ungrouped.before(place, within) if among.ungrouped.used else _NOTHING_SEEN
        if self._lost_until is not None and (within is None or self._lost_until > place[1] - within):
            shared = shared.plus(Seen(self._lost, HISTORY_EVICTED))
        for group in among.series if groups is None else groups:
            series = among.series.get(group)
            if series is None:
                yield shared
            else:
                yield series.before(place, within) if shared is _NOTHING_SEEN else series.before(place, within).plus(shared)
        if groups is None:
            yield shared

    def _append(self, series: Series, place: Place, amount: Amount, cause: str | None) -> None:
        series.add(place, amount, cause)
        self._order.append(series)

    def _lose_part(self) -> None:
        """Forget the groups of the part that was opened first; what was in the largest may be in any that opens later."""
        part = next(iter(self._parts))
        among = self._parts[part]
        for group in list(among.series)[: max(1, self._bound // 8)]:
            self._lose(among.series.pop(group))
            self._count -= 1
        if not among.series:
            self._lose(among.ungrouped)
            del self._parts[part]

    def _lose(self, series: Series) -> None:
        lost, total = self._lost, series.total().possible()
        self._lost = Amount(min(lost.low, total.low), max(lost.high, total.high), max(lost.unknown, total.unknown))
        self._lost_until = max(self._lost_until or 0, series.last_start)
