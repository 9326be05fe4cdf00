"""Comparing values: equality, canonical forms, differences, field rules, schemas, arguments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_values import nested, values

from otel_toolscore.compare import (
    ArgumentComparison,
    FieldRule,
    canonical,
    compare,
    compare_arguments,
    equal,
    number_in,
    trimmed,
    within,
)
from otel_toolscore.compare.pairing import all_paired, pairing
from otel_toolscore.matchers import ANY, Attr, Contains, Exists, Gt, Not, Regex, build_expected
from otel_toolscore.model import MISSING, Difference, Truth
from otel_toolscore.paths import PathError

NAN = float("nan")
DEEP = 10_000


def whys(expected: object, actual: object, **options: Any) -> dict[str, str]:
    return {difference.path: difference.why for difference in compare(expected, actual, **options)}


class TestEqual:
    """Typed, and exact on meaning."""

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            (5, 5.0),
            (-0.0, 0),
            (10**400, 10**400),
            (NAN, float("nan")),
            (math.inf, math.inf),
            (Decimal("5.0"), 5),
            (Decimal("NaN"), NAN),
            (Decimal("sNaN"), NAN),
            (Fraction(1, 2), 0.5),
            ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}),
            ((1, 2), [1, 2]),
            (" \t\r\na b\n", "a b"),
            ([{"x": " a"}], [{"x": "a"}]),
        ],
    )
    def test_same(self, a: object, b: object) -> None:
        """What means the same is equal."""
        assert equal(a, b)
        assert canonical(a) == canonical(b)
        assert compare(a, b) == ()

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            (True, 1),
            (False, 0),
            (0, None),
            ("", None),
            ("5", 5),
            (2**53 + 1, float(2**53)),
            (10**400, math.inf),
            (NAN, 0),
            (math.inf, -math.inf),
            ("a", "A"),
            ("\u00e9", "e\u0301"),
            ("a\u00a0", "a"),
            ([1, 2], [2, 1]),
            ([1], [1, 1]),
            ({}, []),
            ({"a": None}, {}),
            ({" a": 1}, {"a": 1}),
            (" a\nb", "a\nb"),
            ("a\rb ", "a\rb"),
            ([[1], 2], [[1, 2]]),
            ({"a": {"b": 1}}, {"a": {}, "b": 1}),
        ],
    )
    def test_other(self, a: object, b: object) -> None:
        """What means something else is not: types, case, order, inner newlines, forms of Unicode."""
        assert not equal(a, b)
        assert canonical(a) != canonical(b)
        assert compare(a, b) != ()

    def test_strict(self) -> None:
        """Strictly, whitespace at the ends of a string counts."""
        assert equal(" a", "a")
        assert not equal(" a", "a", strict=True)
        assert canonical(" a", strict=True) != canonical("a", strict=True)
        assert equal(5, 5.0, strict=True)

    def test_trimmed(self) -> None:
        """Only space, tab, CR and LF are trimmed, and nothing of a text with a newline inside."""
        assert trimmed(" \t\r\na\n") == "a"
        assert trimmed("a\nb\n") == "a\nb\n"
        assert trimmed("\n\n") == ""
        assert trimmed("\u00a0a\v") == "\u00a0a\v"

    @given(values, values, values)
    def test_equivalence(self, a: object, b: object, c: object) -> None:
        """Equality is reflexive, symmetric and transitive, strictly or not."""
        for strict in (False, True):
            assert equal(a, a, strict)
            assert equal(a, b, strict) == equal(b, a, strict)
            if equal(a, b, strict) and equal(b, c, strict):
                assert equal(a, c, strict)

    @given(values, values)
    def test_canonical_agrees(self, a: object, b: object) -> None:
        """Canonical forms are hashable, and equal exactly if the values are; so is the absence of differences."""
        for strict in (False, True):
            forms = canonical(a, strict), canonical(b, strict)
            assert (forms[0] == forms[1]) == equal(a, b, strict)
            assert (compare(a, b, strict=strict) == ()) == equal(a, b, strict)
            if forms[0] == forms[1]:
                assert hash(forms[0]) == hash(forms[1])

    @given(values)
    def test_a_copy_is_equal(self, value: Any) -> None:
        """A value equals its own copy, NaN and all, and shares its form with it."""

        def copied(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: copied(item) for key, item in reversed(value.items())}
            if isinstance(value, list):
                return [copied(item) for item in value]
            return float(repr(value)) if isinstance(value, float) else value

        assert equal(value, copied(value), strict=True)
        assert canonical(value) == canonical(copied(value))

    def test_deep(self) -> None:
        """Depth is no limit: 10,000 levels are compared like any others."""
        for one, same, other in zip(nested(DEEP, 1), nested(DEEP, 1.0), nested(DEEP, 2), strict=True):
            assert equal(one, same)
            assert not equal(one, other)
            assert canonical(one) == canonical(same)
            assert hash(canonical(one)) != hash(canonical(other))
            assert compare(one, same) == ()
            (difference,) = compare(one, other)
            assert (difference.expected, difference.actual, difference.why) == (1, 2, "differs")
            assert len(difference.path) > DEEP

    def test_foreign(self) -> None:
        """Values that are not JSON never raise: they are equal if Python says so, and hashable in their form."""

        class Odd:
            def __eq__(self, other: object) -> bool:
                raise RuntimeError("no")

            __hash__ = None  # type: ignore[assignment]

        odd = Odd()
        assert equal(odd, odd)
        assert not equal(odd, Odd())
        assert equal(b"x", b"x")
        assert isinstance(canonical({"a": [odd, {1}]}), Hashable)
        assert canonical({1, 2}) == canonical({2, 1})
        assert canonical({1: "a", "b": 2, None: 3}) == canonical({"b": 2, None: 3, 1: "a"})
        assert whys({"a": b"x"}, {"a": "x"}) == {"$.a": "is text instead of a value that is not JSON"}


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), ("-0", 0), ("5.0", 5.0), ("1e3", 1000.0), ("-1.5E-2", -0.015), ("9007199254740993", 9007199254740993), ("1e400", math.inf)],
)
def test_number_in(text: str, number: float) -> None:
    """Text by the number grammar of JSON is read as a JSON parser would."""
    assert number_in(text) == number


@pytest.mark.parametrize(
    "text", ["", "+5", "05", "5.", ".5", "1_000", "0x10", "NaN", "Infinity", "\u0665", " 5", "5 ", "1e", "--5", "9" * 5000]
)
def test_no_number_in(text: str) -> None:
    """Python's own grammar is wider, and does not count; nor does a number of absurd length."""
    assert number_in(text) is None


