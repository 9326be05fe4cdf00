"""Order: which pairs are out of order, and the longest run of pairs that is in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from otel_toolscore.align.assignment import Levels, bits, solve
from otel_toolscore.align.tree import Layout

FEW_BITS = 32
MOST_CROSSINGS = 4_000
"""Pairs among which the fewest out of order are found where the order is not one of blocks; of more, more may be named."""


def out_of_order(layout: Layout, pairs: Sequence[tuple[int, int]]) -> set[int]:
    """Indices of the fewest pairs (unit, rank of the call) without which all others are in order.

    Two pairs cross where one's unit comes before the other's and its call after the other's.

    Where the order is one of blocks (unordered inside), pairs sorted by block and rank are in order exactly if the ranks do
    not fall, so a longest run that does not fall is what stays. In general, crossing is a strict partial order (the
    intersection of "its unit is earlier" and "its call is later"), so the pairs that stay are a largest antichain, which by
    Dilworth's and König's theorems comes from a smallest vertex cover of a bipartite graph: the duals of a matching in it.
    """
    if layout.blocks is not None:
        blocks = layout.blocks
        order = sorted(range(len(pairs)), key=lambda index: (blocks[pairs[index][0]], pairs[index][1], index))
        kept = longest([pairs[index][1] for index in order])
        return set(range(len(pairs))) - {order[place] for place in kept}
    crossing = _crossing(layout, pairs)
    if not any(crossing):
        return set()
    if len(pairs) > MOST_CROSSINGS:
        return _crossed_one_by_one(crossing)
    rows: list[Levels] = [((1, mask),) if mask else () for mask in crossing]
    cover = solve(rows, len(pairs))
    return {index for index in range(len(pairs)) if cover.u[index] or cover.v[index]}


def _crossing(layout: Layout, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """For each pair those of later units whose calls come before its own."""
    by_unit: dict[int, int] = {}
    for index, (unit, _) in enumerate(pairs):
        by_unit[unit] = by_unit.get(unit, 0) | 1 << index
    later: dict[int, int] = {}
    for unit in by_unit:
        later[unit] = sum(by_unit.get(other, 0) for other in bits(layout.after[unit]) if other in by_unit)
    order = sorted(range(len(pairs)), key=lambda index: pairs[index][1])
    before = together = 0
    rank = -1
    found = [0] * len(pairs)
    for index in order:
        unit, here = pairs[index]
        if here != rank:
            before |= together
            together, rank = 0, here
        together |= 1 << index
        found[index] = later[unit] & before
    return found


def _crossed_one_by_one(crossing: Sequence[int]) -> set[int]:
    """Takes out pairs that still cross one that stays: not always the fewest."""
    gone = 0
    for index, mask in enumerate(crossing):
        if mask & ~gone:
            gone |= 1 << index
    return set(bits(gone))


def longest(numbers: Sequence[int]) -> list[int]:
    """Places of a longest part of the sequence that does not fall (patience sorting)."""
    tops: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        pile = bisect_right(tops, number)
        before.append(places[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(number)
            places.append(place)
        else:
            tops[pile] = number
            places[pile] = place
    found: list[int] = []
    place = places[-1] if places else -1
    while place >= 0:
        found.append(place)
        place = before[place]
    found.reverse()
    return found


def longest_chain(rows: Sequence[int], columns: int) -> list[tuple[int, int]]:
    """A longest chain of (row, column) with rows and columns rising, where `rows` are bitsets of columns.

    The bit-parallel algorithm for longest common subsequences (Crochemore et al. 2001), which never asks what the bits
    stand for, run from the end so that the chain can be read off from the start: each row takes the earliest column with
    which the chain is still a longest one.
    """
    everything = (1 << columns) - 1
    state = everything
    states = [state]
    for mask in reversed(rows):
        turned = _turned(mask, columns)
        state = (state + (state & turned) | state & ~turned) & everything
        states.append(state)
    states.reverse()

    def remaining(row: int, column: int) -> int:
        """Length of the longest chain from this row and column on."""
        width = columns - column
        return width - (states[row] & ((1 << width) - 1)).bit_count()

    found: list[tuple[int, int]] = []
    column, need = 0, remaining(0, 0)
    for row, mask in enumerate(rows):
        if not need:
            break
        options = mask >> column << column
        if options:
            first = (options & -options).bit_length() - 1
            if remaining(row + 1, first + 1) >= need - 1:
                found.append((row, first))
                column, need = first + 1, need - 1
    return found


def _turned(mask: int, width: int) -> int:
    """The bits in reverse."""
    if mask.bit_count() < FEW_BITS:
        return sum(1 << (width - 1 - bit) for bit in bits(mask))
    return int(f"{mask:0{width}b}"[::-1], 2)
