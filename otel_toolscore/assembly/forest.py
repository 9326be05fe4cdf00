"""The spans of one trace as a forest: repeats dropped, parents found, loops cut; the order of the input changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from otel_toolscore.dialects.dialect import Reading, Role
from otel_toolscore.spans import CLIENT, CONSUMER, INTERNAL, PRODUCER, SERVER, UNSPECIFIED

NONE: Final = -1
"""No node."""

NO_PARENT: Final = "0" * 16
"""The span id that stands for none."""
_PARENT_ORDER: Final = (SERVER, CONSUMER, INTERNAL, UNSPECIFIED, CLIENT, PRODUCER)
"""Where a client and a server share a span id, what is below is the server's."""
T = TypeVar("T")


class Node(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is kept of a span once it has been read."""

    trace_id: str
    span_id: str
    parent_id: str | None = None
    name: str = ""
    kind: int = INTERNAL
    start_ns: int | None = None
    end_ns: int | None = None
    service: str | None = None
    parent_remote: bool | None = None
    reading: Reading | None = None
    recorded: int = 0
    """How many attributes and events the span had; of two exports of a span the fuller counts."""
    dropped_attributes: int = 0
    attributes: Mapping[str, object] = {}
    """Those that a policy asks for."""
    resource: Mapping[str, object] = {}
    """Likewise, of the resource."""

    @property
    def role(self) -> Role | None:
        """None for a span that no dialect knows."""
        return self.reading.role if self.reading is not None else None

    @property
    def order(self) -> tuple[bool, int, bool, int, str, int]:
        """By start, end and span id; what has no time comes last."""
        start, end = self.start_ns, self.end_ns
        return (start is None, start or 0, end is None, end or 0, self.span_id, self.kind)


class Forest:
    """Nodes of one trace, each once, sorted, with the index of each node's parent.

    `order` lists the indices so that a parent comes before what is below it. `missing[i]` tells that the node names a parent that is
    not here. All of it takes time in proportion to the number of nodes, however deep they nest.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes, self.repeated = _distinct(nodes)
        self.parent, self.missing = _parents(self.nodes)
        _cut_loops(self.parent)
        self._arrange()

    def link(self, links: Mapping[int, int]) -> None:
        """Put tops below other nodes, where that makes no loop."""
        linked: dict[int, int] = {}
        for top, under in sorted(links.items()):
            above = self.top[under]
            while above in linked:
                above = linked[above]
            if above != top and self.parent[top] == NONE:
                linked[top] = above
                self.parent[top], self.missing[top] = under, False
        self._arrange()

    def _arrange(self) -> None:
        self.order = _parents_first(self.parent)
        self.top = self.inherited(NONE, lambda index, above: index if above == NONE else above)

    def __len__(self) -> int:
        return len(self.nodes)

    def role(self, index: int) -> Role | None:
        """The node's role; None for a span that no dialect knows."""
        return self.nodes[index].role

    def inherited(self, first: T, step: Callable[[int, T], T]) -> list[T]:
        """For each node what `step(index, the parent's)` gives, parents first; a top is given `first` for its parent's."""
        made = [first] * len(self.nodes)
        for index in self.order:
            above = self.parent[index]
            made[index] = step(index, first if above == NONE else made[above])
        return made

    def gathered(self, flags: Sequence[bool]) -> list[bool]:
        """For each node whether the flag is set for it or for anything below it."""
        found = list(flags)
        for index in reversed(self.order):
            above = self.parent[index]
            if found[index] and above != NONE:
                found[above] = True
        return found


def _distinct(nodes: Iterable[Node]) -> tuple[list[Node], list[Node]]:
    """The nodes, each (span id, kind) once and sorted, and the further exports of a span that is there already."""
    exports: dict[tuple[str, int], list[Node]] = {}
    distinct: list[Node] = []
    for node in nodes:
        if node.span_id:
            exports.setdefault((node.span_id, node.kind), []).append(node)
        else:
            distinct.append(node)
    repeated: list[Node] = []
    for same in exports.values():
        if len(same) > 1:
            same.sort(key=lambda node: (node.end_ns is None, -node.recorded, repr(node)))
            repeated += same[1:]
        distinct.append(same[0])
    if any(not node.span_id for node in distinct):
        distinct.sort(key=lambda node: (node.order, repr(node) if not node.span_id else ""))
    else:
        distinct.sort(key=lambda node: node.order)
    return distinct, sorted(repeated, key=lambda node: node.order)


def _parents(nodes: Sequence[Node]) -> tuple[list[int], list[bool]]:
    by_id: dict[str, list[int]] = {}
    for index, node in enumerate(nodes):
        if node.span_id:
            by_id.setdefault(node.span_id, []).append(index)
    for indices in by_id.values():
        if len(indices) > 1:
            indices.sort(key=lambda index: _PARENT_ORDER.index(nodes[index].kind) if nodes[index].kind in _PARENT_ORDER else 9)
    parent = [NONE] * len(nodes)
    missing = [False] * len(nodes)
    for index, node in enumerate(nodes):
        twins = by_id.get(node.span_id, ())
        if len(twins) > 1 and node.kind in (SERVER, CONSUMER):
            caller = next((twin for twin in twins if nodes[twin].kind in (CLIENT, PRODUCER)), None)
            if caller is not None:
                parent[index] = caller
                continue
        if not node.parent_id or node.parent_id in (NO_PARENT, node.span_id):
            continue
        found = by_id.get(node.parent_id)
        parent[index], missing[index] = (found[0], False) if found else (NONE, True)
    return parent, missing


def _cut_loops(parent: list[int]) -> None:
    """Make the first node of each loop a top."""
    seen = [0] * len(parent)
    for first in range(len(parent)):
        path: list[int] = []
        at = first
        while at != NONE and not seen[at]:
            seen[at] = 1
            path.append(at)
            at = parent[at]
        if at != NONE and seen[at] == 1:
            parent[min(path[path.index(at) :])] = NONE
        for each in path:
            seen[each] = 2


def _parents_first(parent: Sequence[int]) -> list[int]:
    below: dict[int, list[int]] = {}
    for index, above in enumerate(parent):
        below.setdefault(above, []).append(index)
    order = list(below.get(NONE, ()))
    for index in order:  # grows while it is walked
        order += below.get(index, ())
    return order
