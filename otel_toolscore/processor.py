"""`ToolScoreProcessor`: scores the tool calls of a running agent and writes the verdicts on the spans it already has.

How a span goes through it:

    on_start    a span that a dialect may know gets an `end` of its own, which the span calls once and loses
    end         the end time is taken, the span is read and judged, the verdict is set as attributes, and then the span ends
    on_end      what `end` did not see: spans that showed only later what they are, and the spans around the others

The SDK lets nobody write on a span from its own hooks (a span is frozen before they run), and a processor that is behind an
exporter would be too late in any case. `end` on the instance is before both, in every version of the SDK and in any order of processors.

Nothing here raises into the application: each hook has one boundary, which counts and tells.
"""

from __future__ import annotations

import logging
import os
import time
import weakref
from collections.abc import Callable
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from otel_toolscore import emit
from otel_toolscore.dialects import DIALECTS
from otel_toolscore.emit import Attributes
from otel_toolscore.live.expecting import EXPECTED_BY, expected_in
from otel_toolscore.live.memory import OpenSpan, PassedSpan, TraceMemory
from otel_toolscore.live.own_end import OwnEnd
from otel_toolscore.live.policy_in_force import PolicySource, policy_in_force
from otel_toolscore.live.recognition import Recognition
from otel_toolscore.live.scorer import LiveScorer
from otel_toolscore.live.so_far import Told
from otel_toolscore.live.sweeper import Sweeper
from otel_toolscore.live.telemetry import DURATION_SAMPLE, ErrorCount, EventLog, MetricPoints, evaluated_context
from otel_toolscore.model import ExpectationResult, RunResult
from otel_toolscore.otlp.sdk import attributes_of, json_values, span_of
from otel_toolscore.policy import Policy, attribute_keys
from otel_toolscore.settings import Settings, from_environment
from otel_toolscore.spans import Span as SpanRecord

logger = logging.getLogger("otel_toolscore")

OPEN_SPANS: Final = 4096
"""Open spans are looked through for dropped ones when there are so many."""

NOT_OURS: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What passes the boundary: the application's own way to stop."""


