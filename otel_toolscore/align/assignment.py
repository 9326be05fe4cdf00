"""Maximum-weight bipartite matching, exact, on rows whose weights take few distinct values.

A row (an expected call) says for each column (an actual call) what the pair would be worth; equal worths are one bitset of
columns. That is the shape of our problem: what a pair is worth is a handful of counts (equal arguments, surplus arguments),
while rows and columns are many. A step of the search then handles a whole class of columns with one operation on an integer.

Algorithm: the primal-dual method (Kuhn 1955; Ford and Fulkerson's form for transport), with all free rows as sources.

- Duals u >= 0 (rows) and v >= 0 (columns) always satisfy u[r] + v[c] >= weight(r, c). A pair is *tight* where this is an
  equality. Every matched pair is tight; every free column has v = 0.
- In each phase the matching is made as large as it can be on tight pairs; a row with u = 0 may stay free or be freed. Then
  Dijkstra's algorithm from all rows that are free with u > 0 finds the least change of the duals that brings a new tight
  path, and the duals are changed by it. Each phase matches at least one more row, so there are at most as many phases as rows.
- At the end every free row has u = 0 and every free column has v = 0, so the matching's weight equals sum(u) + sum(v), which
  by the constraints no matching exceeds: it is optimal. By the same token a matching is optimal exactly if it uses tight
  pairs only and covers every row with u > 0 and every column with v > 0 (complementary slackness); `Ties` builds on that.
- Stopped early, sum(u) + sum(v) still bounds every matching, so the gap to it bounds what is lost.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Levels: TypeAlias = tuple[tuple[int, int], ...]
"""(weight > 0, bitset of columns), heaviest first. Where bitsets overlap, the first counts; columns in none cannot be taken."""

FREE = -1


def bits(mask: int) -> Iterator[int]:
    """Indices of the set bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Matching:
    """A matching with the duals that prove it; `solve` returns one."""

    def __init__(self, rows: Sequence[Levels], columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.of_row = [FREE] * len(rows)
        """For each row its column, or FREE."""
        self.of_column = [FREE] * columns
        """For each column its row, or FREE."""
        self.u = [levels[0][0] if levels else 0 for levels in rows]
        self.v = [0] * columns
        self.gap = 0
        """No matching weighs more than this one by more than `gap`; 0: it is optimal."""
        self._free = (1 << columns) - 1
        self._buckets = {0: self._free}
        self._tight: dict[int, int] = {}
        self.work = 0
        """Operations on bitsets so far, in units of 64-bit words."""

    @property
    def weight(self) -> int:
        """Sum of the weights of the matched pairs."""
        return sum(self.weight_of(row, column) for row, column in enumerate(self.of_row) if column != FREE)

    def weight_of(self, row: int, column: int) -> int:
        """What the pair is worth; 0 where the row cannot take the column."""
        return next((weight for weight, mask in self.rows[row] if mask >> column & 1), 0)

    def tight(self, row: int) -> int:
        """Columns that the row can take in an optimal matching, as far as the duals tell."""
        found = self._tight.get(row)
        if found is None:
            u, found = self.u[row], 0
            for weight, mask in self.rows[row]:
                if weight < u:
                    break
                bucket = self._buckets.get(weight - u)
                if bucket is not None:
                    found |= mask & bucket
            self._tight[row] = found
            self.work += self._words
        return found

    @property
    def _words(self) -> int:
        return 1 + (self.columns >> 6)

    def pair(self, row: int, column: int) -> None:
        """Matches the pair; what either was matched with before is the caller's care."""
        self.of_row[row] = column
        self.of_column[column] = row
        self._free &= ~(1 << column)

    def release(self, rows: Iterable[int]) -> None:
        """Frees the rows and their columns."""
        for row in rows:
            column = self.of_row[row]
            if column != FREE:
                self.of_row[row] = self.of_column[column] = FREE
                self._free |= 1 << column

    def augment(self, start: int, unvisited: int) -> tuple[bool, int]:
        """Looks for a tight path from the free row to a free column, or to a row that may be free, and flips it.

        Returns whether it was found, and the columns that no search of this sweep has visited.
        """
        path, taken = [start], []
        while path:
            row = path[-1]
            if self.u[row] == 0:
                self.of_row[row] = FREE
                path.pop()
                break
            options = self.tight(row) & unvisited
            if at_once := options & self._free:
                taken.append((at_once & -at_once).bit_length() - 1)
                break
            if options:
                low = options & -options
                unvisited ^= low
                taken.append(low.bit_length() - 1)
                path.append(self.of_column[taken[-1]])
            else:
                path.pop()
                if taken:
                    taken.pop()
        else:
            return False, unvisited
        for row, column in zip(path, taken, strict=True):
            self.pair(row, column)
        return True, unvisited

    def augment_all(self, waiting: list[int]) -> list[int]:
        """Matches as many of the free rows as tight pairs allow; the rest is returned."""
        while waiting:
            unvisited, left = (1 << self.columns) - 1, []
            for row in waiting:
                found, unvisited = self.augment(row, unvisited)
                if not found:
                    left.append(row)
            if len(left) == len(waiting):
                break
            waiting = left
        return waiting

    def change_duals(self, sources: Sequence[int]) -> None:
        """Changes the duals by the least amount that makes a path from a source tight."""
        rows, columns, least = self._distances(sources)
        for row, distance in rows.items():
            if distance < least:
                self.u[row] -= least - distance
        moved: dict[int, int] = {}
        for distance, mask in columns:
            if distance < least:
                for column in bits(mask):
                    value = self.v[column]
                    moved[value] = moved.get(value, 0) | 1 << column
                    self.v[column] = value = value + least - distance
                    self._buckets[value] = self._buckets.get(value, 0) | 1 << column
        for value, mask in moved.items():
            kept = self._buckets[value] & ~mask | mask & self._of_value(value, mask)
            if kept:
                self._buckets[value] = kept
            else:
                del self._buckets[value]
        self._tight.clear()

    def _of_value(self, value: int, mask: int) -> int:
        """Those of the columns that (again) have this dual."""
        return sum(1 << column for column in bits(mask) if self.v[column] == value)

    def _distances(self, sources: Sequence[int]) -> tuple[dict[int, int], list[tuple[int, int]], int]:
        """Dijkstra over slacks: rows with their distance, columns in classes of equal distance, and the end's distance."""
        rows: dict[int, int] = {}
        columns: list[tuple[int, int]] = []
        pending: dict[int, int] = {}
        heap: list[int] = []
        unvisited = (1 << self.columns) - 1
        scanned: dict[int, int] = {}
        buckets = sorted(self._buckets.items())
        words = self._words
        least = min(self.u[row] for row in sources)
        fresh = [(row, 0) for row in sources]
        while True:
            for row, distance in fresh:
                rows[row] = distance
                height = distance + self.u[row]
                least = min(least, height)
                levels = self.rows[row]
                if scanned.get(id(levels), height + 1) <= height:
                    continue
                scanned[id(levels)] = height
                self.work += words * len(levels) * len(buckets)
                for weight, mask in levels:
                    mask &= unvisited
                    if not mask:
                        continue
                    for value, bucket in buckets:
                        reach = height - weight + value
                        if reach >= least:
                            break
                        found = mask & bucket
                        if found & self._free:
                            least = reach
                        elif reach in pending:
                            pending[reach] |= found
                        elif found:
                            pending[reach] = found
                            heapq.heappush(heap, reach)
            if not heap or heap[0] >= least:
                return rows, columns, least
            distance = heapq.heappop(heap)
            mask = pending.pop(distance) & unvisited
            unvisited ^= mask
            columns.append((distance, mask))
            fresh = [(self.of_column[column], distance) for column in bits(mask)]

    def complete(self) -> None:
        """Gives free rows what columns are left, whatever they are worth: as many pairs as there can be."""
        for start in [row for row, column in enumerate(self.of_row) if column == FREE and self.rows[row]]:
            self._reach_free(start)

    def _reach_free(self, start: int) -> None:
        unvisited = (1 << self.columns) - 1
        came: dict[int, int] = {}
        queue = [start]
        for row in queue:
            options = unvisited & self.candidates(row)
            self.work += self._words
            if at_once := options & self._free:
                column = (at_once & -at_once).bit_length() - 1
                while True:
                    before = self.of_row[row]
                    self.pair(row, column)
                    if row == start:
                        return
                    column, row = before, came[before]
            unvisited &= ~options
            for column in bits(options):
                came[column] = row
                queue.append(self.of_column[column])

    def candidates(self, row: int) -> int:
        """All columns that the row can take."""
        found = 0
        for _, mask in self.rows[row]:
            found |= mask
        return found


def solve(rows: Sequence[Levels], columns: int, *, budget: int | None = None) -> Matching:
    """The heaviest matching.

    Each row and each column is used at most once. With a `budget` (words of bitset work; the same input gives the same
    answer on every machine) the search stops when it is spent: then every row that can have a column still has one, and
    `gap` bounds what is lost.
    """
    found = Matching(rows, columns)
    waiting = found.augment_all([row for row, u in enumerate(found.u) if u > 0])
    while waiting:
        if budget is not None and found.work > budget:
            bound = sum(found.u) + sum(found.v)
            found.complete()
            found.gap = bound - found.weight
            break
        found.change_duals(waiting)
        waiting = found.augment_all(waiting)
    return found
