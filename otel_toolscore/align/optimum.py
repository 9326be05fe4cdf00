"""The best alignment where none is without a difference.

For given choices among alternatives this is one heaviest matching (`assignment`): a row for each call of the minimum, which
takes any call of its tool, and rows above it, which take full matches only. A choice between single calls is itself one row.
Other choices are tried: all combinations where they are few; else one choice after the other, until no change of one of
them is better (then a matching with all alternatives at once bounds the result).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import msgspec

from otel_toolscore.align.assignment import FREE, Levels, Matching, solve
from otel_toolscore.align.ties import Slots, settle
from otel_toolscore.align.tree import Choice, Choices, Leaf, Node, Tree, Unit, is_single, lay_out, settled
from otel_toolscore.align.weights import heaviest, union, weight_in

MOST_COMBINATIONS: Final = 256
"""Up to so many combinations of alternatives are all tried."""
BUDGET: Final = 400_000_000
"""Bitset words that the matchings of all combinations may cost together."""


class Fits(msgspec.Struct, frozen=True):
    """For each leaf what calls are worth to it."""

    any: Sequence[Levels]
    """All calls of its tool."""
    full: Sequence[Levels]
    """Those that may be without a difference."""


class Optimum(msgspec.Struct, frozen=True):
    """The best alignment that was found."""

    choices: Mapping[int, int]
    taken: Mapping[int, tuple[int, ...]]
    """For each leaf the calls that it takes; leaves that take none are absent."""
    gap: int
    """No alignment is worth more by more than this; 0: none is worth more."""


class _Candidate:
    """One combination of choices with its heaviest matching."""

    def __init__(self, tree: Tree, fits: Fits, choices: Choices, calls: int, budget: int = BUDGET) -> None:
        self.choices = choices
        self.layout = lay_out(tree.root, choices)
        self.fits = fits
        self.units: list[int] = []
        self.rows: list[Levels] = []
        for number, unit in enumerate(self.layout.units):
            self._add_rows(number, unit)
        self.matching: Matching = solve(self.rows, calls, budget=budget)
        self.weight = self.matching.weight

    def _add_rows(self, number: int, unit: Unit) -> None:
        every = heaviest(tuple(self.fits.any[leaf] for leaf in unit.options))
        full = heaviest(tuple(self.fits.full[leaf] for leaf in unit.options))
        most = _size(full) if unit.most is None else max(0, min(unit.most - unit.least, _size(full)))
        # Rows beyond the number of calls could only stay free.
        for levels, times in ((every, min(unit.least, _size(every))), (full, most)):
            self.rows.extend([levels] * times)
            self.units.extend([number] * times)

    def slots(self, ranks: tuple[int, ...]) -> Slots:
        return Slots(self.layout, tuple(self.units), ranks, any(self.layout.after))

    def taken(self) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
        """All choices, single ones too, and for each leaf its calls."""
        choices = dict(self.choices)
        found: dict[int, list[int]] = {}
        for row, column in enumerate(self.matching.of_row):
            if column == FREE:
                continue
            unit = self.layout.units[self.units[row]]
            weights = [weight_in(self.fits.any[leaf], column) for leaf in unit.options]
            place = weights.index(max(weights))
            found.setdefault(unit.options[place], []).append(column)
            if unit.choice is not None:
                choices[unit.choice] = place
        return choices, {leaf: tuple(sorted(calls)) for leaf, calls in found.items()}


def _size(levels: Levels) -> int:
    return union(levels).bit_count()


def optimum(tree: Tree, fits: Fits, ranks: tuple[int, ...], *, ties: bool = True) -> Optimum:
    """The best alignment by pairs, equal and surplus arguments, outcomes, then order, then earliness, then first alternatives.

    Without `ties`, order and earliness are left out.
    """
    calls = len(ranks)
    number = combinations(tree.root)
    if number <= MOST_COMBINATIONS:
        best, bound = _heaviest(_Candidate(tree, fits, choices, calls, BUDGET // number) for choices in combined(tree.root))
    else:
        best, bound = [_climb(tree, fits, calls)], _bound(tree, fits, calls)
    gap = bound - best[0].weight
    chosen = _settled(best, ranks) if ties else best[0]
    choices, taken = chosen.taken()
    return Optimum(settled(tree, choices), taken, gap)


def names_decide(tree: Tree, candidates: Sequence[int], calls: int) -> bool:
    """Whether the names of the calls alone decide every choice: one combination of alternatives has more pairs than any other.

    `candidates`: for each leaf the calls of its tool.
    """
    for choice in tree.choices:
        if is_single(choice) and sum(candidates[part.index] > 0 for part in choice.alternatives if isinstance(part, Leaf)) > 1:
            return False
    if combinations(tree.root) > MOST_COMBINATIONS:
        return False
    levels: list[Levels] = [((1, mask),) if mask else () for mask in candidates]
    pairs = [_Candidate(tree, Fits(levels, levels), choices, calls).weight for choices in combined(tree.root)]
    return pairs.count(max(pairs)) == 1


def _heaviest(candidates: Iterator[_Candidate]) -> tuple[list[_Candidate], int]:
    """The heaviest candidates, all of one weight, and what no alignment exceeds."""
    best: list[_Candidate] = []
    bound = 0
    for candidate in candidates:
        bound = max(bound, candidate.weight + candidate.matching.gap)
        if not best or candidate.weight > best[0].weight:
            best = [candidate]
        elif candidate.weight == best[0].weight:
            best.append(candidate)
    return best, bound


def _settled(candidates: Sequence[_Candidate], ranks: tuple[int, ...]) -> _Candidate:
    """Of equally heavy candidates the best in order, then the earliest, then the first."""
    best: tuple[tuple[int, list[int]], _Candidate] | None = None
    for candidate in candidates:
        slots = candidate.slots(ranks)
        if candidate.matching.gap == 0:
            settle(candidate.matching, slots)
        of_row = candidate.matching.of_row
        key = slots.crossed(of_row), sorted(call for call in of_row if call != FREE)
        if best is None or key < best[0]:
            best = key, candidate
    assert best is not None
    return best[1]


def combinations(node: Node) -> int:
    """In how many ways the choices below the node can be made."""
    if isinstance(node, Leaf) or (isinstance(node, Choice) and is_single(node)):
        return 1
    if isinstance(node, Choice):
        return sum(combinations(part) for part in node.alternatives)
    number = 1
    for part in node.parts:
        number *= combinations(part)
    return number


def combined(node: Node) -> Iterator[dict[int, int]]:
    """All ways to make the choices below the node, first alternatives first."""
    if isinstance(node, Leaf) or (isinstance(node, Choice) and is_single(node)):
        yield {}
    elif isinstance(node, Choice):
        for place, part in enumerate(node.alternatives):
            for inner in combined(part):
                yield {node.index: place, **inner}
    else:
        open_parts = [part for part in node.parts if combinations(part) > 1 or _has_choice(part)]
        for parts in product(*(list(combined(part)) for part in open_parts)):
            yield {index: place for part in parts for index, place in part.items()}


def _has_choice(node: Node) -> bool:
    if isinstance(node, Leaf):
        return False
    if isinstance(node, Choice):
        return not is_single(node)
    return any(_has_choice(part) for part in node.parts)


def _climb(tree: Tree, fits: Fits, calls: int) -> _Candidate:
    """Changes one choice at a time as long as that is better."""
    budget = BUDGET // MOST_COMBINATIONS
    best = _Candidate(tree, fits, {}, calls, budget)
    better = True
    while better:
        better = False
        for choice in tree.choices:
            if is_single(choice):
                continue
            for place in range(len(choice.alternatives)):
                tried = _Candidate(tree, fits, {**best.choices, choice.index: place}, calls, budget)
                if tried.weight > best.weight:
                    best, better = tried, True
    return best


def _bound(tree: Tree, fits: Fits, calls: int) -> int:
    """What no combination of choices exceeds: the heaviest matching where every alternative may take calls."""
    rows: list[Levels] = []
    for node in _leaves(tree.root):
        size = _size(fits.any[node.index])
        rows.extend([fits.any[node.index]] * (size if node.most is None else min(max(node.least, node.most), size)))
    matching = solve(rows, calls, budget=BUDGET)
    return matching.weight + matching.gap


def _leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    else:
        for part in node.alternatives if isinstance(node, Choice) else node.parts:
            yield from _leaves(part)
