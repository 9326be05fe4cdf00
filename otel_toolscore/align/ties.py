"""Which of the heaviest matchings: that with the fewest pairs out of order, then the fewest missing, then the earliest calls.

A matching is heaviest exactly if it uses tight pairs only and leaves free no row with u > 0 and no column with v > 0 (see
`assignment`). Few such matchings are all tried. Of many, the longest chain of tight pairs that is in order is sought first
(nothing in order can be longer), its pairs are made one by one where the rest can still be completed, and every other row
moves to its earliest column. The order of the result is proven best if no pair is out of order, or if the whole chain was
made; otherwise it is only good.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from otel_toolscore.align.assignment import FREE, Matching, bits
from otel_toolscore.align.chains import longest_chain, out_of_order
from otel_toolscore.align.tree import Layout

MOST_TRIED: Final = 100_000
"""Steps times rows up to which all combinations of tight pairs are tried."""
DEEPEST: Final = 100
"""Rows with a choice among which combinations are tried."""
MOST_WORK: Final = 20_000_000
"""What moving rows may cost, in bitset words."""
MOST_MOVED: Final = 5_000_000
"""Tight pairs up to which they are put into another order of the calls than the list's."""
NULL: Final = -2
"""Stands, in a search for an exchange, for all that may stay free."""


Earliness: TypeAlias = tuple[int, list[tuple[int, float]]]


class Slots(msgspec.Struct, frozen=True):
    """What the rows of a matching stand for."""

    layout: Layout
    units: tuple[int, ...]
    """For each row its unit; rows are in the order of the units."""
    ranks: tuple[int, ...]
    """For each column its place in time."""
    ordered: bool
    """Whether the order counts at all."""

    def crossed(self, of_row: Sequence[int]) -> int:
        """How many pairs are out of order."""
        if not self.ordered:
            return 0
        pairs = [(self.units[row], self.ranks[column]) for row, column in enumerate(of_row) if column != FREE]
        return len(out_of_order(self.layout, pairs))

    def earliness(self, of_row: Sequence[int]) -> Earliness:
        """How much is missing from the minima, and the calls of each unit in order, missing ones last: the less, the better."""
        found: list[tuple[int, float]] = []
        made = [0] * len(self.layout.units)
        for row, column in enumerate(of_row):
            if column != FREE:
                found.append((self.units[row], column))
                made[self.units[row]] += 1
        lacking = [number for number, unit in enumerate(self.layout.units) for _ in range(made[number], unit.least)]
        found.extend((number, math.inf) for number in lacking)
        return len(lacking), sorted(found)

    @property
    def simple(self) -> bool:
        """Whether rows and columns are each totally ordered."""
        blocks = self.layout.blocks
        if blocks is None or len(set(self.ranks)) < len(self.ranks):
            return False
        return len({(blocks[unit]) for unit in self.units}) == len(set(self.units))


def settle(matching: Matching, slots: Slots) -> bool:
    """Makes the heaviest matching the best in order and then the earliest; returns whether its order is proven best."""
    if _is_earliest(matching, slots) and slots.crossed(matching.of_row) == 0:
        return True
    return _Trial(matching, slots).run() or _improve(matching, slots)


def _is_earliest(matching: Matching, slots: Slots) -> bool:
    """Whether each row has the earliest column that the rows before it leave, so that none can have an earlier one."""
    used = 0
    for row, column in enumerate(matching.of_row):
        options = matching.tight(row) & ~used
        if column == FREE:
            lacking = slots.layout.units[slots.units[row]].least > 0
            if options or lacking:
                return False
        elif options & -options != 1 << column:
            return False
        else:
            used |= 1 << column
    return True


