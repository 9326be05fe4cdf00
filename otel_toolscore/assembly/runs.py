"""The runs of one trace: scopes and calls made into records, with what each inherits from where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from otel_toolscore.assembly.calls import Place, describe
from otel_toolscore.assembly.forest import NONE, Forest, Node
from otel_toolscore.assembly.inheritance import attribute_values, conversations, first_inputs, recorded_schemas, shared_conversations
from otel_toolscore.assembly.merge import Group
from otel_toolscore.assembly.scopes import Nesting
from otel_toolscore.messages import MessageIndex
from otel_toolscore.model import Run, Scope, ToolCall

ADRIFT: Final = "parent_missing"
"""Note on a call that was put into a scope although its parent is missing from the data."""
MAX_AGENT_PATH: Final = 256
"""Names in `agent_path`: of agents that nest deeper, the nearest ones."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A trace whose tool spans have been merged."""

    trace_id: str
    forest: Forest
    groups: Sequence[Group]
    roots: Sequence[int]
    """For each group the index of its outermost span."""
    messages: MessageIndex
    """What models said and were told anywhere in the trace."""


def runs_of(trace: Trace, nesting: Nesting, *, cut: bool = False) -> tuple[Run, ...]:
    """The runs, in no particular order; none where the trace has neither an agent span nor a tool call.

    `cut` tells that spans may be lost, so that no run is known to be complete.
    """
    if not trace.groups and "agent" not in nesting.kinds.values():
        return ()
    return tuple(_Builder(trace, nesting, cut).runs())


class _Builder:
    def __init__(self, trace: Trace, nesting: Nesting, cut: bool) -> None:
        self._trace = trace
        self._forest = trace.forest
        self._nesting = nesting
        self._cut = cut
        self._tops = nesting.tops()
        self._depths = nesting.depths()
        self._conversations = conversations(self._forest, nesting)
        run_of = [self._tops.get(inside, NONE) for inside in nesting.inside]
        self._shared = shared_conversations(self._forest, run_of)
        self._inputs = first_inputs(self._forest, nesting)
        directly: dict[int, list[Node]] = {}
        for root in trace.roots:
            directly.setdefault(nesting.around[root], []).append(self._forest.nodes[root])
        self._attributes = attribute_values(self._forest, nesting, directly)
        self._schemas = self._recorded(run_of)
        self._paths: dict[int, tuple[str, ...]] = {}

    def runs(self) -> Iterator[Run]:
        scopes: dict[int, list[int]] = {}
        for scope in self._nesting.kinds:
            scopes.setdefault(self._tops[scope], []).append(scope)
        calls: dict[int, list[ToolCall]] = {}
        for group, root in zip(self._trace.groups, self._trace.roots, strict=True):
            calls.setdefault(self._tops[self._nesting.around[root]], []).append(self._call(group, root))
        broken = {self._tops[self._nesting.around[top]] for top in self._nesting.broken}
        for top, inside in scopes.items():
            inside.sort(key=lambda scope: (self._depths[scope], scope))
            made = calls.get(top, [])
            made.sort(key=lambda call: (call.start_ns is None, call.start_ns or 0, call.end_ns is None, call.end_ns or 0, call.span_id))
            yield Run(
                trace_id=self._trace.trace_id,
                scopes=tuple(self._scope(scope, made) for scope in inside),
                calls=tuple(made),
                complete=not self._cut and top not in broken,
                tool_schemas=self._schemas[top],
                merged_spans=sum(len(call.merged) for call in made),
            )

    def _recorded(self, run_of: Sequence[int]) -> dict[int, dict[str, object]]:
        """What each run recorded of tools; for tools that it says nothing of, what the trace says."""
        in_run: dict[int, list[Node]] = {}
        telling = [index for index, node in enumerate(self._forest.nodes) if node.reading is not None and node.reading.schemas]
        for index in telling:
            in_run.setdefault(run_of[index], []).append(self._forest.nodes[index])
        of_trace = recorded_schemas(self._forest.nodes[index] for index in telling)
        return {top: of_trace | recorded_schemas(in_run.get(top, ())) for top in set(self._tops.values())}

    def _call(self, group: Group, root: int) -> ToolCall:
        around = self._nesting.around[root]
        top = self._tops[around]
        agent = self._nearest_agent(around)
        member = next((node.reading.conversation for node in group.nodes if node.reading and node.reading.conversation), None)
        conversation = self._conversations.of_node[root] or member or self._conversations.of_scope[around] or self._shared.get(top)
        place = Place(
            scope=self._id(around),
            agent=self._name(agent) if agent != NONE else None,
            agent_path=self._path(around),
            conversation=conversation,
            notes=(ADRIFT,) if self._forest.top[root] in self._nesting.broken else (),
        )
        return describe(group, place, self._trace.messages, self._schemas[top])

    def _scope(self, scope: int, calls: Sequence[ToolCall]) -> Scope:
        top = self._tops[scope]
        kind = self._nesting.kinds[scope]
        conversation = self._conversations.of_scope[scope] or self._shared.get(top)
        parent = self._nesting.parents[scope]
        attributes: Mapping[str, tuple[object, ...]] = self._attributes.get(scope, {})
        if kind == "trace":
            return self._whole_trace(scope, calls, conversation, attributes)
        node = self._forest.nodes[scope]
        return Scope(
            id=self._id(scope),
            kind=kind,
            name=self._name(scope) if kind in ("agent", "workflow") else None,
            parent=self._id(parent) if parent != NONE else None,
            span_id=node.span_id,
            service=node.service,
            conversation=conversation,
            start_ns=node.start_ns,
            end_ns=node.end_ns,
            input=self._inputs.get(scope),
            attributes=attributes,
        )

    def _whole_trace(
        self, scope: int, calls: Sequence[ToolCall], conversation: str | None, attributes: Mapping[str, tuple[object, ...]]
    ) -> Scope:
        inside: list[Node] = [self._forest.nodes[each] for each, parent in self._nesting.parents.items() if parent == scope]
        held: list[Node | ToolCall] = [*calls, *inside]
        starts = [each.start_ns for each in held if each.start_ns is not None]
        ends = [each.end_ns for each in held if each.end_ns is not None]
        services = {each.service for each in held}
        return Scope(
            id=self._id(scope),
            kind="trace",
            service=next(iter(services)) if len(services) == 1 else None,
            conversation=conversation,
            start_ns=min(starts, default=None),
            end_ns=max(ends, default=None),
            input=self._inputs.get(scope),
            attributes=attributes,
        )

    def _id(self, scope: int) -> str:
        if scope == len(self._forest):
            return f"trace:{self._trace.trace_id}"
        return self._forest.nodes[scope].span_id or f"#{scope}"

    def _name(self, scope: int) -> str | None:
        reading = self._forest.nodes[scope].reading
        return reading.name if reading is not None else None

    def _nearest_agent(self, scope: int) -> int:
        while scope != NONE and self._nesting.kinds[scope] != "agent":
            scope = self._nesting.parents[scope]
        return scope

    def _path(self, scope: int) -> tuple[str, ...]:
        """Names of the agent scopes from the outermost to this one."""
        if scope not in self._paths:
            names: list[str] = []
            at = scope
            while at != NONE and len(names) < MAX_AGENT_PATH:
                name = self._name(at) if self._nesting.kinds[at] == "agent" else None
                if name is not None:
                    names.append(name)
                at = self._nesting.parents[at]
            self._paths[scope] = tuple(reversed(names))
        return self._paths[scope]
