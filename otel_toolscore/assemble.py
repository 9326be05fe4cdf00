"""Spans to runs: read, sort into traces, merge, nest, and make the records that rules and expectations are asked of.

Spans are read one by one and not kept; what is kept of each is a `Node`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from otel_toolscore.assembly.explanations import Explanation, about_calls, explain
from otel_toolscore.assembly.forest import NONE, Forest, Node
from otel_toolscore.assembly.lost_links import joined, rejoin
from otel_toolscore.assembly.mapped_spans import read_mapped
from otel_toolscore.assembly.merge import Group, merge
from otel_toolscore.assembly.runs import Trace, runs_of
from otel_toolscore.assembly.scopes import nest
from otel_toolscore.dialects import DIALECTS, read
from otel_toolscore.messages import MessageIndex, Messages
from otel_toolscore.model import Run
from otel_toolscore.spans import Span, encodable

if TYPE_CHECKING:
    from otel_toolscore.policy.records import SpanMapping


class Assembly(msgspec.Struct, frozen=True, kw_only=True):
    """All runs that the spans record."""

    runs: tuple[Run, ...] = ()
    """Ordered by start, trace id and span id of their tops."""
    spans: int = 0
    """How many spans were given."""
    tool_spans: int = 0
    """How many different spans record a tool call."""
    hints: tuple[str, ...] = ()
    """For each emitter with calls whose arguments were not captured, the setting that captures them."""
    explanations: tuple[Explanation, ...] = ()
    """For each span why it is or is not a call or a scope."""


def assemble(
    spans: Iterable[Span],
    *,
    runs: Literal["agent", "trace"] = "agent",
    attributes: frozenset[str] = frozenset(),
    mappings: Sequence[SpanMapping] = (),
    cut: bool = False,
) -> Assembly:
    """The runs of all traces among the spans, whatever their order.

    `runs`: "trace" makes everything of a trace one run. `attributes` are the keys that a policy asks for, `mappings` its own span
    kinds. `cut` tells that the input ends early or lost spans, so that no run is known to be complete.
    """
    kept = _Kept()
    given = 0
    for span in spans:
        given += 1
        kept.add(node_of(span, attributes, mappings))
    traces = kept.traces()
    told = about_calls(group for trace in traces for group in trace.groups)
    made: list[Run] = []
    explanations: list[Explanation] = []
    for trace in traces:
        nesting = nest(trace.forest, trace.roots, whole_trace=runs == "trace")
        made += runs_of(trace, nesting, cut=cut)
        explanations += explain(trace.forest, nesting, told)
    return Assembly(
        runs=_sorted(made),
        spans=given,
        tool_spans=sum(node.role == "tool" for trace in traces for node in trace.forest.nodes),
        hints=_hints(made),
        explanations=tuple(explanations),
    )


def assemble_nodes(nodes: Iterable[Node], *, runs: Literal["agent", "trace"] = "agent", cut: bool = False) -> tuple[Run, ...]:
    """The runs of spans that were read one by one, as `assemble` would give them; any part of a trace may be given."""
    kept = _Kept()
    for node in nodes:
        kept.add(node)
    made: list[Run] = []
    for trace in kept.traces():
        made += runs_of(trace, nest(trace.forest, trace.roots, whole_trace=runs == "trace"), cut=cut)
    return _sorted(made)


class _Kept:
    """Nodes by trace. Messages go to an index as they come, since each model span repeats those before it."""

    def __init__(self) -> None:
        self._nodes: dict[str, list[Node]] = {}
        self._messages: dict[str, MessageIndex] = {}

    def add(self, node: Node) -> None:
        reading = node.reading
        if reading is not None and (reading.messages.calls or reading.messages.answers):
            self._messages.setdefault(node.trace_id, MessageIndex()).add(reading.messages)
            node = replace(node, reading=replace(reading, messages=Messages(user=reading.messages.user)))
        self._nodes.setdefault(node.trace_id, []).append(node)

    def traces(self) -> list[Trace]:
        forests = {trace_id: Forest(self._nodes[trace_id]) for trace_id in sorted(self._nodes)}
        return _merged(forests, self._messages)


def _sorted(runs: Iterable[Run]) -> tuple[Run, ...]:
    return tuple(sorted(runs, key=lambda run: (run.top.start_ns is None, run.top.start_ns or 0, run.trace_id, run.top.id)))


def node_of(span: Span, attributes: frozenset[str] = frozenset(), mappings: Sequence[SpanMapping] = ()) -> Node:
    """What is kept of a span."""
    reading = read(span)
    if mappings and (reading is None or reading.role == "ignored"):
        reading = read_mapped(span, mappings) or reading
    return Node(
        trace_id=encodable(span.trace_id),
        span_id=encodable(span.span_id),
        parent_id=encodable(span.parent_id) if span.parent_id else None,
        name=encodable(span.name),
        kind=span.kind,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        service=encodable(service) if (service := span.service) else None,
        parent_remote=span.parent_remote,
        reading=reading,
        recorded=len(span.attributes) + len(span.events),
        dropped_attributes=span.dropped_attributes,
        attributes=_asked(span.attributes, attributes),
        resource=_asked(span.resource, attributes),
    )


def _asked(recorded: Mapping[str, object], keys: frozenset[str]) -> Mapping[str, object]:
    return {key: recorded[key] for key in keys if key in recorded} if keys else {}


def _merged(forests: Mapping[str, Forest], messages: Mapping[str, MessageIndex]) -> list[Trace]:
    """The traces with their tool spans merged, and the two ends of a request that lost its parent link put together.

    The server's end moves to the client's: within the trace below the client's span, from another trace without what is around it.
    """
    groups: list[Group] = []
    places: list[tuple[str, int]] = []
    for trace_id, forest in forests.items():
        found = merge(forest)
        groups += found.groups
        places += [(trace_id, root) for root in found.roots]
    lost = [forests[trace_id].parent[root] == NONE for trace_id, root in places]
    moves = rejoin(groups, lost)
    for server, client in sorted(moves.items()):
        groups[client] = joined(groups[client], groups[server])
    below: dict[str, dict[int, int]] = {}
    for server, client in moves.items():
        (trace_id, root), (home, under) = places[server], places[client]
        if trace_id == home:
            below.setdefault(trace_id, {})[root] = under
    for trace_id, links in below.items():
        forests[trace_id].link(links)
    kept: dict[str, list[int]] = {trace_id: [] for trace_id in forests}
    for position, (trace_id, _) in enumerate(places):
        if position not in moves:
            kept[trace_id].append(position)
    return [
        Trace(
            trace_id=trace_id,
            forest=forest,
            groups=[groups[position] for position in kept[trace_id]],
            roots=[places[position][1] for position in kept[trace_id]],
            messages=messages.get(trace_id) or MessageIndex(),
        )
        for trace_id, forest in forests.items()
    ]


def _hints(runs: Iterable[Run]) -> tuple[str, ...]:
    silent = {call.dialect for run in runs for call in run.calls if call.arguments.state == "not_captured"}
    return tuple(f"{dialect.title}: {dialect.hint}" for dialect in DIALECTS if dialect.name in silent)
