"""In which order the slots and the calls of an alignment stand.

What an expectation leaves without order (groups, `order: any`, calls of one start) takes the order in which it was matched.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from otel_toolscore.align.alignment import Alignment
from otel_toolscore.align.tree import Choice, Leaf, Node, Series


def actual_order(alignment: Alignment) -> list[int]:
    """The calls in time; of one start those first whose expected calls are written first, then those that nothing expects."""
    ranks = alignment.calls.ranks
    turn = {slot.call: index for index, slot in enumerate(alignment.slots)}
    return sorted(range(len(ranks)), key=lambda call: (ranks[call], turn.get(call, len(turn)), call))


def expected_order(alignment: Alignment, gone: Iterable[int] = ()) -> list[int]:
    """The slots, with what may stand in any order as it was matched.

    A missing call of a group stands where a call was made that nobody expected, if there is such a place (the one was made
    instead of the other), else after the others. `gone` are calls that are no such place.
    """
    return _Order(alignment, set(gone)).of(alignment.tree.root, -1, len(alignment.calls.ranks))


class _Order:
    def __init__(self, alignment: Alignment, gone: set[int]) -> None:
        self.alignment = alignment
        self.place = {call: index for index, call in enumerate(actual_order(alignment))}
        self.vacant = sorted(self.place[call] for call in alignment.extras if call not in gone)
        """Places of calls that nobody expected and no missing call has taken yet."""
        self.by_leaf: dict[int, list[int]] = {}
        for index, slot in enumerate(alignment.slots):
            self.by_leaf.setdefault(slot.leaf, []).append(index)

    def of(self, node: Node, low: int, high: int) -> list[int]:
        """The slots below the node; their calls are expected between the places `low` and `high`."""
        if isinstance(node, Leaf):
            return self.by_leaf.get(node.index, [])
        if isinstance(node, Choice):
            return self.of(node.alternatives[self.alignment.choices[node.index]], low, high)
        if isinstance(node, Series):
            return self._in_series(node.parts, low, high)
        return self._merged([self.of(part, low, high) for part in node.parts], low, high)

    def _in_series(self, parts: Sequence[Node], low: int, high: int) -> list[int]:
        if all(isinstance(part, Leaf) for part in parts):
            return [slot for part in parts for slot in self.of(part, low, high)]
        spans = [self._span(part) for part in parts]
        lows = list(accumulate((last for _, last in spans), max, initial=low))
        highs = list(accumulate((first for first, _ in reversed(spans)), min, initial=high))
        return [slot for index, part in enumerate(parts) for slot in self.of(part, lows[index], highs[len(parts) - 1 - index])]

    def _span(self, node: Node) -> tuple[int, int]:
        """First and last place of the node's calls."""
        places = [place for slot in self.of(node, 0, -1) if (place := self._place(slot)) is not None]
        return (min(places), max(places)) if places else (len(self.place), -1)

    def _place(self, slot: int) -> int | None:
        call = self.alignment.slots[slot].call
        return None if call is None else self.place[call]

    def _merged(self, parts: Sequence[list[int]], low: int, high: int) -> list[int]:
        """The parts' slots by the places of their calls; inside a part they keep their order."""
        streams: list[list[tuple[int, int, int]]] = []
        waiting: list[int] = []
        for slots in parts:
            places = [self._place(slot) for slot in slots]
            if all(place is None for place in places):
                waiting.extend(slots)
            else:
                streams.append(_keyed(slots, places))
        first, last = bisect_left(self.vacant, low + 1), bisect_left(self.vacant, high)
        taken = self.vacant[first:last][: len(waiting)]
        if taken:
            self.vacant = [place for place in self.vacant if place not in set(taken)]
        streams.append([(place, 0, slot) for place, slot in zip(taken, waiting, strict=False)])
        return [slot for _, _, slot in heapq.merge(*streams)] + waiting[len(taken) :]


def _keyed(slots: Sequence[int], places: Sequence[int | None]) -> list[tuple[int, int, int]]:
    """Missing slots stand right before the next one of their part that has a call, or after the last."""
    found: list[tuple[int, int, int]] = []
    after: int | None = None
    for slot, place in zip(reversed(slots), reversed(places), strict=True):
        after = place if place is not None else after
        known = after if after is not None else max(other for other in places if other is not None)
        found.append((known, 0, slot))
    found.reverse()
    return found
