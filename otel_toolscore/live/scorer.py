"""Decides what a span that ends can be told, and when a trace is over and what was found in it is final.

    started    a span began: it is open, and what is above a span worth reading will be kept
    ended      a span ends: its record is kept, and it gets its answer. When it was the last of its trace, the whole trace is
               assembled and scored, exactly as a file of its spans would be, and what is new in that is published
    sweep      traces in which nothing happens any more are closed with what is there

The lock of a trace is held while it is read and judged, the lock of `_final` while the engine that all traces share is used; nothing
of the application or of OpenTelemetry is called inside either.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from otel_toolscore import emit
from otel_toolscore.assemble import assemble_nodes, node_of
from otel_toolscore.calls import Place, describe
from otel_toolscore.dialects import Reading
from otel_toolscore.emit import Attributes, Evaluation
from otel_toolscore.engine import Engine, verdicts
from otel_toolscore.forest import Node
from otel_toolscore.live import answers
from otel_toolscore.live.bound import BoundExpectations
from otel_toolscore.live.early import EarlyEngine, settled_at_once
from otel_toolscore.live.memory import OpenSpan, TraceMemory
from otel_toolscore.merge import Group
from otel_toolscore.messages import MessageIndex
from otel_toolscore.model import ExpectationResult, Finding, Run, RunResult, Scope, ToolCall, Verdict
from otel_toolscore.policy import Policy, attribute_keys
from otel_toolscore.settings import Settings
from otel_toolscore.spans import Span

FORGOTTEN = "trace_forgotten"
TOO_MANY_SPANS = "too_many_spans"
TOO_MANY_TRACES = "too_many_traces"
NEVER_ENDED = "never_ended"

FAR = (1 << 63) - 1
"""The end of a span that is open."""
STAND_IN = "0" * 16
"""Span id of a call that is not there, to see where it would be."""
LINGER_S = 30.0
"""How long a trace that is over is remembered, for spans that come after it."""


class Told(NamedTuple):
    """Something final, to be published once."""

    evaluation: Evaluation | None
    about: Finding | ExpectationResult | tuple[ToolCall, Verdict]
    sampled: bool


class _Place(NamedTuple):
    """Where calls below a span are, as long as nothing more becomes known of what is around."""

    signature: object
    run: Run
    place: Place


class LiveScorer:
    """The traces of a process. Each method may be called by any thread."""

    def __init__(
        self,
        policy: Policy,
        settings: Settings,
        *,
        snapshot: Callable[[Any], Span],
        publish: Callable[[list[Told]], None],
        on_result: Callable[[RunResult], None] | None,
        dropped: dict[str, int],
    ) -> None:
        self.policy = policy
        self._settings = settings
        self._snapshot = snapshot
        self._publish = publish
        self._on_result = on_result
        self._dropped = dropped
        self._keys = attribute_keys(policy)
        self._digest = policy.digest
        self._at_once = frozenset(rule.id for rule in policy.rules if settled_at_once(rule))
        self._bound = BoundExpectations(policy)
        self.start_over()

    def start_over(self) -> None:
        """Forgets everything, as a forked process must: what it inherited goes on in the other one."""
        self._lock = threading.Lock()  # protects which traces there are
        self.traces: dict[int, TraceMemory] = {}
        """What is remembered, by trace id; changed here only."""
        self._finished: dict[int, None] = {}
        """Those that are over, the longest over first."""
        self._final_lock = threading.Lock()  # protects _final
        self._final = Engine(self.policy)
        self._early_lock = threading.Lock()  # protects _early
        self._early = EarlyEngine(self.policy)

    @property
    def active(self) -> int:
        """How many traces are not over."""
        return sum(not memory.over for memory in list(self.traces.values()))

    def knows(self, trace_id: int, span_id: int | None) -> bool:
        """Whether the span is open or kept."""
        memory = self.traces.get(trace_id)
        return memory is not None and span_id is not None and (memory.is_open(span_id) is not None or span_id in memory.nodes)

    def started(
        self,
        trace_id: int,
        span_id: int,
        span: OpenSpan,
        *,
        sampled: bool,
        bound: tuple[str, ...] = (),
        around: Iterable[tuple[int, OpenSpan]] = (),
        behind: Any = None,
    ) -> None:
        """A span started that is worth reading.

        `bound` are the expectations that `expecting` names there, `around` open spans that were not worth a look until now, and
        `behind` is its parent, where that ended without being kept.
        """
        memory = self.traces.get(trace_id)
        evicted: list[tuple[int, TraceMemory]] = []
        if memory is None:
            memory, evicted = self._open(trace_id, sampled)
        with memory.lock:
            memory.touched = time.monotonic()
            if memory.over and span.read:
                self._finished.pop(trace_id, None)
            for above_id, above in around:
                if above_id not in memory.open and above_id not in memory.nodes:
                    memory.opened(above_id, above)
            if behind is not None and span.parent_id is not None and span.parent_id not in memory.nodes:
                above = behind.parent
                self._keep(memory, span.parent_id, above.span_id if above is not None else None, self._snapshot(behind))
            memory.opened(span_id, span)
            if bound:
                memory.bind(span_id, span.parent_id, bound)
        for each, other in evicted:
            self._close(each, other, TOO_MANY_TRACES)

    def ended(
        self, trace_id: int, span_id: int, parent_id: int | None, span: Span, *, root: bool = False, writable: bool = True
    ) -> Attributes:
        """A span ends; gives what is to be written on it.

        `writable` False: it has ended already. `root` is for a span whose start was not told.
        """
        memory = self.traces.get(trace_id)
        if memory is None:
            self._drop(FORGOTTEN)
            return {}
        told: list[Told] = []
        results: list[RunResult] = []
        attributes: Attributes | None = None
        with memory.lock:
            memory.touched = time.monotonic()
            memory.closed(span_id, root=root)
            node = self._keep(memory, span_id, parent_id, span)
            if memory.complete:
                results = self._whole(memory)
                told = list(self._news(memory, results))
                if writable:
                    attributes = self._of_results(results, span.span_id)
                self._over(trace_id, memory)
            else:
                attributes, told = self._so_far(memory, span_id, parent_id, node)
        self._tell(told, results)
        return attributes or {}

    def passed(self, trace_id: int, span_id: int, parent_id: int | None, span: Any, *, root: bool) -> None:
        """A span ended that has nothing to read, and that others are below or that is a root."""
        memory = self.traces.get(trace_id)
        if memory is None:
            return
        told: list[Told] = []
        results: list[RunResult] = []
        with memory.lock:
            memory.closed(span_id, root=root)
            if span_id in memory.wanted:
                self._keep(memory, span_id, parent_id, self._snapshot(span))
            if memory.complete and not memory.over:
                results = self._whole(memory)
                told = list(self._news(memory, results))
                self._over(trace_id, memory)
        self._tell(told, results)

    def sweep(self, now: float) -> None:
        """Closes traces in which nothing happened for the idle timeout, and forgets those that are over for long enough."""
        for trace_id, memory in list(self.traces.items()):
            quiet = now - memory.touched
            if memory.over and quiet > LINGER_S:
                self._forget(trace_id)
            elif not memory.over and quiet > self._settings.idle_timeout_s:
                self._close(trace_id, memory, NEVER_ENDED)

    def close(self) -> None:
        """Closes every trace, as at shutdown."""
        for trace_id, memory in list(self.traces.items()):
            if not memory.over:
                self._close(trace_id, memory, NEVER_ENDED)
            self._forget(trace_id)

    def _open(self, trace_id: int, sampled: bool) -> tuple[TraceMemory, list[tuple[int, TraceMemory]]]:
        """The memory of a trace that is new, and what had to go for it."""
        evicted = []
        with self._lock:
            memory = self.traces.get(trace_id)
            if memory is not None:
                return memory, []
            while len(self.traces) >= self._settings.max_traces:
                oldest = next(iter(self._finished or self.traces))
                self._finished.pop(oldest, None)
                gone = self.traces.pop(oldest, None)
                if gone is not None and not gone.over:
                    evicted.append((oldest, gone))
            memory = self.traces[trace_id] = TraceMemory(trace_id, sampled)
        return memory, evicted

    def _keep(self, memory: TraceMemory, span_id: int, parent_id: int | None, span: Span) -> Node:
        """The record of an ended span, which is kept as long as there is room."""
        node = memory.without_repeats(node_of(span, self._keys, self.policy.spans))
        if len(memory.nodes) < self._settings.max_spans:
            memory.keep(span_id, parent_id, node)
        else:
            memory.lost = True
            self._drop(TOO_MANY_SPANS)
        return node

    def _so_far(self, memory: TraceMemory, span_id: int, parent_id: int | None, node: Node) -> tuple[Attributes | None, list[Told]]:
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
        memory.early_runs.add(run.key)
        with self._early_lock:
            findings, verdict = self._early.call(run, call)
        memory.told[node.span_id] = (verdict, tuple(findings))
        told = []
        for finding in findings:
            if finding.kind == "violation" and finding.rule in self._at_once:
                evaluation = emit.finding_event(finding, call, run.top, run.trace_id, self._digest)
                if memory.is_new(evaluation.key, call):
                    told.append(Told(evaluation, finding, memory.sampled))
        return emit.attributes_for_call(findings, verdict, self._digest), told

    def _call(self, memory: TraceMemory, span_id: int, parent_id: int | None, node: Node) -> tuple[Run, ToolCall] | None:
        """The call that a tool span and what is below it record, in its run; None where an open span around it records it."""
        reading = node.reading
        alone = span_id not in memory.below and reading is not None
        if alone and reading is not None and (reading.call_id is None or reading.arguments.state == "captured"):
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
        nodes = [*around, *memory.said_to(around), node, *memory.subtree(span_id, stop=_OTHERS), *memory.telling_of(node)]
        found = _call_in(assemble_nodes(nodes, runs=self.policy.runs), node.span_id)
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
        found_call = _call_in(assemble_nodes([*around, *memory.said_to(around), stand_in], runs=self.policy.runs), STAND_IN)
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
        found = _scope_in(assemble_nodes(nodes, runs=self.policy.runs), node.span_id)
        if found is None:
            return None
        run, scope = found
        if memory.lost or memory.has_open_below(span_id):
            run = msgspec.structs.replace(run, complete=False)
        with self._early_lock:
            judged = self._early.scope(run, scope.id)
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
        return answers.about_scope(self._with_bound(memory, result), scope, self._digest)

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
            node = node_of(self._snapshot(held), self._keys, self.policy.spans)
            span.as_node = msgspec.structs.replace(node, end_ns=FAR)
            span.attribute_count = count
        return span.as_node

    def _whole(self, memory: TraceMemory) -> list[RunResult]:
        """The runs of a trace that is over, scored."""
        runs = assemble_nodes(memory.nodes.values(), runs=self.policy.runs, cut=memory.lost)
        if not runs:
            return []
        if memory.published:
            results = self._again(runs)
        else:
            with self._final_lock:
                self._final.feed(runs)
                results = [self._final.end_run(run.key) for run in runs]
        return [self._with_bound(memory, result) for result in results]

    def _again(self, runs: tuple[Run, ...]) -> list[RunResult]:
        """Runs that were scored before, and of which more became known: their conversations remember them, so not with those."""
        engine = Engine(self.policy)
        for run in runs:
            for conversation in {scope.conversation for scope in run.scopes} - {None}:
                engine.miss_before(conversation or "")
        engine.feed(runs)
        return [engine.end_run(run.key) for run in runs]

    def _with_bound(self, memory: TraceMemory, result: RunResult) -> RunResult:
        """The result with the expectations that `expecting` bound to parts of the run."""
        if not memory.bound:
            return result
        known = {(each.id, each.span_id) for each in result.expectations}
        bound = {f"{span_id:016x}": names for span_id, names in memory.bound.items()}
        with self._early_lock:
            more = [each for each in self._bound.results(result.run, bound, memory.parents()) if (each.id, each.span_id) not in known]
        if not more:
            return result
        verdict = verdicts.worst([result.verdict, *(each.verdict for each in more)])
        return msgspec.structs.replace(result, expectations=(*result.expectations, *more), verdict=verdict)

    def _of_results(self, results: list[RunResult], span_id: str) -> Attributes | None:
        for result in results:
            attributes = answers.about_span(result, span_id, self._digest)
            if attributes is not None:
                return attributes
        return None

    def _news(self, memory: TraceMemory, results: list[RunResult]) -> Iterator[Told]:
        """What of the results was not published yet."""
        for result in results:
            for evaluation, about in answers.evaluations(result, self._digest):
                call = result.run.calls[about.call] if isinstance(about, Finding) and about.call is not None else None
                if memory.is_new(evaluation.key, call):
                    yield Told(evaluation, about, memory.sampled)
                elif evaluation.key[0] == "inconclusive" and memory.is_new(("counted", *evaluation.key, evaluation.span_id or ""), call):
                    yield Told(None, about, memory.sampled)
            for call, verdict in zip(result.run.calls, result.call_verdicts, strict=True):
                if memory.is_new(("call", call.span_id), call):
                    yield Told(None, (call, verdict), memory.sampled)

    def _over(self, trace_id: int, memory: TraceMemory) -> None:
        """The trace is over, unless a late span opens it again."""
        memory.over = True
        self._finished[trace_id] = None
        with self._early_lock:
            for key in memory.early_runs:
                self._early.forget(key)
        memory.early_runs.clear()
        memory.told.clear()

    def _close(self, trace_id: int, memory: TraceMemory, reason: str) -> None:
        """Judges a trace that does not end by what is there of it."""
        with memory.lock:
            if memory.over:
                return
            unheard = memory.reading
            memory.lost = memory.lost or unheard > 0
            memory.open.clear()
            memory.reading = 0
            results = self._whole(memory)
            told = list(self._news(memory, results))
            self._over(trace_id, memory)
        self._drop(reason, unheard)
        self._tell(told, results)

    def _forget(self, trace_id: int) -> None:
        with self._lock:
            self.traces.pop(trace_id, None)
            self._finished.pop(trace_id, None)

    def _drop(self, reason: str, count: int = 1) -> None:
        if count:
            with self._lock:
                self._dropped[reason] = self._dropped.get(reason, 0) + count

    def _tell(self, told: list[Told], results: list[RunResult]) -> None:
        if told:
            self._publish(told)
        if self._on_result is not None:
            for result in results:
                self._on_result(result)


_NO_MESSAGES = MessageIndex()
_OTHERS = frozenset({"agent", "model"})
"""Roles that end what can be the same call."""
_UNTOLD: tuple[Verdict, tuple[Finding, ...]] = ("unscored", ())


def _call_in(runs: tuple[Run, ...], span_id: str) -> tuple[Run, ToolCall] | None:
    return next(((run, call) for run in runs for call in run.calls if call.span_id == span_id), None)


def _scope_in(runs: tuple[Run, ...], span_id: str) -> tuple[Run, Scope] | None:
    return next(((run, scope) for run in runs for scope in run.scopes if scope.span_id == span_id), None)
