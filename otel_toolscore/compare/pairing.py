"""Which items of two lists go together, when order does not count."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from otel_toolscore.model import Truth


def pairing(expected: int, actual: int, fits: Callable[[int, int], bool]) -> list[int | None]:
    """For each expected index the actual index it is paired with, or None: as many pairs that fit as there can be.

    `fits` is asked lazily, the same index first, so that equal lists cost one question an item.
    """
    partner: list[int | None] = [None] * expected
    owner: dict[int, int] = {}
    for start in range(expected):
        _augment(start, actual, fits, partner, owner)
    return partner


def _augment(start: int, actual: int, fits: Callable[[int, int], bool], partner: list[int | None], owner: dict[int, int]) -> None:
    """Pair `start` too, moving the pairs made so far where that is needed (a breadth-first augmenting path)."""
    came_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        row = queue.popleft()
        for column in _nearest_first(row, actual):
            if column in came_from or not fits(row, column):
                continue
            came_from[column] = row
            if column in owner:
                queue.append(owner[column])
                continue
            while True:
                row = came_from[column]
                previous = partner[row]
                partner[row], owner[column] = column, row
                if previous is None:
                    return
                column = previous


def _nearest_first(row: int, actual: int) -> Iterable[int]:
    if row < actual:
        yield row
    yield from (column for column in range(actual) if column != row)


def all_paired(expected: int, actual: int, fits: Callable[[int, int], Truth]) -> Truth:
    """Whether every item has a partner of its own that fits; None where that depends on what is unknown."""
    if expected != actual:
        return False
    known: dict[tuple[int, int], Truth] = {}

    def asked(row: int, column: int) -> Truth:
        if (row, column) not in known:
            known[row, column] = fits(row, column)
        return known[row, column]

    if None not in pairing(expected, actual, lambda row, column: asked(row, column) is True):
        return True
    return False if None in pairing(expected, actual, lambda row, column: asked(row, column) is not False) else None
