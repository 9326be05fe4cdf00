"""Hands what `emit` built to OpenTelemetry: log events and metric points, whatever the version of its API.

Nothing here raises into the caller: whatever a provider or an instrument does goes to `ErrorCount`.
"""

from __future__ import annotations

import inspect
import logging
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from opentelemetry import _logs, metrics, trace
from opentelemetry.context import Context
from opentelemetry.sdk import _logs as sdk_logs

from otel_toolscore import emit
from otel_toolscore.emit import Evaluation
from otel_toolscore.model import ExpectationResult, Finding, Verdict
from otel_toolscore.rules.rule import Rule

logger = logging.getLogger("otel_toolscore")

SCORE_BUCKETS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
DURATION_BUCKETS: Final = (*(step * 10.0**power for power in range(-6, 0) for step in (1, 2.5, 5)), 1.0)
DURATION_SAMPLE: Final = 32
"""One of so many scorings is timed into `toolscore.scoring.duration`."""
OTHER: Final = "_OTHER"
SEVERITY_TEXTS: Final[Mapping[int, str]] = {21: "FATAL", 17: "ERROR", 13: "WARN", 9: "INFO"}

Key: TypeAlias = tuple[tuple[str, str], ...]
Points: TypeAlias = Iterable[tuple[Mapping[str, str], float]]
Callback: TypeAlias = Callable[[object], list[metrics.Observation]]


class ErrorCount:
    """The one place where errors of scoring end: counted by type, logged once for each kind, never raised.

    The log names the type and the place of an error, not its text: a text may quote a value.
    """

    def __init__(self) -> None:
        self.by_type: dict[str, int] = {}
        self._told: set[tuple[str, str]] = set()
        self._lock = threading.Lock()  # protects both

    def start_over(self) -> None:
        """As new, in a forked process."""
        self._lock = threading.Lock()
        self.by_type.clear()

    def add(self, where: str, error: BaseException) -> None:
        """Counts an error that was caught in `where`."""
        kind = type(error).__qualname__
        with self._lock:
            self.by_type[kind] = self.by_type.get(kind, 0) + 1
            new = (where, kind) not in self._told
            self._told.add((where, kind))
        if new:
            frames = traceback.extract_tb(error.__traceback__)[-1:]
            place = f" at {frames[0].filename}:{frames[0].lineno}" if frames else ""
            logger.warning(
                "scoring failed in %s with %s%s; the application goes on, further errors of this kind are only counted", where, kind, place
            )


def evaluated_context(trace_id: str, span_id: str | None, sampled: bool) -> Context:
    """The context that ties an event or an exemplar to the evaluated span, or to its trace where a run has no span of its own."""
    try:
        ids = int(trace_id, 16), int(span_id or "0", 16)
    except ValueError:
        ids = 0, 0
    flags = trace.TraceFlags(trace.TraceFlags.SAMPLED if sampled else trace.TraceFlags.DEFAULT)
    return trace.set_span_in_context(trace.NonRecordingSpan(trace.SpanContext(*ids, is_remote=False, trace_flags=flags)), Context())


class EventLog:
    """Emits evaluations as log records `gen_ai.evaluation.result`."""

    def __init__(self, provider: Any, errors: ErrorCount) -> None:
        self._errors = errors
        self._logger: Any = None
        try:
            self._logger = provider.get_logger("otel_toolscore") if provider is not None else _logs.get_logger("otel_toolscore")
            self._by_keywords = "event_name" in inspect.signature(_logs.Logger.emit).parameters
        except Exception as error:
            errors.add("the logger provider", error)

    def write(self, evaluation: Evaluation, context: Context, resource: object) -> None:
        """Emits one record in the evaluated span's context. `resource`: the span's, for SDKs that want it with the record."""
        if self._logger is None:
            return
        try:
            if self._by_keywords:
                self._logger.emit(
                    event_name=emit.EVENT_NAME,
                    timestamp=time.time_ns(),
                    context=context,
                    severity_number=_logs.SeverityNumber(evaluation.severity_number),
                    severity_text=SEVERITY_TEXTS[evaluation.severity_number],
                    attributes=evaluation.attributes,
                )
            else:
                self._logger.emit(_record(evaluation, context, resource))
        except Exception as error:
            self._errors.add("the logger", error)


