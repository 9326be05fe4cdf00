"""The search for an alignment without any difference: every call in its place, nothing missing, nothing left over.

Calls are taken one after the other in time. Each is either the next call of some residual of the tree (`Residual.steps`) or,
where it is tolerated, left over. States are kept once, so the work is the number of distinct states times the number of
calls: linear for lists of calls, polynomial for alternatives and repetitions, and exponential only in what can really
interleave (groups of groups, many calls of one start). The work is bounded; beyond the bound the answer is "not known".
Calls of one start are tried in every order.

Of several such alignments the best by the objective is found: what a step adds is summed along the path, and a second pass
from the end keeps for each state the best that can still come, the earliest call and the earliest part first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from otel_toolscore.align.assignment import Levels, bits
from otel_toolscore.align.residual import Residual, State
from otel_toolscore.align.weights import weight_in

MOST_STEPS: Final = 100_000
"""Steps that are tried before the search is given up."""

_Key: TypeAlias = tuple[State, int]
"""A state, and which calls of the present start are still to come."""
_Move: TypeAlias = tuple[int, int, int, _Key]
"""What it adds, the call, the leaf that takes it (LEFT: none does), and where it leads."""

LEFT: Final = -1
SEVERAL: Final = 3
"""Waiting calls of one start from which on those that mean the same are taken for one."""
MOST_MEANINGS: Final = 2_000_000
"""Leaves times such calls up to which that is done."""


class GivenUpError(Exception):
    """The search took more than its bound."""


def search(
    residual: Residual, fits: Sequence[Levels], starts: Sequence[Sequence[int]], tolerated: int, *, most: int = MOST_STEPS
) -> dict[int, tuple[int, ...]] | None:
    """For each leaf its calls in the best alignment without any difference; None where there is none; `GivenUpError` beyond `most` steps.

    `fits` has for each leaf the calls that it can take and what each is worth; `starts` the calls of each start, in time;
    `tolerated` is the set of calls that may be left over.
    """
    told_apart = sum(len(start) for start in starts if len(start) >= SEVERAL) * len(fits) <= MOST_MEANINGS
    fitting = _Fitting(fits, tolerated, told_apart)
    layers: list[dict[_Key, list[_Move]]] = []
    frontier: list[_Key] = [(residual.start(residual.root), 0)]
    tried = 0
    for start in starts:
        together = sum(1 << call for call in start)
        for _ in start:
            layer: dict[_Key, list[_Move]] = {}
            for key in frontier:
                layer[key] = fitting.moves(residual, key[0], key[1] or together)
                tried += 1 + len(layer[key])
                if tried + (residual.work + fitting.work) // 10 > most:
                    raise GivenUpError
            layers.append(layer)
            frontier = list(dict.fromkeys(move[3] for moves in layer.values() for move in moves))
            if not frontier:
                return None
    ends = {key: 0 for key in frontier if residual.may_end(residual.root, key[0])}
    return _traced(layers, ends) if ends else None


class _Fitting:
    """Which leaves can take which calls."""

    def __init__(self, fits: Sequence[Levels], tolerated: int, told_apart: bool) -> None:
        self.fits = fits
        self.tolerated = tolerated
        self.told_apart = told_apart
        """Whether calls of one start that mean the same are found out."""
        self.work = 0
        """Pairs of a leaf and a call looked at so far."""
        self._meanings: dict[int, tuple[int, ...]] = {}

    def moves(self, residual: Residual, state: State, waiting: int) -> list[_Move]:
        """What can become of the next call, the earliest call and the earliest leaf first."""
        several = self.told_apart and waiting.bit_count() >= SEVERAL
        steps = residual.steps(residual.root, state)
        self.work += waiting.bit_count() * (1 + len(steps))
        found: list[_Move] = []
        seen: set[tuple[int, ...]] = set()
        for call in bits(waiting):
            if several:
                # Of calls of one start that mean the same to every leaf, the first goes first.
                meaning = self._meaning(call)
                if meaning in seen:
                    continue
                seen.add(meaning)
            rest = waiting & ~(1 << call)
            for leaf, after in steps:
                adds = weight_in(self.fits[leaf], call)
                if adds:
                    found.append((adds, call, leaf, (after, rest)))
            if self.tolerated >> call & 1:
                found.append((0, call, LEFT, (state, rest)))
        return found

    def _meaning(self, call: int) -> tuple[int, ...]:
        known = self._meanings.get(call)
        if known is None:
            known = self._meanings[call] = (self.tolerated >> call & 1, *(weight_in(levels, call) for levels in self.fits))
        return known


def _traced(layers: list[dict[_Key, list[_Move]]], ends: dict[_Key, int]) -> dict[int, tuple[int, ...]] | None:
    """The best way from the start to one of the ends."""
    ahead = ends
    chosen: list[dict[_Key, _Move]] = []
    for layer in reversed(layers):
        best: dict[_Key, _Move] = {}
        worth: dict[_Key, int] = {}
        for key, moves in layer.items():
            totals = [(move[0] + ahead[move[3]], move) for move in moves if move[3] in ahead]
            if totals:
                worth[key] = max(total for total, _ in totals)
                best[key] = next(move for total, move in totals if total == worth[key])
        chosen.append(best)
        ahead = worth
    if not ahead:
        return None
    (key,) = ahead
    taken: dict[int, list[int]] = {}
    for best in reversed(chosen):
        _, call, leaf, key = best[key]
        if leaf != LEFT:
            taken.setdefault(leaf, []).append(call)
    return {leaf: tuple(calls) for leaf, calls in taken.items()}
