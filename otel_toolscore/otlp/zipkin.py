"""Zipkin v2 spans: `{"traceId", "id", "parentId", "timestamp", "duration", "tags", "annotations", "localEndpoint"}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from otel_toolscore.model import Problem
from otel_toolscore.otlp import scalars
from otel_toolscore.otlp.jaeger import read_kind, read_status, text, without_members
from otel_toolscore.otlp.nodes import Node, python
from otel_toolscore.spans import Span, SpanEvent

_MICROSECOND: Final = 1000
_OF_SPANS: Final = frozenset({"timestamp", "duration", "tags", "annotations", "localEndpoint", "kind", "name"})


def is_zipkin(fields: dict[str, Node]) -> bool:
    """Whether an object is a Zipkin span."""
    return "traceId" in fields and "id" in fields and "spanId" not in fields and not _OF_SPANS.isdisjoint(fields)


def spans(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    """The span of one object, preceded by what of it could not be read."""
    given: dict[str, Any] = {name: python(node) for name, node in fields.items()}
    faults: list[str] = []
    trace_id = _id(given, "traceId", scalars.TRACE_ID_BYTES, faults)
    span_id = _id(given, "id", scalars.SPAN_ID_BYTES, faults)
    if not trace_id or not span_id:
        yield Problem("broken_span", where, f"expected a span with {'an id' if trace_id else 'a traceId'}", trace_id)
        return
    tags = _tags(given.get("tags"), faults)
    broken = len(faults)
    start, length = _time(given.get("timestamp"), "timestamp", faults), _time(given.get("duration"), "duration", faults)
    endpoint = given.get("localEndpoint")
    service = endpoint.get("serviceName") if isinstance(endpoint, dict) else None
    read = Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_id(given, "parentId", scalars.SPAN_ID_BYTES, faults),
        name=text(given.get("name")),
        kind=read_kind(given.get("kind"), faults),
        start_ns=start,
        end_ns=None if start is None or length is None else start + length,
        attributes=without_members(tags),
        events=tuple(_events(given.get("annotations"), faults)),
        status=read_status(tags, faults),
        status_message=text(tags.get("otel.status_description") or tags.get("error")),
        resource={"service.name": service} if isinstance(service, str) else {},
        scope_name=text(tags.get("otel.scope.name") or tags.get("otel.library.name")),
        scope_version=text(tags.get("otel.scope.version") or tags.get("otel.library.version")),
        dropped_attributes=broken,
        where=where,
    )
    yield from (Problem("broken_attribute", where, fault, trace_id) for fault in faults)
    yield read


def _id(given: dict[str, Any], name: str, size: int, faults: list[str]) -> str | None:
    try:
        return scalars.hexadecimal(given.get(name), size)
    except ValueError as error:
        faults.append(f"{name}: {error}")
        return None


def _time(value: object, place: str, faults: list[str]) -> int | None:
    try:
        return None if value is None else scalars.integer(value) * _MICROSECOND
    except ValueError as error:
        faults.append(f"{place}: {error}")
        return None


def _tags(given: object, faults: list[str]) -> dict[str, object]:
    if given is None or isinstance(given, dict):
        return given or {}
    faults.append("tags: expected an object")
    return {}


def _events(given: object, faults: list[str]) -> Iterator[SpanEvent]:
    for i, annotation in enumerate(given if isinstance(given, list) else ()):
        if isinstance(annotation, dict):
            yield SpanEvent(text(annotation.get("value")), _time(annotation.get("timestamp"), f"annotations[{i}]", faults), {})
        else:
            faults.append(f"annotations[{i}]: expected an object")