class TestWithin:
    """|a - e| <= max(abs, rel * |e|), exactly."""

    @pytest.mark.parametrize(
        ("expected", "actual", "abs_tol", "rel_tol", "inside"),
        [
            (10, 9.995, 0.01, 0, True),
            (1.0, 1.1, 0.1, 0, True),
            (0.3, 0.2, 0.1, 0, True),
            (1.0, 1.1000001, 0.1, 0, False),
            (200, 202, 0, 0.01, True),
            (202, 200, 0, 0.0099, False),
            (-200, -202, 0, 0.01, True),
            (100, 103, 5, 0.01, True),
            (1000, 1008, 5, 0.01, True),
            (10**400, 10**400 + 1, 1, 0, True),
            (10**400, 10**400 + 2, 1, 0, False),
            (math.inf, 5, 1, 1, False),
            (5, math.inf, 1, 1, False),
            (NAN, NAN, 1, 1, False),
            (1e308, -1e308, 1e308, 0, False),
            (Decimal("1E+999999999"), 5, 1, 0, False),
        ],
    )
    def test_within(self, expected: Any, actual: Any, abs_tol: float, rel_tol: float, inside: bool) -> None:
        """The larger of the two tolerances counts, floats as their decimals, numbers that are not finite never."""
        assert within(expected, actual, abs_tol, rel_tol) is inside


