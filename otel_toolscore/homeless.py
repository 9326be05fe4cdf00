"""Calls that no span encloses: their parents are missing from the data, or they have none.

A call whose parents are missing joins the innermost scope of its trace and service that contains it in time, if exactly one does.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

from otel_toolscore.forest import NONE, Forest


def find_homes(forest: Forest, scopes: Iterable[int], around: Sequence[int], seeking: Sequence[int]) -> dict[int, int]:
    """For each of the tops `seeking` the scope that it joins; NONE where none, or no single one, contains it."""
    homes = dict.fromkeys(seeking, NONE)
    by_service: dict[str | None, list[int]] = {}
    for scope in scopes:
        node = forest.nodes[scope]
        if node.start_ns is not None and node.end_ns is not None:
            by_service.setdefault(node.service, []).append(scope)
    lost: dict[str | None, list[int]] = {}
    for top in seeking:
        node = forest.nodes[top]
        if forest.missing[top] and node.start_ns is not None and node.end_ns is not None:
            lost.setdefault(node.service, []).append(top)
    depth = _depths(forest)
    settled: set[int] = set()
    for service, tops in sorted(lost.items(), key=lambda item: item[0] or ""):
        candidates = by_service.get(service, [])
        for top, containing in _containing(forest, tops, candidates):
            # A scope below a top that still seeks its own home cannot be one, or two might hold each other.
            eligible = [scope for scope in containing if forest.top[scope] not in homes or forest.top[scope] in settled]
            eligible = [scope for scope in eligible if forest.top[scope] != top]
            homes[top] = _innermost(forest, around, homes, depth, eligible)
            settled.add(top)
    return homes


def _containing(forest: Forest, tops: Sequence[int], scopes: Sequence[int]) -> Iterable[tuple[int, list[int]]]:
    """Each top, longest first among those that start together, with the scopes that are open from its start to its end."""
    starts = sorted(scopes, key=lambda scope: _span_of(forest, scope)[0])
    open_until: list[tuple[int, int]] = []
    opened = 0
    for top in sorted(tops, key=lambda top: (_span_of(forest, top)[0], -_span_of(forest, top)[1], top)):
        start, end = _span_of(forest, top)
        while opened < len(starts) and _span_of(forest, starts[opened])[0] <= start:
            heapq.heappush(open_until, (_span_of(forest, starts[opened])[1], starts[opened]))
            opened += 1
        while open_until and open_until[0][0] < start:
            heapq.heappop(open_until)
        yield top, [scope for until, scope in open_until if until >= end]


def _innermost(forest: Forest, around: Sequence[int], homes: Mapping[int, int], depth: Sequence[int], scopes: Sequence[int]) -> int:
    """The scope that all others are around; NONE where there is no such one."""
    if not scopes:
        return NONE
    inner = max(scopes, key=lambda scope: (_span_of(forest, scope)[0], -_span_of(forest, scope)[1], depth[scope], scope))
    others = set(scopes) - {inner}
    at = inner
    while others and at != NONE:
        at = around[at] if around[at] != NONE else homes.get(forest.top[at], NONE)
        others.discard(at)
    return NONE if others else inner


def _depths(forest: Forest) -> list[int]:
    return forest.inherited(-1, lambda _, above: above + 1)


def _span_of(forest: Forest, index: int) -> tuple[int, int]:
    node = forest.nodes[index]
    assert node.start_ns is not None
    assert node.end_ns is not None
    return node.start_ns, node.end_ns
