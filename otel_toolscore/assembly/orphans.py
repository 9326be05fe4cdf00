"""Calls that no span encloses: their parents are missing from the data, or they have none.

A call whose parents are missing joins the innermost scope of its trace and service that contains it in time, if exactly one does.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence

from otel_toolscore.assembly.forest import NONE, Forest


def scopes_of_orphans(forest: Forest, scopes: Iterable[int], around: Sequence[int], orphans: Sequence[int]) -> dict[int, int]:
    """For each of these tops the scope that it joins; NONE where none, or no single one, contains it."""
    adopted = dict.fromkeys(orphans, NONE)
    by_service: dict[str | None, list[int]] = {}
    for scope in scopes:
        if _timed(forest, scope):
            by_service.setdefault(forest.nodes[scope].service, []).append(scope)
    lost: dict[str | None, list[int]] = {}
    for top in orphans:
        if forest.missing[top] and _timed(forest, top):
            lost.setdefault(forest.nodes[top].service, []).append(top)
    depth = forest.inherited(-1, lambda _, above: above + 1)
    settled: set[int] = set()
    for service, tops in sorted(lost.items(), key=lambda item: item[0] or ""):
        opened = _Open(forest, depth, by_service.get(service, []))
        for top in sorted(tops, key=lambda top: (_times(forest, top)[0], -_times(forest, top)[1], top)):
            # A scope below an orphan that has not been placed cannot be one, or two might hold each other.
            eligible = (
                scope
                for scope in opened.containing(*_times(forest, top))
                if forest.top[scope] != top and (forest.top[scope] not in adopted or forest.top[scope] in settled)
            )
            adopted[top] = _innermost(forest, around, adopted, eligible)
            settled.add(top)
    return adopted


class _Open:
    """The scopes that are open at a time that only moves forward."""

    def __init__(self, forest: Forest, depth: Sequence[int], scopes: Sequence[int]) -> None:
        self._times = {scope: _times(forest, scope) for scope in scopes}
        self._waiting = sorted(scopes, key=lambda scope: (self._times[scope][0], -self._times[scope][1], depth[scope], scope), reverse=True)
        self._open: list[int] = []
        self._ends: list[int] = []

    def containing(self, start: int, end: int) -> Iterator[int]:
        """The scopes that are open from `start` to `end`, the last begun (and of those the deepest) first."""
        while self._waiting and self._times[self._waiting[-1]][0] <= start:
            scope = self._waiting.pop()
            self._open.append(scope)
            heapq.heappush(self._ends, self._times[scope][1])
        while self._ends and self._ends[0] < start:
            heapq.heappop(self._ends)
        if len(self._open) > 2 * len(self._ends):
            self._open = [scope for scope in self._open if self._times[scope][1] >= start]
        return (scope for scope in reversed(self._open) if self._times[scope][1] >= end)


def _innermost(forest: Forest, around: Sequence[int], adopted: Mapping[int, int], scopes: Iterator[int]) -> int:
    """The first scope, if all others are around it; NONE where they are not, or there is none."""
    inner = next(scopes, NONE)
    at = inner
    passed: set[int] = set()
    for scope in scopes:
        while at not in (scope, NONE) and scope not in passed:
            at = around[at] if around[at] != NONE else adopted.get(forest.top[at], NONE)
            passed.add(at)
        if at == NONE and scope not in passed:
            return NONE
    return inner


def _timed(forest: Forest, index: int) -> bool:
    return forest.nodes[index].start_ns is not None and forest.nodes[index].end_ns is not None


def _times(forest: Forest, index: int) -> tuple[int, int]:
    node = forest.nodes[index]
    assert node.start_ns is not None
    assert node.end_ns is not None
    return node.start_ns, node.end_ns
