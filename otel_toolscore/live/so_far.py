"""What a span can be told when it ends inside a trace that goes on.

The spans around it are open: they are read as far as they are known, and have no end yet. What is said here may have to be said
again, better, about the whole trace; only what no later knowledge can change is published.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from otel_toolscore import emit
from otel_toolscore.assemble import assemble_nodes, node_of
from otel_toolscore.assembly.calls import Place, describe
from otel_toolscore.assembly.forest import Node
from otel_toolscore.assembly.merge import Group
from otel_toolscore.dialects import Reading
from otel_toolscore.emit import Attributes, Evaluation
from otel_toolscore.engine import verdicts
from otel_toolscore.live import answers
from otel_toolscore.live.bound import BoundExpectations
from otel_toolscore.live.early import EarlyEngine, settled_at_once
from otel_toolscore.live.final import with_expectations
from otel_toolscore.live.memory import OpenSpan, TraceMemory
from otel_toolscore.messages import MessageIndex
from otel_toolscore.model import ExpectationResult, Finding, Run, RunResult, Scope, ToolCall, Verdict
from otel_toolscore.policy import Policy, attribute_keys
from otel_toolscore.spans import Span

FAR: Final = (1 << 63) - 1
"""The end of a span that is open."""
STAND_IN: Final = "0" * 16
"""Span id of a call that is not there, to see where it would be."""

_NO_MESSAGES: Final = MessageIndex()
_OTHERS: Final = frozenset({"agent", "model"})
"""Roles that end what can be the same call."""
_UNTOLD: Final[tuple[Verdict, tuple[Finding, ...]]] = ("unscored", ())


class Told(NamedTuple):
    """Something final, to be published once."""

    evaluation: Evaluation | None
    about: Finding | ExpectationResult | tuple[ToolCall, Verdict] | None
    """What is counted; None where it was."""
    sampled: bool


class _Place(NamedTuple):
    """Where calls below a span are, as long as nothing more becomes known of what is around."""

    signature: object
    run: Run
    place: Place


class SoFar:
    """Judges calls and scopes of traces that go on."""

    def __init__(self, policy: Policy, snapshot: Callable[[Any], Span]) -> None:
        self._policy = policy
        self._snapshot = snapshot
        self._keys = attribute_keys(policy)
        self._digest = policy.digest
        self._at_once = frozenset(rule.id for rule in policy.rules if settled_at_once(rule))
        self._looks_back = any(hasattr(rule.constraint, "per") for rule in policy.rules)
        self._bound = BoundExpectations(policy)
        self._lock = threading.Lock()  # protects the engine and the expectations that are bound
        self._engine = EarlyEngine(policy)

    def node_of(self, span: Span) -> Node:
        """The record of a span."""
        return node_of(span, self._keys, self._policy.spans)

    def open_nodes(self, memory: TraceMemory) -> list[Node]:
        """The agents, and what is around them, that are open: as far as they are known, without an end. An open call is none yet."""
        found = [self._as_node(span) for span_id, span in list(memory.open.items()) if span.read or span_id in memory.wanted]
        return [msgspec.structs.replace(node, end_ns=None) for node in found if node is not None and node.role != "tool"]

    def tell(self, memory: TraceMemory, span_id: int, parent_id: int | None, node: Node) -> tuple[Attributes | None, list[Told]]:
        """What a span is told while its trace goes on, and what of that is final already."""
        if node.role == "tool":
            return self._call_so_far(memory, span_id, parent_id, node)
        if node.role in ("agent", "workflow"):
            return self._scope_so_far(memory, span_id, parent_id, node), []
        return None, []

    def _call_so_far(self, memory: TraceMemory, span_id: int, parent_id: int | None, node: Node) -> tuple[Attributes | None, list[Told]]:
        found = self._call(memory, span_id, parent_id, node)
        if found is None:
            return None, []  # an open span around it records the same call
        run, call = found
        if self._policy.runs == "trace":
            run = _in_whole_trace(run)
        if run.key not in memory.early_runs:
            if memory.early_runs and self._looks_back:
                self._catch_up(memory, parent_id, node)
            memory.early_runs.add(run.key)
        with self._lock:
            findings, verdict = self._engine.call(run, call)
        memory.told[node.span_id] = (verdict, tuple(findings))
        told = []
        for finding in findings:
            if finding.kind == "violation" and finding.rule in self._at_once:
                evaluation = emit.finding_event(finding, call, run.top, run.trace_id, self._digest)
                if memory.is_new(evaluation.key, call):
                    told.append(Told(evaluation, finding, memory.sampled))
        return emit.attributes_for_call(findings, verdict, self._digest), told

    def _catch_up(self, memory: TraceMemory, parent_id: int | None, node: Node) -> None:
        """The run of this call is larger than those that earlier calls were in: these were in it all the time."""
        around = self._around(memory, parent_id)
        nodes = {each.span_id: each for each in (*around, *memory.nodes.values(), node)}.values()
        found = _call_in(assemble_nodes(nodes, runs=self._policy.runs), node.span_id)
        if found is not None:
            run, call = found
            with self._lock:
                self._engine.feed([msgspec.structs.replace(run, calls=tuple(each for each in run.calls if each is not call))])

    def _call(self, memory: TraceMemory, span_id: int, parent_id: int | None, node: Node) -> tuple[Run, ToolCall] | None:
        """The call that a tool span and what is below it record, in its run; None where an open span around it records it."""
        reading = node.reading
        telling = memory.telling_of(node)
        if reading is not None and span_id not in memory.below and not telling:
            place = self._place(memory, parent_id)
            if place is not None:
                conversation = reading.conversation or place.place.conversation
                here = (
                    place.place
                    if conversation == place.place.conversation
                    else msgspec.structs.replace(place.place, conversation=conversation)
                )
                return place.run, describe(Group(nodes=(node,)), here, _NO_MESSAGES, memory.schemas)
        around = self._around(memory, parent_id)
        nodes = [*around, *memory.said_to(around), node, *memory.subtree(span_id, stop=_OTHERS), *telling]
        found = _call_in(assemble_nodes(nodes, runs=self._policy.runs), node.span_id)
        if found is not None and memory.schemas:
            run = msgspec.structs.replace(found[0], tool_schemas={**memory.schemas, **found[0].tool_schemas})
            return run, found[1]
        return found

    def _place(self, memory: TraceMemory, parent_id: int | None) -> _Place | None:
        """Where a call directly below the span is, and its run without calls; None where a tool span is around it."""
        around = []
        seen = []
        for _, found in memory.above(parent_id):
            node = found if isinstance(found, Node) else self._as_node(found)
            if node is None:
                break
            if node.role == "tool":
                return None
            around.append(node)
            seen.append(0 if isinstance(found, Node) else found.attribute_count)
        known = memory.places.get(parent_id)
        signature = (tuple(seen), len(memory.heard), len(memory.schemas))
        if isinstance(known, _Place) and known.signature == signature:
            return known
        stand_in = Node(
            trace_id=f"{memory.trace_id:032x}",
            span_id=STAND_IN,
            parent_id=f"{parent_id:016x}" if parent_id is not None else None,
            start_ns=time.time_ns(),
            end_ns=time.time_ns(),
            service=memory.service,
            reading=Reading(role="tool", dialect="", tool="?"),
        )
        found_call = _call_in(assemble_nodes([*around, *memory.said_to(around), stand_in], runs=self._policy.runs), STAND_IN)
        if found_call is None:
            return None
        run, call = found_call
        place = Place(scope=call.scope, agent=call.agent, agent_path=call.agent_path, conversation=call.conversation, notes=call.notes)
        schemas = {**memory.schemas, **run.tool_schemas}
        made = memory.places[parent_id] = _Place(signature, msgspec.structs.replace(run, calls=(), tool_schemas=schemas), place)
        return made

    def _scope_so_far(self, memory: TraceMemory, span_id: int, parent_id: int | None, node: Node) -> Attributes | None:
        around = self._around(memory, parent_id)
        nodes = {each.span_id: each for each in (*around, *memory.said_to(around), node, *memory.subtree(span_id))}.values()
        found = _scope_in(assemble_nodes(nodes, runs=self._policy.runs), node.span_id)
        if found is None:
            return None
        run, scope = found
        if memory.lost or memory.has_open_below(span_id):
            run = msgspec.structs.replace(run, complete=False)
        with self._lock:
            judged = self._engine.scope(run, scope.id)
        told = [memory.told.get(call.span_id, _UNTOLD) for call in run.calls]
        found_on_calls = [
            msgspec.structs.replace(finding, call=number) for number, (_, findings) in enumerate(told) for finding in findings
        ]
        result = RunResult(
            run=run,
            verdict=verdicts.worst([judged.verdict, *(verdict for verdict, _ in told)]),
            call_verdicts=tuple(verdict for verdict, _ in told),
            findings=(*found_on_calls, *judged.findings),
            expectations=judged.expectations,
        )
        return answers.about_scope(self.with_bound(memory, result), scope, self._digest)

    def _around(self, memory: TraceMemory, parent_id: int | None) -> list[Node]:
        """The records of the spans around, those that are open as they are now."""
        nodes = []
        for _, found in memory.above(parent_id):
            if isinstance(found, Node):
                nodes.append(found)
            else:
                node = self._as_node(found)
                if node is None:
                    break
                nodes.append(node)
        return nodes

    def _as_node(self, span: OpenSpan) -> Node | None:
        """An open span as far as it is known, with now for its end; None where it was dropped without an end."""
        held = span.held()
        if held is None:
            return None
        count = len(held.attributes or ())
        if span.as_node is None or span.attribute_count != count:
            node = self.node_of(self._snapshot(held))
            span.as_node = msgspec.structs.replace(node, end_ns=FAR)
            span.attribute_count = count
        return span.as_node

    def results(self, memory: TraceMemory, runs: tuple[Run, ...]) -> list[RunResult] | None:
        """What was judged call by call, where nothing that became known since then could change it; None otherwise."""
        with self._lock:
            if self._engine.stands(runs, memory.early_runs):
                return [self._engine.end_run(run.key) for run in runs]
        return None

    def with_bound(self, memory: TraceMemory, result: RunResult) -> RunResult:
        """The result with the expectations that `expecting` bound to parts of the run."""
        if not memory.bound:
            return result
        known = {(each.id, each.span_id) for each in result.expectations}
        bound = {f"{span_id:016x}": names for span_id, names in memory.bound.items()}
        with self._lock:
            more = [each for each in self._bound.results(result.run, bound, memory.parents()) if (each.id, each.span_id) not in known]
        return with_expectations(result, more)

    def over(self, memory: TraceMemory) -> None:
        """The trace is over: what was remembered for its sake is not needed any more."""
        with self._lock:
            for key in memory.early_runs:
                self._engine.forget(key)
        memory.early_runs.clear()
        memory.told.clear()
        memory.places.clear()


def _call_in(runs: tuple[Run, ...], span_id: str) -> tuple[Run, ToolCall] | None:
    return next(((run, call) for run in runs for call in run.calls if call.span_id == span_id), None)


def _scope_in(runs: tuple[Run, ...], span_id: str) -> tuple[Run, Scope] | None:
    return next(((run, scope) for run in runs for scope in run.scopes if scope.span_id == span_id), None)


def _in_whole_trace(run: Run) -> Run:
    """The run as a part of the run that everything of the trace is, whatever else there will be in it."""
    if run.top.kind == "trace":
        return run
    top = Scope(id=f"trace:{run.trace_id}", kind="trace", service=run.top.service, conversation=run.top.conversation)
    return msgspec.structs.replace(run, scopes=(top, msgspec.structs.replace(run.top, parent=top.id), *run.scopes[1:]))
