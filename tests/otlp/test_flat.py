"""Flat span objects and span.to_json() documents."""

from __future__ import annotations

import json

import pytest
from export_documents import START, otlp_span, placeless, read, read_spans, snake
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from otel_toolscore.model import Problem
from otel_toolscore.otlp import NotSpansError
from otel_toolscore.spans import CLIENT, INTERNAL, SERVER, STATUS_ERROR, STATUS_OK, STATUS_UNSET, Span, SpanEvent

FLAT = {
    "trace_id": "a0000000000000000000000000000001",
    "span_id": "b000000000000002",
    "parent_span_id": "b000000000000001",
    "name": "execute_tool add",
    "kind": "SPAN_KIND_CLIENT",
    "start_time": START,
    "end_time": START + 5,
    "attributes": {"gen_ai.tool.name": "add", "args": {"a": [1, None]}},
    "span_events": [{"event_name": "exception", "timestamp": START, "attributes": {"exception.type": "E"}}],
    "status": {"code": "ERROR", "message": "no"},
    "scope": {"name": "lib", "version": "2"},
    "resource": {"attributes": {"service.name": "agents"}},
}
SPAN = Span(
    trace_id="a0000000000000000000000000000001",
    span_id="b000000000000002",
    parent_id="b000000000000001",
    name="execute_tool add",
    kind=CLIENT,
    start_ns=START,
    end_ns=START + 5,
    attributes={"gen_ai.tool.name": "add", "args": {"a": [1, None]}},
    events=(SpanEvent("exception", START, {"exception.type": "E"}),),
    status=STATUS_ERROR,
    status_message="no",
    resource={"service.name": "agents"},
    scope_name="lib",
    scope_version="2",
)


def changed(**members: object) -> dict[str, object]:
    """The flat span with members replaced, or left out where None."""
    return {key: item for key, item in {**FLAT, **members}.items() if item is not None}


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param(FLAT, id="one object"),
        pytest.param([FLAT], id="list"),
        pytest.param({"spans": [FLAT]}, id="under spans"),
        pytest.param({"data": [FLAT], "next_cursor": None}, id="under data"),
        pytest.param(json.dumps(FLAT) + "\n", id="line"),
        pytest.param(json.dumps([FLAT], indent=4), id="pretty-printed"),
        pytest.param(changed(parent_span_id=None, parent_id="0xb000000000000001"), id="parent_id"),
        pytest.param(changed(parent_span_id=None, parent={"span_id": "b000000000000001"}), id="parent object"),
        pytest.param(
            changed(trace_id=None, span_id=None, context={"trace_id": "0x" + SPAN.trace_id, "span_id": "0x" + SPAN.span_id}), id="context"
        ),
        pytest.param(changed(trace_id=int(SPAN.trace_id, 16), span_id=int(SPAN.span_id, 16)), id="ids as integers"),
        pytest.param(changed(start_time=None, end_time=None, start_time_unix_nano=str(START), endTimeUnixNano=START + 5), id="unix nano"),
        pytest.param(changed(start_time="2026-09-21T14:13:20Z"), id="ISO time"),
        pytest.param(changed(kind=3), id="OTLP number of the kind"),
        pytest.param(changed(kind="SpanKind.CLIENT"), id="Python name of the kind"),
        pytest.param(
            changed(span_events=None, events=[{"name": "exception", "time": START, "attributes": {"exception.type": "E"}}]), id="events"
        ),
        pytest.param(changed(status={"status_code": "ERROR", "description": "no"}), id="status_code and description"),
        pytest.param(changed(status={"code": 2, "message": "no"}), id="status number"),
        pytest.param(changed(status="ERROR", status_message="no"), id="status text"),
        pytest.param(changed(status=None, status_code="ERROR", status_message="no"), id="status members"),
        pytest.param(changed(scope=None, instrumentation_scope={"name": "lib", "version": "2"}), id="instrumentation_scope"),
        pytest.param(changed(scope="lib", scope_version="2"), id="scope as text"),
        pytest.param(changed(resource={"service.name": "agents"}), id="bare resource"),
        pytest.param(changed(attributes=snake(otlp_span(1))["attributes"][:1]), id="attributes as OTLP has them"),
    ],
)
def test_every_spelling_gives_the_same_span(spelled: object) -> None:
    """Names of members, forms of ids, times, kinds and statuses make no difference to what is read."""
    (found,) = placeless(read_spans(spelled))
    listed = {"attributes": {"gen_ai.tool.name": "t1"}} if found.attributes == {"gen_ai.tool.name": "t1"} else {}
    assert found == Span(**{**{name: getattr(SPAN, name) for name in SPAN.__struct_fields__}, **listed})


def test_the_least_that_is_a_span() -> None:
    """Two ids and a start, or a name and attributes, are enough; what is absent is not guessed."""
    (found,) = placeless(read_spans({"trace_id": "live-trace-1", "span_id": "tool-1", "start_time": START}))
    assert found == Span(trace_id="live-trace-1", span_id="tool-1", start_ns=START)
    (found,) = placeless(read_spans({"trace_id": "live-trace-1", "span_id": "tool-1", "name": "x", "attributes": {}}))
    assert found == Span(trace_id="live-trace-1", span_id="tool-1", name="x")


