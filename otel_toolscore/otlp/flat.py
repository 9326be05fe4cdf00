"""Spans as plain objects: what people dump from an SDK, a database or a REST API.

`{"trace_id", "span_id", "parent_span_id", "name", "start_time", "end_time", "attributes", ...}`, the documents of
`span.to_json()` (ids under `context`, `0x` before them), the JavaScript SDK's spans as JSON (ids under `_spanContext`, or as its
console exporter has them) and lists of any of these, bare or under `spans` or `data`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from otel_toolscore.model import Problem
from otel_toolscore.otlp import otlp_json, scalars
from otel_toolscore.otlp.nodes import Node, items, members, python
from otel_toolscore.spans import INTERNAL, STATUS_UNSET, Span, SpanEvent

T = TypeVar("T")

_TRACE_ID: Final = ("trace_id", "traceId", "traceID")
_SPAN_ID: Final = ("span_id", "spanId", "spanID")
_PARENT_ID: Final = ("parent_span_id", "parentSpanId", "parent_id", "parentId", "parentSpanID")
_START: Final = ("start_time_unix_nano", "startTimeUnixNano", "start_time_ns", "start_ns", "start_time", "startTime", "start", "timestamp")
_END: Final = ("end_time_unix_nano", "endTimeUnixNano", "end_time_ns", "end_ns", "end_time", "endTime", "end")
_STARTS_OF_SPANS: Final = tuple(name for name in _START if name not in ("start", "timestamp"))
_LOG_MEMBERS: Final = frozenset({"body", "severity_number", "severity_text", "severityNumber", "severityText", "levelname"})
_EVENTS: Final = ("span_events", "events")
_EVENT_TIME: Final = ("time_unix_nano", "timeUnixNano", "timestamp", "time")
_SCOPE: Final = (
    "scope",
    "instrumentation_scope",
    "instrumentationScope",
    "instrumentation_library",
    "instrumentationLibrary",
    "instrumentation_info",
)
_RESOURCE: Final = ("attributes", "_attributes")
_LISTS: Final = ("spans", "data")

_CONTEXTS: Final = ("context", "_spanContext", "spanContext", "span_context")
_JS_CONSOLE: Final = frozenset({"traceId", "id", "timestamp", "duration", "attributes"})
"""What the JavaScript SDK's console exporter writes, with times in microseconds."""
_OI_KINDS: Final = frozenset({"TOOL", "AGENT", "LLM", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT"})
_OI_KIND: Final = "openinference.span.kind"

_SDK_KIND_OFFSET: Final = 1
"""The SDKs count span kinds from 0 (internal), OTLP from 1."""


def is_flat(fields: dict[str, Node]) -> bool:
    """Whether an object is a flat span, or a list of them under `spans` or `data`."""
    return _is_span(fields) or any(_listed(fields, name) is not None for name in _LISTS)


def _is_span(fields: dict[str, Node]) -> bool:
    """Whether an object has the ids of a span and more of one than log lines, evaluations and calls have."""
    if not _LOG_MEMBERS.isdisjoint(fields):
        return False
    if fields.keys() >= _JS_CONSOLE:
        return True
    ids = next((members(fields[name]) or {} for name in _CONTEXTS if name in fields), {})
    if not all(any(name in source for source in (fields, ids) for name in names) for names in (_TRACE_ID, _SPAN_ID)):
        return False
    return any(name in fields for name in _STARTS_OF_SPANS) or ("name" in fields and "attributes" in fields)


def _listed(fields: dict[str, Node], name: str) -> list[Node] | None:
    listed = items(fields[name]) if name in fields else None
    return listed if listed and any(_is_span(members(item) or {}) for item in listed) else None


def spans(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    """The span (or the listed spans) of an object that lies at `where`."""
    if _is_span(fields):
        yield from span(fields, where)
        return
    for name in _LISTS:
        for i, item in enumerate(_listed(fields, name) or ()):
            place = f"{where} {name}[{i}]"
            found = members(item)
            if found is None or not _is_span(found):
                yield Problem("broken_span", place, "expected a span: an object with trace_id and span_id")
            else:
                yield from span(found, place)


def span(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    """The span of one object, preceded by what of it could not be read."""
    try:
        given = {name: python(node) for name, node in fields.items()}
    except RecursionError:
        yield Problem("broken_span", where, "nested too deeply")
        return
    faults: list[str] = []
    read = _span(given, where, faults)
    if not read.trace_id or not read.span_id:
        missing = "trace_id" if not read.trace_id else "span_id"
        told = "".join(f"; {fault}" for fault in faults if fault.startswith(missing))
        yield Problem("broken_span", where, f"expected a span with a {missing}{told}", read.trace_id or None)
        return
    yield from (Problem("broken_attribute", where, fault, read.trace_id) for fault in faults)
    yield read


def _first(given: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), None)


def _object(given: dict[str, Any], name: str) -> dict[str, Any]:
    found = given.get(name)
    return found if isinstance(found, dict) else {}


def _checked(read: Callable[[Any], T], given: object, place: str, faults: list[str], otherwise: T) -> T:
    try:
        return read(given)
    except ValueError as error:
        faults.append(f"{place}: {error}")
        return otherwise


def _span(given: dict[str, Any], where: str, faults: list[str]) -> Span:
    by_js = given.keys() >= _JS_CONSOLE
    context = next((found for name in _CONTEXTS if (found := _object(given, name))), {})
    ids = {**context, **{name: item for name, item in given.items() if item is not None}}
    if by_js:
        ids["spanId"] = given["id"]
    parent = _first(given, _PARENT_ID)
    if parent is None:
        parent = _first(_object(given, "parent") or _object(given, "parentSpanContext"), _SPAN_ID)
    trace_id = _checked(lambda v: scalars.identifier(v, scalars.TRACE_ID_BYTES), _first(ids, _TRACE_ID), "trace_id", faults, None)
    span_id = _checked(lambda v: scalars.identifier(v, scalars.SPAN_ID_BYTES), _first(ids, _SPAN_ID), "span_id", faults, None)
    start, end = _first(given, _START), _first(given, _END)
    code, message = _status(given)
    scope_name, scope_version = _scope(given)
    before = len(faults)
    attributes = _attributes(given.get("attributes"), "attributes", faults)
    if given.get("span_kind") in _OI_KINDS:  # Phoenix tells it apart
        attributes = {_OI_KIND: given["span_kind"], **attributes}
    if by_js and end is None:
        end = _checked(_after, (start, given["duration"]), "duration", faults, None)
    return Span(
        trace_id=trace_id or "",
        span_id=span_id or "",
        parent_id=_checked(lambda v: scalars.identifier(v, scalars.SPAN_ID_BYTES), parent, "parent_id", faults, None),
        name=_text(given.get("name")),
        kind=_checked(_kind, (given.get("kind", given.get("span_kind")), by_js or isinstance(start, list)), "kind", faults, INTERNAL),
        start_ns=_checked(_time, start, "start_time", faults, None),
        end_ns=_checked(_time, end, "end_time", faults, None),
        attributes=attributes,
        dropped_attributes=len(faults) - before,
        events=tuple(_events(_first(given, _EVENTS), faults)),
        status=_checked(scalars.status, code, "status", faults, STATUS_UNSET),
        status_message=_text(message),
        resource=_resource(given.get("resource"), faults),
        scope_name=scope_name,
        scope_version=scope_version,
        where=where,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _kind(given: tuple[object, bool]) -> int:
    """A kind and whether the source counts as the SDKs do. Names of other kinds (Phoenix: `TOOL`) say nothing here."""
    value, counted_by_sdk = given
    if isinstance(value, str):
        try:
            return scalars.kind(value)
        except ValueError:
            return INTERNAL
    if counted_by_sdk and isinstance(value, int):
        return scalars.kind(value + _SDK_KIND_OFFSET)
    return scalars.kind(value)


def _time(value: object) -> int | None:
    if isinstance(value, list) and len(value) == 2:  # [seconds, nanoseconds], as the JavaScript SDK has it
        return scalars.integer(value[0]) * 10**9 + scalars.integer(value[1])
    return scalars.time(value)


def _after(given: tuple[object, object]) -> int | None:
    """The end of a span whose start and duration are in microseconds."""
    start, duration = given
    return None if start is None else (scalars.integer(start) + scalars.integer(duration)) * 1000


def _status(given: dict[str, Any]) -> tuple[object, object]:
    status = given.get("status")
    if isinstance(status, dict):
        code = _first(status, ("status_code", "statusCode", "code"))
        return code, _first(status, ("description", "message", "status_message"))
    code = status if status is not None else _first(given, ("status_code", "statusCode"))
    return code, _first(given, ("status_message", "statusMessage", "status_description"))


def _scope(given: dict[str, Any]) -> tuple[str, str]:
    scope = _first(given, _SCOPE)
    if isinstance(scope, dict):
        return _text(scope.get("name")), _text(scope.get("version"))
    return _text(scope if scope is not None else given.get("scope_name")), _text(given.get("scope_version"))


def _attributes(value: object, place: str, faults: list[str]) -> dict[str, object]:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return otlp_json.attributes(otlp_json.camel(value), faults)
    faults.append(f"{place}: expected an object")
    return {}


def _resource(value: object, faults: list[str]) -> dict[str, object]:
    inner = next((value[name] for name in _RESOURCE if name in value), None) if isinstance(value, dict) else None
    return _attributes(value if inner is None or isinstance(inner, str) else inner, "resource", faults)


def _events(value: object, faults: list[str]) -> Iterator[SpanEvent]:
    if value is None:
        return
    if not isinstance(value, list):
        faults.append("events: expected a list")
        return
    for i, event in enumerate(value):
        if not isinstance(event, dict):
            faults.append(f"events[{i}]: expected an object")
            continue
        yield SpanEvent(
            _text(_first(event, ("name", "event_name", "eventName"))),
            _checked(_time, _first(event, _EVENT_TIME), f"events[{i}] time", faults, None),
            _attributes(event.get("attributes"), f"events[{i}] attributes", faults),
        )
