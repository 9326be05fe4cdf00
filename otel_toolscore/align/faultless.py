"""Is there an alignment without any difference? The cheapest way that can tell."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final

import msgspec

from otel_toolscore.align import direct
from otel_toolscore.align.assignment import Levels
from otel_toolscore.align.residual import Residual
from otel_toolscore.align.search import GivenUpError, search
from otel_toolscore.align.tree import Choice, Layout, Leaf, Node, Series, Tree, is_single, lay_out, made_by, may_fill
from otel_toolscore.align.weights import heaviest, union, weight_in

__all__ = ["Faultless", "GivenUpError", "find"]

SMALL: Final = 10_000
"""Units times calls up to which a plain list is searched, so that the best of several alignments is found."""


class Faultless(msgspec.Struct, frozen=True):
    """An alignment without any difference."""

    choices: Mapping[int, int]
    taken: Mapping[int, tuple[int, ...]]
    """For each leaf the calls that it takes; leaves that take none are absent."""
    exact: bool = True
    """Whether it is the best of its kind."""


def find(
    tree: Tree,
    fits: Sequence[Levels],
    ranks: tuple[int, ...],
    may_be_left: int,
    kind_of: Callable[[int], Hashable],
    *,
    optional: bool = False,
) -> Faultless | None:
    """The best alignment in which every call is a full match, in its place or tolerated, and nothing is missing.

    `fits` has for each leaf the calls that are full matches and their weights; `may_be_left` the calls that may be left
    over; with `optional` every expected call may be missing. `kind_of` is equal for leaves that are alike. None where
    there is no such alignment; `GivenUpError` where that could not be found out within the bounds.
    """
    must = ((1 << len(ranks)) - 1) & ~may_be_left
    taken = 0
    for levels in fits:
        taken |= union(levels)
    if must & ~taken or not (optional or may_fill(tree.root, [union(levels) for levels in fits])):
        return None
    if _is_plain(tree.root):
        layout = lay_out(tree.root, {})
        if len(set(ranks)) <= 1 or not any(layout.after):
            pairs = direct.unordered(layout, fits, ranks, must, optional=optional)
            return None if pairs is None else _from_pairs(layout, fits, pairs)
        if not optional and len(set(ranks)) == len(ranks) and _is_list(tree.root):
            rows = [heaviest(tuple(fits[leaf] for leaf in unit.options)) for unit in layout.units]
            order = sorted(range(len(ranks)), key=lambda call: ranks[call])
            if must.bit_count() == len(ranks):
                return _from_pairs(layout, fits, list(enumerate(order))) if direct.call_by_call(rows, order) else None
            if not must:
                return _in_line(tree, layout, fits, rows, order, ranks, kind_of)
    return _searched(tree, fits, ranks, may_be_left, kind_of, optional=optional)


def _in_line(
    tree: Tree,
    layout: Layout,
    fits: Sequence[Levels],
    rows: Sequence[Levels],
    order: Sequence[int],
    ranks: tuple[int, ...],
    kind_of: Callable[[int], Hashable],
) -> Faultless | None:
    """A plain list between whose calls others may stand."""
    calls = direct.in_line(rows, order)
    if calls is None:
        return None
    alike = all(len(levels) == 1 for levels in rows)
    if not alike and len(rows) * len(order) <= SMALL:
        return _searched(tree, fits, ranks, (1 << len(ranks)) - 1, kind_of, optional=False)
    return _from_pairs(layout, fits, list(enumerate(calls)), exact=alike)


def _searched(
    tree: Tree, fits: Sequence[Levels], ranks: tuple[int, ...], may_be_left: int, kind_of: Callable[[int], Hashable], *, optional: bool
) -> Faultless | None:
    starts: dict[int, list[int]] = {}
    for call, rank in enumerate(ranks):
        starts.setdefault(rank, []).append(call)
    residual = Residual(tree, kind_of, optional=optional)
    found = search(residual, fits, [starts[rank] for rank in sorted(starts)], may_be_left)
    if found is None:
        return None
    return Faultless(made_by(tree, found), found)


def _from_pairs(layout: Layout, fits: Sequence[Levels], pairs: Sequence[tuple[int, int]], *, exact: bool = True) -> Faultless:
    """Of what a unit may stand for, the first that the call is worth most to."""
    choices: dict[int, int] = {}
    taken: dict[int, list[int]] = {}
    for number, call in pairs:
        unit = layout.units[number]
        weights = [weight_in(fits[leaf], call) for leaf in unit.options]
        place = weights.index(max(weights))
        taken.setdefault(unit.options[place], []).append(call)
        if unit.choice is not None:
            choices[unit.choice] = place
    return Faultless(choices, {leaf: tuple(sorted(calls)) for leaf, calls in taken.items()}, exact)


def _is_plain(root: Node) -> bool:
    """Whether the tree is one sequence or one group of single calls and single choices."""
    parts = (root,) if isinstance(root, Leaf | Choice) else root.parts
    return all(isinstance(part, Leaf) or (isinstance(part, Choice) and is_single(part)) for part in parts)


def _is_list(root: Node) -> bool:
    """Whether every part of the plain tree takes exactly one call."""
    leaves = [leaf for part in (root.parts if isinstance(root, Series) else (root,)) for leaf in _leaves(part)]
    return isinstance(root, Series) and all(leaf.least == leaf.most == 1 for leaf in leaves)


def _leaves(part: Node) -> list[Leaf]:
    return [leaf for leaf in (part.alternatives if isinstance(part, Choice) else (part,)) if isinstance(leaf, Leaf)]
