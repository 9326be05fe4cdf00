"""Alignments without any difference that need no search: of groups by a matching, of plain lists call by call or by a chain."""

from __future__ import annotations

from collections.abc import Sequence

from otel_toolscore.align.assignment import FREE, Levels, bits, solve
from otel_toolscore.align.chains import longest_chain
from otel_toolscore.align.search import GivenUpError
from otel_toolscore.align.ties import Slots, settle
from otel_toolscore.align.tree import Layout
from otel_toolscore.align.weights import heaviest, union

BUDGET = 400_000_000
"""Bitset words that the matching may cost."""


def unordered(layout: Layout, fits: Sequence[Levels], ranks: tuple[int, ...], must: int, *, optional: bool) -> list[tuple[int, int]] | None:
    """The best (unit, call) pairs without a difference, of units in any order; None where there are none.

    A matching in which every row of a minimum that has a call, and every call that must not be left over, adds more than
    all other weight together: there is a faultless alignment exactly if the heaviest matching has them all.
    `GivenUpError` where the budget was not enough to tell.
    """
    options = [heaviest(tuple(fits[leaf] for leaf in unit.options)) for unit in layout.units]
    cover = 1 + len(ranks) * max((levels[0][0] for levels in options if levels), default=0)
    rows: list[Levels] = []
    units: list[int] = []
    wanted = must.bit_count()
    for number, (unit, levels) in enumerate(zip(layout.units, options, strict=True)):
        size = union(levels).bit_count()
        least = 0 if optional else unit.least
        if least > size:
            return None
        wanted += least
        more = size - least if unit.most is None else max(0, min(unit.most, size) - least)
        for base, times in ((cover, least), (0, more)):
            if times:
                rows.extend([_raised(levels, base, cover, must)] * times)
                units.extend([number] * times)
    matching = solve(rows, len(ranks), budget=BUDGET)
    if matching.weight // cover < wanted:
        if matching.gap:
            raise GivenUpError
        return None
    if not matching.gap:
        settle(matching, Slots(layout, tuple(units), ranks, ordered=False))
    return [(units[row], column) for row, column in enumerate(matching.of_row) if column != FREE]


def _raised(levels: Levels, base: int, cover: int, must: int) -> Levels:
    found = []
    for weight, mask in levels:
        for part, more in ((mask & must, cover), (mask & ~must, 0)):
            if part:
                found.append((weight + base + more, part))
    return tuple(sorted(found, key=lambda level: -level[0]))


def call_by_call(rows: Sequence[Levels], order: Sequence[int]) -> bool:
    """Whether each row can take the call at its own place in time, with none left."""
    return len(rows) == len(order) and all(union(levels) >> call & 1 for levels, call in zip(rows, order, strict=True))


def in_line(rows: Sequence[Levels], order: Sequence[int]) -> list[int] | None:
    """For each row a call, all in time; None where there are none. Calls may be left over.

    `order` are the calls in time, each with a start of its own.
    """
    masks = [union(levels) for levels in rows]
    place = {call: index for index, call in enumerate(order)}
    if list(order) != list(range(len(order))):
        masks = [sum(1 << place[call] for call in bits(mask)) for mask in masks]
    chain = longest_chain(masks, len(order))
    return [order[column] for _, column in chain] if len(chain) == len(rows) else None
