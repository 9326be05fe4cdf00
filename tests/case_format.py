"""Cases as data: their closed format, and the export that a case's `input` stands for.

tests/cases/README.md describes the format for those who write a case. Nothing here knows the package.
"""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

CASES = Path(__file__).parent / "cases"
Document = dict[str, Any]

EPOCH_NS = 1_790_000_000_000_000_000
"""The time to which the `start`, `end` and `at` of a case are added."""
FIRST_TRACE = 0xA0000000000000000000000000000000
FIRST_SPAN = 0xB000000000000000

TOP_KEYS = {"about", "container", "input", "policy", "policy_text", "expect_list", "forbid_list", "options", "expect"}
INPUT_KEYS = {"resource", "scope", "spans", "broken_tail", "raw", "file"}
SPAN_KEYS = {"id", "parent", "trace", "name", "kind", "start", "end", "attrs", "error", "events", "resource", "scope", "twice"}
EVENT_KEYS = {"name", "at", "attrs"}
EXPECT_KEYS = {
    *("exit", "verdict", "run_count", "calls", "violations", "inconclusive", "expectations", "expectation_count", "why", "runs"),
    *("coverage", "problems", "stderr", "output_lacks"),
}


class Case(NamedTuple):
    """One document of a case file."""

    file: str
    number: int
    document: Document

    @property
    def about(self) -> str:
        return str(self.document.get("about", ""))

    @property
    def name(self) -> str:
        return f"{self.file}[{self.number}]"