class TestDifferences:
    """Each has a path and both sides, and its text holds neither."""

    def test_kinds(self) -> None:
        """What is wrong is said in terms of types, presence and value."""
        expected = {"same": 1, "type": 1, "value": "secret-1", "gone": None, "list": [1, 2], "deep": {"x": [{"y": 1}]}}
        actual = {"same": 1, "type": "1", "value": "secret-2", "list": [1], "deep": {"x": [{"y": None}, 3]}, "more": "secret-3"}
        assert compare(expected, actual) == (
            Difference("$.type", 1, "1", "is text instead of a number"),
            Difference("$.value", "secret-1", "secret-2", "differs"),
            Difference("$.gone", None, MISSING, "is missing"),
            Difference("$.list[1]", 2, MISSING, "is missing"),
            Difference("$.deep.x[0].y", 1, None, "is null instead of a number"),
            Difference("$.deep.x[1]", MISSING, 3, "was not expected"),
            Difference("$.more", MISSING, "secret-3", "was not expected"),
        )

    def test_path(self) -> None:
        """The path begins where the caller says, and quotes keys that need it."""
        assert whys({"a.b": {"": 1}}, {"a.b": {"": 2}}, path="$.args") == {'$.args["a.b"][""]': "differs"}

    @given(values, values)
    def test_never_raises(self, a: object, b: object) -> None:
        """Any two values can be compared, under any rules, and a value never differs from itself."""
        rules = {
            "$": FieldRule(order_independent_list=True, numeric=True, case_insensitive=True),
            "[*]": FieldRule(abs_tol=1, default=0),
            "a[*]": FieldRule(order_independent_list=True, rel_tol=0.1),
        }
        compare(a, b, rules=rules)
        assert compare(a, a, rules=rules) == ()