class ToolScoreProcessor(SpanProcessor):
    """Scores tool calls while they happen.

    `policy` is a Policy, a file, a built-in name, or several of these; None: as `policy_in_force` says. `meter_provider` and
    `logger_provider` default to the global ones. `on_result` is called with the RunResult of each run that is over, and again when
    more became known of it; what it raises is counted.

    Raises PolicyError (every fault at once), OSError or SettingError at construction; afterwards nothing.
    """

    def __init__(
        self,
        policy: PolicySource | None = None,
        *,
        meter_provider: Any = None,
        logger_provider: Any = None,
        on_result: Callable[[RunResult], None] | None = None,
        settings: Settings | None = None,
    ) -> None:
        settings = settings if settings is not None else from_environment(os.environ)
        self.policy: Policy | None = None
        self.errors = ErrorCount()
        self._running = False
        if not settings.enabled:
            logger.info("scoring is switched off (TOOLSCORE_ENABLED)")
            return
        self.policy, where = policy_in_force(policy, settings)
        logger.info("scoring by %s: %d rules, %d expectations", where, len(self.policy.rules), len(self.policy.expectations))
        dropped: dict[str, int] = {}
        self._on_result = on_result
        self._scorer = LiveScorer(
            self.policy,
            settings,
            snapshot=self._snapshot,
            publish=self._publish,
            on_result=self._result if on_result is not None else None,
            dropped=dropped,
        )
        self._traces = self._scorer.traces
        self._max_spans = settings.max_spans
        self._in_end: set[int] = set()
        """Spans that are ending through our `end`."""
        self._recognition = Recognition(DIALECTS, self.policy.spans)
        self._scopes, self._plain_keys, self._plain_names = (
            self._recognition.scopes,
            self._recognition.plain_keys,
            self._recognition.plain_names,
        )
        self._resource: tuple[Any, dict[str, object]] = (None, {})
        self._events = EventLog(logger_provider, self.errors)
        scorer = weakref.ref(self._scorer)
        self._points = MetricPoints(
            meter_provider,
            self.errors,
            self.policy.rules,
            max_series=settings.max_series,
            active=lambda: living.active if (living := scorer()) is not None else 0,
            dropped=dropped,
        )
        self._open: dict[int, weakref.ref[Span]] | None = {} if attribute_keys(self.policy) else None
        self._open_bound = OPEN_SPANS
        self._count = 0
        self._pid = os.getpid()
        self._sweeper = Sweeper(weakref.WeakMethod(self._sweep), settings.idle_timeout_s)
        if hasattr(os, "register_at_fork"):
            forked = weakref.WeakMethod(self._forked)
            os.register_at_fork(after_in_child=lambda: living() if (living := forked()) is not None else None)
        self._running = True
        EXPECTED_BY.add(self)

    # the hooks

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Makes sure that a span worth reading is heard of before it ends."""
        if not self._running:
            return
        try:
            scope = span.instrumentation_scope.name  # type: ignore[union-attr]
            watched = self._scopes.get(scope)
            if not (self._recognition.scope(scope) if watched is None else watched):
                held = getattr(span, "_attributes", None)
                keys = getattr(held, "_dict", held)
                name = span.name
                if (not keys or self._plain_keys.issuperset(keys) or not self._recognition.by_keys(keys)) and (
                    name in self._plain_names or not self._recognition.by_name(name)
                ):
                    if self._traces and (memory := self._traces.get(span.context.trace_id)) is not None:
                        memory.plain[span.context.span_id] = weakref.ref(span)
                    if self._open is not None:
                        self._remember_open(span, self._open)
                    return
            self._started(span, parent_context)
        except NOT_OURS:
            raise
        except BaseException as error:
            self.errors.add("on_start", error)

    def on_end(self, span: ReadableSpan) -> None:
        """Hears of the spans that have no `end` of ours."""
        if not self._running:
            return
        try:
            if self._in_end and span.context.span_id in self._in_end:
                return
            memory = self._traces.get(span.context.trace_id) if self._traces else None
            held = getattr(span, "_attributes", None)
            keys = getattr(held, "_dict", held)
            name = span.name
            if (keys and not self._plain_keys.issuperset(keys) and self._recognition.by_keys(keys)) or (
                name not in self._plain_names and self._recognition.by_name(name)
            ):
                self._ended_late(span)
            elif memory is not None:
                self._ended_plain(span, memory)
            if self._open is not None:
                self._open.pop(span.context.span_id, None)
        except NOT_OURS:
            raise
        except BaseException as error:
            self.errors.add("on_end", error)

    def _on_ending(self, span: Span) -> None:
        """Nothing: what is set here is lost."""

    def shutdown(self) -> None:
        """Publishes what is known of the traces that go on; nothing is scored afterwards."""
        if not self._running:
            return
        self._running = False
        EXPECTED_BY.discard(self)
        try:
            self._sweeper.stop()
            self._scorer.close()
        except NOT_OURS:
            raise
        except BaseException as error:
            self.errors.add("shutdown", error)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - the SDK's signature
        """True: what is final was handed on when it became so."""
        return True

    # what they do

    def _started(self, span: Span, parent_context: Context | None) -> None:
        context, parent = span.context, span.parent
        trace_id = context.trace_id
        memory = self._traces.get(trace_id)
        if memory is None and os.getpid() != self._pid:
            self._forked()
        around: list[tuple[int, OpenSpan]] = []
        behind = parent_id = None
        root = parent is None or parent.is_remote
        if parent is not None:
            parent_id = parent.span_id
            if not root and not (memory is not None and memory.knows(parent_id)):
                current = trace.get_current_span(parent_context)
                around = self._around(current, parent_id)
                root = not around
                if root and isinstance(current, ReadableSpan) and current.get_span_context() == parent:
                    behind = current
        if span.resource is not self._resource[0]:
            self._resource_of(span)
        opened = OpenSpan(weakref.ref(span), parent_id, read=True, root=root)
        bound = expected_in(parent_context)
        if memory is not None and not around and behind is None and not bound:
            self._scorer.started_inside(memory, context.span_id, opened)
        else:
            sampled = context.trace_flags.sampled
            self._scorer.started(trace_id, context.span_id, opened, sampled=sampled, bound=bound, around=around, behind=behind)
            self._sweeper.wake()
        span.end = OwnEnd(span, self._judge, self._in_end)  # type: ignore[method-assign]

    def _around(self, current: Any, parent_id: int | None) -> list[tuple[int, OpenSpan]]:
        """The open spans around one whose parent was not worth a look until now, as far as they can be found, innermost first.

        None is found where the parent has ended or is not recorded: then nothing will be heard of what is around.
        """
        found: list[tuple[int, OpenSpan]] = []
        while parent_id is not None:
            span = current if current is not None and current.get_span_context().span_id == parent_id else self._opened(parent_id)
            span = getattr(span, "__wrapped__", span)  # what instrumentations put around a span may go before it
            if span is None or not span.is_recording():
                return found
            above = span.parent
            root = above is None or above.is_remote
            first = not found
            found.append((parent_id, OpenSpan(weakref.ref(span), above.span_id if above is not None else None, read=first, root=root)))
            if first:
                self._give_end(span)
            current, parent_id = None, None if root or above is None else above.span_id
        return found

    def _opened(self, span_id: int) -> Any:
        held = self._open.get(span_id) if self._open is not None else None
        return held() if held is not None else None

    def _remember_open(self, span: Span, open_spans: dict[int, weakref.ref[Span]]) -> None:
        """For policies that ask for attributes of whatever is around a scope."""
        if len(open_spans) >= self._open_bound:
            for span_id, held in list(open_spans.items()):
                if held() is None:
                    open_spans.pop(span_id, None)
            self._open_bound = max(OPEN_SPANS, 2 * len(open_spans))
        open_spans[span.context.span_id] = weakref.ref(span)

    def _give_end(self, span: Any) -> None:
        """Lets the span call us once when it ends, whoever calls its `end`."""
        span.end = OwnEnd(span, self._judge, self._in_end)

    def _judge(self, span: Any, end_time: int) -> None:
        """Answers a span that is about to end."""
        try:
            if self._running:
                self._ending(span, end_time)
        except NOT_OURS:
            raise
        except BaseException as error:
            self.errors.add("end", error)

    def _ending(self, span: Any, end_time: int) -> None:
        self._count += 1
        timed = self._count % DURATION_SAMPLE == 0
        begun = time.perf_counter() if timed else 0.0
        context, parent = span.context, span.parent
        record = span_of(span, end_ns=end_time, resource=self._resource_of(span))
        attributes = self._scorer.ended(context.trace_id, context.span_id, parent.span_id if parent is not None else None, record)
        if attributes:
            _write(span, attributes)
        if timed:
            self._points.took(time.perf_counter() - begun)

    def _ended_late(self, span: ReadableSpan) -> None:
        """A span showed only after its start that it is worth reading. It cannot be written on any more."""
        context, parent = span.context, span.parent
        parent_id = parent.span_id if parent is not None else None
        root = parent is None or parent.is_remote
        if span.instrumentation_scope is not None:
            self._recognition.learn(span.instrumentation_scope.name)
        if context.trace_id not in self._traces:
            opened = OpenSpan(weakref.ref(span), parent_id, read=True, root=root)
            self._scorer.started(context.trace_id, context.span_id, opened, sampled=context.trace_flags.sampled)
            self._sweeper.wake()
        self._scorer.ended(context.trace_id, context.span_id, parent_id, self._snapshot(span), root=root, writable=False)

    def _ended_plain(self, span: ReadableSpan, memory: TraceMemory) -> None:
        """A span with nothing to read, in a trace that has others."""
        parent, span_id = span.parent, span.context.span_id
        if parent is None or parent.is_remote or span_id in memory.wanted or span_id in memory.open:
            root = parent is None or parent.is_remote
            self._scorer.passed(span.context.trace_id, span_id, parent.span_id if parent is not None else None, span, root=root)
            return
        memory.plain.pop(span_id, None)
        if len(memory.passed) < self._max_spans:
            memory.passed[span_id] = PassedSpan(parent.span_id, False, span.start_time, span.end_time)

    def _snapshot(self, span: Any) -> SpanRecord:
        return span_of(span, resource=self._resource_of(span))

    def _resource_of(self, span: Any) -> dict[str, object]:
        """The span's resource as JSON types; its service's counters start the first time that it is met."""
        resource = span.resource
        known, values = self._resource
        if known is not resource:
            values = json_values(resource.attributes)
            self._resource = (resource, values)
            service = values.get("service.name")
            self._points.service_seen(service if isinstance(service, str) else None)
        return values

    def _publish(self, told: list[Told]) -> None:
        for evaluation, about, sampled in told:
            context = evaluated_context(evaluation.trace_id, evaluation.span_id, sampled) if evaluation is not None else None
            if evaluation is not None and context is not None:
                self._events.write(evaluation, context, self._resource[0])
            if isinstance(about, ExpectationResult):
                self._points.expectation(about, context)
            elif isinstance(about, tuple):
                call, verdict = about
                self._points.call(call.tool, call.agent, verdict)
            elif about is None:
                continue
            elif about.kind == "violation":
                self._points.violation(about, evaluation.service if evaluation is not None else None, context)
            else:
                self._points.inconclusive(about)

    def _result(self, result: RunResult) -> None:
        try:
            if self._on_result is not None:
                self._on_result(result)
        except NOT_OURS:
            raise
        except BaseException as error:
            self.errors.add("on_result", error)

    def _sweep(self) -> bool:
        """Closes what is idle; whether anything is left to watch."""
        try:
            self._scorer.sweep(time.monotonic())
        except BaseException as error:
            self.errors.add("the sweeper", error)
        return self._running and self._scorer.waits

    def _forked(self) -> None:
        """In a forked process: what is open belongs to the parent, locks may be held by threads that are not here."""
        self._pid = os.getpid()
        self.errors.start_over()
        self._points.start_over()
        self._scorer.start_over()
        self._traces = self._scorer.traces
        self._in_end.clear()
        self._sweeper.start_over()
        if self._open is not None:
            self._open = {}


def _write(span: Any, attributes: Attributes) -> None:
    held = attributes_of(span)
    present = getattr(held, "_dict", held) or {}
    attributes = emit.written_over(attributes, present)
    limits = getattr(span, "_limits", None)
    most = getattr(limits, "max_span_attributes", None)
    span.set_attributes(emit.fitting(attributes, present, None if most is None else max(0, most - len(present))))