@pytest.mark.parametrize(
    "given",
    [
        {"trace_id": "t", "span_id": "s"},
        {"trace_id": "t", "span_id": "s", "name": "app", "levelname": "INFO", "message": "hello", "attributes": {}},
        {"trace_id": "t", "span_id": "s", "body": "hello", "severity_number": 9, "attributes": {}, "timestamp": START},
        {
            "tool": "search",
            "trace_id": "t",
            "span_id": "s",
            "parent_span_id": None,
            "start": "2026-09-21T14:13:20Z",
            "start_unix_nano": "1",
        },
    ],
)
def test_what_only_names_a_span_is_none(given: object) -> None:
    """Log lines and the calls that this program writes name a span, and are none."""
    with pytest.raises(NotSpansError):
        read([given])


def test_kinds_and_statuses_of_others_say_nothing() -> None:
    """A Phoenix `span_kind` (TOOL, LLM) is not a span kind of OpenTelemetry."""
    (found,) = read_spans({**changed(kind=None, status=None), "span_kind": "TOOL", "status_code": "UNSET"})
    assert (found.kind, found.status) == (INTERNAL, STATUS_UNSET)


def test_javascript_spans_count_kinds_from_zero() -> None:
    """Times as [seconds, nanoseconds] show the JavaScript SDK, whose 1 is SERVER."""
    (found,) = read_spans({"traceId": "ab", "spanId": "cd", "kind": 1, "startTime": [1790000000, 7], "parentSpanContext": {"spanId": "ef"}})
    assert (found.kind, found.start_ns, found.parent_id) == (SERVER, START + 7, "ef")


@pytest.mark.parametrize("indent", [4, None])
def test_documents_of_the_console_exporter(indent: int | None) -> None:
    """span.to_json() documents are read, pretty-printed one after another as well as one a line."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "agents"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("lib")
    agent = tracer.start_span("invoke_agent a", start_time=START)
    tool = tracer.start_span(
        "execute_tool b",
        context=set_span_in_context(agent),
        kind=SpanKind.CLIENT,
        attributes={"gen_ai.tool.name": "b", "n": [1, 2]},
        start_time=START + 1000,
    )
    tool.add_event("exception", {"exception.type": "E"}, timestamp=START + 2000)
    tool.set_status(Status(StatusCode.ERROR, "no"))
    tool.end(START + 3000)
    agent.end(START + 4000)
    provider.shutdown()
    found = read_spans("\n".join(span.to_json(indent=indent) for span in exporter.get_finished_spans()))
    assert placeless(found)[0] == Span(
        trace_id=f"{tool.get_span_context().trace_id:032x}",
        span_id=f"{tool.get_span_context().span_id:016x}",
        parent_id=f"{agent.get_span_context().span_id:016x}",
        name="execute_tool b",
        kind=CLIENT,
        start_ns=START + 1000,
        end_ns=START + 3000,
        attributes={"gen_ai.tool.name": "b", "n": [1, 2]},
        events=(SpanEvent("exception", START + 2000, {"exception.type": "E"}),),
        status=STATUS_ERROR,
        status_message="no",
        resource={"service.name": "agents"},
    )
    assert (found[1].parent_id, found[1].status) == (None, STATUS_UNSET)


@pytest.mark.parametrize(
    ("members", "code", "message"),
    [
        ({"span_id": ""}, "broken_span", "expected a span with a span_id"),
        ({"span_id": [1]}, "broken_span", "expected a span with a span_id; span_id: expected an id as text"),
        ({"trace_id": -1}, "broken_span", "expected a span with a trace_id; trace_id: expected an id of 16 bytes"),
        ({"attributes": 5}, "broken_attribute", "attributes: expected an object"),
        ({"start_time": "noon"}, "broken_attribute", "start_time: expected a time: nanoseconds, or ISO 8601 text"),
        ({"start_time": True}, "broken_attribute", "start_time: expected a time: nanoseconds, or ISO 8601 text"),
        ({"status": "WILD"}, "broken_attribute", "status: expected a status code: UNSET, OK or ERROR"),
        ({"span_events": {}}, "broken_attribute", "events: expected a list"),
        ({"span_events": [1]}, "broken_attribute", "events[0]: expected an object"),
        ({"resource": 5}, "broken_attribute", "resource: expected an object"),
    ],
)
def test_a_broken_span_is_told_and_the_rest_is_read(members: dict[str, object], code: str, message: str) -> None:
    """A member of an unexpected type is a problem with its place; the spans beside it are read."""
    found = read([FLAT, {**FLAT, **members}, FLAT])
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert (problem.code, problem.where, problem.message) == (code, "traces.json [1]", message)
    assert sum(isinstance(item, Span) for item in found) == (2 if code == "broken_span" else 3)


def test_an_object_that_is_no_span_among_spans() -> None:
    """An item of a list of spans that has no ids is a problem, by its place in the list."""
    found = read([FLAT, {"name": "x"}])
    assert found[1] == Problem("not_spans", "traces.json [1]", "looks like an object with the keys 'name'")
    found = read({"spans": [FLAT, {"name": "x"}]})
    assert found[1] == Problem("broken_span", "traces.json spans[1]", "expected a span: an object with trace_id and span_id")


def test_status_ok() -> None:
    """OK is a status of its own."""
    (found,) = read_spans(changed(status="OK"))
    assert found.status == STATUS_OK
