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
from typing import Any

from otel_toolscore import emit
from otel_toolscore.assemble import assemble_nodes
from otel_toolscore.assembly.forest import Node
from otel_toolscore.emit import Attributes
from otel_toolscore.live import answers
from otel_toolscore.live.final import FinalEngine
from otel_toolscore.live.memory import OpenSpan, PassedSpan, TraceMemory
from otel_toolscore.live.so_far import SoFar, Told
from otel_toolscore.model import ExpectationResult, Finding, RunResult
from otel_toolscore.policy import Policy
from otel_toolscore.settings import Settings
from otel_toolscore.spans import Span

FORGOTTEN = "trace_forgotten"
TOO_MANY_SPANS = "too_many_spans"
TOO_MANY_TRACES = "too_many_traces"
NEVER_ENDED = "never_ended"

LINGER_S = 30.0
"""How long a trace that is over is remembered, for spans that come after it."""


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
        self._digest = policy.digest
        self._expected = frozenset(expectation.id for expectation in policy.expectations)
        self.start_over()

    def start_over(self) -> None:
        """Forgets everything, as a forked process must: what it inherited goes on in the other one."""
        self._lock = threading.Lock()  # protects which traces there are
        self.traces: dict[int, TraceMemory] = {}
        """What is remembered, by trace id; changed here only."""
        self._finished: dict[int, None] = {}
        """Those that are over, the longest over first."""
        self._final_lock = threading.Lock()  # protects _final
        self._final = FinalEngine(self.policy, self._settings.max_traces)
        self._so_far = SoFar(self.policy, self._snapshot)

    @property
    def active(self) -> int:
        """How many traces are not over."""
        return sum(not memory.over for memory in list(self.traces.values()))

    def started_inside(self, memory: TraceMemory, span_id: int, span: OpenSpan) -> None:
        """A span started that is worth reading, in a trace and under a span that are known."""
        with memory.lock:
            memory.touched = time.monotonic()
            self._reopen(memory)
            memory.opened(span_id, span)

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
        evicted: list[TraceMemory] = []
        if memory is None:
            memory, evicted = self._open(trace_id, sampled)
        with memory.lock:
            memory.touched = time.monotonic()
            self._reopen(memory)
            for above_id, above in around:
                if above_id not in memory.open and above_id not in memory.nodes:
                    memory.opened(above_id, above)
            if behind is not None and span.parent_id is not None and span.parent_id not in memory.nodes:
                above = behind.parent
                self._keep(memory, span.parent_id, above.span_id if above is not None else None, self._snapshot(behind))
            memory.opened(span_id, span)
            if bound and (ours := tuple(name for name in bound if name in self._expected)):
                memory.bind(span_id, span.parent_id, ours)
        for other in evicted:
            self._close(other, TOO_MANY_TRACES)

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
            self._reopen(memory)
            memory.closed(span_id, root=root)
            node = self._keep(memory, span_id, parent_id, span)
            if memory.complete:
                results = self._whole(memory)
                told = list(self._news(memory, results))
                if writable:
                    attributes = self._of_results(results, span.span_id)
                self._over(memory)
            else:
                attributes, told = self._so_far.tell(memory, span_id, parent_id, node)
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
                self._reopen(memory)
                self._keep(memory, span_id, parent_id, self._snapshot(span))
            elif len(memory.passed) < self._settings.max_spans:
                remote = span.parent.is_remote if span.parent is not None else None
                memory.passed[span_id] = PassedSpan(parent_id, remote, span.start_time, span.end_time)
            if memory.complete and not memory.over:
                results = self._whole(memory)
                told = list(self._news(memory, results))
                self._over(memory)
        self._tell(told, results)

    def sweep(self, now: float) -> None:
        """Closes traces in which nothing happened for the idle timeout, and forgets those that are over for long enough."""
        for trace_id, memory in list(self.traces.items()):
            quiet = now - memory.touched
            if memory.over and quiet > LINGER_S and not memory.goes_on:
                self._forget(trace_id)
            elif not memory.over and quiet > self._settings.idle_timeout_s:
                self._close(memory, NEVER_ENDED)
        self._close_conversations(now - self._settings.idle_timeout_s)

    def close(self) -> None:
        """Closes every trace, as at shutdown."""
        for trace_id, memory in list(self.traces.items()):
            if not memory.over:
                self._close(memory, NEVER_ENDED)
            self._forget(trace_id)
        self._close_conversations(None)

    @property
    def waits(self) -> bool:
        """Whether something is remembered that time can bring to an end."""
        return bool(self.traces) or self._final.waits

    def _open(self, trace_id: int, sampled: bool) -> tuple[TraceMemory, list[TraceMemory]]:
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
                    evicted.append(gone)
            memory = self.traces[trace_id] = TraceMemory(trace_id, sampled)
        return memory, evicted

    def _keep(self, memory: TraceMemory, span_id: int, parent_id: int | None, span: Span) -> Node:
        """The record of an ended span, which is kept as long as there is room."""
        node = memory.without_repeats(self._so_far.node_of(span))
        if len(memory.nodes) < self._settings.max_spans:
            memory.keep(span_id, parent_id, node)
        else:
            memory.lost = True
            self._drop(TOO_MANY_SPANS)
        return node

    def _whole(self, memory: TraceMemory, *, cut: bool = False) -> list[RunResult]:
        """The runs of a trace that is over, scored. `cut`: something in it did not end."""
        if not memory.scorable:
            return []
        nodes = [*memory.nodes.values(), *(self._so_far.open_nodes(memory) if cut else ())]
        runs = assemble_nodes(nodes, runs=self.policy.runs, cut=cut or memory.lost)
        if not runs:
            return []
        memory.revision += 1
        again = memory.revision > 1
        with self._final_lock:
            results = None if again else self._so_far.results(memory, runs)
            if results is None:
                results = self._final.score(runs, again=again, sampled=memory.sampled, now=time.monotonic())
        return [self._so_far.with_bound(memory, result) for result in results]

    def _of_results(self, results: list[RunResult], span_id: str) -> Attributes | None:
        for result in results:
            attributes = answers.about_span(result, span_id, self._digest)
            if attributes is not None:
                return attributes
        return None

    def _news(self, memory: TraceMemory, results: list[RunResult]) -> Iterator[Told]:
        """What of the results was not published yet."""
        for result in results:
            for evaluation, about in answers.evaluations(result, self._digest, memory.revision):
                call = result.run.calls[about.call] if isinstance(about, Finding) and about.call is not None else None
                if memory.is_new(evaluation.key, call):
                    yield Told(evaluation, about, memory.sampled)
                elif isinstance(about, ExpectationResult) and memory.verdicts.get(evaluation.key) != about.verdict:
                    yield Told(evaluation, None, memory.sampled)  # told again, and not counted again
                elif evaluation.key[0] == "inconclusive" and memory.is_new(("counted", *evaluation.key, evaluation.span_id or ""), call):
                    yield Told(None, about, memory.sampled)
                if isinstance(about, ExpectationResult):
                    memory.verdicts[evaluation.key] = about.verdict
            for call, verdict in zip(result.run.calls, result.call_verdicts, strict=True):
                if memory.is_new(("call", call.span_id), call):
                    yield Told(None, (call, verdict), memory.sampled)

    def _reopen(self, memory: TraceMemory) -> None:
        """Something more of a trace becomes known."""
        if memory.over:
            memory.over = False
            with self._lock:
                self._finished.pop(memory.trace_id, None)

    def _over(self, memory: TraceMemory) -> None:
        """The trace is over, unless something more of it becomes known."""
        memory.over = True
        with self._lock:
            if memory.trace_id in self.traces:
                self._finished[memory.trace_id] = None
        self._so_far.over(memory)

    def _close(self, memory: TraceMemory, reason: str) -> None:
        """Judges a trace that does not end by what is there of it. What is open may still end, and is then judged with the rest."""
        with memory.lock:
            if memory.over:
                return
            unheard = memory.unheard()
            results = self._whole(memory, cut=memory.reading > 0)
            told = list(self._news(memory, results))
            self._over(memory)
        self._drop(reason, unheard)
        self._tell(told, results)

    def _close_conversations(self, quiet_since: float | None) -> None:
        with self._final_lock:
            closed = list(self._final.close(quiet_since))
        for each in closed:
            told = []
            for expectation in each.expectations:
                top = each.result.run.top
                evaluation = emit.expectation_event(expectation, top, each.result.run.trace_id, self._digest)
                told.append(Told(evaluation, expectation, each.sampled))
            self._tell(told, [each.result])

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
