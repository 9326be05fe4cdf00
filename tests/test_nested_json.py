"""JSON inside text, and its bounds."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_values import values

from otel_toolscore.nested_json import MAX_CHARACTERS, MAX_DEPTH, UNREAD, looks_nested, readings, unescapings


@pytest.mark.parametrize("text", ["", "5", '"text"', "true", "{", "{not json}", "[1,", "{'a': 1}", "rm -rf /", '"[1"', "[note] hello"])
def test_other_text(text: str) -> None:
    """Only objects and arrays are documents."""
    assert readings(text) == ()


@given(st.one_of(st.lists(values), st.dictionaries(st.text(), values)))
def test_reads_what_was_written(value: object) -> None:
    """Every object and array is read back, also inside a JSON string and with whitespace around it."""
    written = json.dumps(value)
    for text in (written, f" \n{written}\t", json.dumps(written), json.dumps(json.dumps(written)), "\ufeff" + written):
        assert looks_nested(text)
        (read,) = readings(text)
        assert json.dumps(read) == written


def test_doubled_key() -> None:
    """A key that stands twice gives the reading of parsers that take the last and of those that take the first."""
    assert readings('{"a": 1, "a": 2, "b": 3}') == ({"a": 2, "b": 3}, {"a": 1, "b": 3})
    assert readings('[{"a": 1}, {"a": 2}]') == ([{"a": 1}, {"a": 2}],)


def test_literals_of_other_parsers() -> None:
    """NaN, Infinity and raw control characters in strings are read, and an absurd integer does not hide the rest."""
    read = readings('{"a": NaN, "b": -Infinity, "c": "x\ny", "d": ' + "9" * 5000 + "}")
    assert read is not UNREAD
    (value,) = read
    assert isinstance(value, dict)
    assert math.isnan(value["a"])
    assert (value["b"], value["c"], value["d"]) == (-math.inf, "x\ny", math.inf)


def test_bounds() -> None:
    """Depth and length are bounded, and beyond the bounds the answer is that nothing was read."""
    assert readings("[" * MAX_DEPTH + "]" * MAX_DEPTH) != UNREAD
    assert readings("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)) is UNREAD
    assert readings('["' + "[" * 1000 + '"]') == (["[" * 1000],)
    assert readings("[" + " " * MAX_CHARACTERS + "]") is UNREAD


def test_bounds_hold_in_time() -> None:
    """Hostile text is answered at once."""
    for text in ("[" * 900_000 + "]", '["' * 400_000 + '"]', '"' + "\\" * 900_000 + '"', "{" + '"a":' * 200_000 + "}"):
        readings(text)


def test_unescapings() -> None:
    """Escapes are resolved wherever they stand, once for each time the text was quoted; halves of a pair are joined."""
    assert list(unescapings("plain")) == ["plain"]
    assert list(unescapings(r"rm\u0020-rf \/")) == [r"rm\u0020-rf \/", "rm -rf /"]
    assert list(unescapings(r"a\\n")) == [r"a\\n", "a\\n", "a\n"]
    assert list(unescapings(r"\ud83d\ude00"))[-1] == "\U0001f600"
    assert list(unescapings(r"\ud800"))[-1] == "\ud800"


@given(st.text())
def test_unescapings_of_json_text(text: str) -> None:
    """Among the forms of the JSON text of a string is the string."""
    assert text in [form[1:-1] for form in unescapings(json.dumps(text))]
