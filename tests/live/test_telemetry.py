"""What OpenTelemetry receives: events in the evaluated span's context, bounded metrics, and errors that go no further."""

from __future__ import annotations

import logging
from fractions import Fraction
from typing import Any

import pytest
from opentelemetry import trace
from recording import Recording

from otel_toolscore.emit import Evaluation
from otel_toolscore.live.telemetry import SCORE_BUCKETS, ErrorCount, EventLog, MetricPoints, evaluated_context
from otel_toolscore.model import ExpectationResult, Finding, Metrics
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
RULES = (
    Rule(id="no-rm", severity="critical", constraint=Forbid(Pattern(tool=("rm",)))),
    Rule(id="tried", severity="low", enforcement="shadow", constraint=Forbid(Pattern(tool=("x",)))),
)
FINDING = Finding(rule="no-rm", kind="violation", severity="critical")
NONE = Metrics(selection_accuracy=None, argument_f1=None, sequence_accuracy=None, redundant_rate=None, required_call_recall=None)


def points_of(recording: Recording, errors: ErrorCount | None = None, **more: Any) -> MetricPoints:
    settings = {"max_series": 3, "active": lambda: 2, "dropped": {}, **more}
    return MetricPoints(recording.meter_provider, errors or ErrorCount(), RULES, **settings)


def rule_labels(rule: str, severity: str, enforcement: str = "enforce", service: str = "desk") -> tuple[tuple[str, str], ...]:
    labels = {
        "service.name": service,
        "toolscore.rule.id": rule,
        "toolscore.severity": severity,
        "toolscore.enforcement": enforcement,
    }
    return tuple(sorted(labels.items()))


def test_an_event_is_in_the_evaluated_spans_context() -> None:
    """Trace id, span id and flags are the evaluated span's, whatever span is current."""
    recording = Recording()
    log = EventLog(recording.logger_provider, ErrorCount())
    evaluation = Evaluation(
        key=("x",),
        trace_id=TRACE,
        span_id=SPAN,
        service="desk",
        severity_number=17,
        attributes={"gen_ai.evaluation.name": "toolscore.rule.a"},
    )
    with recording.tracer_provider.get_tracer("t").start_as_current_span("other") as other:
        log.write(evaluation, evaluated_context(TRACE, SPAN, sampled=True), other.resource)  # type: ignore[attr-defined]
    (record,) = recording.logs.records
    assert (f"{record.trace_id:032x}", f"{record.span_id:016x}", int(record.trace_flags)) == (TRACE, SPAN, 1)
    assert (record.severity_number.value, record.severity_text) == (17, "ERROR")
    name = getattr(record, "event_name", None) or record.attributes["event.name"]
    assert name == "gen_ai.evaluation.result"
    assert record.attributes["gen_ai.evaluation.name"] == "toolscore.rule.a"
    assert record.timestamp > 0


def test_an_event_without_a_span_has_no_span() -> None:
    """A run that no span holds together is told in its trace, not on the current span."""
    recording = Recording()
    log = EventLog(recording.logger_provider, ErrorCount())
    evaluation = Evaluation(key=("x",), trace_id=TRACE, span_id=None, service=None, severity_number=9, attributes={})
    with recording.tracer_provider.get_tracer("t").start_as_current_span("other") as other:
        log.write(evaluation, evaluated_context(TRACE, None, sampled=True), other.resource)  # type: ignore[attr-defined]
    (record,) = recording.logs.records
    assert (f"{record.trace_id:032x}", record.span_id) == (TRACE, 0)


def test_counters_stand_at_zero_before_the_first_violation() -> None:
    """Each rule has its series from the first span of a service, so that the first violation is an increase."""
    recording = Recording()
    points = points_of(recording)
    points.service_seen("desk")
    points.service_seen("desk")
    assert recording.points("toolscore.violations") == {
        rule_labels("no-rm", "critical"): 0,
        rule_labels("tried", "low", "shadow"): 0,
    }


def test_a_violation_is_counted_with_four_attributes_and_its_time_kept() -> None:
    """Both metrics have the same attributes; the gauge is a Unix time in seconds."""
    recording = Recording()
    points = points_of(recording)
    points.violation(FINDING, "desk", None)
    points.violation(FINDING, "desk", None)
    labels = rule_labels("no-rm", "critical")
    assert recording.points("toolscore.violations") == {labels: 2}
    assert 1.6e9 < recording.points("toolscore.last_violation")[labels] < 1e11


def test_a_violations_exemplar_is_the_evaluated_span() -> None:
    """Where the SDK has exemplars, the point leads to the span."""
    recording = Recording()
    points = points_of(recording)
    points.violation(FINDING, "desk", evaluated_context(TRACE, SPAN, sampled=True))
    exemplars = getattr(recording.point("toolscore.violations"), "exemplars", [])
    assert {f"{exemplar.trace_id:032x}:{exemplar.span_id:016x}" for exemplar in exemplars} <= {f"{TRACE}:{SPAN}"}
    assert len(exemplars) == points._takes_context


