"""Attribute values to evidence: what is read, and why the rest is not."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.dialects import values
from otel_toolscore.dialects.values import AS_WRITTEN, MAX_DEPTH, PLAIN, PYTHON, Style
from otel_toolscore.model import NOT_CAPTURED, Evidence

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=4)


def encodable(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize(
    ("recorded", "value"),
    [
        ('{"city": "Oslo"}', {"city": "Oslo"}),
        ({"city": "Oslo"}, {"city": "Oslo"}),
        ('"{\\"city\\": \\"Oslo\\"}"', {"city": "Oslo"}),
        (' \n{"a": 1}\n ', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ("{}", {}),
        ({}, {}),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ('{"n": -0}', {"n": 0}),
        ('{"n": [Infinity, -Infinity]}', {"n": [math.inf, -math.inf]}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({1: "a", None: True}, {"1": "a", "null": True}),
        ('{"s": "\\ud83d\\ude00"}', {"s": "😀"}),
    ],
)
def test_arguments_that_are_read(recorded: object, value: object) -> None:
    """Structured values, JSON text and JSON text of JSON text are the same arguments."""
    assert values.arguments(recorded) == Evidence("captured", value)


def test_nan_is_read() -> None:
    """The literals of JavaScript and Python for what JSON cannot say are numbers."""
    read = values.arguments('{"n": NaN}').value
    assert isinstance(read, dict)
    assert math.isnan(read["n"])


@pytest.mark.parametrize("recorded", [None, "", "  ", "None", "N/A", "<not specified>", "<not serializable>", "undefined", '"None"'])
def test_arguments_that_are_not_there(recorded: object) -> None:
    """No value, and what emitters write in its place, is not captured."""
    assert values.arguments(recorded) == NOT_CAPTURED


@pytest.mark.parametrize(
    "recorded", ["<REDACTED>", "[REDACTED]", "[Filtered]", "__REDACTED__", "***", "[Scrubbed due to 'password']", '"<REDACTED>"']
)
def test_redacted(recorded: str) -> None:
    """A value that is a mark of redaction was hidden, whether it is arguments or a result."""
    assert (values.arguments(recorded).state, values.arguments(recorded).cause) == ("unreadable", "redacted")
    assert (values.result(recorded).state, values.result(recorded).cause) == ("unreadable", "redacted")


def test_redaction_inside_arguments_is_a_text() -> None:
    """A hidden argument leaves the others readable."""
    assert values.arguments('{"user": "ada", "token": "[REDACTED]"}').value == {"user": "ada", "token": "[REDACTED]"}


@pytest.mark.parametrize(
    "recorded",
    [
        '{"q": "a l',
        '{"q": "sudo rm -rf /", ',
        '{"q',
        "{",
        '{"q":',
        '{"q": tr',
        '{"q": -',
        '{"q": 1.',
        '{"q": 1e+',
        '{"q": "\\',
        '{"q": "\\u12',
        '{"q": Infin',
        '{"q": [1, 2',
        '"{\\"q\\": \\"a l"',
        '"{\\"q\\": \\"a l\\',
        '{"q": "very long"… [truncated]',
        '{"q": "very long...',
        "{'q': 'abc...",
        "x" * 4096,
        "ø" * 2048,
    ],
)
def test_truncated_arguments(recorded: str) -> None:
    """Text that ends inside a value, carries a mark, or is no value and as long as a limit in use, was cut."""
    assert values.arguments(recorded) == Evidence("unreadable", cause="truncated", text=recorded)


@pytest.mark.parametrize(
    "recorded",
    [
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": nope}',
        '{"a": 1} and more',
        '{"a": "line\nbreak"}',
        '{"a": "\\u12"}',
        "[1, 2]",
        "42",
        "null",
        '"text"',
        "just text",
        '{"a": ' + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "}",
        "[" * 199_999,
        '{"a": ' + "1" * 5_000 + "}",
    ],
)
def test_malformed_arguments(recorded: str) -> None:
    """What is no JSON, no object, or deeper than is read, is malformed; its text is kept."""
    assert values.arguments(recorded) == Evidence("unreadable", cause="malformed", text=recorded)


def test_structured_arguments_that_are_no_object() -> None:
    """Their JSON text stands for them."""
    assert values.arguments([1, "ø"]) == Evidence("unreadable", cause="malformed", text='[1, "ø"]')


def test_structured_arguments_too_deep() -> None:
    """Depth is bounded for structured values as for text."""
    deep: object = 1
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    assert values.arguments({"a": deep}) == Evidence("unreadable", cause="malformed")
    fits: object = 1
    for _ in range(MAX_DEPTH - 1):
        fits = [fits]
    assert values.arguments({"a": fits}).state == "captured"


def test_a_key_twice() -> None:
    """Parsers disagree which value counts, at any depth."""
    for recorded in ('{"a": 1, "a": 2}', '{"b": [{"a": 1, "a": 2}]}', '"{\\"a\\": 1, \\"a\\": 2}"'):
        assert values.arguments(recorded) == Evidence("unreadable", cause="duplicate_key", text=recorded)
    assert values.result('{"a": 1, "a": 2}').cause == "duplicate_key"


def test_a_rule_for_what_is_no_object() -> None:
    """An emitter's rule is given the recorded text and may know better."""
    assert values.arguments("Oslo", rule=lambda recorded: Evidence("captured", {"city": recorded})).value == {"city": "Oslo"}
    assert values.arguments("42", rule=lambda recorded: Evidence("captured", {"n": recorded})).value == {"n": "42"}
    assert values.arguments("Oslo", rule=lambda _: None).cause == "malformed"
    assert values.arguments('{"q": "a l', rule=lambda recorded: Evidence("captured", {"q": recorded})).cause == "truncated"


