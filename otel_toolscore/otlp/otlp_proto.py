"""OTLP protobuf: one message, or messages one after another with their length (4 bytes, big-endian) before each, as the
Collector's file exporter writes them.

Needs opentelemetry-proto, which is loaded when the first message is read.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from otel_toolscore.model import Problem
from otel_toolscore.otlp import scalars
from otel_toolscore.spans import Span, SpanEvent

INSTALL: Final = "pip install 'otel-toolscore[proto]'"

_PREFIX_BYTES: Final = 4
_RESOURCE_SPANS_TAG: Final = 0x0A
"""First byte of a trace message: field 1, length-delimited."""
_HAS_IS_REMOTE: Final = 0x100
_IS_REMOTE: Final = 0x200


class ProtobufMissingError(Exception):
    """The package that reads protobuf is not installed."""


def is_message(head: bytes) -> bool:
    """Whether data begins as a trace message: the length of its first part is sound, and a part of a message follows."""
    if not head or head[0] != _RESOURCE_SPANS_TAG:
        return False
    length, used = _varint(head[1:11])
    return bool(used) and length >= 0 and (length == 0 or (len(head) > 1 + used and head[1 + used] & 7 in (0, 1, 2, 5)))


def is_prefixed(head: bytes) -> bool:
    """Whether data begins with a length of 4 bytes and a trace message of that length."""
    length = int.from_bytes(head[:_PREFIX_BYTES], "big")
    return length > 0 and is_message(head[_PREFIX_BYTES : _PREFIX_BYTES + length])


def _varint(data: bytes) -> tuple[int, int]:
    """A varint and how many bytes it takes; 0 bytes where there is none."""
    value = 0
    for i, byte in enumerate(data):
        value |= (byte & 0x7F) << (7 * i)
        if not byte & 0x80:
            return value, i + 1
    return 0, 0


def messages(stream: BinaryIO, name: str) -> Iterator[Span | Problem]:
    """The spans of messages that have their length before them."""
    offset = number = 0
    while prefix := stream.read(_PREFIX_BYTES):
        number += 1
        where = f"{name} message {number}"
        length = int.from_bytes(prefix, "big")
        data = stream.read(length) if len(prefix) == _PREFIX_BYTES else b""
        if len(prefix) < _PREFIX_BYTES or len(data) < length:
            yield Problem("cut_record", where, f"expected a message of {length:,} bytes at offset {offset:,}; the file ends in it")
            return
        yield from message(data, where)
        offset += _PREFIX_BYTES + length


def message(data: bytes, where: str) -> Iterator[Span | Problem]:
    """The spans of one message that lies at `where`. Raises ProtobufMissingError."""
    try:
        from google.protobuf.message import DecodeError  # noqa: PLC0415
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415
    except ImportError:
        raise ProtobufMissingError from None
    try:
        request = ExportTraceServiceRequest.FromString(data)
    except DecodeError:
        yield Problem("broken_record", where, "expected an OTLP trace message; its parts do not fit together")
        return
    for i, resource_spans in enumerate(request.resource_spans):
        resource = _attributes(resource_spans.resource.attributes)
        for j, scope_spans in enumerate(resource_spans.scope_spans):
            for k, span in enumerate(scope_spans.spans):
                place = f"{where} resourceSpans[{i}].scopeSpans[{j}].spans[{k}]"
                yield _span(span, resource, scope_spans.scope, place)


def _span(span: Any, resource: Mapping[str, object], scope: Any, where: str) -> Span | Problem:
    trace_id = scalars.identifier(span.trace_id.hex(), scalars.TRACE_ID_BYTES)
    span_id = scalars.identifier(span.span_id.hex(), scalars.SPAN_ID_BYTES)
    if trace_id is None or span_id is None:
        return Problem("broken_span", where, f"expected a span with a {'spanId' if trace_id else 'traceId'}", trace_id)
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=scalars.identifier(span.parent_span_id.hex(), scalars.SPAN_ID_BYTES),
        name=span.name,
        kind=scalars.kind(span.kind),
        start_ns=span.start_time_unix_nano or None,
        end_ns=span.end_time_unix_nano or None,
        attributes=_attributes(span.attributes),
        events=tuple(SpanEvent(event.name, event.time_unix_nano or None, _attributes(event.attributes)) for event in span.events),
        status=span.status.code if span.status.code in (1, 2) else 0,
        status_message=span.status.message,
        resource=resource,
        scope_name=scope.name,
        scope_version=scope.version,
        parent_remote=bool(span.flags & _IS_REMOTE) if span.flags & _HAS_IS_REMOTE else None,
        dropped_attributes=span.dropped_attributes_count,
        where=where,
    )


def _attributes(pairs: Iterable[Any]) -> dict[str, object]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(given: Any) -> object:
    """The JSON value of an AnyValue; bytes as base64 text."""
    kind = given.WhichOneof("value")
    if kind is None:
        return None
    value = getattr(given, kind)
    if kind == "array_value":
        return [_value(item) for item in value.values]
    if kind == "kvlist_value":
        return _attributes(value.values)
    return base64.b64encode(value).decode() if kind == "bytes_value" else value
