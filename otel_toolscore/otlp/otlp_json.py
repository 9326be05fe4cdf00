"""OTLP JSON: `{"resourceSpans": [...]}`, Tempo's `batches` and `trace`, and Jaeger's `result` around it.

Read besides what the specification asks for: enum names, base64 ids, numbers for 64-bit integers, snake_case keys and the
`instrumentationLibrarySpans` of before 2022. A span of unexpected types is read member by member: what cannot be understood is
a problem of its own, the rest of the span is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Raw

from otel_toolscore.model import Problem
from otel_toolscore.otlp import scalars
from otel_toolscore.otlp.nodes import Node, items, member, members, python
from otel_toolscore.spans import INTERNAL, STATUS_UNSET, Span, SpanEvent

T = TypeVar("T")

_HAS_IS_REMOTE: Final = 0x100
_IS_REMOTE: Final = 0x200

_SNAKE: Final = re.compile(r"_([a-z0-9])")


class AnyValue(msgspec.Struct, rename="camel"):
    """A value; none of the members means null."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: int | float | str | None = None
    double_value: int | float | str | None = None
    array_value: ArrayValue | None = None
    kvlist_value: KeyValueList | None = None
    bytes_value: str | None = None


class ArrayValue(msgspec.Struct):
    """A list of values."""

    values: list[AnyValue | None] | None = None


class KeyValue(msgspec.Struct):
    """An attribute."""

    key: str
    value: AnyValue | None = None


class KeyValueList(msgspec.Struct):
    """An object."""

    values: list[KeyValue] | None = None


class _Event(msgspec.Struct, rename="camel"):
    name: str | None = None
    time_unix_nano: int | float | str | None = None
    attributes: list[KeyValue] | None = None


class _Status(msgspec.Struct):
    code: int | str | None = None
    message: str | None = None


