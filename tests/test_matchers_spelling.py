"""From documents to matchers, and what is wrong with a document."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_values import nested, scalars, values

from otel_toolscore.compare import compare
from otel_toolscore.matchers import (
    ANY,
    OPERATORS,
    AllOf,
    Approx,
    Contains,
    Eq,
    Fault,
    Gt,
    IsType,
    Len,
    Literal,
    Lte,
    Matcher,
    MatcherError,
    Not,
    Regex,
    build,
    build_expected,
    json_schema,
)

SCHEMA = {"$defs": json_schema(), "$ref": "#/$defs/condition"}


def faults(document: object) -> tuple[Fault, ...]:
    with pytest.raises(MatcherError) as caught:
        build(document)
    with pytest.raises(MatcherError) as again:
        build_expected(document)
    assert again.value.faults == caught.value.faults
    return caught.value.faults


class TestBuild:
    """Documents become matchers."""

    @pytest.mark.parametrize(
        ("document", "matcher"),
        [
            (5, Eq(5)),
            (None, Eq(None)),
            ([1, {"a": 2}], Eq([1, {"a": 2}])),
            ({"$any": True}, ANY),
            ({"$gt": 0, "$lte": 100}, AllOf(Gt(0), Lte(100))),
            ({"$not": {"$contains": "x"}}, Not(Contains("x"))),
            ({"$not": 5}, Not(Eq(5))),
            ({"$len": {"$gt": 3}}, Len(Gt(3))),
            ({"$type": ["string", "null"]}, IsType("string", "null")),
            ({"$approx": {"value": 1, "abs": 0.5}}, Approx(1, abs=0.5)),
            ({"$literal": {"$regex": 5}}, Literal({"$regex": 5})),
            ({"$eq": {"a": {"$gt": 5}}}, Eq({"a": Gt(5)})),
            ({"a": {"b": [{"$regex": "x"}]}}, Eq({"a": {"b": [Regex("x")]}})),
            ({"$gt": 5, "x-why": "a note"}, Gt(5)),
            ({"x-a": 1}, Eq({"x-a": 1})),
            (Regex("x"), Regex("x")),
            ({"a": Regex("x"), "b": {"$any": True}}, Eq({"a": Regex("x"), "b": ANY})),
        ],
    )
    def test_build(self, document: object, matcher: Matcher) -> None:
        """A document becomes the matcher that it spells; a plain value, that the value equals it."""
        assert build(document) == matcher

    def test_expected(self) -> None:
        """In expected arguments plain values stay values, and `$literal` is resolved."""
        document = {"a": {"$gt": 5}, "b": [{"$any": True}, "x"], "c": {"$literal": {"$x": {"$y": 1}}}, "d": {"e": {"$literal": 5}}}
        assert build_expected(document) == {"a": Gt(5), "b": [ANY, "x"], "c": {"$x": {"$y": 1}}, "d": {"e": 5}}

    def test_without_operators_nothing_is_copied(self) -> None:
        """A value without operators is the expected value itself, however deep."""
        for value in nested(10_000, 5):
            assert build_expected(value) is value
            assert build(value) is not None

    @given(values)
    def test_literal_escapes_any_value(self, value: object) -> None:
        """Under `$literal` every value means itself."""
        assert compare(build_expected({"a": {"$literal": value}}), {"a": value}, strict=True) == ()
        assert build({"$literal": value}).test(value, accuse=False) is True

    @given(st.dictionaries(st.sampled_from(["$gt", "$regex", "$not", "$len", "$x", "a", "x-a"]), scalars))
    def test_builds_or_says_why(self, document: dict[str, object]) -> None:
        """Any document becomes a matcher or is refused with places in it."""
        try:
            places = [()] if isinstance(build(document), Matcher) else []
        except MatcherError as error:
            places = [fault.path for fault in error.faults]
        assert places
        assert all(place[0] in document for place in places if place)


class TestFaults:
    """Everything that is wrong, at once, each with its place."""

    def test_unknown_operator(self) -> None:
        """An unknown operator is refused, with the nearest known one, else with all that there are."""
        assert faults({"$regx": "rm"}) == (Fault(("$regx",), "unknown operator `$regx`", "$regex"),)
        known = ", ".join(OPERATORS)
        assert faults({"a": [{"$zzzzzz": 1}]}) == (Fault(("a", 0, "$zzzzzz"), f"unknown operator `$zzzzzz` (expected {known})", None),)

    def test_expression(self) -> None:
        """RE2's reason is given."""
        message = "`$regex` takes a regular expression as RE2 does: missing ): (a"
        assert faults({"$not": {"$regex": "(a"}}) == (Fault(("$not", "$regex"), message, None),)

    def test_all_at_once(self) -> None:
        """Faults at several places are all found."""
        document = {
            "a": {"$gt": "5", "$lt": True},
            "b": {"$one_of": [{"$regex": "("}, {"$tpye": "x"}]},
            "c": {"$approx": {"val": 1, "abs": -1}},
            "d": {"$any_of": "x"},
            "e": {"$len": "x"},
            "f": {"$host_in": ["ok.example", "http://x"]},
            "g": {"$type": "text"},
            "h": {"$exists": "yes"},
            "i": {"$any": False},
            "j": {"$date": "soon"},
            "k": {"$path_under": "etc"},
            "l": {"$all": {"$some": {"$regex": 5}}},
        }
        assert [fault.path for fault in faults(document)] == [
            ("a", "$gt"),
            ("a", "$lt"),
            ("b", "$one_of", 0, "$regex"),
            ("b", "$one_of", 1, "$tpye"),
            ("c", "$approx", "val"),
            ("c", "$approx"),
            ("c", "$approx", "abs"),
            ("d", "$any_of"),
            ("e", "$len"),
            ("f", "$host_in", 1),
            ("g", "$type"),
            ("h", "$exists"),
            ("i", "$any"),
            ("j", "$date"),
            ("k", "$path_under"),
            ("l", "$all", "$some", "$regex"),
        ]

    def test_mixed(self) -> None:
        """An object with operators holds nothing else."""
        (fault,) = faults({"$gt": 5, "b": 1})
        assert fault.path == ("b",)
        assert "stands under `$literal`" in fault.message

    def test_too_deep(self) -> None:
        """Operators at absurd depth are refused in words."""
        _, document = nested(5_000, {"$gt": 1})
        (fault,) = faults(document)
        assert fault.message == "nested more than 100 levels deep"

    def test_text_of_the_error(self) -> None:
        """The error says each fault with its place and what was perhaps meant."""
        with pytest.raises(MatcherError) as caught:
            build({"a": [{"$regx": 1}, {"$gt": "x"}]})
        expected = "a[0].$regx: unknown operator `$regx` (did you mean $regex?); a[1].$gt: `$gt` takes a finite number"
        assert str(caught.value) == expected


