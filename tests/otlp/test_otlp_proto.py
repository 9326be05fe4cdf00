"""OTLP protobuf, as one message and as messages with their length before each."""

from __future__ import annotations

import json
import sys

import pytest
from export_documents import TRACE, base64_ids, document, otlp_span, placeless, read, read_spans, span_id
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_toolscore.model import Problem
from otel_toolscore.otlp import InputError, NotSpansError
from otel_toolscore.spans import Span


def message(*spans: dict[str, object]) -> bytes:
    return ParseDict(base64_ids(document(*spans)), ExportTraceServiceRequest()).SerializeToString()


def prefixed(*messages: bytes) -> bytes:
    return b"".join(len(data).to_bytes(4, "big") + data for data in messages)


def test_a_message_is_the_document_that_it_encodes() -> None:
    """A protobuf message gives the spans that its JSON gives."""
    assert placeless(read_spans(message())) == placeless(read_spans(document()))


def test_messages_with_their_length() -> None:
    """Each message is read, told by its number."""
    found = read_spans(prefixed(message(otlp_span(1)), message(otlp_span(2)), b""))
    assert [item.span_id for item in found] == [span_id(1), span_id(2)]
    assert found[1].where == "traces.json message 2 resourceSpans[0].scopeSpans[0].spans[0]"


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_a_cut_file(cut: int) -> None:
    """Whole messages before the cut are read, the cut is told with its offset."""
    first, second = message(otlp_span(1)), message(otlp_span(2))
    found = read(prefixed(first, second)[:-cut])
    assert [item.span_id for item in found if isinstance(item, Span)] == [span_id(1)]
    told = f"expected a message of {len(second)} bytes at offset {len(first) + 4}; the file ends in it"
    assert found[-1] == Problem("cut_record", "traces.json message 2", told)


def test_a_broken_message_among_others() -> None:
    """A message whose parts do not fit together is a problem; the others are read."""
    found = read(prefixed(message(otlp_span(1)), b"\x0a\xff", message(otlp_span(2))))
    assert [item.span_id for item in found if isinstance(item, Span)] == [span_id(1), span_id(2)]
    assert found[1] == Problem("broken_record", "traces.json message 2", "expected an OTLP trace message; its parts do not fit together")


def test_a_message_that_is_cut() -> None:
    """One message that ends early cannot be read at all."""
    with pytest.raises(NotSpansError, match="looks like OTLP protobuf, but its parts do not fit together"):
        read(message()[:-9])


def test_a_span_without_an_id() -> None:
    """A span without an id is a problem that names the trace."""
    found = read(message(otlp_span(1), otlp_span(2, spanId="")))
    assert found[1] == Problem("broken_span", "traces.json resourceSpans[0].scopeSpans[0].spans[1]", "expected a span with a spanId", TRACE)


def test_json_that_begins_with_a_line_end() -> None:
    """A line end is the same byte as the first of a message; what follows decides."""
    assert len(read_spans("\n" + json.dumps(document()))) == 3


def test_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where protobuf cannot be read, the message says what to install."""
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.collector.trace.v1.trace_service_pb2", None)
    with pytest.raises(
        InputError, match=r"traces\.json: looks like OTLP protobuf, which needs one more package: pip install 'otel-toolscore\[proto\]'"
    ):
        read(message())