def _record(evaluation: Evaluation, context: Context, resource: object) -> Any:
    """The record for APIs before the keyword form of `emit` (1.38); before 1.35 a record had no name of its own and took ids."""
    record_type: Any = getattr(sdk_logs, "LogRecord")  # noqa: B009 - newer SDKs have no such name
    fields: dict[str, object] = {
        "timestamp": time.time_ns(),
        "observed_timestamp": time.time_ns(),
        "severity_number": _logs.SeverityNumber(evaluation.severity_number),
        "severity_text": SEVERITY_TEXTS[evaluation.severity_number],
        "resource": resource,
    }
    if "event_name" in inspect.signature(record_type.__init__).parameters:
        return record_type(**fields, event_name=emit.EVENT_NAME, context=context, attributes=dict(evaluation.attributes))
    evaluated = trace.get_current_span(context).get_span_context()
    ids = {"trace_id": evaluated.trace_id, "span_id": evaluated.span_id, "trace_flags": evaluated.trace_flags}
    return record_type(**fields, **ids, attributes={"event.name": emit.EVENT_NAME, **evaluation.attributes})


class MetricPoints:
    """The metrics of docs/live.md, with bounded attributes; each method counts one thing that is final."""

    def __init__(
        self,
        provider: Any,
        errors: ErrorCount,
        rules: Sequence[Rule],
        *,
        max_series: int,
        active: Callable[[], int],
        dropped: dict[str, int],
    ) -> None:
        self._errors = errors
        self._rules = rules
        self._max_series = max_series
        self._lock = threading.Lock()  # protects the two dicts below and _services
        self._calls: dict[Key, int] = {}
        self._last: dict[Key, float] = {}
        self._services: set[str | None] = set()
        self._instruments: dict[str, Any] = {}
        self._takes_context = "context" in inspect.signature(metrics.Counter.add).parameters
        try:
            meter = provider.get_meter("otel_toolscore") if provider is not None else metrics.get_meter("otel_toolscore")
            self._observe(meter, active, dropped)
            self._instruments = _instruments(meter)
        except Exception as error:
            errors.add("the meter provider", error)

    def _observe(self, meter: Any, active: Callable[[], int], dropped: dict[str, int]) -> None:
        this = weakref.ref(self)  # a provider keeps callbacks for ever

        def observed(read: Callable[[MetricPoints], Points]) -> list[Callback]:
            def observe(_options: object) -> list[metrics.Observation]:
                points = this()
                return [] if points is None else [metrics.Observation(value, dict(attributes)) for attributes, value in read(points)]

            return [observe]

        def by(key: str, counts: dict[str, int]) -> list[Callback]:
            return observed(lambda _points: [({key: name}, count) for name, count in counts.copy().items()])

        calls = observed(lambda points: points._read(points._calls))
        meter.create_observable_counter("toolscore.calls", calls, "{call}", "Tool calls, by verdict")
        last = observed(lambda points: points._read(points._last))
        meter.create_observable_gauge("toolscore.last_violation", last, "s", "Unix time of a rule's last violation")
        running = observed(lambda _points: [({}, active())])
        meter.create_observable_up_down_counter("toolscore.run.active", running, "{run}", "Runs that are not final yet")
        drops = by(emit.DROP_REASON, dropped)
        meter.create_observable_counter("toolscore.dropped_spans", drops, "{span}", "Spans that could not be scored, by reason")
        failures = by("error.type", self._errors.by_type)
        meter.create_observable_counter("toolscore.errors", failures, "{error}", "Errors of scoring, by type")

    def _read(self, counts: Mapping[Key, float]) -> list[tuple[Mapping[str, str], float]]:
        with self._lock:
            return [(dict(key), value) for key, value in counts.items()]

    def _labels(self, rule: str, severity: str, enforcement: str, service: str | None) -> dict[str, str]:
        labels = {emit.RULE_ID: rule, emit.SEVERITY: severity, emit.ENFORCEMENT: enforcement}
        return {"service.name": service, **labels} if service is not None else labels

    def service_seen(self, service: str | None) -> None:
        """Starts the service's counters at 0, so that the first violation is an increase."""
        with self._lock:
            if service in self._services:
                return
            self._services.add(service)
        for rule in self._rules:
            self._add("violations", self._labels(rule.id, rule.severity, rule.enforcement, service), None, 0)

    def violation(self, finding: Finding, service: str | None, context: Context | None) -> None:
        """Counts a final violation; the point's exemplar is the evaluated span."""
        labels = self._labels(finding.rule, finding.severity, finding.enforcement, service)
        with self._lock:
            self._last[tuple(labels.items())] = time.time()
        self._add("violations", labels, context)

    def inconclusive(self, finding: Finding) -> None:
        """Counts a final inconclusive finding."""
        self._add("inconclusive", {emit.RULE_ID: finding.rule, emit.CAUSE: finding.cause or "unknown"})

    def expectation(self, result: ExpectationResult, context: Context | None) -> None:
        """Counts a final judgement of an expectation, and its score where there is a definite one."""
        labels = {emit.EXPECTATION_ID: result.id}
        self._add("evaluations", {**labels, emit.VERDICT: result.verdict}, context)
        if result.score is not None and result.verdict != "inconclusive":
            self._record("score", float(result.score), labels, context)

    def call(self, tool: str, agent: str | None, verdict: Verdict) -> None:
        """Counts a final call."""
        with self._lock:
            key = _call_key(tool, agent, verdict)
            if key not in self._calls and len(self._calls) >= self._max_series:
                key = _call_key(OTHER, None if agent is None else OTHER, verdict)
            self._calls[key] = self._calls.get(key, 0) + 1

    def took(self, seconds: float) -> None:
        """Records how long the scoring of a span took."""
        self._record("duration", seconds, {}, None)

    def start_over(self) -> None:
        """As new, in a forked process, which has counted nothing itself."""
        self._lock = threading.Lock()
        self._calls.clear()
        self._last.clear()
        self._services.clear()

    def _add(self, name: str, labels: Mapping[str, str], context: Context | None = None, amount: int = 1) -> None:
        try:
            if (counter := self._instruments.get(name)) is not None:
                counter.add(amount, labels, **self._exemplar(context))
        except Exception as error:
            self._errors.add("a counter", error)

    def _record(self, name: str, value: float, labels: Mapping[str, str], context: Context | None) -> None:
        try:
            if (histogram := self._instruments.get(name)) is not None:
                histogram.record(value, labels, **self._exemplar(context))
        except Exception as error:
            self._errors.add("a histogram", error)

    def _exemplar(self, context: Context | None) -> dict[str, Context]:
        return {"context": context} if self._takes_context and context is not None else {}