class TestSchema:
    """The JSON Schema of conditions accepts what is built and little else."""

    @pytest.mark.parametrize(
        "document",
        [
            5,
            {"a": [1, {"b": None}]},
            {"a": {"b": [{"$gt": 5}]}},
            {"$gt": 0, "$lte": 1, "x-note": 1},
            {"$not": {"$any_of": ["a", {"$len": {"$gt": 3}}]}},
            {"$approx": {"value": 1, "rel": 0.1}},
            {"$literal": {"$x": 1}},
            {"$type": ["string", "null"]},
            {"$path_under": ["/a", "/b"]},
        ],
    )
    def test_accepts(self, document: Any) -> None:
        """What is built is valid."""
        build(document)
        jsonschema.Draft202012Validator(SCHEMA).validate(document)

    @pytest.mark.parametrize(
        "document",
        [
            {"$regx": "x"},
            {"a": [{"$gt": "5"}]},
            {"$gt": 5, "b": 1},
            {"$any": False},
            {"$one_of": []},
            {"$len": -1},
            {"$len": {"$grt": 3}},
            {"$type": "text"},
            {"$approx": {"abs": 1}},
            {"$not": {"$contains": ""}},
            {"$one_of": [{"$regx": 1}]},
        ],
    )
    def test_refuses(self, document: Any) -> None:
        """What is refused for its shape is not valid either."""
        assert faults(document)
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(document)

    def test_documented(self) -> None:
        """Every operator has one line of documentation and says what it takes."""
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        assert list(json_schema()["matcher"]["properties"]) == list(OPERATORS)
        for name, operator in OPERATORS.items():
            assert operator.name == name
            assert operator.argument
            assert operator.doc.endswith(".")
            assert "\n" not in operator.doc
