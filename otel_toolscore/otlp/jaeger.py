"""The export of the Jaeger UI and its query API: `{"data": [{"traceID", "spans", "processes"}]}`, or such a trace by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_toolscore.model import Problem
from otel_toolscore.otlp import scalars
from otel_toolscore.otlp.nodes import Node, items, members, python
from otel_toolscore.spans import STATUS_ERROR, STATUS_UNSET, Span, SpanEvent

_MICROSECOND: Final = 1000
_NOT_ATTRIBUTES: Final = frozenset(
    {
        *("span.kind", "otel.status_code", "otel.status_description", "error"),
        *("otel.scope.name", "otel.scope.version", "otel.library.name", "otel.library.version", "internal.span.format"),
    }
)
"""Tags that hold what OpenTelemetry has members for."""


def is_jaeger(fields: dict[str, Node]) -> bool:
    """Whether an object is a Jaeger trace, or a list of them under `data`."""
    return _is_trace(fields) or any(_is_trace(members(item) or {}) for item in items(fields.get("data")) or ())


def _is_trace(fields: dict[str, Node]) -> bool:
    return "traceID" in fields and "spans" in fields


def spans(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    """The spans of the traces of an export that lies at `where`."""
    if _is_trace(fields):
        yield from _trace(fields, where)
        return
    for i, item in enumerate(items(fields.get("data")) or ()):
        found = members(item)
        if found is None or not _is_trace(found):
            yield Problem("broken_record", f"{where} data[{i}]", "expected a trace: an object with traceID and spans")
        else:
            yield from _trace(found, f"{where} data[{i}]")


def _trace(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    processes = {name: python(node) for name, node in (members(fields.get("processes")) or {}).items()}
    listed = items(fields["spans"])
    if listed is None:
        yield Problem("broken_record", where, "spans: expected a list")
        return
    for i, node in enumerate(listed):
        yield from _one(python(node), processes, f"{where} spans[{i}]")


def _one(given: object, processes: Mapping[str, object], where: str) -> Iterator[Span | Problem]:
    if not isinstance(given, dict):
        yield Problem("broken_span", where, "expected a span: an object with traceID and spanID")
        return
    faults: list[str] = []
    trace_id = _checked_id(given.get("traceID"), scalars.TRACE_ID_BYTES, "traceID", faults)
    span_id = _checked_id(given.get("spanID"), scalars.SPAN_ID_BYTES, "spanID", faults)
    if not trace_id or not span_id:
        yield Problem("broken_span", where, f"expected a span with a {'spanID' if trace_id else 'traceID'}", trace_id)
        return
    process = given.get("process") or processes.get(str(given.get("processID")))
    read = _span(given, trace_id, span_id, process if isinstance(process, dict) else {}, where, faults)
    yield from (Problem("broken_attribute", where, fault, trace_id) for fault in faults)
    yield read


def _span(given: dict[str, Any], trace_id: str, span_id: str, process: dict[str, Any], where: str, faults: list[str]) -> Span:
    before = len(faults)
    tags = _tags(given.get("tags"), "tags", faults)
    broken = len(faults) - before
    start = _microseconds(given.get("startTime"), "startTime", faults)
    length = _microseconds(given.get("duration"), "duration", faults)
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_parent(given, trace_id, faults),
        name=given["operationName"] if isinstance(given.get("operationName"), str) else "",
        kind=read_kind(tags.get("span.kind"), faults),
        start_ns=start,
        end_ns=None if start is None or length is None else start + length,
        attributes=without_members(tags),
        events=tuple(_events(given.get("logs"), faults)),
        status=read_status(tags, faults),
        status_message=text(tags.get("otel.status_description")),
        resource=_resource(process, faults),
        scope_name=text(tags.get("otel.scope.name") or tags.get("otel.library.name")),
        scope_version=text(tags.get("otel.scope.version") or tags.get("otel.library.version")),
        dropped_attributes=broken,
        where=where,
    )


def _parent(given: dict[str, Any], trace_id: str, faults: list[str]) -> str | None:
    """The parent in the same trace: CHILD_OF before FOLLOWS_FROM, as Jaeger itself chooses it."""
    references = [one for one in given.get("references") or () if isinstance(one, dict)]
    same = [one for one in references if _checked_id(one.get("traceID"), scalars.TRACE_ID_BYTES, "reference", faults) in (trace_id, None)]
    first = next((one for one in same if one.get("refType") == "CHILD_OF"), same[0] if same else None)
    value = first.get("spanID") if first else given.get("parentSpanID")
    return _checked_id(value, scalars.SPAN_ID_BYTES, "parent", faults)


def _checked_id(value: object, size: int, place: str, faults: list[str]) -> str | None:
    """An id at its full length: Jaeger leaves leading zeros out."""
    try:
        return scalars.hexadecimal(value, size)
    except ValueError as error:
        faults.append(f"{place}: {error}")
        return None


def _microseconds(value: object, place: str, faults: list[str]) -> int | None:
    if value is None:
        return None
    try:
        return scalars.integer(value) * _MICROSECOND
    except ValueError as error:
        faults.append(f"{place}: {error}")
        return None


def _tags(given: object, place: str, faults: list[str]) -> dict[str, object]:
    """Tags as attributes, by key, with the types that they say they have."""
    if given is None:
        return {}
    if not isinstance(given, list):
        faults.append(f"{place}: expected a list of {{key, value}}")
        return {}
    found: dict[str, object] = {}
    for i, tag in enumerate(given):
        if not isinstance(tag, dict) or not isinstance(tag.get("key"), str):
            faults.append(f"{place}[{i}]: expected an object with a key")
            continue
        value = tag.get("value")
        try:
            found[tag["key"]] = scalars.integer(value) if tag.get("type") == "int64" else value
        except ValueError as error:
            faults.append(f"{place}[{i}]: {error}")
    return found


def _events(given: object, faults: list[str]) -> Iterator[SpanEvent]:
    """Logs as events; the field `event` is the event's name."""
    for i, log in enumerate(given if isinstance(given, list) else ()):
        if not isinstance(log, dict):
            faults.append(f"logs[{i}]: expected an object")
            continue
        fields = _tags(log.get("fields"), f"logs[{i}].fields", faults)
        name = text(fields.pop("event", None) or fields.get("message"))
        yield SpanEvent(name, _microseconds(log.get("timestamp"), f"logs[{i}].timestamp", faults), fields)


def _resource(process: dict[str, Any], faults: list[str]) -> dict[str, object]:
    resource = _tags(process.get("tags"), "process.tags", faults)
    service = process.get("serviceName")
    return {"service.name": service, **resource} if isinstance(service, str) else resource


def text(value: object) -> str:
    """The text; "" for anything else."""
    return value if isinstance(value, str) else ""


def read_kind(value: object, faults: list[str]) -> int:
    """The span kind of a tag `span.kind`."""
    try:
        return scalars.kind(value or None)
    except ValueError as error:
        faults.append(f"span.kind: {error}")
        return scalars.kind(None)


def read_status(tags: Mapping[str, object], faults: list[str]) -> int:
    """The status that tags tell: `otel.status_code`, else `error`, which is set where something failed."""
    code = tags.get("otel.status_code")
    if code is None:
        return STATUS_ERROR if tags.get("error") not in (None, False, "false") else STATUS_UNSET
    try:
        return scalars.status(code)
    except ValueError as error:
        faults.append(f"otel.status_code: {error}")
        return STATUS_UNSET


def without_members(tags: Mapping[str, object]) -> dict[str, object]:
    """The tags that are attributes of their own."""
    return {key: value for key, value in tags.items() if key not in _NOT_ATTRIBUTES}
