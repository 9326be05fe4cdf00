"""Which calls came earlier: those that ended when another started, or before."""

from __future__ import annotations

import bisect
from collections.abc import Hashable
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from otel_toolscore.rules.history import TIME_UNKNOWN, Entry
from otel_toolscore.rules.judge import Place, Situation
from otel_toolscore.rules.truth import NO, YES, Fit, unknown

NO_VALUES: Final[tuple[Hashable, ...]] = ((),)
"""What a call shares with another where the rule asks for no equal values."""

KEPT: Final = 8
"""How many of the earliest calls are kept where only the earliest can decide: more than one, since a call is not earlier
than itself and may be taken back."""


class OrderedCall(Entry):
    """A call that may need another, or that may be the other."""

    __slots__ = ("missing", "offers", "other", "unknown", "wants")

    def __init__(self, situation: Situation, fit: Fit, other: Fit) -> None:
        super().__init__(situation, fit)
        self.other = other
        """Whether it is a call that others need, or that others must not follow."""
        self.wants: tuple[Hashable, ...] | None = NO_VALUES
        """The values that earlier calls must have, each its own call; None where they are not known."""
        self.unknown: Fit | None = None
        """Why `wants` is not known."""
        self.missing: str | None = None
        """A path at which the call has no value that another could share."""
        self.offers: tuple[Hashable, ...] | None = NO_VALUES
        """The values that it has for others; None where they are not known."""


class Counts(NamedTuple):
    """How many calls came earlier."""

    certain: int
    possible: int
    """Those that are not certain."""


_End: TypeAlias = tuple[int, Place, Entry, str]

_END: Final = itemgetter(0)
_BY_END: Final = itemgetter(0, 1)


class Ends:
    """Calls in the order in which they ended."""

    __slots__ = ("_certain", "_possible", "_untimed")

    def __init__(self) -> None:
        self._certain: list[_End] = []
        self._possible: list[_End] = []
        self._untimed: list[tuple[Entry, str]] = []

    def __len__(self) -> int:
        return len(self._certain) + len(self._possible) + len(self._untimed)

    def add(self, entry: Entry, cause: str | None) -> None:
        """A call; `cause` says why it is only a possible one."""
        if entry.end is None:
            self._untimed.append((entry, cause or TIME_UNKNOWN))
        else:
            bisect.insort(self._possible if cause else self._certain, (entry.end, entry.place, entry, cause or ""), key=_BY_END)

    def remove(self, entry: Entry) -> None:
        """Take back a call, if it is still there."""
        self._certain = [end for end in self._certain if end[2] is not entry]
        self._possible = [end for end in self._possible if end[2] is not entry]
        self._untimed = [each for each in self._untimed if each[0] is not entry]

    def keep_earliest(self) -> None:
        """Forget those that can no longer decide whether there is an earlier one."""
        del self._certain[KEPT:], self._possible[KEPT:], self._untimed[KEPT:]

    def earlier(self, entry: Entry) -> Fit:
        """Whether there is a call that is earlier than this one."""
        if entry.start is None:
            return unknown(TIME_UNKNOWN) if self.count_earlier(entry).possible else NO
        for end, _, other, _ in self._certain:
            if end > entry.start:
                break
            if other is not entry:
                return YES
        for end, _, other, cause in self._possible:
            if end > entry.start:
                break
            if other is not entry:
                return unknown(cause)
        return next((unknown(cause) for other, cause in self._untimed if other is not entry), NO)

    def count_earlier(self, entry: Entry) -> Counts:
        """How many calls are earlier than this one."""
        untimed = sum(other is not entry for other, _ in self._untimed)
        if entry.start is None:
            timed = (*self._certain, *self._possible)
            return Counts(0, untimed + sum(end[2] is not entry for end in timed))
        return Counts(self._count(self._certain, entry), self._count(self._possible, entry) + untimed)

    def cause_earlier(self, entry: Entry) -> str | None:
        """Why the first possible earlier call is only a possible one; None where all are certain."""
        if entry.start is None:
            return TIME_UNKNOWN
        early = (cause for end, _, other, cause in self._possible if other is not entry and end <= entry.start)
        return next(early, None) or next((cause for other, cause in self._untimed if other is not entry), None)

    @staticmethod
    def _count(ends: list[_End], entry: Entry) -> int:
        assert entry.start is not None
        count = bisect.bisect_right(ends, entry.start, key=_END)
        # Only a call that took no time can stand before its own start.
        return count - (entry.end == entry.start and any(end[2] is entry for end in ends[:count]))