class _Trial:
    """Tries all heaviest matchings, as long as they are few."""

    def __init__(self, matching: Matching, slots: Slots) -> None:
        self.matching = matching
        self.slots = slots
        rows = len(matching.of_row)
        self.tight = [matching.tight(row) for row in range(rows)]
        self.may_stay = [value == 0 for value in matching.u]
        options = [mask.bit_count() + stays for mask, stays in zip(self.tight, self.may_stay, strict=True)]
        self.undecided = [row for row in range(rows) if options[row] > 1]
        self.must = sum(1 << column for column, value in enumerate(matching.v) if value > 0)
        self.left = MOST_TRIED // (1 + rows)
        self.current = matching.of_row.copy()
        self.best: tuple[int, Earliness, list[int]] | None = None
        self.first_is_earliest = all(self.alike(row) or slots.units[row] != slots.units[row - 1] for row in range(1, rows))

    def alike(self, row: int) -> bool:
        """Whether the row is like the one before it, so that exchanging them makes no difference."""
        units, rows, u = self.slots.units, self.matching.rows, self.matching.u
        return row > 0 and units[row] == units[row - 1] and rows[row] is rows[row - 1] and u[row] == u[row - 1]

    def run(self) -> bool:
        """Finds the best; False, and nothing is changed, if there are too many."""
        if not self.undecided:
            return True
        if len(self.undecided) > DEEPEST:
            return False
        for row in self.undecided:
            self.current[row] = FREE
        used = sum(1 << column for column in self.current if column != FREE)
        self.descend(0, used)
        if self.left <= 0:
            return False
        assert self.best is not None
        rematch(self.matching, self.best[2])
        return True

    def descend(self, depth: int, used: int) -> bool:
        """Tries everything for the undecided rows from this one on; returns whether nothing better can come."""
        self.left -= 1
        if self.left <= 0:
            return True
        if depth == len(self.undecided):
            return not self.must & ~used and self.judge()
        row = self.undecided[depth]
        options = self.tight[row] & ~used
        if self.alike(row) and depth and self.undecided[depth - 1] == row - 1:
            before = self.current[row - 1]
            options = 0 if before == FREE else options >> before << before
        for column in bits(options):
            self.current[row] = column
            if self.descend(depth + 1, used | 1 << column):
                return True
        self.current[row] = FREE
        return self.may_stay[row] and self.descend(depth + 1, used)

    def judge(self) -> bool:
        """Keeps the matching if it is the best so far; returns whether none can be better."""
        crossed = self.slots.crossed(self.current)
        if self.best is None or crossed <= self.best[0]:
            earliness = self.slots.earliness(self.current)
            if self.best is None or (crossed, earliness) < self.best[:2]:
                self.best = crossed, earliness, self.current.copy()
        return crossed == 0 and self.first_is_earliest and not self.best[1][0]


def rematch(matching: Matching, of_row: Sequence[int]) -> None:
    """Replaces the matching by another one of the same weight."""
    matching.release(range(len(of_row)))
    for row, column in enumerate(of_row):
        if column != FREE:
            matching.pair(row, column)


def _improve(matching: Matching, slots: Slots) -> bool:
    limit = matching.work + MOST_WORK
    before = matching.of_row.copy()
    crossed = slots.crossed(before)
    exchange = Exchange(matching)
    chain: list[tuple[int, int]] = []
    if slots.ordered:
        chain = _chain(matching, slots)
    made = 0
    for row, column in chain:
        if matching.work > limit:
            break
        if exchange.force(row, column):
            exchange.fix(row)
            made += 1
    for row in range(len(matching.of_row)):
        for column in bits(matching.tight(row) & exchange.movable):
            current = matching.of_row[row]
            if row in exchange.fixed or matching.work > limit or (current != FREE and column >= current):
                break
            if exchange.force(row, column):
                break
        exchange.fix(row)
    now = slots.crossed(matching.of_row)
    if now > crossed:
        rematch(matching, before)
        now = crossed
    paired = sum(column != FREE for column in matching.of_row)
    return now == 0 or (slots.simple and now == paired - len(chain))


def _chain(matching: Matching, slots: Slots) -> list[tuple[int, int]]:
    """The longest chain of tight pairs in order (where something is unordered: as it is matched now)."""
    rows, columns = _lines(matching, slots)
    masks = [matching.tight(row) for row in rows]
    if columns != list(range(len(columns))):
        if sum(mask.bit_count() for mask in masks) > MOST_MOVED:
            return []
        place = [0] * len(columns)
        for index, column in enumerate(columns):
            place[column] = index
        masks = [sum(1 << place[column] for column in bits(mask)) for mask in masks]
    return [(rows[row], columns[column]) for row, column in longest_chain(masks, len(columns))]