class TestFieldRules:
    """What a rule lets pass, and where."""

    def test_numeric_where_a_matcher_is_asked(self) -> None:
        """A matcher is asked about the text of a numeric field as it stands, and about the number that it is."""
        rules = {"n": FieldRule(numeric=True)}
        assert compare({"n": Regex("^5$")}, {"n": "5"}, rules=rules) == ()
        assert compare({"n": Gt(4)}, {"n": "5"}, rules=rules) == ()
        assert [each.path for each in compare({"n": Gt(5)}, {"n": "5"}, rules=rules)] == ["$.n"]
        assert [each.path for each in compare({"n": Gt(4)}, {"n": "5"})] == ["$.n"]
        assert [each.path for each in compare({"n": Gt(4)}, {"n": "five"}, rules=rules)] == ["$.n"]

    def test_numeric(self) -> None:
        """Text equals the number it is in JSON only in a numeric field, on either side."""
        rules = {"n": FieldRule(numeric=True)}
        for expected, actual in ((5, "5"), ("5", 5), ("5.0", "5"), (5, " 5 "), (1000, "1e3")):
            assert compare({"n": expected}, {"n": actual}, rules=rules) == ()
            assert compare({"m": expected}, {"m": actual}, rules=rules) != ()
        for expected, actual in ((5, "5 apples"), (16, "0x10"), (5, "+5"), (1, True), (2**53 + 1, "9007199254740992")):
            assert compare({"n": expected}, {"n": actual}, rules=rules) != ()
        assert compare({"n": 5}, {"n": " 5 "}, rules=rules, strict=True) != ()

    def test_tolerance(self) -> None:
        """A tolerance is about numbers; text counts only if the field is numeric as well."""
        assert compare({"p": 10}, {"p": 9.995}, rules={"p": FieldRule(abs_tol=0.01)}) == ()
        assert whys({"p": 10}, {"p": 9.98}, rules={"p": FieldRule(abs_tol=0.01)}) == {"$.p": "differs by more than the tolerance"}
        assert compare({"p": 10}, {"p": "9.995"}, rules={"p": FieldRule(abs_tol=0.01)}) != ()
        assert compare({"p": 10}, {"p": "9.995"}, rules={"p": FieldRule(abs_tol=0.01, numeric=True)}) == ()
        assert compare({"p": True}, {"p": False}, rules={"p": FieldRule(abs_tol=5)}) != ()

    def test_case_insensitive(self) -> None:
        """Case folding, not normalisation."""
        rules = {"s": FieldRule(case_insensitive=True)}
        assert compare({"s": "STRASSE"}, {"s": " stra\u00dfe "}, rules=rules) == ()
        assert compare({"s": "\u00e9"}, {"s": "e\u0301"}, rules=rules) != ()
        assert compare({"s": "A"}, {"s": " a"}, rules=rules, strict=True) != ()
        assert compare({"s": "A"}, {"s": "a"}, rules=rules, strict=True) == ()

    def test_ignore(self) -> None:
        """An ignored field may be anything, and missing on either side."""
        rules = {"note": FieldRule(ignore=True), "items[*].id": FieldRule(ignore=True)}
        assert compare({"note": "x"}, {}, rules=rules) == ()
        assert compare({}, {"note": [1]}, rules=rules) == ()
        assert compare({"items": [{"id": 1, "n": 1}]}, {"items": [{"n": 1}]}, rules=rules) == ()
        assert whys({"items": [{"n": 1}]}, {"items": [{"n": 2, "id": 5}]}, rules=rules) == {"$.items[0].n": "differs"}

    @pytest.mark.parametrize(("one", "other"), list(itertools.combinations([{}, {"page": None}, {"page": 1}], 2)))
    def test_default(self, one: object, other: object) -> None:
        """Omitted, null and the default are the same."""
        rules = {"page": FieldRule(default=1)}
        assert compare(one, other, rules=rules) == ()
        assert compare(other, one, rules=rules) == ()
        assert whys(one, {"page": 2}, rules=rules) != {}
        assert compare(one, other) != ()

    def test_default_null(self) -> None:
        """A default of null is not the absence of a default."""
        assert compare({}, {"page": None}, rules={"page": FieldRule(default=None)}) == ()
        assert compare({}, {"page": None}, rules={"page": FieldRule()}) != ()

    def test_default_under_the_other_rules(self) -> None:
        """What is given is compared with the default as the rule says."""
        assert compare({}, {"unit": "c"}, rules={"unit": FieldRule(default="C", case_insensitive=True)}) == ()
        assert compare({"n": Gt(0)}, {}, rules={"n": FieldRule(default=5)}) == ()
        assert compare({"n": Gt(9)}, {}, rules={"n": FieldRule(default=5)}) != ()

    def test_wildcards_and_inheritance(self) -> None:
        """A rule holds below its field until a rule for a longer path; a path without a wildcard is the more exact one."""
        rules = {
            "items": FieldRule(case_insensitive=True),
            "items[*].price": FieldRule(abs_tol=1),
            "items[0].price": FieldRule(),
        }
        expected = {"items": [{"name": "A", "price": 5}, {"name": "B", "price": 5}]}
        actual = {"items": [{"name": "a", "price": 6}, {"name": "b", "price": 6}]}
        assert whys(expected, actual, rules=rules) == {"$.items[0].price": "differs"}

    def test_dotted_key(self) -> None:
        """The exact key wins over nesting here too."""
        rules = {"a.b": FieldRule(ignore=True)}
        assert compare({"a": {"b": 1}}, {"a": {"b": 2}}, rules=rules) == ()
        assert compare({"a.b": 1}, {"a.b": 2}, rules=rules) == ()
        assert whys({"a.b": 1, "a": {"b": 1}}, {"a.b": 2, "a": {"b": 2}}, rules=rules) == {"$.a.b": "differs"}

    def test_whole_value(self) -> None:
        """A rule for `$` is about the value itself."""
        assert compare([1, 2], [2, 1], rules={"$": FieldRule(order_independent_list=True)}) == ()
        assert compare({"a": 1}, 5, rules={"$": FieldRule(ignore=True)}) == ()

    def test_refused(self) -> None:
        """A tolerance that is no tolerance and a key that is no path are refused."""
        for wrong in (-1, NAN, math.inf, True, "1"):
            with pytest.raises(ValueError, match="abs_tol is a finite number of at least 0"):
                FieldRule(abs_tol=wrong)  # type: ignore[arg-type]
        with pytest.raises(PathError, match="at offset 2: expected a name"):
            compare({}, {}, rules={"a..b": FieldRule()})


