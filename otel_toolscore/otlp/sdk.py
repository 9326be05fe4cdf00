"""Spans of the Python SDK, as they are in memory, to the span record.

Works on whatever has the attributes of the SDK's `ReadableSpan`: a live span, an ended one, or a wrapper around either.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any, Final

from otel_toolscore.assemble import assemble
from otel_toolscore.model import Run, ToolCall
from otel_toolscore.policy import Policy, attribute_keys
from otel_toolscore.spans import INTERNAL, Span, SpanEvent

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
NO_EVENTS: Final[tuple[SpanEvent, ...]] = ()


def json_value(value: object) -> object:
    """An attribute's value as JSON types: sequences as lists, mappings as dicts, bytes as base64 text, anything else as its text."""
    if value.__class__ in _SCALARS:
        return value
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [json_value(item) for item in value]
    return str(value)


def json_values(attributes: Mapping[str, object] | None) -> dict[str, object]:
    """The attributes of a span, an event or a resource as JSON types; a copy."""
    if not attributes:
        return {}
    held = getattr(attributes, "_dict", None)  # the SDK's mapping takes a lock for each key that is read
    values: dict[str, object] = held.copy() if isinstance(held, dict) else dict(attributes)
    for key, value in values.items():
        if value.__class__ not in _SCALARS:
            values[key] = json_value(value)
    return values


def attributes_of(span: Any) -> Mapping[str, object] | None:
    """The attributes of an SDK span, in the form that is cheapest to read."""
    held: Mapping[str, object] | None = getattr(span, "_attributes", None)
    return held if held is not None else span.attributes


def trace_id(context: Any) -> str:
    """The trace id of a span context, in hex."""
    return format(context.trace_id, "032x")


def span_id(context: Any) -> str:
    """The span id of a span context, in hex."""
    return format(context.span_id, "016x")


def span_of(span: Any, *, end_ns: int | None = None, resource: Mapping[str, object] | None = None) -> Span:
    """The record of an SDK span. `end_ns`: the end of a span that is about to end; `resource`: its resource as JSON types."""
    context = span.context
    parent = span.parent
    status = span.status
    scope = span.instrumentation_scope
    events = getattr(span, "_events", True) and span.events  # the property builds a tuple each time
    return Span(
        trace_id=trace_id(context),
        span_id=span_id(context),
        parent_id=None if parent is None else span_id(parent),
        name=span.name,
        kind=INTERNAL + span.kind.value,
        start_ns=span.start_time,
        end_ns=span.end_time if end_ns is None else end_ns,
        attributes=json_values(attributes_of(span)),
        events=tuple([SpanEvent(event.name, event.timestamp, json_values(event.attributes)) for event in events]) if events else NO_EVENTS,
        status=status.status_code.value,
        status_message=status.description or "",
        resource=json_values(span.resource.attributes) if resource is None else resource,
        scope_name=scope.name if scope is not None else "",
        scope_version=(scope.version or "") if scope is not None else "",
        parent_remote=None if parent is None else parent.is_remote,
        dropped_attributes=getattr(span, "dropped_attributes", 0),
    )


def runs_of(spans: Iterable[Any], policy: Policy | None = None) -> tuple[Run, ...]:
    """The runs that SDK spans record, as the policy (None: none) wants them put together."""
    if policy is None:
        return assemble(map(span_of, spans)).runs
    return assemble(map(span_of, spans), runs=policy.runs, attributes=attribute_keys(policy), mappings=policy.spans).runs


def from_otel(spans: Iterable[Any]) -> list[ToolCall]:
    """The tool calls that SDK spans record, in the order in which they started; spans of any number of traces, in any order."""
    calls = [call for run in runs_of(spans) for call in run.calls]
    return sorted(calls, key=lambda call: (call.start_ns or 0, call.end_ns or 0, call.span_id))