class _Span(msgspec.Struct, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    kind: int | str | None = None
    start_time_unix_nano: int | float | str | None = None
    end_time_unix_nano: int | float | str | None = None
    attributes: list[KeyValue] | None = None
    events: list[_Event] | None = None
    status: _Status | None = None
    flags: int | float | str | None = None
    dropped_attributes_count: int | float | str | None = None


class _Origin(msgspec.Struct):
    """What the spans of one instrumentation scope share."""

    resource: Mapping[str, object]
    scope_name: str = ""
    scope_version: str = ""


_SPAN: Final = msgspec.json.Decoder(_Span)


def is_otlp(fields: dict[str, Node]) -> bool:
    """Whether an object is an OTLP trace document, in a known wrapper or without; `{}` is one without spans."""
    return not fields or any(True for _ in _documents(fields))


def _documents(fields: dict[str, Node]) -> Iterator[Node]:
    """The lists of resource spans of a document."""
    found = member(fields, "resourceSpans", "resource_spans", "batches")
    if found is None and fields.keys() & {"resourceSpans", "resource_spans", "batches"}:
        found = []
    if found is not None:
        yield found
    for wrapper in ("trace", "result"):
        inner = members(fields[wrapper]) if wrapper in fields else None
        if inner:
            yield from _documents(inner)


def spans(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    """The spans of an OTLP document that lies at `where`."""
    for document in _documents(fields):
        for i, node in _each(document, where, "resourceSpans"):
            if isinstance(node, Problem):
                yield node
            else:
                yield from _resource_spans(node, f"{where} resourceSpans[{i}]")


def _each(node: Node, where: str, what: str) -> Iterator[tuple[int, dict[str, Node] | Problem]]:
    """The objects of a list, each with its index; a problem in the place of what is none."""
    listed = items(node)
    if listed is None:
        yield 0, Problem("broken_record", where, f"{what}: expected a list")
        return
    for i, item in enumerate(listed):
        found = members(item)
        yield i, Problem("broken_record", f"{where} {what}[{i}]", "expected an object") if found is None else found


def _resource_spans(fields: dict[str, Node], where: str) -> Iterator[Span | Problem]:
    faults: list[str] = []
    resource = _attributes_of(member(fields, "resource"), faults)
    yield from (Problem("broken_attribute", f"{where} resource", fault) for fault in faults)
    scoped = member(fields, "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
    if scoped is None:
        return
    for i, found in _each(scoped, where, "scopeSpans"):
        if isinstance(found, Problem):
            yield found
            continue
        place = f"{where}.scopeSpans[{i}]"
        scope = members(member(found, "scope", "instrumentationLibrary", "instrumentation_library")) or {}
        origin = _Origin(resource, _text(scope, "name"), _text(scope, "version"))
        listed = items(member(found, "spans") or [])
        if listed is None:
            yield Problem("broken_record", place, "spans: expected a list")
            continue
        for j, node in enumerate(listed):
            yield from span(node, origin, f"{place}.spans[{j}]")


def _text(fields: dict[str, Node], name: str) -> str:
    found = python(member(fields, name))
    return found if isinstance(found, str) else ""


def _attributes_of(node: Node, faults: list[str]) -> dict[str, object]:
    fields = members(node) or {}
    return attributes(camel(python(member(fields, "attributes"))), faults)


def span(node: Node, origin: _Origin, where: str) -> Iterator[Span | Problem]:
    """The span of one node, preceded by what of it could not be read."""
    faults: list[str] = []
    try:
        typed = _typed(node, faults)
        if typed is None:
            yield Problem("broken_span", where, "expected a span: an object with traceId and spanId")
            return
        read = _span(typed, origin, where, faults)
    except RecursionError:
        yield Problem("broken_span", where, "nested too deeply")
        return
    if not read.trace_id or not read.span_id:
        missing = "traceId" if not read.trace_id else "spanId"
        yield Problem("broken_span", where, f"expected a span with a {missing}", read.trace_id or None)
        return
    yield from (Problem("broken_attribute", where, fault, read.trace_id) for fault in faults)
    yield read


def _typed(node: Node, faults: list[str]) -> _Span | None:
    if isinstance(node, Raw):
        try:
            decoded = _SPAN.decode(node)
            if decoded.trace_id is not None:
                return decoded
        except msgspec.DecodeError:
            pass  # read member by member below
    fields = camel(python(node))
    if not isinstance(fields, dict):
        return None
    try:
        return msgspec.convert(fields, _Span)
    except msgspec.ValidationError:
        return _member_by_member(fields, faults)


def _member_by_member(fields: dict[str, Any], faults: list[str]) -> _Span:
    """The members of a span that are of the right type, with None for an item of a list that is not; each of these is a fault."""
    read = _Span()
    for name, field in zip(_Span.__struct_fields__, msgspec.structs.fields(_Span), strict=True):
        given = fields.get(field.encode_name)
        if given is None:
            continue
        if name in ("attributes", "events") and isinstance(given, list):
            of = KeyValue if name == "attributes" else _Event
            setattr(read, name, [_converted(one, of, f"{name}[{i}]", faults) for i, one in enumerate(given)])
            continue
        setattr(read, name, _converted(given, field.type, field.encode_name, faults))
    return read


def _converted(given: object, of: Any, place: str, faults: list[str]) -> Any:
    try:
        return msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        faults.append(f"{place}: {_lower(str(error))}")
        return None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def camel(value: object) -> Any:
    """The same with lowerCamelCase keys; every key of OTLP JSON is a name of the protocol, user data is never a key."""
    if isinstance(value, dict):
        return {_SNAKE.sub(lambda m: m[1].upper(), key) if "_" in key else key: camel(item) for key, item in value.items()}
    return [camel(item) for item in value] if isinstance(value, list) else value


def _checked(read: Callable[[Any], T], given: object, place: str, faults: list[str], otherwise: T) -> T:
    try:
        return read(given)
    except ValueError as error:
        faults.append(f"{place}: {error}")
        return otherwise


def _span(typed: _Span, origin: _Origin, where: str, faults: list[str]) -> Span:
    flags = _checked(scalars.integer, typed.flags, "flags", faults, 0) if typed.flags else 0
    counted = typed.dropped_attributes_count
    dropped = _checked(scalars.integer, counted, "droppedAttributesCount", faults, 0) if counted else 0
    status = typed.status or _Status()
    attributes = _decoded(typed.attributes, "attributes", faults)
    return Span(
        trace_id=_id(typed.trace_id, scalars.TRACE_ID_BYTES) or "",
        span_id=_id(typed.span_id, scalars.SPAN_ID_BYTES) or "",
        parent_id=_id(typed.parent_span_id, scalars.SPAN_ID_BYTES),
        name=typed.name or "",
        kind=_checked(scalars.kind, typed.kind, "kind", faults, INTERNAL),
        start_ns=_checked(scalars.nanoseconds, typed.start_time_unix_nano, "startTimeUnixNano", faults, None),
        end_ns=_checked(scalars.nanoseconds, typed.end_time_unix_nano, "endTimeUnixNano", faults, None),
        attributes=attributes,
        events=tuple(_event(event, faults) for event in typed.events or () if event is not None),
        status=_checked(scalars.status, status.code, "status", faults, STATUS_UNSET),
        status_message=status.message or "",
        resource=origin.resource,
        scope_name=origin.scope_name,
        scope_version=origin.scope_version,
        parent_remote=bool(flags & _IS_REMOTE) if flags & _HAS_IS_REMOTE else None,
        dropped_attributes=dropped + sum(fault.startswith("attributes") for fault in faults) if faults else dropped,
        where=where,
    )


_HEX_ID: Final = re.compile(r"(?=.*[1-9a-f])(?:[0-9a-f]{16}|[0-9a-f]{32})")


def _id(value: str | None, size: int) -> str | None:
    return value if value and len(value) == 2 * size and _HEX_ID.fullmatch(value) else scalars.identifier(value, size)


def _event(event: _Event, faults: list[str]) -> SpanEvent:
    return SpanEvent(
        event.name or "",
        _checked(scalars.nanoseconds, event.time_unix_nano, "timeUnixNano", faults, None),
        _decoded(event.attributes, "event attributes", faults),
    )


def attributes(given: object, faults: list[str]) -> dict[str, object]:
    """The attributes of a list of `{key, value}` objects (camelCase); each that cannot be read is a fault."""
    if given is None:
        return {}
    if not isinstance(given, list):
        faults.append("attributes: expected a list of {key, value}")
        return {}
    return _decoded([_converted(one, KeyValue, f"attributes[{i}]", faults) for i, one in enumerate(given)], "attributes", faults)


def _decoded(pairs: Sequence[KeyValue | None] | None, place: str, faults: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for i, pair in enumerate(pairs or ()):
        if pair is None:
            continue
        given = pair.value
        if given is not None and given.string_value is not None:
            found[pair.key] = given.string_value
            continue
        try:
            found[pair.key] = value(given)
        except ValueError as error:
            faults.append(f"{place}[{i}]: {error}")
    return found


def value(given: AnyValue | None) -> object:
    """The JSON value of an AnyValue; bytes as base64 text. Raises ValueError with what was expected."""
    if given is None:
        return None
    if given.string_value is not None:
        return given.string_value
    if given.int_value is not None:
        return scalars.integer(given.int_value)
    if given.bool_value is not None:
        return given.bool_value
    if given.double_value is not None:
        return scalars.double(given.double_value)
    if given.kvlist_value is not None:
        return {pair.key: value(pair.value) for pair in given.kvlist_value.values or ()}
    if given.array_value is not None:
        return [value(item) for item in given.array_value.values or ()]
    return given.bytes_value