def _lines(matching: Matching, slots: Slots) -> tuple[list[int], list[int]]:
    """Rows and columns in a total order that keeps theirs; what is unordered stands as it is matched now."""
    blocks = slots.layout.blocks
    end = len(slots.ranks)
    of_row, of_column = matching.of_row, matching.of_column

    def when(row: int) -> tuple[int, int]:
        return (slots.ranks[of_row[row]], of_row[row]) if of_row[row] != FREE else (end, end)

    if blocks is not None:
        rows = sorted(range(len(of_row)), key=lambda row: (blocks[slots.units[row]], *when(row), row))
    else:
        rows = list(range(len(of_row)))
    turn = {row: place for place, row in enumerate(rows)}
    columns = sorted(range(end), key=lambda column: (slots.ranks[column], turn.get(of_column[column], end), column))
    return rows, columns


class Exchange:
    """Changes a heaviest matching into other heaviest ones, one wanted pair at a time."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self.fixed: set[int] = set()
        self.movable = (1 << matching.columns) - 1
        """Columns that may still change their row."""
        self._loose = sum(1 << column for column, value in enumerate(matching.v) if value == 0)

    def fix(self, row: int) -> None:
        """Keeps the row as it is from now on."""
        self.fixed.add(row)
        if self.matching.of_row[row] != FREE:
            self.movable &= ~(1 << self.matching.of_row[row])

    def force(self, row: int, column: int) -> bool:
        """Pairs the two if that can be had in a heaviest matching that leaves fixed rows alone; else changes nothing.

        The row that had the column needs another one (or, with u = 0, none), and the column that the row had needs another
        row (or, with v = 0, none). Both are repaired by one alternating path from the one to the other, which may pass
        through NULL: a row may become free while, elsewhere, a free row is matched or a column is given up.
        """
        matching = self.matching
        old, owner = matching.of_row[row], matching.of_column[column]
        if old == column:
            return True
        if row in self.fixed or not (matching.tight(row) & self.movable) >> column & 1:
            return False
        changes = self._path(owner if owner != FREE else NULL, old if old != FREE else NULL, row, column)
        if changes is None:
            return False
        changes[row] = column
        matching.release(changes)
        for changed, taken in changes.items():
            if taken != FREE:
                matching.pair(changed, taken)
        return True

    def _path(self, start: int, end: int, row: int, column: int) -> dict[int, int] | None:
        """New columns for rows so that `start` is served and the column `end` is covered; NULL: nothing has to be."""
        matching = self.matching
        unvisited = self.movable & ~(1 << column)
        end_loose = end == NULL or bool(self._loose >> end & 1)
        came: dict[int, tuple[int, int]] = {start: (start, FREE)}
        queue = [start]
        for at in queue:
            if at == NULL:
                if end_loose:
                    return self._changes(came, NULL, FREE)
                freed = unvisited & self._loose
                reached = [(owner, FREE) for owner in map(matching.of_column.__getitem__, bits(freed)) if owner != FREE]
                reached += [(free, FREE) for free, taken in enumerate(matching.of_row) if taken == FREE]
            else:
                options = matching.tight(at) & unvisited
                matching.work += 1 + (matching.columns >> 6)
                if end != NULL and options >> end & 1:
                    return self._changes(came, at, end)
                unvisited &= ~options
                reached = []
                for taken in bits(options):
                    owner = matching.of_column[taken]
                    if owner != FREE:
                        reached.append((owner, taken))
                    elif end_loose:
                        return self._changes(came, at, taken)
                    else:
                        reached.append((NULL, taken))
                if matching.u[at] == 0:
                    reached.append((NULL, FREE))
            matching.work += 4 * len(reached)
            for following, taken in reached:
                if following not in came and following != row and following not in self.fixed:
                    came[following] = at, taken
                    queue.append(following)
        return None

    def _changes(self, came: dict[int, tuple[int, int]], last: int, taken: int) -> dict[int, int]:
        """Who gets what along the path."""
        found: dict[int, int] = {}
        at = last
        while True:
            if at != NULL:
                found[at] = taken
            before, taken = came[at]
            if before == at:
                return found
            at = before
