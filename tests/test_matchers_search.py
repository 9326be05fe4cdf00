"""Matchers on arguments: at a path, anywhere, in text that could not be read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from json_values import nested, values

from otel_toolscore.matchers import (
    All,
    AllOf,
    AnyOf,
    Attr,
    Contains,
    Eq,
    Exists,
    FullMatch,
    Gt,
    HostIn,
    IsType,
    Matcher,
    Not,
    OneOf,
    Regex,
    Some,
    negated,
    search,
)
from otel_toolscore.model import Truth
from otel_toolscore.paths import Path

T, F, U = True, False, None


def at(path: str, matcher: Matcher, value: object) -> tuple[Truth, Truth]:
    """(where a fit clears, where it accuses)"""
    parsed = Path.parse(path)
    return search.test_at(parsed, matcher, value, accuse=False), search.test_at(parsed, matcher, value, accuse=True)


def anywhere(matcher: Matcher, value: object) -> tuple[Truth, Truth]:
    return search.test_anywhere(matcher, value, accuse=False), search.test_anywhere(matcher, value, accuse=True)


class TestAt:
    """At a path."""

    @pytest.mark.parametrize(
        ("path", "matcher", "value", "answer"),
        [
            ("a", Eq(1), {"a": 1}, (T, T)),
            ("a", Eq(1), {}, (F, F)),
            ("a", Exists(False), {}, (T, T)),
            ("a", Not(Eq(1)), {}, (T, T)),
            ("a.b", Eq(1), {"a": {"b": 1}}, (T, T)),
            ("a.b", Eq(1), {"a": '{"b": 1}'}, (F, T)),
            ("a.b", Exists(), {"a": 5}, (F, F)),
            ("a.b", Eq("ls"), {"a": '{"b": "rm", "b": "ls"}'}, (F, T)),
            ("a[0]", Eq(1), {"a": "[" * 300 + "]" * 300}, (F, U)),
            ("i[*].n", Gt(5), {"i": [{"n": 6}, {"n": 7}]}, (T, T)),
            ("i[*].n", Gt(5), {"i": [{"n": 6}, {"n": 1}]}, (F, T)),
            ("i[*].n", Gt(5), {"i": [{"n": 6}, {}]}, (F, T)),
            ("i[*].n", Gt(5), {"i": [{"n": 1}, {"n": "x"}]}, (F, U)),
            ("i[*].n", Gt(5), {"i": []}, (F, F)),
            ("i[*].n", Gt(5), {"i": {"n": 6}}, (F, F)),
            ("i[*].n", Gt(5), {}, (F, F)),
            ("i[*]", Not(OneOf("ok")), {"i": ["ok", "ok"]}, (F, F)),
            ("i[*]", Not(OneOf("ok")), {"i": ["ok", "evil"]}, (F, T)),
            ("i[*]", Not(OneOf("ok")), {"i": ["evil", "evil"]}, (T, T)),
            ("i[*]", Not(OneOf("ok")), {"i": []}, (T, T)),
            ("i[*]", AllOf(Gt(5), Not(Gt(10))), {"i": [1, 20]}, (F, F)),
            ("i[*]", AllOf(Gt(5), Not(Gt(10))), {"i": [1, 7]}, (F, T)),
            ("i[*][*]", Eq(1), {"i": [[1], [1, 1]]}, (T, T)),
            ("i[*][*]", Eq(1), {"i": [[1], []]}, (F, T)),
            ("b.cmd", Not(Contains("rm")), {"b": '{"cmd": "rm"}'}, (F, T)),
            ("b.cmd", Not(Contains("rm")), {"b": '{"cmd": "ls"}'}, (T, T)),
            ("b.cmd", AnyOf("x", Not(Contains("rm"))), {"b": '{"cmd": "rm"}'}, (F, T)),
            ("b[*]", Not(OneOf("ok")), {"b": '["ok"]'}, (F, T)),
            ("b[*]", AllOf(Contains("o"), Not(OneOf("ok"))), {"b": '["ok", "x"]'}, (F, T)),
            ("$", IsType("object"), {}, (T, T)),
        ],
    )
    def test_table(self, path: str, matcher: Matcher, value: object, answer: tuple[Truth, Truth]) -> None:
        """Some item accuses, every one of at least one clears; what is missing is tested as missing."""
        assert at(path, matcher, value) == answer

    @given(values)
    def test_negation(self, value: object) -> None:
        """At a path too, `$not` is the negation of its matcher in the other polarity."""
        for path in ("a", "a.b", "[*]", "[*].a", "a[*]"):
            for matcher in (Gt(1), Contains("a"), Eq({"a": 1}), Exists(False)):
                clears, accuses = at(path, matcher, value)
                assert at(path, Not(matcher), value) == (negated(accuses), negated(clears))

    def test_attributes(self) -> None:
        """Attributes reach the matcher by either way of finding the value."""
        for path in ("a", "$.a[0]"):
            value: Any = {"a": "u"} if path == "a" else {"a": ["u"]}
            assert search.test_at(Path.parse(path), Attr("user"), value, accuse=True, attributes={"user": ("u",)}) is True


class TestAnywhere:
    """Every string, key and nested JSON text."""

    @pytest.mark.parametrize(
        ("matcher", "value", "answer"),
        [
            (Contains("/etc/shadow"), {"body": {"items": [{"note": "see /etc/shadow"}]}}, (T, T)),
            (Contains("secret"), {"a": {"the_secret_key": 1}}, (T, T)),
            (Contains("x"), {}, (F, F)),
            (Contains("x"), {"a": 1, "b": None, "c": [True]}, (F, F)),
            (Regex("^rm -rf$"), {"cmd": ["rm", "-rf"]}, (F, T)),
            (Regex("^rm$"), {"body": '{"cmd": "rm"}'}, (F, T)),
            (Regex("^rm$"), {"body": json.dumps({"x": json.dumps({"y": json.dumps(["rm"])})})}, (F, T)),
            (Regex("^4111[0-9]{12}$"), {"card": 4111111111111111}, (F, T)),
            (Gt(100), {"a": "250", "b": "text"}, (F, T)),
            (Gt(100), {"a": 250}, (F, T)),
            (Gt(100), {"a": "text", "b": [1, {"c": "50"}]}, (F, F)),
            (HostIn("evil.example"), {"a": "text", "b": {"url": "http://evil.example/x"}}, (T, T)),
            (HostIn("evil.example"), {"a": "text", "url": "http://ok.example"}, (F, F)),
            (Eq("rm"), {"a": ["ls", " rm"]}, (F, T)),
            (Not(Contains("a")), {"a": "a"}, (F, F)),
            (Not(Contains("a")), {"a": [1, 2, "a"]}, (F, F)),
            (Not(Contains("a")), {"a": "b"}, (F, T)),
            (Not(Contains("a")), {"c": "b"}, (T, T)),
            (Not(Contains("a")), {"c": '{"x": "\\u0061"}'}, (F, T)),
            (Not(Contains("a")), {}, (F, F)),
            (AllOf(Contains("a"), Regex("b"), Not(Contains("x"))), {"c": "ab"}, (T, T)),
            (AllOf(Contains("a"), Regex("b"), Not(Contains("x"))), {"c": "ab", "d": "x"}, (F, T)),
            (AllOf(Contains("a"), Regex("b")), {"c": "a", "d": "b"}, (F, F)),
            (AnyOf(Contains("y"), Not(Contains("x"))), {"c": "x"}, (F, T)),
            (AnyOf(Contains("x"), Gt(5)), {"a": 6}, (F, T)),
            (Contains("x"), {"a": "[" * 300 + "]" * 300}, (F, U)),
            (Contains("x"), "x", (T, T)),
        ],
    )
    def test_table(self, matcher: Matcher, value: object, answer: tuple[Truth, Truth]) -> None:
        """What cannot be compared is passed over where a fit accuses; nothing there is False."""
        assert anywhere(matcher, value) == answer

    def test_deep(self) -> None:
        """Depth is no limit in values, and a bounded one in text inside text."""
        for value in nested(10_000, "needle"):
            assert anywhere(Contains("needle"), value) == (T, T)
            assert anywhere(Contains("other"), value) == (F, F)
        text = "needle"
        for _ in range(12):
            text = json.dumps({"x": text})
        assert search.test_anywhere(FullMatch("needle"), {"a": text}, accuse=True) is None

    @given(values)
    def test_any_value(self, value: object) -> None:
        """Any value is searched, and what is found as recorded is found in every reading."""
        for matcher in (Contains("a"), Gt(1), Regex("^5$"), Eq(" a"), Not(Contains("a"))):
            clears, accuses = anywhere(matcher, value)
            assert clears is not True or accuses is True


class TestUnreadable:
    """In text alone, only what is found anywhere can be told."""

    TEXT = '{"command":"rm\\u0020-rf \\/","x":"ls'

    @pytest.mark.parametrize(
        ("matcher", "answer"),
        [
            (Contains("rm\\u0020"), T),
            (Contains("rm -rf /"), T),
            (Regex("rm\\s+-rf"), T),
            (Regex("^rm"), U),
            (Contains("sudo"), U),
            (FullMatch("ls"), U),
            (Eq("ls"), U),
            (Exists(False), U),
            (Not(Contains("sudo")), U),
            (Not(Contains("rm")), U),
            (Some(Contains("rm")), T),
            (All(Contains("rm")), U),
            (AnyOf(Contains("sudo"), Contains("rm")), T),
            (AllOf(Contains("rm"), Regex("x")), T),
            (AllOf(Contains("rm"), Gt(5)), U),
        ],
    )
    def test_table(self, matcher: Matcher, answer: Truth) -> None:
        """See the table."""
        assert search.test_text(matcher, self.TEXT) is answer