@pytest.mark.parametrize(
    ("recorded", "value"),
    [
        ("{'a': 1, 'b': (True, None)}", {"a": 1, "b": [True, None]}),
        ("\"{'a': 1}\"", {"a": 1}),
        ("{'path': 'C:\\\\temp'}", {"path": "C:\\temp"}),
        ("{'a': '" + "([{" * 200 + '\', "b": "it\'s"}', {"a": "([{" * 200, "b": "it's"}),
    ],
)
def test_python_literals(recorded: str, value: object) -> None:
    """Where the emitter writes `repr`, it is read; elsewhere it is malformed."""
    assert values.arguments(recorded, PYTHON) == Evidence("captured", value)
    assert values.arguments(recorded).cause == "malformed"


@pytest.mark.parametrize(
    ("recorded", "cause"),
    [
        ("{'a': 'cut of", "truncated"),
        ("{'a': {1, 2}}", "malformed"),
        ("{'a': nan}", "malformed"),
        ("{'a': open('x')}", "malformed"),
        ("{'a': '\\d'}", "malformed"),
        ("(" * 5_001, "malformed"),
        ("{'a': '" + "x" * 70_000 + "'}", "malformed"),
        ("{'a': 1} trailing", "malformed"),
    ],
)
def test_what_is_no_literal(recorded: str, cause: str) -> None:
    """Sets, names, calls, odd escapes, and what is too deep or too long, are not read."""
    assert values.arguments(recorded, PYTHON) == Evidence("unreadable", cause=cause, text=recorded)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("recorded", "value"),
    [
        ("three", "three"),
        ('"4 degrees"', "4 degrees"),
        ("714", 714),
        ("null", None),
        ("", ""),
        ("None", "None"),
        ("[INFO] done", "[INFO] done"),
        ("{not json}", "{not json}"),
        ('"[1"', "[1"),
        ([1, {"a": None}], [1, {"a": None}]),
        (0.5, 0.5),
        (False, False),
        ("Loading...", "Loading..."),
    ],
)
def test_results(recorded: object, value: object) -> None:
    """A result may be anything; text that is no JSON is the result."""
    assert values.result(recorded) == Evidence("captured", value)


@pytest.mark.parametrize("recorded", ['{"temp": 4', '[{"a": "b', "y" * 1024, "ends here [TRUNCATED: over 50KB]"])
def test_truncated_results(recorded: str) -> None:
    """A result that ends inside an object or array, is as long as a limit, or says so, was cut."""
    assert values.result(recorded) == Evidence("unreadable", cause="truncated", text=recorded)


def test_results_that_are_not_there() -> None:
    """No attribute and placeholders are no result; an emitter may have more of them."""
    assert values.result(None) == NOT_CAPTURED
    assert values.result("N/A") == NOT_CAPTURED
    assert values.result("none", Style(absent=frozenset({"none"}))) == NOT_CAPTURED


def test_plain_text_stays() -> None:
    """Where the emitter says that a value is text, it is."""
    assert values.result('{"a": 1}', PLAIN).value == '{"a": 1}'
    assert values.arguments("{}", PLAIN).cause == "malformed"


def test_lone_surrogates_are_replaced() -> None:
    """No text leaves that cannot be encoded."""
    assert values.arguments('{"a\\ud800": "\\udfff"}').value == {"a\ufffd": "\ufffd"}
    assert values.text("x\ud800") == "x\ufffd"
    assert values.result("\ud800").value == "\ufffd"


def test_identifiers() -> None:
    """Placeholders and what is no text or number is no id; a number is written out."""
    assert [values.identifier(each) for each in ("call_1", 7, "", "unknown", "None", "<not specified>", None, True, [1], 1 << 200)] == [
        "call_1",
        "7",
        *[None] * 8,
    ]


def test_names() -> None:
    """A name is text that is not blank."""
    assert [values.text(each) for each in ("a", " ", "", 1, None)] == ["a", None, None, None, None]


@given(OBJECTS)
def test_json_text_of_an_object_is_read(value: dict[str, object]) -> None:
    """Whatever object is written as JSON is read as it was, once or doubly encoded."""
    assert values.arguments(json.dumps(value)).value == value
    assert values.arguments(json.dumps(json.dumps(value))).value == value


@given(OBJECTS.filter(bool), st.data())
def test_any_beginning_of_an_object_is_truncated(value: dict[str, object], data: st.DataObject) -> None:
    """Wherever JSON text of an object is cut, it is found to be cut, never completed or called malformed."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert values.arguments(cut) == Evidence("unreadable", cause="truncated", text=cut)


@given(st.text() | JSON_VALUES, st.sampled_from([AS_WRITTEN, PYTHON, PLAIN]))
def test_nothing_raises(recorded: object, style: Style) -> None:
    """Any value gives evidence that can be written out."""
    for found in (values.arguments(recorded, style), values.result(recorded, style)):
        assert found.state in ("captured", "not_captured", "unreadable")
        assert encodable(found.value)
    values.structure(recorded, style)
