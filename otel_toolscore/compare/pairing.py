"""Which items of two lists go together, when order does not count."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, Generic, TypeVar

from otel_toolscore.model import Truth

MAX_QUESTIONS: Final = 20_000
"""So many pairs of items are compared one by one; a list that needs more is left open."""

Answer = TypeVar("Answer")
Partners = list[int | None]
"""For each expected index the actual index that it is paired with, or None."""


class TooManyQuestions(Exception):  # noqa: N818 - it is an answer, not a failure
    """The pairs cannot be found within `MAX_QUESTIONS`."""


class Questions(Generic[Answer]):
    """What is asked of a pair, asked once."""

    __slots__ = ("_answers", "_ask")

    def __init__(self, ask: Callable[[int, int], Answer]) -> None:
        self._ask = ask
        self._answers: dict[tuple[int, int], Answer] = {}

    def __call__(self, row: int, column: int) -> Answer:
        """The answer for the expected item `row` and the actual item `column`; `TooManyQuestions`."""
        pair = row, column
        if pair not in self._answers:
            if len(self._answers) == MAX_QUESTIONS:
                raise TooManyQuestions
            self._answers[pair] = self._ask(row, column)
        return self._answers[pair]


def paired_by_form(expected: Sequence[Hashable], actual: Sequence[Hashable]) -> Partners:
    """Pairs of equal forms, as many as there can be; an item whose form is None has no partner."""
    places: dict[Hashable, list[int]] = {}
    for column in range(len(actual) - 1, -1, -1):
        places.setdefault(actual[column], []).append(column)
    return [places[form].pop() if form is not None and places.get(form) else None for form in expected]


def pairing(start: Partners, actual: int, fits: Callable[[int, int], bool]) -> Partners:
    """As many pairs that fit as there can be, from pairs that do; of the rest, `fits` is asked lazily, the same index first."""
    partner = list(start)
    owner = {column: row for row, column in enumerate(partner) if column is not None}
    for row, column in enumerate(start):
        if column is None:
            _augment(row, actual, fits, partner, owner)
    return partner


def _augment(start: int, actual: int, fits: Callable[[int, int], bool], partner: Partners, owner: dict[int, int]) -> None:
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


def all_paired(start: Partners, actual: int, fits: Callable[[int, int], Truth]) -> Truth:
    """Whether every item has a partner of its own that fits; None where that depends on what is unknown or takes too long.

    `start` are pairs that certainly fit.
    """
    if len(start) != actual:
        return False
    asked = Questions(fits)
    try:
        if None not in pairing(start, actual, lambda row, column: asked(row, column) is True):
            return True
        return False if None in pairing(start, actual, lambda row, column: asked(row, column) is not False) else None
    except TooManyQuestions:
        return None