class TestAnyOrder:
    """Lists whose order does not count."""

    RULES = {"tags": FieldRule(order_independent_list=True)}

    def test_multiset(self) -> None:
        """Each item as often as expected, in any order."""
        assert compare({"tags": ["b", "a", "a"]}, {"tags": ["a", "b", "a "]}, rules=self.RULES) == ()
        assert compare({"tags": ["a", "a", "b"]}, {"tags": ["a", "b", "b"]}, rules=self.RULES) != ()
        assert whys({"tags": ["a"]}, {"tags": ["b", "a"]}, rules=self.RULES) == {"$.tags[0]": "item was not expected"}
        assert whys({"tags": ["a", "b"]}, {"tags": ["b"]}, rules=self.RULES) == {"$.tags[0]": "item is missing"}
        assert whys({"tags": ["a"]}, {"tags": "a"}, rules=self.RULES) == {"$.tags": "is text instead of a list"}

    def test_only_the_field(self) -> None:
        """The order of a list inside the list still counts."""
        assert compare({"tags": [[1, 2], [3]]}, {"tags": [[3], [1, 2]]}, rules=self.RULES) == ()
        assert compare({"tags": [[1, 2]]}, {"tags": [[2, 1]]}, rules=self.RULES) != ()

    def test_pairs_are_the_best_ones(self) -> None:
        """With tolerances, items are paired so that as many as possible fit, not first come first served."""
        rules = {"tags": FieldRule(order_independent_list=True, abs_tol=0.1)}
        assert compare({"tags": [1.0, 1.1]}, {"tags": [1.1, 1.2]}, rules=rules) == ()
        assert compare({"tags": [1.1, 1.0]}, {"tags": [1.1, 1.2]}, rules=rules) == ()
        assert compare({"tags": [1.0, 1.1]}, {"tags": [1.2, 1.2]}, rules=rules) != ()

    def test_rules_of_the_items(self) -> None:
        """Items are paired under the rules for what is in them."""
        rules = {
            "tags": FieldRule(order_independent_list=True, case_insensitive=True),
            "tags[*].price": FieldRule(abs_tol=0.01),
            "tags[*].note": FieldRule(ignore=True),
        }
        expected = {"tags": [{"n": "A", "price": 1, "note": 1}, {"n": "B", "price": 2}]}
        actual = {"tags": [{"n": "b", "price": 2.01}, {"n": "a", "price": 1.009, "note": 2}]}
        assert compare(expected, actual, rules=rules) == ()
        actual["tags"][0]["price"] = 2.5
        assert whys(expected, actual, rules=rules) == {"$.tags[1].price": "differs by more than the tolerance"}

    def test_left_over_items_that_differ_least(self) -> None:
        """What is left over is shown against what it resembles."""
        expected = {"tags": [{"id": 1, "x": 1, "y": 1}, {"id": 2, "x": 2, "y": 2}, {"id": 3}]}
        actual = {"tags": [{"id": 2, "x": 2, "y": 9}, {"id": 1, "x": 8, "y": 1}, {"id": 3}]}
        assert whys(expected, actual, rules=self.RULES) == {"$.tags[0].x": "differs", "$.tags[1].y": "differs"}

    def test_matchers_in_items(self) -> None:
        """A matcher takes any item that fits, and leaves the others what they need."""
        expected = {"tags": [ANY, "a", Regex("^b")]}
        assert compare(expected, {"tags": ["a", "bb", "c"]}, rules=self.RULES) == ()
        assert compare(expected, {"tags": ["bb", "b", "a"]}, rules=self.RULES) == ()
        assert compare(expected, {"tags": ["bb", "b", "c"]}, rules=self.RULES) != ()

    def test_numeric_and_folded(self) -> None:
        """What makes single values equal makes items equal."""
        rules = {"tags": FieldRule(order_independent_list=True, numeric=True, case_insensitive=True)}
        assert compare({"tags": [5, "A", "x"]}, {"tags": ["X", "5.0", "a"]}, rules=rules) == ()

    def test_unknown_pairs(self) -> None:
        """Where only an unknown fit could complete the pairs, the list is open, not different."""
        expected = {"tags": [Attr("user"), "a"]}
        comparison = compare_arguments(expected, {"tags": ["a", "b"]}, rules=self.RULES)
        assert (comparison.differences, comparison.unknown, comparison.equal) == ((), ("$.tags",), 0)
        assert compare_arguments(expected, {"tags": ["a", "b"]}, rules=self.RULES, attributes={"user": ("b",)}).equal == 1

    def test_long_lists(self) -> None:
        """Long lists of plain items are compared at once; where single comparisons would take too long, the answer is open."""
        items = [f"item {number}" for number in range(20_000)]
        assert compare({"tags": items}, {"tags": items[::-1]}, rules=self.RULES) == ()
        assert len(compare({"tags": items}, {"tags": [*items[::-1][1:], "x"]}, rules=self.RULES)) == 1
        tolerant = {"tags": FieldRule(order_independent_list=True, abs_tol=1)}
        numbers = list(range(0, 20_000, 10))
        near = [number + 0.5 for number in numbers]
        assert compare({"tags": numbers}, {"tags": near}, rules=tolerant) == ()
        assert compare({"tags": numbers}, {"tags": numbers[::-1]}, rules=tolerant) == ()
        comparison = compare_arguments({"tags": numbers}, {"tags": near[::-1]}, rules=tolerant)
        assert (comparison.differences, comparison.unknown) == ((), ("$.tags",))
        assert whys({"tags": numbers}, {"tags": near[1:]}, rules=tolerant) == {"$.tags": "has another number of items"}


