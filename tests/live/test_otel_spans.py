"""SDK spans, as they are in memory, to records, runs and calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from agent_spans import agent, call, tracer_of
from opentelemetry import trace
from recording import Recording

from otel_toolscore import evaluate, from_otel
from otel_toolscore.otlp.sdk import json_value, runs_of, span_of


def recorded() -> list[Any]:
    recording = Recording().with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "search", q="x")
        call(tracer, "refund", amount=3)
    return list(recording.exporter.get_finished_spans())


@pytest.mark.parametrize("container", [list, tuple, iter, lambda spans: (span for span in spans), itertools.chain])
def test_any_iterable_of_spans_gives_its_calls(container: Callable[[Any], Iterable[Any]]) -> None:
    """Lists, tuples, generators: the calls in the order in which they started."""
    calls = from_otel(container(recorded()))
    assert [(made.tool, made.arguments.value, made.agent) for made in calls] == [
        ("search", {"q": "x"}, "support"),
        ("refund", {"amount": 3}, "support"),
    ]


def test_the_order_of_the_spans_changes_nothing() -> None:
    """Spans end inside-out; what counts is when they started."""
    spans = recorded()
    assert all(from_otel(order) == from_otel(spans) for order in itertools.permutations(spans))


def test_calls_are_what_evaluate_takes() -> None:
    """`evaluate(expected, from_otel(spans))`."""
    expected = [{"tool": "search", "args": {"q": "x"}}, {"tool": "refund", "args": {"amount": 3}}]
    assert evaluate(expected, from_otel(recorded())).score == 1.0


def test_no_spans_are_no_calls() -> None:
    """Neither an error nor a run."""
    assert from_otel([]) == []
    assert runs_of([]) == ()


def test_a_span_is_read_whole() -> None:
    """Ids as hex, kinds and status as OTLP counts them, values as JSON types, resource, scope and parent."""
    recording = Recording("desk").with_exporter()
    tracer = recording.tracer_provider.get_tracer("scope", "1.2")
    with tracer.start_as_current_span("parent") as parent:
        context = parent.get_span_context()
        span = tracer.start_span("child", kind=trace.SpanKind.CLIENT, start_time=5, attributes={"list": ["a", "b"], "n": 1, "yes": True})
        span.add_event("exception", {"exception.type": "E"}, 6)
        span.set_status(trace.StatusCode.ERROR, "broken")
        span.end(7)
    record = span_of(recording.spans["child"])
    assert (record.trace_id, record.parent_id, record.parent_remote) == (f"{context.trace_id:032x}", f"{context.span_id:016x}", False)
    assert len(record.span_id) == 16
    assert (record.name, record.kind, record.start_ns, record.end_ns) == ("child", 3, 5, 7)
    assert (record.status, record.status_message) == (2, "broken")
    assert record.attributes == {"list": ["a", "b"], "n": 1, "yes": True}
    assert [(event.name, event.time_ns, event.attributes) for event in record.events] == [("exception", 6, {"exception.type": "E"})]
    assert (record.service, record.scope_name, record.scope_version) == ("desk", "scope", "1.2")


def test_an_open_span_is_read_as_it_is() -> None:
    """With the end that it is about to have; what is set on it later does not change the record."""
    span = tracer_of(Recording()).start_span("open", attributes={"a": 1})
    record = span_of(span, end_ns=9)
    span.set_attribute("b", 2)
    assert (record.end_ns, record.attributes, record.parent_id, record.parent_remote) == (9, {"a": 1}, None, None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        (None, None),
        (True, True),
        (1.5, 1.5),
        (("a", ("b",)), ["a", ["b"]]),
        ({"a": (1, {"b": b"\x00\x01"})}, {"a": [1, {"b": "AAE="}]}),
        (b"ab", "YWI="),
        (frozenset({1}), [1]),
        (type("Odd", (), {"__str__": lambda _: "odd"})(), "odd"),
    ],
)
def test_values_become_json_types(value: object, expected: object) -> None:
    """Tuples are lists, bytes base64 text, the unknown its own text."""
    assert json_value(value) == expected