def load_cases(folder: Path = CASES) -> list[Case]:
    """Every case of the folder's YAML files."""
    return [
        Case(path.stem, number, document)
        for path in sorted(folder.glob("*.yaml"))
        for number, document in enumerate(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    ]


def faults_of_form(case: Case) -> Iterator[str]:
    """What is wrong with how a case is written."""
    document = case.document
    if not isinstance(document, dict):
        yield "not a mapping"
        return
    yield from _unknown(document, TOP_KEYS, "the case")
    if not case.about or len(case.about) > 160:
        yield "`about` is one sentence of at most 160 characters"
    if not isinstance(document.get("expect"), dict) or not document["expect"]:
        yield "`expect` says what must come out"
    else:
        yield from _unknown(document["expect"], EXPECT_KEYS, "expect")
    if ("input" in document) == ("policy_text" in document):
        yield "either `input` is scored or `policy_text` is validated"
    if document.get("container", "json") not in WRITERS:
        yield f"container is one of {', '.join(WRITERS)}"
    given = document.get("input", {"raw": ""})
    yield from _unknown(given, INPUT_KEYS, "input")
    if ("raw" in given) == ("spans" in given):
        yield "`input` has either `spans` or `raw`"
    for span in given.get("spans", []):
        yield from _unknown(span, SPAN_KEYS, f"span {span.get('id')}")
        if not {"id", "name"} <= set(span):
            yield "a span has an `id` and a `name`"
        for event in span.get("events", []):
            yield from _unknown(event, EVENT_KEYS, f"an event of span {span.get('id')}")


def _unknown(mapping: Document, known: set[str], where: str) -> list[str]:
    return [f"{where}: unknown key {key!r}" for key in mapping if key not in known]


def write_input(case: Document, folder: Path) -> Path:
    """Write the export that a case's `input` stands for; returns its path."""
    given = case["input"]
    if "raw" in given:
        path = folder / str(given.get("file", "input.json"))
        path.write_text(given["raw"], encoding="utf-8")
        return path
    suffix, write = WRITERS[case.get("container", "json")]
    path = folder / f"input.{suffix}"
    path.write_bytes(write(given))
    return path


def trace_id(number: int) -> str:
    return f"{FIRST_TRACE + number:032x}"


def span_id(number: int) -> str:
    return f"{FIRST_SPAN + number:016x}"


def start_ms(span: Document) -> float:
    return float(span.get("start", span["id"] * 10))


def end_ms(span: Document) -> float:
    return float(span.get("end", span["id"] * 10 + 5))


def _resource(span: Document, given: Document) -> Document:
    return dict(span["resource"] if "resource" in span else given.get("resource", {"service.name": "agents"}))


def _scope(span: Document, given: Document) -> str:
    return str(span.get("scope", given.get("scope", "tests")))


def _any_value(value: object) -> Document:
    match value:
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [_any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": _attributes(value)}}
        case _:
            raise TypeError(f"a case holds JSON values, not {type(value).__name__}")


def _attributes(mapping: Mapping[str, object]) -> list[Document]:
    return [{"key": key, "value": _any_value(value)} for key, value in mapping.items()]


def _nano(ms: float) -> str:
    return str(EPOCH_NS + int(ms * 1_000_000))


def _otlp_span(span: Document) -> Document:
    out: Document = {
        "traceId": trace_id(span.get("trace", 1)),
        "spanId": span_id(span["id"]),
        **({"parentSpanId": span_id(span["parent"])} if span.get("parent") else {}),
        "name": span["name"],
        "kind": span.get("kind", 1),
        "startTimeUnixNano": _nano(start_ms(span)),
        "endTimeUnixNano": _nano(end_ms(span)),
        "attributes": _attributes(span.get("attrs", {})),
        "events": [
            {"name": event["name"], "timeUnixNano": _nano(event.get("at", 0)), "attributes": _attributes(event.get("attrs", {}))}
            for event in span.get("events", [])
        ],
        "status": {},
    }
    if "error" in span:
        out["status"] = {"code": 2, **({"message": span["error"]} if isinstance(span["error"], str) else {})}
    return out


def _documents(given: Document) -> list[Document]:
    """One export document for each resource and instrumentation scope, in order of appearance."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for span in given["spans"]:
        key = (json.dumps(_resource(span, given), sort_keys=True), _scope(span, given))
        groups.setdefault(key, []).extend([_otlp_span(span)] * (2 if span.get("twice") else 1))
    return [
        {
            "resourceSpans": [
                {"resource": {"attributes": _attributes(json.loads(resource))}, "scopeSpans": [{"scope": {"name": scope}, "spans": spans}]}
            ]
        }
        for (resource, scope), spans in groups.items()
    ]


def _one_document(given: Document) -> Document:
    return {"resourceSpans": [group for document in _documents(given) for group in document["resourceSpans"]]}


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _lines(given: Document) -> bytes:
    whole = b"".join(_json(document) + b"\n" for document in _documents(given))
    return whole + str(given.get("broken_tail", "")).encode()


def _snake_case(value: object) -> object:
    if isinstance(value, dict):
        return {re.sub(r"[A-Z]", lambda upper: "_" + upper[0].lower(), key): _snake_case(item) for key, item in value.items()}
    return [_snake_case(item) for item in value] if isinstance(value, list) else value


def _spans_of(document: Document) -> Iterator[Document]:
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            yield from scope["spans"]


def _converted(document: Document) -> Document:
    """The document as a converter from protobuf to JSON writes it: base64 ids, names of enumerations."""
    for span in _spans_of(document):
        for key in ("traceId", "spanId", "parentSpanId"):
            if key in span:
                span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
        span["kind"] = {1: "SPAN_KIND_INTERNAL", 2: "SPAN_KIND_SERVER", 3: "SPAN_KIND_CLIENT"}[span["kind"]]
        if "code" in span["status"]:
            span["status"]["code"] = "STATUS_CODE_ERROR"
    return document


def _message(document: Document) -> bytes:
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    message: bytes = ParseDict(_converted(document), ExportTraceServiceRequest()).SerializeToString()
    return message


def _length_prefixed(given: Document) -> bytes:
    messages = [_message(document) for document in _documents(given)]
    return b"".join(len(message).to_bytes(4, "big") + message for message in messages)


def _flat(given: Document) -> list[Document]:
    def time(ms: float) -> str:
        return dt.datetime.fromtimestamp((EPOCH_NS // 1_000_000 + ms) / 1000, dt.timezone.utc).isoformat()

    return [
        {
            "trace_id": trace_id(span.get("trace", 1)),
            "span_id": span_id(span["id"]),
            "parent_span_id": span_id(span["parent"]) if span.get("parent") else None,
            "name": span["name"],
            "start_time": time(start_ms(span)),
            "end_time": time(end_ms(span)),
            "attributes": span.get("attrs", {}),
            "status": {"code": "ERROR" if "error" in span else "UNSET"},
            "scope": {"name": _scope(span, given)},
        }
        for span in given["spans"]
    ]


WRITERS: dict[str, tuple[str, Callable[[Document], bytes]]] = {
    "json": ("json", lambda given: _json(_one_document(given))),
    "list": ("json", lambda given: _json(_documents(given))),
    "jsonl": ("jsonl", _lines),
    "jsonl.gz": ("jsonl.gz", lambda given: gzip.compress(_lines(given))),
    "proto": ("pb", lambda given: _message(_one_document(given))),
    "proto.len": ("bin", _length_prefixed),
    "snake": ("json", lambda given: _json(_snake_case(_one_document(given)))),
    "base64": ("json", lambda given: _json(_converted(_one_document(given)))),
    "tempo": ("json", lambda given: _json({"batches": _one_document(given)["resourceSpans"]})),
    "flat": ("json", lambda given: _json(_flat(given))),
}
"""container -> (suffix of the file, bytes of the export)."""