@given(st.integers(0, 5), st.integers(0, 5), st.data())
def test_pairing_is_maximal(expected: int, actual: int, data: st.DataObject) -> None:
    """As many pairs are made as any choice of pairs has, and each pair fits."""
    table = data.draw(
        st.lists(st.lists(st.sampled_from([True, False, None]), min_size=actual, max_size=actual), min_size=expected, max_size=expected)
    )
    partner = pairing([None] * expected, actual, lambda row, column: table[row][column] is True)
    made = [(row, column) for row, column in enumerate(partner) if column is not None]
    assert all(table[row][column] is True for row, column in made)
    assert len({column for _, column in made}) == len(made)

    def best(accepted: tuple[Truth, ...]) -> int:
        choices = itertools.permutations([*range(actual), *[None] * expected], expected)
        return max(sum(column is not None and table[row][column] in accepted for row, column in enumerate(choice)) for choice in choices)

    started = pairing(
        partner[: expected // 2] + [None] * (expected - expected // 2), actual, lambda row, column: table[row][column] is True
    )
    assert started.count(None) == partner.count(None)
    if expected <= 4 and actual <= 4:
        assert len(made) == best((True,))
        truth = all_paired([None] * expected, actual, lambda row, column: table[row][column])
        if expected != actual or best((True, None)) < expected:
            assert truth is False
        else:
            assert truth is (True if best((True,)) == expected else None)


class TestSchema:
    """What a schema makes equal."""

    SCHEMA = {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "integer", "default": 7},
            "page": {"type": "integer", "default": 1},
            "unit": {"type": ["string", "null"], "default": "c"},
            "sort": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "note": {"type": "string"},
            "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
        },
        "$defs": {"line": {"type": "object", "properties": {"n": {"type": "number"}, "tax": {"type": "number", "default": 0}}}},
    }

    def compared(self, expected: object, actual: object, **options: Any) -> dict[str, str]:
        return whys(expected, actual, schema=self.SCHEMA, **options)

    def test_default(self) -> None:
        """An optional field that is omitted equals its default, and null where null is the default or not allowed."""
        assert self.compared({}, {"page": 1}) == {}
        assert self.compared({"page": 1}, {}) == {}
        assert self.compared({"page": None}, {"page": 1}) == {}
        assert self.compared({}, {"page": None}) == {}
        assert self.compared({}, {"page": 2}) == {"$.page": "was not expected"}
        assert self.compared({}, {"sort": None}) == {}
        assert self.compared({}, {"unit": "c"}) == {}

    def test_null_that_means_something(self) -> None:
        """Where the schema allows null and the default is another value, null is a value of its own."""
        assert self.compared({}, {"unit": None}) == {"$.unit": "was not expected"}
        assert self.compared({"unit": "c"}, {"unit": None}) == {"$.unit": "is null instead of text"}

    def test_no_default(self) -> None:
        """A missing required field, and a missing optional one without default, equal nothing else."""
        assert self.compared({"id": 7}, {}) == {"$.id": "is missing"}
        assert self.compared({}, {"note": None}) == {"$.note": "was not expected"}

    def test_numeric(self) -> None:
        """Text equals a number where the schema has the field numeric, also behind a reference and inside lists."""
        assert self.compared({"page": 5}, {"page": "5"}) == {}
        assert self.compared({"lines": [{"n": 1}]}, {"lines": [{"n": "1", "tax": 0}]}) == {}
        assert self.compared({"note": "5"}, {"note": 5}) == {"$.note": "is a number instead of text"}

    def test_strict(self) -> None:
        """Strictly, a schema makes nothing equal; a field rule still does."""
        assert self.compared({}, {"page": 1}, strict=True) == {"$.page": "was not expected"}
        assert self.compared({"page": 5}, {"page": "5"}, strict=True) == {"$.page": "is text instead of a number"}
        assert self.compared({}, {"page": 1}, strict=True, rules={"page": FieldRule(default=1)}) == {}

    def test_any_order(self) -> None:
        """Items are paired with what their schema makes equal."""
        rules = {"lines": FieldRule(order_independent_list=True)}
        expected, actual = {"lines": [{"n": 1}, {"n": 2}]}, {"lines": [{"n": "2", "tax": 0}, {"n": "1"}]}
        assert self.compared(expected, actual, rules=rules) == {}

    def test_recursive_schema_on_deep_values(self) -> None:
        """A schema that refers to itself is followed as deep as the value goes; defaults inside defaults are left open somewhere."""
        schema = {"type": "object", "properties": {"a": {"$ref": "#", "default": {}}, "n": {"type": "number"}}}
        _, expected = nested(DEEP, {"n": 1})
        _, actual = nested(DEEP, {"n": "1"})
        assert compare(expected, actual, schema=schema) == ()
        comparison = compare_arguments({}, actual, schema=schema)
        assert (comparison.equal, comparison.differences, len(comparison.unknown)) == (0, (), 1)