def _call_key(tool: str, agent: str | None, verdict: Verdict) -> Key:
    agents = ((emit.AGENT_NAME, agent),) if agent is not None else ()
    return ((emit.TOOL_NAME, tool), *agents, (emit.VERDICT, verdict))


def _instruments(meter: Any) -> dict[str, Any]:
    return {
        "violations": meter.create_counter("toolscore.violations", "{violation}", "Violations of rules"),
        "inconclusive": meter.create_counter("toolscore.inconclusive_findings", "{finding}", "Rules that could not be decided, by cause"),
        "evaluations": meter.create_counter("toolscore.evaluations", "{evaluation}", "Expectations judged, by verdict"),
        "score": _histogram(meter, "toolscore.score", "1", "Scores of expectations", SCORE_BUCKETS),
        "duration": _histogram(meter, "toolscore.scoring.duration", "s", "Time that scoring a span took (sampled)", DURATION_BUCKETS),
    }


def _histogram(meter: Any, name: str, unit: str, about: str, buckets: Sequence[float]) -> Any:
    if "explicit_bucket_boundaries_advisory" in inspect.signature(meter.create_histogram).parameters:
        return meter.create_histogram(name, unit, about, explicit_bucket_boundaries_advisory=buckets)
    return meter.create_histogram(name, unit, about)
