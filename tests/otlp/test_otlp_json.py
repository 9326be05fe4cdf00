"""OTLP JSON in the spellings that real exports have."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from export_documents import START, TRACE, base64_ids, document, otlp_span, placeless, read, read_spans, snake, span_id

from otel_toolscore.model import Problem
from otel_toolscore.spans import CLIENT, INTERNAL, STATUS_ERROR, Span, SpanEvent


def attribute(value: object) -> object:
    """What an attribute of this AnyValue is read as."""
    (found,) = read_spans(document(otlp_span(1, attributes=[{"key": "k", "value": value}])))
    return found.attributes["k"]


def test_a_span_is_read_whole() -> None:
    """Every member of a span, its resource and its scope come out as the span record has them."""
    found = read_spans(document())
    assert found[1] == Span(
        trace_id=TRACE,
        span_id=span_id(2),
        parent_id=span_id(1),
        name="execute_tool t2",
        kind=CLIENT,
        start_ns=START + 2,
        end_ns=START + 7,
        attributes={
            "gen_ai.tool.name": "t2",
            "whole": -9007199254740993,
            "half": 0.5,
            "yes": True,
            "nothing": None,
            "bytes": "AAEC",
            "list": ["x", 2, None],
            "object": {"snake_key": 1, "null": None},
        },
        events=(SpanEvent("exception", START, {"exception.type": "E"}),),
        status=STATUS_ERROR,
        status_message="declined",
        resource={"service.name": "agents"},
        scope_name="lib",
        scope_version="1.2",
        parent_remote=True,
        dropped_attributes=4,
        where="traces.json resourceSpans[0].scopeSpans[0].spans[1]",
    )
    assert found[0].parent_id is None


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param([document()], id="list of documents"),
        pytest.param(json.dumps(document()) + "\n", id="a line"),
        pytest.param(json.dumps(document(), indent=2), id="pretty-printed"),
        pytest.param("\ufeff" + json.dumps(document()), id="byte order mark"),
        pytest.param(("\ufeff" + json.dumps(document())).encode("utf-16-le"), id="UTF-16"),
        pytest.param(snake(document()), id="snake_case"),
        pytest.param(base64_ids(document()), id="base64 ids and enum names"),
        pytest.param({"batches": document()["resourceSpans"]}, id="Tempo batches"),
        pytest.param({"trace": document()}, id="Tempo trace"),
        pytest.param({"result": document()}, id="Jaeger API v3"),
        pytest.param(json.dumps(document()).replace("scopeSpans", "instrumentationLibrarySpans"), id="legacy scope spans"),
        pytest.param(json.dumps(document()).replace('"scope":', '"instrumentationLibrary":'), id="legacy scope"),
        pytest.param(json.dumps(document()).replace(f'"{START + 2}"', str(START + 2)), id="64-bit integers as numbers"),
        pytest.param(json.dumps(document()).replace(TRACE, TRACE.upper()), id="upper-case ids"),
        pytest.param(json.dumps(document()).replace('"kind": 3', '"kind": 3, "unheardOf": {"a": [1]}'), id="unknown members"),
    ],
)
def test_every_spelling_gives_the_same_spans(spelled: object) -> None:
    """Containers, key case, id encodings and integer spellings make no difference to what is read."""
    assert placeless(read_spans(spelled)) == placeless(read_spans(document()))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"doubleValue": "Infinity"}, math.inf),
        ({"doubleValue": "-Infinity"}, -math.inf),
        ({"doubleValue": "1.5e3"}, 1500.0),
        ({"intValue": 5}, 5),
        ({"intValue": "123456789012345678901234567890"}, 123456789012345678901234567890),
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": 0}, 0),
        ({"stringValue": None}, None),
        (None, None),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": []}}, {}),
    ],
)
def test_values(given: object, expected: object) -> None:
    """Each form of an AnyValue gives its JSON value with its type."""
    found = attribute(given)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize("spelled", ['"NaN"', "NaN"])
def test_nan(spelled: str) -> None:
    """NaN is read as OTLP spells it, and bare as Python writes it."""
    text = json.dumps(document(otlp_span(1))).replace('"doubleValue": 0.5', f'"doubleValue": {spelled}')
    (found,) = read_spans(text)
    half = found.attributes["half"]
    assert isinstance(half, float)
    assert math.isnan(half)


def test_half_a_surrogate_pair_hides_nothing() -> None:
    """Text that no encoding can carry is replaced, and the span around it is read."""
    (found,) = read_spans(json.dumps(document(otlp_span(1))).replace('"declined"', '"\\ud800"'))
    assert found.status_message == "\ufffd"
    assert found.attributes["gen_ai.tool.name"] == "t1"


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    """What is not UTF-8 is read as U+FFFD."""
    (found,) = read_spans(json.dumps(document(otlp_span(1))).encode().replace(b"declined", b"de\xff"))
    assert found.status_message == "de\ufffd"


def test_unspecified_kind_is_internal() -> None:
    """A span without a kind, or with 0, is internal, as the specification allows to assume."""
    without = {key: item for key, item in otlp_span(1).items() if key != "kind"}
    assert [span.kind for span in read_spans(document(without, otlp_span(2, kind=0)))] == [INTERNAL, INTERNAL]


def test_all_zero_parent_is_none() -> None:
    """A parent id of zeros means that there is no parent."""
    (found,) = read_spans(document(otlp_span(1, parentSpanId="0" * 16)))
    assert found.parent_id is None


def test_a_parent_whose_place_is_not_told() -> None:
    """Without flags it is not known whether the parent is in another process."""
    local, untold = read_spans(document(otlp_span(1, flags=0x100), otlp_span(2, flags=None)))
    assert (local.parent_remote, untold.parent_remote) == (False, None)


BROKEN: list[tuple[dict[str, Any], str, str]] = [
    ({"spanId": None}, "broken_span", "expected a span with a spanId"),
    ({"spanId": "0" * 16}, "broken_span", "expected a span with a spanId"),
    ({"attributes": [5, {"key": "k", "value": {"intValue": "1"}}]}, "broken_attribute", "attributes[0]: expected `object`, got `int`"),
    ({"attributes": [{"key": "k", "value": 5}]}, "broken_attribute", "attributes[0]: expected `object | null`, got `int` - at `$.value`"),
    (
        {"attributes": [{"key": "k", "value": {"intValue": "five"}}]},
        "broken_attribute",
        "attributes[0]: expected an integer, as a number or as decimal text",
    ),
    ({"attributes": "none"}, "broken_attribute", "attributes: expected `array | null`, got `str`"),
    ({"name": 7}, "broken_attribute", "name: expected `str | null`, got `int`"),
    ({"startTimeUnixNano": "noon"}, "broken_attribute", "startTimeUnixNano: expected an integer, as a number or as decimal text"),
    ({"startTimeUnixNano": -5}, "broken_attribute", "startTimeUnixNano: expected a time of 64 bits that is not negative"),
    ({"kind": "SPAN_KIND_WILD"}, "broken_attribute", "kind: expected a span kind"),
    ({"status": {"code": 9}}, "broken_attribute", "status: expected a status code: 0, 1 or 2"),
    ({"events": [[]]}, "broken_attribute", "events[0]: expected `object`, got `array`"),
]


@pytest.mark.parametrize(("members", "code", "message"), BROKEN)
def test_a_broken_span_is_told_and_the_rest_is_read(members: dict[str, Any], code: str, message: str) -> None:
    """A member of an unexpected type is a problem with its place; the spans beside it, and the span itself where it has ids, are read."""
    found = read(document(otlp_span(1), otlp_span(2, **members), otlp_span(3)))
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert problem == Problem(code, "traces.json resourceSpans[0].scopeSpans[0].spans[1]", message, TRACE)
    read_ids = [item.span_id for item in found if isinstance(item, Span)]
    assert read_ids == [span_id(n) for n in (1, 2, 3) if n != 2 or code != "broken_span"]


def test_a_broken_attribute_leaves_the_others() -> None:
    """An attribute that cannot be read counts as dropped; its neighbours keep their values."""
    members = {
        "attributes": [{"key": "a", "value": {"intValue": "x"}}, {"key": "b", "value": {"intValue": "1"}}],
        "droppedAttributesCount": 2,
    }
    found = read(document(otlp_span(1, **members)))
    assert isinstance(found[1], Span)
    assert (found[1].attributes, found[1].dropped_attributes) == ({"b": 1}, 3)


@pytest.mark.parametrize(
    ("broken", "where", "message"),
    [
        ({"resourceSpans": [7, *document()["resourceSpans"]]}, "traces.json resourceSpans[0]", "expected an object"),
        (
            {"resourceSpans": [{"scopeSpans": 7}, *document()["resourceSpans"]]},
            "traces.json resourceSpans[0]",
            "scopeSpans: expected a list",
        ),
        (
            {"resourceSpans": [{"scopeSpans": [{"spans": 7}]}, *document()["resourceSpans"]]},
            "traces.json resourceSpans[0].scopeSpans[0]",
            "spans: expected a list",
        ),
        (document({"name": "no ids"}, *map(otlp_span, (1, 2, 3))), "traces.json resourceSpans[0].scopeSpans[0].spans[0]", "a traceId"),
    ],
)
def test_a_broken_envelope_is_told_and_the_rest_is_read(broken: object, where: str, message: str) -> None:
    """A list or object that is something else is a problem with its path; its siblings are read."""
    found = read(broken)
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert problem.where == where
    assert message in problem.message
    assert sum(isinstance(item, Span) for item in found) == 3


def test_no_problem_quotes_a_value() -> None:
    """What was found in the place of the expected is never printed."""
    secret = "correct horse"
    members = {
        "name": [secret],
        "kind": secret,
        "startTimeUnixNano": secret,
        "attributes": [{"key": "k", "value": secret}],
        "status": secret,
    }
    found = read(document(otlp_span(1, **members)))
    assert len(found) == 6
    assert not any(secret in item.message for item in found if isinstance(item, Problem))