class TestMatchers:
    """Matchers in expected values."""

    def test_any_depth(self) -> None:
        """A matcher may stand anywhere in the expected value, and is asked what clears a call."""
        expected = build_expected({"a": {"b": [{"$gt": 5}, {"c": {"$regex": "^x"}}]}, "d": {"$any": True}})
        assert compare(expected, {"a": {"b": [6, {"c": "xy"}]}, "d": None}) == ()
        assert whys(expected, {"a": {"b": ["6", {"c": "y"}]}}) == {
            "$.a.b[0]": "does not fit $gt",
            "$.a.b[1].c": "does not fit $regex",
            "$.d": "is missing and does not fit $any",
        }

    def test_absence(self) -> None:
        """A matcher that accepts absence makes the key optional."""
        expected = {"a": 1, "b": Exists(False), "c": Not(Contains("x"))}
        assert compare(expected, {"a": 1}) == ()
        assert whys(expected, {"a": 1, "b": None, "c": "x"}) == {"$.b": "does not fit $exists", "$.c": "does not fit $not"}

    def test_strings_as_recorded(self) -> None:
        """A matcher sees the value as it was recorded; a literal is trimmed."""
        assert compare({"a": "x"}, {"a": " x"}) == ()
        assert compare({"a": Regex("^x")}, {"a": " x"}) != ()


