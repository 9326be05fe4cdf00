"""Heaviest matchings: as heavy as any other solver's, with duals that prove it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from otel_toolscore.align.assignment import FREE, Levels, Matching, bits, solve


def levels(weights: Sequence[int]) -> Levels:
    masks: dict[int, int] = {}
    for column, weight in enumerate(weights):
        if weight:
            masks[weight] = masks.get(weight, 0) | 1 << column
    return tuple(sorted(masks.items(), reverse=True))


def check(found: Matching, matrix: Sequence[Sequence[int]]) -> None:
    """Each row and column is used once, and the duals bound every pair and add up to the weight."""
    taken = [column for column in found.of_row if column != FREE]
    assert len(set(taken)) == len(taken)
    for row, weights in enumerate(matrix):
        assert found.of_row[row] == FREE or found.of_column[found.of_row[row]] == row
        assert found.of_row[row] == FREE or weights[found.of_row[row]] > 0
        assert all(found.u[row] + found.v[column] >= weight for column, weight in enumerate(weights))
    assert min([*found.u, *found.v], default=0) >= 0
    assert found.gap == 0
    assert found.weight == sum(found.u) + sum(found.v)


matrices = st.tuples(st.integers(1, 6), st.integers(1, 6), st.sampled_from([1, 3, 40])).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, size[2]), min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
)


@given(matrices)
def test_small_matchings_are_heaviest(matrix: list[list[int]]) -> None:
    """The weight is that of an independent solver, whatever the weights and whichever pairs are impossible."""
    found = solve([levels(row) for row in matrix], len(matrix[0]))
    check(found, matrix)
    array = np.array(matrix)
    assert found.weight == array[linear_sum_assignment(array, maximize=True)].sum()


@given(matrices)
def test_a_spent_budget_leaves_a_bound(matrix: list[list[int]]) -> None:
    """Stopped early, as many rows as can be have a column, and the gap bounds what is lost."""
    found = solve([levels(row) for row in matrix], len(matrix[0]), budget=0)
    array = np.array(matrix)
    best = array[linear_sum_assignment(array, maximize=True)].sum()
    assert found.weight <= best <= found.weight + found.gap
    possible = (array > 0).astype(int)
    assert sum(column != FREE for column in found.of_row) == possible[linear_sum_assignment(possible, maximize=True)].sum()


@pytest.mark.parametrize(("rows", "columns"), [(2_000, 2_000), (1_500, 2_000), (2_000, 1_500)])
def test_thousands_of_rows(rows: int, columns: int) -> None:
    """Two thousand rows and columns of five arguments with few values each: as good as the independent solver."""
    generator = random.Random(rows - columns)
    expected = np.array([[generator.randrange(8) for _ in range(5)] for _ in range(rows)])
    actual = np.array([[generator.randrange(8) for _ in range(5)] for _ in range(columns)])
    matrix = (expected[:, None, :] == actual[None, :, :]).sum(axis=2) + 6 * max(rows, columns)
    found = solve([levels(row) for row in matrix.tolist()], columns)
    assert found.weight == matrix[linear_sum_assignment(matrix, maximize=True)].sum()
    assert found.weight == sum(found.u) + sum(found.v)


def test_overlapping_levels() -> None:
    """Where a column is in several levels of a row, its heaviest counts."""
    found = solve([((5, 0b01), (2, 0b11)), ((4, 0b01), (1, 0b11))], 2)
    assert (found.weight, found.of_row) == (6, [0, 1])


def test_bits() -> None:
    """Indices of set bits, lowest first."""
    assert list(bits(0b1010010)) == [1, 4, 6]
