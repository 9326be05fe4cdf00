"""The best alignment by trying everything: what `align` must find on small sizes.

Written from the definition alone: of the package only the comparison of one pair is used (`judge`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from otel_toolscore.align import Calls, judge
from otel_toolscore.align.worth import server_fits
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.model import ToolCall


class Best(NamedTuple):
    """What is comparable of an alignment."""

    pairs: int
    equal: int
    surplus: int
    met: int
    crossed: int
    calls: tuple[float, ...]
    """For each expected call of the resolved expectation its call, infinity where it is missing."""


Place = tuple[tuple[bool, int], ...]
"""Where an expected call stands: for each list around it whether it is ordered, and its index there."""


def resolutions(
    items: Sequence[Item], ordered: bool, place: Place = (), *, lists_ordered: bool | None = None
) -> Iterator[list[tuple[ExpectedCall, Place]]]:
    """All ways to choose among alternatives, first ones first; lists of alternatives are ordered if the whole is."""
    in_lists = ordered if lists_ordered is None else lists_ordered
    options = []
    for index, item in enumerate(items):
        here = (*place, (ordered, index))
        if isinstance(item, ExpectedCall):
            options.append([[(item, here)]])
        elif isinstance(item, Group):
            options.append(list(resolutions(item.items, False, here, lists_ordered=in_lists)))
        else:
            options.append([one for alternative in item.alternatives for one in resolutions(alternative, in_lists, here)])
    for parts in itertools.product(*options):
        yield [leaf for part in parts for leaf in part]


def before(one: Place, other: Place) -> bool:
    """Whether the first place comes before the second."""
    for (ordered, mine), (_, theirs) in zip(one, other, strict=False):
        if mine != theirs:
            return ordered and mine < theirs
    return False


def assignments(leaves: int, calls: int) -> Iterator[tuple[int, ...]]:
    """For each call the leaf that takes it, or -1."""
    return itertools.product(range(-1, leaves), repeat=calls)


def fewest_crossed(leaves: Sequence[tuple[ExpectedCall, Place]], pairs: Sequence[tuple[int, int]], ranks: Sequence[int]) -> int:
    """The fewest pairs (leaf, call) without which the rest is in order."""
    wrong = [
        (i, j)
        for i, (leaf, call) in enumerate(pairs)
        for j, (other, later) in enumerate(pairs)
        if before(leaves[leaf][1], leaves[other][1]) and ranks[call] > ranks[later]
    ]
    for size in range(len(pairs) + 1):
        for gone in itertools.combinations(range(len(pairs)), size):
            if all(i in gone or j in gone for i, j in wrong):
                return size
    raise AssertionError


def best(items: Sequence[Item], actual: Sequence[ToolCall], order: str, extra: str) -> tuple[bool, Best]:
    """Whether there is an alignment without any difference, and the best one (of those, if there are some).

    Within a resolution as few minima as can be lack a call, then each expected call in turn takes its earliest; of resolutions
    the one that takes the earliest calls is better, then the first.
    """
    calls = Calls(actual)
    found: tuple[tuple[Any, ...], Best] | None = None
    for leaves in resolutions(items, order == "in_order"):
        inner: tuple[tuple[Any, ...], Best] | None = None
        for takers in assignments(len(leaves), len(actual)):
            one = judged(leaves, takers, calls, extra)
            if one is not None and (inner is None or one[0] > inner[0]):
                inner = one
        assert inner is not None
        used = sorted(-call for call in inner[1].calls if call < math.inf)[::-1]
        inner = (*inner[0][:-2], used), inner[1]
        if found is None or inner[0] > found[0]:
            found = inner
    assert found is not None
    return found[0][0], found[1]


def judged(
    leaves: Sequence[tuple[ExpectedCall, Place]], takers: Sequence[int], calls: Calls, extra: str
) -> tuple[tuple[Any, ...], Best] | None:
    """How good the alignment is; None where it is none."""
    equal = surplus = met = 0
    partial = [0] * len(leaves)
    by_leaf: list[list[int]] = [[] for _ in leaves]
    for call, leaf in enumerate(takers):
        if leaf < 0:
            continue
        expected = leaves[leaf][0]
        if expected.name != calls.calls[call].tool or server_fits(expected, calls, call) is False:
            return None
        judgement = judge(expected, calls, call)
        by_leaf[leaf].append(call)
        partial[leaf] += bool(judgement.differences)
        equal += judgement.comparison.equal if judgement.comparison else 0
        surplus += judgement.comparison.surplus if judgement.comparison else 0
        met += bool(judgement.met)
    for (expected, _), number, mismatched in zip(leaves, map(len, by_leaf), partial, strict=True):
        if mismatched > expected.min_times or (expected.max_times is not None and number > expected.max_times):
            return None
    pairs = [(leaf, call) for call, leaf in enumerate(takers) if leaf >= 0]
    crossed = fewest_crossed(leaves, pairs, calls.ranks)
    turns: list[tuple[int, float]] = []
    missing = 0
    for leaf, ((expected, _), taken) in enumerate(zip(leaves, by_leaf, strict=True)):
        lacking = max(0, expected.min_times - len(taken))
        turns += [(-leaf, -call) for call in (*sorted(taken), *[math.inf] * lacking)]
        missing += lacking
    left = [call for call, leaf in enumerate(takers) if leaf < 0]
    faultless = not (crossed or missing or any(partial)) and all(is_tolerated(call, takers, calls, extra) for call in left)
    result = Best(len(pairs), equal, surplus, met, crossed, tuple(-call for _, call in turns))
    return (faultless, len(pairs), equal, -surplus, met, -crossed, -missing, turns), result


def is_tolerated(call: int, takers: Sequence[int], calls: Calls, extra: str) -> bool:
    """Whether the call may be left over."""
    if extra != "retries":
        return extra == "allow"
    mine = calls.calls[call]
    return mine.outcome == "error" and any(
        leaf >= 0 and calls.calls[other].tool == mine.tool and calls.ranks[other] >= calls.ranks[call] for other, leaf in enumerate(takers)
    )


__all__ = ["AnyOf", "Best", "best"]
