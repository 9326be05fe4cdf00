"""Which spans of a trace are scopes, how they nest, and which scope each call is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from otel_toolscore.assembly.forest import NONE, Forest
from otel_toolscore.assembly.orphans import scopes_of_orphans
from otel_toolscore.model import ScopeKind


class Nesting(msgspec.Struct, frozen=True, kw_only=True):
    """The scopes of a trace. A scope is named by the index of its outermost span; the run of a whole trace, which has no span, by
    the number of spans."""

    kinds: Mapping[int, ScopeKind]
    parents: Mapping[int, int]
    """For each scope the one around it, or NONE."""
    inside: Sequence[int]
    """For each span the innermost scope that it is, or is in."""
    around: Sequence[int]
    """For each span the innermost scope around it, itself not counted."""
    same: Mapping[int, Sequence[int]]
    """Further agent spans that are the same scope."""
    same_as: Mapping[int, int]
    """The reverse: such an agent span -> the scope."""
    broken: frozenset[int]
    """Tops of parts of the trace that were put into a scope although their parent is missing and not known to be remote."""

    def tops(self) -> dict[int, int]:
        """For each scope the outermost scope around it."""
        found: dict[int, int] = {}
        for scope in self.kinds:
            path = []
            at = scope
            while at not in found and self.parents[at] != NONE:
                path.append(at)
                at = self.parents[at]
            top = found.setdefault(at, at)
            found.update(dict.fromkeys(path, top))
        return found

    def depths(self) -> dict[int, int]:
        """For each scope how many are around it."""
        found: dict[int, int] = {NONE: -1}
        for scope in self.kinds:
            path = []
            at = scope
            while at not in found:
                path.append(at)
                at = self.parents[at]
            for steps, each in enumerate(reversed(path), 1):
                found[each] = found[at] + steps
        return found


def nest(forest: Forest, calls: Sequence[int], *, whole_trace: bool = False) -> Nesting:
    """The scopes around the calls whose outermost spans are `calls`, and of every agent and workflow span.

    `whole_trace` makes everything of the trace one run.
    """
    agent_above, same_as = _agents(forest)
    kinds: dict[int, ScopeKind] = {}
    for index in range(len(forest)):
        role = forest.role(index)
        if role == "workflow" or (role == "agent" and index not in same_as):
            kinds[index] = role
    for index in _enclosing(forest, calls, agent_above):
        kinds.setdefault(index, "enclosing")
    inside, around = _placed(forest, kinds, {})
    orphans = sorted({forest.top[call] for call in calls if around[call] == NONE})
    adopted: dict[int, int] = {}
    if orphans:
        trace = len(forest)
        adopted = {top: scope if scope != NONE else trace for top, scope in scopes_of_orphans(forest, kinds, around, orphans).items()}
        inside, around = _placed(forest, kinds, adopted)
        if trace in adopted.values():
            kinds[trace] = "trace"
    parents = {scope: around[scope] if scope < len(forest) else NONE for scope in kinds}
    if whole_trace:
        _gather(kinds, parents, len(forest))
    same: dict[int, list[int]] = {}
    for index, scope in sorted(same_as.items()):
        same.setdefault(scope, []).append(index)
    return Nesting(
        kinds=kinds,
        parents=parents,
        inside=inside,
        around=around,
        same=same,
        same_as=same_as,
        broken=frozenset(top for top in adopted if forest.missing[top] and forest.nodes[top].parent_remote is not True),
    )


def _agents(forest: Forest) -> tuple[list[int], dict[int, int]]:
    """For each span the nearest agent span above it, and the agent spans that are the same scope as one above.

    An agent span of the same name as the nearest agent above, with no tool or model span between, is the same scope.
    """
    same_as: dict[int, int] = {}

    def step(index: int, above: tuple[int, int, bool]) -> tuple[int, int, bool]:
        """(nearest agent strictly above, the same with this span counted, no tool or model span since)"""
        _, nearest, clean = above
        role = forest.role(index)
        if role == "agent":
            if nearest != NONE and clean and _name(forest, index) is not None and _name(forest, index) == _name(forest, nearest):
                same_as[index] = same_as.get(nearest, nearest)
            return nearest, index, True
        return nearest, nearest, clean and role not in ("tool", "model")

    return [strictly_above for strictly_above, _, _ in forest.inherited((NONE, NONE, True), step)], same_as


def _name(forest: Forest, index: int) -> str | None:
    reading = forest.nodes[index].reading
    return reading.name if reading is not None else None


def _enclosing(forest: Forest, calls: Sequence[int], agent_above: Sequence[int]) -> list[int]:
    """The spans that hold calls outside every agent span together: the lowest around the call and an agent span; where no agent is
    near, the calls' local root."""
    is_agent = [forest.role(index) == "agent" for index in range(len(forest))]
    has_agent = forest.gathered(is_agent)
    with_agent = forest.inherited(NONE, lambda index, above: index if has_agent[index] else above)
    local_root = forest.inherited(NONE, lambda index, above: _local_root(forest, index, above))
    some_agent = any(is_agent)
    found: set[int] = set()
    roots: set[int] = set()
    for call in calls:
        parent = forest.parent[call]
        if agent_above[call] != NONE:
            continue
        lowest = with_agent[parent] if parent != NONE else NONE
        if lowest != NONE:
            found.add(lowest)
            continue
        top = forest.top[call]
        adrift = has_agent[top] or (forest.missing[top] and some_agent)
        if not adrift and local_root[call] != NONE:
            roots.add(local_root[call])
    below_another = forest.inherited(False, lambda index, above: above or forest.parent[index] in roots)
    return sorted(found | {root for root in roots if not below_another[root]})


def _local_root(forest: Forest, index: int, above: int) -> int:
    """The span with which the work of a process begins, as long as it is not itself a tool span."""
    node = forest.nodes[index]
    parent = forest.parent[index]
    enters = parent == NONE or node.parent_remote is True
    if not enters and node.service is not None and forest.nodes[parent].service is not None:
        enters = node.service != forest.nodes[parent].service
    return index if enters and forest.role(index) != "tool" else above


def _placed(forest: Forest, kinds: Mapping[int, ScopeKind], adopted: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """For each span the innermost scope with it counted, and without."""
    inside = forest.inherited(NONE, lambda index, above: index if index in kinds else adopted.get(index, above))
    around = [adopted.get(index, NONE) if parent == NONE else inside[parent] for index, parent in enumerate(forest.parent)]
    return inside, around


def _gather(kinds: dict[int, ScopeKind], parents: dict[int, int], trace: int) -> None:
    """Put all runs of the trace into one, unless there is only one."""
    tops = [scope for scope, parent in parents.items() if parent == NONE]
    if len(tops) > 1:
        kinds[trace] = "trace"
        parents.update(dict.fromkeys(tops, trace))
        parents[trace] = NONE
