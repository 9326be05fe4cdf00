"""`score_tool_call`: one call as a model wrote it, and the sentences that say what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest

from otel_toolscore import ExpectedCall, FieldRule, Gt, score_tool_call

BOOK = ExpectedCall(
    "book",
    {"cabins": ["economy", "business"], "status": "open", "seats": 2},
    field_rules={"cabins": FieldRule(order_independent_list=True), "status": FieldRule(case_insensitive=True)},
)


def test_the_expected_call_passes() -> None:
    """Key order, number form, and what the field rules let differ do not matter."""
    assert score_tool_call("book", '{"seats": 2.0, "cabins": ["business", "economy"], "status": "OPEN"}', BOOK) == (True, [])


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("cancel", '{"seats": 2, "cabins": ["economy", "business"], "status": "open"}', ['wrong tool: expected "book", got "cancel"']),
        ("book", '{"cabins": ["economy", "business"], "status": "open"}', ["missing argument $.seats: expected 2"]),
        ("book", '{"seats": 3, "cabins": ["economy", "business"], "status": "open"}', ["argument $.seats mismatch: expected 2, got 3"]),
        (
            "book",
            '{"seats": 2, "cabins": ["economy", "business"], "status": "open", "x": 1, "y.z": 2}',
            ['unexpected extra arguments: $.x, $["y.z"]'],
        ),
        (
            "cancel",
            '{"seats": "2", "cabins": ["economy"], "extra": true}',
            [
                'wrong tool: expected "book", got "cancel"',
                'missing argument $.cabins[1]: expected "business"',
                'missing argument $.status: expected "open"',
                'argument $.seats mismatch: expected 2, got "2"',
                "unexpected extra arguments: $.extra",
            ],
        ),
        ("book", "{not valid", ["arguments are not valid JSON (at offset 1)"]),
        ("book", "", ["arguments are not valid JSON (at offset 0)"]),
        ("book", '{"seats": 2', ["arguments are not valid JSON (at offset 11)"]),
        ("book", '{"seats": 2, "seats": 3}', ["arguments are not valid JSON: a key occurs twice, or they are nested too deeply"]),
        ("book", "[" * 100_000, ["arguments are not valid JSON"]),
        ("book", "[1]", ["arguments are not an object, but a list"]),
        ("book", '"x"', ["arguments are not an object, but text"]),
        ("book", "7", ["arguments are not an object, but a number"]),
        ("book", "true", ["arguments are not an object, but a boolean"]),
        ("book", "null", ["arguments are not an object, but null"]),
    ],
)
def test_what_differs_is_told(name: str, arguments: str, told: list[str]) -> None:
    """Each difference is one sentence, in the order tool, arguments, surplus."""
    passed, diffs = score_tool_call(name, arguments, BOOK)
    assert not passed
    assert len(diffs) == len(told)
    assert [diff for diff, begin in zip(diffs, told, strict=True) if not diff.startswith(begin)] == []


def test_extra_fields_may_be_allowed() -> None:
    """`allow_extra_fields` is about arguments that nobody expected."""
    open_call = ExpectedCall("a", {"x": 1}, allow_extra_fields=True)
    assert score_tool_call("a", '{"x": 1, "y": 2}', open_call) == (True, [])
    assert score_tool_call("a", '{"y": 2}', open_call)[1] == ["missing argument $.x: expected 1"]


def test_arguments_that_are_not_checked() -> None:
    """None: whatever they are; `{}`: the call takes none."""
    assert score_tool_call("a", "{not valid", ExpectedCall("a")) == (True, [])
    assert score_tool_call("a", "{}", ExpectedCall("a", {})) == (True, [])
    assert score_tool_call("a", '{"x": 1}', ExpectedCall("a", {})) == (False, ["unexpected extra arguments: $.x"])


def test_nested_paths_and_matchers() -> None:
    """A path leads to the place; a matcher is shown as a policy spells it."""
    expected = ExpectedCall("a", {"items": [{"id": Gt(5)}], "deep": {"x": {"y": 1}}})
    assert score_tool_call("a", '{"items": [{"id": 6}], "deep": {"x": {"y": 1}}}', expected) == (True, [])
    assert score_tool_call("a", '{"items": [{"id": 5}], "deep": {"x": {"y": 2}}}', expected)[1] == [
        'argument $.items[0].id mismatch: expected {"$gt": 5}, got 5',
        "argument $.deep.x.y mismatch: expected 1, got 2",
    ]


def test_names_bare_and_as_recorded() -> None:
    """`mcp__SERVER__TOOL` is the tool of that server."""
    assert score_tool_call("mcp__files__read", "{}", ExpectedCall("read")) == (True, [])
    assert score_tool_call("mcp__files__read", "{}", ExpectedCall("mcp__files__read")) == (True, [])
    assert score_tool_call("read", "{}", ExpectedCall("read", server="files")) == (True, [])
    assert score_tool_call("mcp__mail__read", "{}", ExpectedCall("read", server="files"))[1] == [
        'wrong tool: expected one of server "files", got "mcp__mail__read"'
    ]


def test_values_are_shown_bounded_and_without_credentials() -> None:
    """The caller has the values; a credential is masked all the same."""
    expected = ExpectedCall("a", {"password": "hunter2hunter2", "text": "x" * 500})
    _, diffs = score_tool_call("a", '{"password": "correct-horse-1", "text": "AKIAIOSFODNN7EXAMPLE"}', expected)
    assert all(len(diff) < 300 for diff in diffs)
    assert not any(word in diff for diff in diffs for word in ("hunter2", "correct-horse", "AKIA"))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((None, "{}", BOOK), "actual_name: expected text, got NoneType"),
        (("book", {"seats": 2}, BOOK), "actual_arguments_json: expected text, got dict"),
        (("book", "{}", {"tool": "book"}), "expected: expected an ExpectedCall, got dict"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_types_are_refused(values: Any, told: str) -> None:
    """The message names the argument and what was expected."""
    with pytest.raises(TypeError, match=told):
        score_tool_call(*values)
