"""Export documents for the tests of the readers: the same three spans in every spelling."""

from __future__ import annotations

import base64
import copy
import json
import re
from typing import Any

import msgspec

from otel_toolscore.model import Problem
from otel_toolscore.otlp import read_bytes
from otel_toolscore.spans import Span

TRACE = "a0000000000000000000000000000001"
START = 1_790_000_000_000_000_000


def span_id(number: int) -> str:
    return f"{0xB000000000000000 + number:016x}"


def otlp_span(number: int, **members: Any) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": span_id(number),
        "parentSpanId": span_id(number - 1) if number > 1 else "",
        "name": f"execute_tool t{number}",
        "kind": 3,
        "flags": 0x300,
        "startTimeUnixNano": str(START + number),
        "endTimeUnixNano": str(START + number + 5),
        "attributes": [
            {"key": "gen_ai.tool.name", "value": {"stringValue": f"t{number}"}},
            {"key": "whole", "value": {"intValue": "-9007199254740993"}},
            {"key": "half", "value": {"doubleValue": 0.5}},
            {"key": "yes", "value": {"boolValue": True}},
            {"key": "nothing", "value": {}},
            {"key": "bytes", "value": {"bytesValue": "AAEC"}},
            {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "x"}, {"intValue": 2}, {}]}}},
            {"key": "object", "value": {"kvlistValue": {"values": [{"key": "snake_key", "value": {"intValue": "1"}}, {"key": "null"}]}}},
        ],
        "events": [
            {"name": "exception", "timeUnixNano": str(START), "attributes": [{"key": "exception.type", "value": {"stringValue": "E"}}]}
        ],
        "status": {"code": 2, "message": "declined"},
        "droppedAttributesCount": 4,
        **members,
    }


def document(*spans: dict[str, Any], service: str = "agents") -> dict[str, Any]:
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
                "scopeSpans": [{"scope": {"name": "lib", "version": "1.2"}, "spans": list(spans or map(otlp_span, (1, 2, 3)))}],
            }
        ]
    }


def snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {re.sub(r"[A-Z]", lambda m: "_" + m[0].lower(), key): snake(item) for key, item in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


def base64_ids(given: dict[str, Any]) -> dict[str, Any]:
    """As a protobuf-to-JSON converter writes it: base64 ids, enum names."""
    converted = copy.deepcopy(given)
    for span in converted["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
        span["kind"] = "SPAN_KIND_CLIENT"
        span["status"]["code"] = "STATUS_CODE_ERROR"
    return converted


def read(data: object, name: str = "traces.json") -> list[Span | Problem]:
    """What the readers make of bytes, text, or a value that is written as JSON."""
    raw = data if isinstance(data, bytes) else (data if isinstance(data, str) else json.dumps(data)).encode()
    return list(read_bytes(raw, name))


def read_spans(data: object) -> list[Span]:
    found = read(data)
    assert not [item for item in found if isinstance(item, Problem)]
    return [item for item in found if isinstance(item, Span)]


def placeless(found: list[Span]) -> list[Span]:
    return [msgspec.structs.replace(span, where="") for span in found]