class TestArguments:
    """Counting argument by argument."""

    def test_counts(self) -> None:
        """Top-level arguments are counted on each side, those that are equal, and those nobody expected."""
        comparison = compare_arguments({"a": 1, "b": {"c": [1, 2]}, "d": "x"}, {"a": 1.0, "b": {"c": [1, 3]}, "e": 1, "f": 2})
        assert (comparison.expected_count, comparison.actual_count, comparison.equal, comparison.surplus) == (3, 4, 1, 2)
        assert [difference.path for difference in comparison.differences] == ["$.b.c[1]", "$.d", "$.e", "$.f"]

    def test_tolerated(self) -> None:
        """What is tolerated counts on neither side, and is said without values."""
        comparison = compare_arguments(
            {"status": "open", "note": "s3cret", "page": 1},
            {"status": "OPEN", "note": "other", "x": 5},
            rules={"status": FieldRule(case_insensitive=True), "note": FieldRule(ignore=True), "page": FieldRule(default=1)},
            allow_extra=True,
        )
        tolerated = ("$.note is ignored", "$.page equals its default", "$.x was not expected, which is allowed")
        assert comparison == ArgumentComparison(expected_count=1, actual_count=1, equal=1, surplus=0, tolerated=tolerated)

    def test_without_tolerances(self) -> None:
        """Where nothing is taken out first, every argument counts on its side."""
        comparison = compare_arguments({"a": 1, "page": 1}, {"a": 1, "note": 2}, rules={"page": FieldRule(default=1)}, tolerances=False)
        assert (comparison.expected_count, comparison.actual_count, comparison.equal, comparison.surplus) == (2, 2, 1, 1)
        assert [difference.path for difference in comparison.differences] == ["$.note"]
        ignored = compare_arguments({"a": 1}, {"a": 2}, rules={"a": FieldRule(ignore=True)}, tolerances=False)
        assert (ignored.expected_count, ignored.actual_count, ignored.equal, ignored.differences) == (1, 1, 1, ())

    def test_default_on_both_sides_counts(self) -> None:
        """An argument that both sides give counts like any other, its default or not."""
        comparison = compare_arguments({"page": 1}, {"page": 1}, rules={"page": FieldRule(default=1)})
        assert (comparison.expected_count, comparison.actual_count, comparison.equal) == (1, 1, 1)

    def test_accepted_absence_counts_nothing(self) -> None:
        """An expected absence that holds is no argument."""
        comparison = compare_arguments({"a": 1, "b": Exists(False)}, {"a": 1})
        assert (comparison.expected_count, comparison.actual_count, comparison.equal) == (1, 1, 1)
        broken = compare_arguments({"b": Exists(False)}, {"b": 1})
        assert (broken.expected_count, broken.actual_count, broken.equal, broken.surplus) == (1, 1, 0, 0)

    def test_unknown(self) -> None:
        """What depends on an attribute that was not recorded is neither equal nor a difference."""
        comparison = compare_arguments({"user": Attr("app.user"), "a": 1}, {"user": "u", "a": 1})
        assert (comparison.equal, comparison.differences, comparison.unknown) == (1, (), ("$.user",))
        assert compare_arguments({"user": Attr("app.user")}, {"user": "u"}, attributes={"app.user": ("u",)}).equal == 1
        assert compare_arguments({"user": Attr("app.user")}, {"user": "u"}, attributes={"app.user": ("v",)}).differences != ()

    @given(st.dictionaries(st.sampled_from("abcd"), values), st.dictionaries(st.sampled_from("abcd"), values))
    def test_counts_agree_with_differences(self, expected: dict[str, object], actual: dict[str, object]) -> None:
        """Equal arguments are those without a difference below them, and the counts are the sizes."""
        comparison = compare_arguments(expected, actual)
        assert (comparison.expected_count, comparison.actual_count) == (len(expected), len(actual))
        assert comparison.equal == sum(key in actual and equal(value, actual[key]) for key, value in expected.items())
        assert comparison.surplus == len(actual.keys() - expected.keys())
        assert comparison.differences == compare(expected, actual)
        assert compare_arguments(expected, expected).equal == len(expected)
