"""Of equally heavy matchings the one with the fewest pairs out of order, then the earliest."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_assignment import levels

from otel_toolscore.align.assignment import FREE, Levels, solve
from otel_toolscore.align.chains import longest, longest_chain, out_of_order
from otel_toolscore.align.ties import Exchange, Slots, settle
from otel_toolscore.align.tree import Layout, Leaf, Node, Parallel, Series, lay_out


def trees(size: int) -> st.SearchStrategy[Node]:
    """Trees of so many leaves, which are numbered afterwards."""
    if size == 1:
        return st.just(Leaf(0, 1, 1))
    return st.integers(1, size - 1).flatmap(
        lambda left: st.builds(
            lambda kind, one, other: kind((one, other)), st.sampled_from([Series, Series, Parallel]), trees(left), trees(size - left)
        )
    )


class Problem(NamedTuple):
    layout: Layout
    units: tuple[int, ...]
    ranks: tuple[int, ...]
    matrix: list[list[int]]
    rows: list[Levels]

    @property
    def slots(self) -> Slots:
        return Slots(self.layout, self.units, self.ranks, ordered=True)


@st.composite
def problems(draw: st.DrawFn, most: int = 5) -> Problem:
    size, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    layout = lay_out(draw(trees(size)), {})
    units = (
        tuple(sorted(draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size)))) if draw(st.booleans()) else tuple(range(size))
    )
    ranks = (
        tuple(sorted(draw(st.lists(st.integers(0, columns), min_size=columns, max_size=columns))))
        if draw(st.booleans())
        else tuple(range(columns))
    )
    highest = draw(st.sampled_from([1, 1, 2]))
    matrix: list[list[int]] = []
    rows: list[Levels] = []
    for index in range(size):
        if index and units[index] == units[index - 1] and draw(st.booleans()):
            matrix.append(matrix[-1])
            rows.append(rows[-1])
        else:
            matrix.append(draw(st.lists(st.integers(0, highest), min_size=columns, max_size=columns)))
            rows.append(levels(matrix[-1]))
    return Problem(layout, units, ranks, matrix, rows)


def all_matchings(problem: Problem) -> list[tuple[int, ...]]:
    options = [[FREE, *(column for column, weight in enumerate(row) if weight)] for row in problem.matrix]
    chosen = itertools.product(*options)
    return [one for one in chosen if len({c for c in one if c != FREE}) == sum(c != FREE for c in one)]


def weight(problem: Problem, of_row: Sequence[int]) -> int:
    return sum(problem.matrix[row][column] for row, column in enumerate(of_row) if column != FREE)


def fewest_crossed(layout: Layout, pairs: Sequence[tuple[int, int]]) -> int:
    wrong = [
        (i, j)
        for i, (unit, rank) in enumerate(pairs)
        for j, (other, later) in enumerate(pairs)
        if layout.after[unit] >> other & 1 and rank > later
    ]
    return next(
        size
        for size in range(len(pairs) + 1)
        for gone in itertools.combinations(range(len(pairs)), size)
        if all(i in gone or j in gone for i, j in wrong)
    )


@given(problems())
def test_the_order_is_the_best_and_then_the_calls_the_earliest(problem: Problem) -> None:
    """Among all heaviest matchings, with groups, repetitions and equal starts."""
    slots = problem.slots
    matchings = all_matchings(problem)
    heaviest = max(weight(problem, one) for one in matchings)
    best = min((slots.crossed(one), slots.earliness(one)) for one in matchings if weight(problem, one) == heaviest)
    found = solve(problem.rows, len(problem.ranks))
    assert settle(found, slots)
    assert found.weight == heaviest
    assert (slots.crossed(found.of_row), slots.earliness(found.of_row)) == best


@given(problems())
def test_the_fewest_pairs_are_out_of_order(problem: Problem) -> None:
    """What is said to be out of order is a smallest set without which the rest is in order."""
    for of_row in all_matchings(problem)[-5:]:
        pairs = [(problem.units[row], problem.ranks[column]) for row, column in enumerate(of_row) if column != FREE]
        crossed = out_of_order(problem.layout, pairs)
        assert len(crossed) == fewest_crossed(problem.layout, pairs)
        rest = [pair for index, pair in enumerate(pairs) if index not in crossed]
        assert fewest_crossed(problem.layout, rest) == 0


@settings(max_examples=60)
@given(problems(), st.data())
def test_an_exchange_keeps_the_weight_or_changes_nothing(problem: Problem, data: st.DataObject) -> None:
    """A pair can be forced exactly if some heaviest matching has it and leaves the fixed rows alone."""
    found = solve(problem.rows, len(problem.ranks))
    heaviest = found.weight
    fixed = data.draw(st.sets(st.integers(0, len(problem.rows) - 1), max_size=2))
    before = found.of_row.copy()
    row = data.draw(st.integers(0, len(problem.rows) - 1))
    column = data.draw(st.integers(0, len(problem.ranks) - 1))
    exchange = Exchange(found)
    for one in fixed:
        exchange.fix(one)
    possible = any(
        weight(problem, one) == heaviest and one[row] == column and all(one[other] == before[other] for other in fixed)
        for one in all_matchings(problem)
    )
    assert exchange.force(row, column) == possible
    assert found.weight == heaviest
    assert found.of_row == before if not possible else found.of_row[row] == column
    assert all(found.of_row[one] == before[one] for one in fixed)
    assert all(found.of_column[taken] == one for one, taken in enumerate(found.of_row) if taken != FREE)


@given(st.lists(st.integers(0, 9), max_size=9))
def test_longest_run_that_does_not_fall(numbers: list[int]) -> None:
    """As long as any, and it does not fall."""
    places = longest(numbers)
    assert places == sorted(places)
    assert [numbers[place] for place in places] == sorted(numbers[place] for place in places)
    parts = (part for size in range(len(numbers), -1, -1) for part in itertools.combinations(numbers, size))
    assert len(places) == next(len(part) for part in parts if list(part) == sorted(part))


@given(st.integers(1, 6).flatmap(lambda width: st.tuples(st.just(width), st.lists(st.integers(0, 2**width - 1), max_size=6))))
def test_longest_chain(drawn: tuple[int, list[int]]) -> None:
    """As long as by the textbook's table, and each row takes the earliest column that keeps it so long."""
    columns, rows = drawn
    table = [[0] * (columns + 1) for _ in range(len(rows) + 1)]
    for row in range(len(rows) - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            taken = 1 + table[row + 1][column + 1] if rows[row] >> column & 1 else 0
            table[row][column] = max(taken, table[row + 1][column], table[row][column + 1])
    chain = longest_chain(rows, columns)
    assert len(chain) == table[0][0]
    assert all(rows[row] >> column & 1 for row, column in chain)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(chain))


@pytest.mark.parametrize("size", [300, 1_500])
def test_many_equal_rows_in_order(size: int) -> None:
    """A random heaviest matching of equal rows becomes one without a pair out of order."""
    generator = random.Random(size)
    everything = (1 << size) - 1
    parity = [sum(1 << column for column in range(size) if generator.random() < 0.5 or column == row) for row in range(size)]
    rows: list[Levels] = [((2, mask), (1, everything & ~mask)) for mask in parity]
    found = solve(rows, size)
    slots = Slots(lay_out(Series(tuple(Leaf(row, 1, 1) for row in range(size))), {}), tuple(range(size)), tuple(range(size)), ordered=True)
    settle(found, slots)
    assert (found.weight, slots.crossed(found.of_row)) == (2 * size, 0)