def test_calls_are_bounded() -> None:
    """Beyond the bound, tool and agent are `_OTHER`; the verdict is always told."""
    recording = Recording()
    points = points_of(recording)
    for number in range(50):
        points.call(f"tool{number}", f"agent{number}", "pass")
    points.call("tool0", "agent0", "pass")
    points.call("late", None, "fail")
    found = recording.points("toolscore.calls")
    assert len(found) == 5
    assert found[(("gen_ai.agent.name", "_OTHER"), ("gen_ai.tool.name", "_OTHER"), ("toolscore.verdict", "pass"))] == 47
    assert found[(("gen_ai.tool.name", "_OTHER"), ("toolscore.verdict", "fail"))] == 1
    assert found[(("gen_ai.agent.name", "agent0"), ("gen_ai.tool.name", "tool0"), ("toolscore.verdict", "pass"))] == 2


def test_expectations_are_counted_by_verdict_and_scores_have_buckets() -> None:
    """An inconclusive expectation is counted and not in the histogram."""
    recording = Recording()
    points = points_of(recording)
    for verdict, score in (("pass", Fraction(1)), ("inconclusive", None), ("fail", Fraction(1, 2))):
        points.expectation(ExpectationResult(id="e", verdict=verdict, score=score, grade=None, metrics=NONE), None)  # type: ignore[arg-type]
    assert recording.points("toolscore.evaluations") == {
        (("toolscore.expectation.id", "e"), ("toolscore.verdict", verdict)): 1 for verdict in ("pass", "inconclusive", "fail")
    }
    point = recording.point("toolscore.score")
    assert (point.count, point.sum) == (2, 1.5)
    if "explicit_bucket_boundaries_advisory" in recording.meter_provider.get_meter("m").create_histogram.__code__.co_varnames:
        assert tuple(point.explicit_bounds) == SCORE_BUCKETS


def test_inconclusive_findings_errors_drops_and_running_are_told() -> None:
    """Each by the attribute that says why."""
    recording = Recording()
    errors = ErrorCount()
    dropped = {"evicted": 3}
    points = points_of(recording, errors, dropped=dropped)
    points.inconclusive(Finding(rule="no-rm", kind="inconclusive", severity="low", cause="trace_incomplete"))
    errors.add("a hook", ValueError("secret"))
    assert recording.points("toolscore.inconclusive_findings") == {
        (("toolscore.cause", "trace_incomplete"), ("toolscore.rule.id", "no-rm")): 1
    }
    assert recording.points("toolscore.errors") == {(("error.type", "ValueError"),): 1}
    assert recording.points("toolscore.dropped_spans") == {(("toolscore.drop.reason", "evicted"),): 3}
    assert recording.points("toolscore.run.active") == {(): 2}


def test_an_error_is_logged_once_for_each_kind_and_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    """The text of an error may quote a value."""
    errors = ErrorCount()
    with caplog.at_level(logging.WARNING, "otel_toolscore"):
        for _ in range(3):
            errors.add("on_start", ValueError("secret value"))
        errors.add("on_end", ValueError("secret value"))
    assert errors.by_type == {"ValueError": 4}
    assert len(caplog.records) == 2
    assert "secret" not in caplog.text
    assert "on_start" in caplog.text


class Broken:
    """A provider (meter, instrument) whose every method raises."""

    def __getattr__(self, name: str) -> Any:
        def method(*_args: object, **_more: object) -> None:
            raise RuntimeError("broken")

        return method


class BrokenInstruments:
    """A provider whose instruments raise when they are used."""

    def get_meter(self, *_args: object) -> BrokenInstruments:
        return self

    get_logger = get_meter

    def create_histogram(self, *_args: object, **_more: object) -> Broken:
        return Broken()

    create_counter = create_observable_counter = create_observable_gauge = create_observable_up_down_counter = create_histogram


@pytest.mark.parametrize("provider", [Broken(), BrokenInstruments(), object()])
def test_a_broken_provider_is_counted_and_nothing_is_raised(provider: object) -> None:
    """Neither construction nor use reaches the caller."""
    errors = ErrorCount()
    points = MetricPoints(provider, errors, RULES, max_series=3, active=lambda: 0, dropped={})
    points.service_seen("desk")
    points.violation(FINDING, "desk", None)
    points.inconclusive(FINDING)
    points.took(0.1)
    points.call("t", None, "pass")
    log = EventLog(provider, errors)
    evaluation = Evaluation(key=("x",), trace_id=TRACE, span_id=SPAN, service=None, severity_number=9, attributes={})
    log.write(evaluation, evaluated_context(TRACE, SPAN, sampled=True), None)
    assert sum(errors.by_type.values()) >= 2


def test_a_span_id_that_is_no_hex_gives_no_span() -> None:
    """Spans of other sources may have ids of their own."""
    assert not trace.get_current_span(evaluated_context("trace", "span", sampled=True)).get_span_context().is_valid
    assert trace.get_current_span(evaluated_context(TRACE, SPAN, sampled=False)).get_span_context().trace_flags == 0
