"""Paths into JSON values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_values import values

from otel_toolscore.model import MISSING
from otel_toolscore.nested_json import UNREAD
from otel_toolscore.paths import MAX_STEPS, Path, PathError, joined

ORDER = {"id": "o-1", "items": [{"id": 1, "tags": ["x", "y"]}, {"id": 2}], "a.b": "exact", "a": {"b": "nested", "c": "below"}}


def found(text: str, value: object = ORDER, *, nested_text: bool = False) -> list[tuple[str, object]]:
    return Path.parse(text).select(value, nested_text=nested_text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id", [("$.id", "o-1")]),
        ("items[0].id", [("$.items[0].id", 1)]),
        ("items[*].id", [("$.items[0].id", 1), ("$.items[1].id", 2)]),
        ("items[0].tags[*]", [("$.items[0].tags[0]", "x"), ("$.items[0].tags[1]", "y")]),
        ('"a.b"', [('$["a.b"]', "exact")]),
        ("['a.b']", [('$["a.b"]', "exact")]),
        ('["a.b"]', [('$["a.b"]', "exact")]),
        ("$.id", [("$.id", "o-1")]),
        ("$", [("$", ORDER)]),
        ("items[7].id", []),
        ("items.id", []),
        ("id[0]", []),
        ("nothing", []),
    ],
)
def test_selects(text: str, expected: list[tuple[str, object]]) -> None:
    """A path gives the values it leads to, each with its own path, and nothing where it leads nowhere."""
    assert found(text) == expected


def test_exact_key_wins() -> None:
    """Where an object has the dotted key, the unquoted path means that key and not what is nested."""
    assert found("a.b") == [('$["a.b"]', "exact")]
    assert found("a.c") == [("$.a.c", "below")]
    assert found("a.b", {"a": {"b": 1}}) == [("$.a.b", 1)]
    assert found("x.a.b.c", {"x": {"a.b": {"c": 1}}}) == [('$.x["a.b"].c', 1)]


def test_exact_key_that_leads_nowhere_gives_way() -> None:
    """A dotted key is taken for the start of a longer path only if the rest is there too."""
    assert found("a.b.c", {"a.b": 5, "a": {"b": {"c": 1}}}) == [("$.a.b.c", 1)]


def test_null_is_found() -> None:
    """Null is a value: a path to it is not a path to nothing."""
    assert found("x", {"x": None}) == [("$.x", None)]


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("", 0, "a name, not the end"),
        ("a.", 2, "a name, not the end"),
        (".a", 0, "a name"),
        ("a..b", 2, "a name"),
        ("a[", 2, "an index, `*` or a quoted name"),
        ("a[-1]", 2, "an index, `*` or a quoted name"),
        ("a[01]", 3, "`]`"),
        ("a[0", 3, "`]`"),
        ("a]", 1, "`.`, `[` or the end"),
        ("a[0]b", 4, "`.`, `[` or the end"),
        ('"a', 0, 'a closing "'),
        ('"\\x"', 0, "a quoted name with the escapes of JSON"),
        ("$.", 2, "a name, not the end"),
    ],
)
def test_refused(text: str, offset: int, expected: str) -> None:
    """A path that cannot be read is refused with the place and what was expected there."""
    with pytest.raises(PathError) as caught:
        Path.parse(text)
    assert str(caught.value) == f"at offset {offset}: expected {expected}"
    assert caught.value.offset == offset


def test_too_many_steps() -> None:
    """A path has a bounded number of steps, so that nothing recurses without end."""
    assert len(Path.parse(".".join("a" * MAX_STEPS)).steps) == MAX_STEPS
    with pytest.raises(PathError, match="at most 100 steps"):
        Path.parse(".".join("a" * (MAX_STEPS + 1)))


def test_dollar_names() -> None:
    """A name may begin with a dollar sign, which is the root only before a dot, a bracket or the end."""
    assert found("$filter", {"$filter": 1}) == [('$["$filter"]', 1)]


@given(st.text(min_size=1), st.text(min_size=1))
def test_written_paths_are_read_back(key: str, inner: str) -> None:
    """The path of any key, as a difference shows it, selects exactly that key."""
    path = joined(joined("$", key), inner)
    assert found(path, {key: {inner: 7}}) == [(path, 7)]


@given(st.text())
def test_never_anything_but_a_path_error(text: str) -> None:
    """Any text is a path or is refused with a place in the text."""
    try:
        offset = 0 if Path.parse(text) else -1
    except PathError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)


@given(values)
def test_absurd_values(value: object) -> None:
    """Selecting does not raise, whatever the value."""
    for text in ("a", "a.b", "[*].a", "a[*]", "$"):
        Path.parse(text).select(value, nested_text=True)


def test_candidates_have_no_gaps() -> None:
    """Every item that lacks what is asked counts as a missing value, and so does a list without items."""
    items = {"items": [{"id": 1}, {}], "none": []}
    assert Path.parse("items[*].id").candidates(items) == [("$.items[0].id", 1), ("$.items[1].id", MISSING)]
    assert Path.parse("none[*].id").candidates(items) == [("$.none[*]", MISSING)]
    assert Path.parse("id[*]").candidates({"id": 5}) == [("$.id[*]", MISSING)]
    assert Path.parse("id[*]").candidates({"id": "5"}) == [("$.id[*]", MISSING)]
    assert Path.parse("id.x").candidates({"id": '{"x": 1}'}) == [("$.id.x", MISSING)]
    assert Path.parse("id.x").candidates({"id": '{"x": 1}'}, nested_text=True) == [("$.id.x", 1)]


def test_wildcard_and_only() -> None:
    """A path says whether it may select several values, and whether it is one key."""
    assert Path.parse("a[*].b").wildcard
    assert not Path.parse("a[0].b").wildcard
    assert Path.parse("a").only == "a"
    assert Path.parse("'a.b'").only == "a.b"
    assert Path.parse("a.b").only is None
    assert Path.parse("[0]").only is None


class TestNestedText:
    """JSON text on the way is entered when asked."""

    def test_entered(self) -> None:
        """A string that is an object or array is navigated like one."""
        body = {"body": json.dumps({"cmd": ["rm", "-rf"], "inner": json.dumps({"x": 1})})}
        assert found("body.cmd[0]", body) == []
        assert found("body.cmd[0]", body, nested_text=True) == [("$.body.cmd[0]", "rm")]
        assert found("body.inner.x", body, nested_text=True) == [("$.body.inner.x", 1)]

    def test_the_end_stays_text(self) -> None:
        """What the path leads to is given as it is recorded."""
        assert found("body", {"body": "[1]"}, nested_text=True) == [("$.body", "[1]")]

    def test_doubled_keys_have_two_readings(self) -> None:
        """Where a key stands twice, parsers take the first or the last: both are candidates."""
        body = {"body": '{"cmd": "rm", "cmd": "ls"}'}
        assert [value for _, value in found("body.cmd", body, nested_text=True)] == ["ls", "rm"]

    def test_one_place(self) -> None:
        """All that a path leads to inside one text is one place, at which nothing was recorded."""
        (place,) = Path.parse("body[*].x").places({"body": '[{"x": 1}, {}]'})
        assert place.recorded is MISSING
        assert place.readings == (("$.body[0].x", 1), ("$.body[1].x", MISSING))

    def test_beyond_the_bounds_is_unread(self) -> None:
        """Text that is nested too deeply is not taken for something without the path."""
        deep = "[" * 500 + "]" * 500
        assert Path.parse("body[0]").candidates({"body": deep}, nested_text=True) == [("$.body", UNREAD)]
        assert found("body[0]", {"body": deep}, nested_text=True) == []
