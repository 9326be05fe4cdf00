"""Exports of Jaeger and of Zipkin."""

from __future__ import annotations

from typing import Any

import pytest
from export_documents import placeless, read, read_spans

from otel_toolscore.model import Problem
from otel_toolscore.spans import CLIENT, INTERNAL, SERVER, STATUS_ERROR, STATUS_OK, STATUS_UNSET, Span, SpanEvent

TRACE = "a0000000000000000000000000000001"
START_US = 1_790_000_000_000_000
START = START_US * 1000


def tag(key: str, value: object, kind: str = "string") -> dict[str, object]:
    return {"key": key, "type": kind, "value": value}


def jaeger_span(**members: Any) -> dict[str, Any]:
    return {
        "traceID": TRACE,
        "spanID": "b000000000000002",
        "operationName": "execute_tool add",
        "references": [
            {"refType": "FOLLOWS_FROM", "traceID": TRACE, "spanID": "b000000000000009"},
            {"refType": "CHILD_OF", "traceID": TRACE, "spanID": "b000000000000001"},
        ],
        "startTime": START_US,
        "duration": 5,
        "tags": [
            tag("gen_ai.tool.name", "add"),
            tag("n", "7", "int64"),
            tag("yes", True, "bool"),
            tag("span.kind", "client"),
            tag("otel.status_code", "ERROR"),
            tag("otel.status_description", "no"),
            tag("error", True, "bool"),
            tag("otel.scope.name", "lib"),
            tag("otel.scope.version", "2"),
        ],
        "logs": [{"timestamp": START_US, "fields": [tag("event", "exception"), tag("exception.type", "E")]}],
        "processID": "p1",
        **members,
    }


def jaeger(*spans: dict[str, Any]) -> dict[str, Any]:
    processes = {"p1": {"serviceName": "agents", "tags": [tag("host", "h")]}}
    return {"traceID": TRACE, "spans": list(spans or [jaeger_span()]), "processes": processes}


SPAN = Span(
    trace_id=TRACE,
    span_id="b000000000000002",
    parent_id="b000000000000001",
    name="execute_tool add",
    kind=CLIENT,
    start_ns=START,
    end_ns=START + 5000,
    attributes={"gen_ai.tool.name": "add", "n": 7, "yes": True},
    events=(SpanEvent("exception", START, {"exception.type": "E"}),),
    status=STATUS_ERROR,
    status_message="no",
    resource={"service.name": "agents", "host": "h"},
    scope_name="lib",
    scope_version="2",
)


@pytest.mark.parametrize(
    "spelled",
    [
        {"data": [jaeger()], "total": 0, "errors": None},
        jaeger(),
        [jaeger()],
        jaeger(jaeger_span(processID=None, process=jaeger()["processes"]["p1"])),
        jaeger(jaeger_span(references=[], parentSpanID="b000000000000001")),
    ],
)
def test_a_jaeger_export(spelled: object) -> None:
    """Tags give attributes, kind, status and scope; references the parent; the process the resource."""
    assert placeless(read_spans(spelled)) == [SPAN]


def test_jaeger_leaves_zeros_out() -> None:
    """Ids that lost their leading zeros are the ids that they were."""
    (found,) = read_spans(
        jaeger(jaeger_span(traceID="ab", spanID="1", references=[{"refType": "CHILD_OF", "traceID": "ab", "spanID": "2"}]))
    )
    assert (found.trace_id, found.span_id, found.parent_id) == ("ab".zfill(32), "1".zfill(16), "2".zfill(16))


def test_jaeger_links_are_no_parents() -> None:
    """A reference into another trace is a link."""
    (found,) = read_spans(jaeger(jaeger_span(references=[{"refType": "FOLLOWS_FROM", "traceID": "c" * 32, "spanID": "d" * 16}])))
    assert found.parent_id is None


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ([], STATUS_UNSET),
        ([tag("error", True, "bool")], STATUS_ERROR),
        ([tag("error", False, "bool")], STATUS_UNSET),
        ([tag("otel.status_code", "OK")], STATUS_OK),
    ],
)
def test_jaeger_statuses(tags: list[object], status: int) -> None:
    """`otel.status_code` says it, else `error`."""
    (found,) = read_spans(jaeger(jaeger_span(tags=tags)))
    assert (found.status, found.kind) == (status, INTERNAL)


@pytest.mark.parametrize(
    ("members", "code", "message"),
    [
        ({"spanID": None}, "broken_span", "expected a span with a spanID"),
        ({"tags": 5}, "broken_attribute", "tags: expected a list of {key, value}"),
        ({"tags": [5]}, "broken_attribute", "tags[0]: expected an object with a key"),
        ({"tags": [tag("n", "x", "int64")]}, "broken_attribute", "tags[0]: expected an integer, as a number or as decimal text"),
        ({"tags": [tag("span.kind", "wild")]}, "broken_attribute", "span.kind: expected a span kind"),
        ({"startTime": "noon"}, "broken_attribute", "startTime: expected an integer, as a number or as decimal text"),
        ({"logs": [5]}, "broken_attribute", "logs[0]: expected an object"),
    ],
)
def test_a_broken_jaeger_span(members: dict[str, Any], code: str, message: str) -> None:
    """What cannot be read is told with its place; the spans beside it are read."""
    found = read({"data": [jaeger(jaeger_span(), jaeger_span(**members))]})
    assert [item for item in found if isinstance(item, Problem)] == [Problem(code, "traces.json data[0] spans[1]", message, TRACE)]
    assert sum(isinstance(item, Span) for item in found) == (1 if code == "broken_span" else 2)


ZIPKIN = {
    "traceId": TRACE,
    "id": "b000000000000002",
    "parentId": "b000000000000001",
    "name": "execute_tool add",
    "kind": "CLIENT",
    "timestamp": START_US,
    "duration": 5,
    "localEndpoint": {"serviceName": "agents"},
    "tags": {"gen_ai.tool.name": "add", "otel.status_code": "ERROR", "error": "no", "otel.scope.name": "lib", "otel.scope.version": "2"},
    "annotations": [{"timestamp": START_US, "value": "retry"}],
}


def test_a_zipkin_export() -> None:
    """A list of Zipkin spans is read, each with its endpoint's service."""
    assert placeless(read_spans([ZIPKIN])) == [
        Span(
            trace_id=TRACE,
            span_id="b000000000000002",
            parent_id="b000000000000001",
            name="execute_tool add",
            kind=CLIENT,
            start_ns=START,
            end_ns=START + 5000,
            attributes={"gen_ai.tool.name": "add"},
            events=(SpanEvent("retry", START, {}),),
            status=STATUS_ERROR,
            status_message="no",
            resource={"service.name": "agents"},
            scope_name="lib",
            scope_version="2",
        )
    ]


def test_a_zipkin_span_that_two_sides_share() -> None:
    """Client and server may share an id; their kinds keep them apart."""
    assert [(span.span_id, span.kind) for span in read_spans([ZIPKIN, {**ZIPKIN, "kind": "SERVER", "shared": True}])] == [
        ("b000000000000002", CLIENT),
        ("b000000000000002", SERVER),
    ]


@pytest.mark.parametrize(
    ("members", "code", "message"),
    [
        ({"id": ""}, "broken_span", "expected a span with an id"),
        ({"tags": 5}, "broken_attribute", "tags: expected an object"),
        ({"timestamp": "noon"}, "broken_attribute", "timestamp: expected an integer, as a number or as decimal text"),
        ({"annotations": [5]}, "broken_attribute", "annotations[0]: expected an object"),
    ],
)
def test_a_broken_zipkin_span(members: dict[str, Any], code: str, message: str) -> None:
    """What cannot be read is told with its place; the spans beside it are read."""
    found = read([ZIPKIN, {**ZIPKIN, **members}])
    assert [item for item in found if isinstance(item, Problem)] == [Problem(code, "traces.json [1]", message, TRACE)]
    assert sum(isinstance(item, Span) for item in found) == (1 if code == "broken_span" else 2)
