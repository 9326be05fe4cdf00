"""Matchers: what each says of a value, in both polarities."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_values import nested, scalars, values

from otel_toolscore import matchers
from otel_toolscore.matchers import (
    ANY,
    All,
    AllOf,
    AnyOf,
    Approx,
    Attr,
    Contains,
    Date,
    Eq,
    Exists,
    FullMatch,
    Glob,
    Gt,
    Gte,
    HostIn,
    IgnoreCase,
    IsType,
    Len,
    Literal,
    Lt,
    Lte,
    Matcher,
    MatcherError,
    Not,
    OneOf,
    PathUnder,
    Regex,
    Some,
    Unordered,
    build,
    every,
    negated,
    some,
)
from otel_toolscore.model import MISSING, Truth

T, F, U = True, False, None


def both(matcher: Matcher, value: object, **options: Any) -> tuple[Truth, Truth]:
    """(where a fit clears, where it accuses)"""
    return matcher.test(value, accuse=False, **options), matcher.test(value, accuse=True, **options)


EXAMPLES: dict[str, Matcher] = {
    "any": ANY,
    "eq": Eq("a"),
    "eq object": Eq({"a": {"b": [1]}}),
    "eq nested matcher": Eq({"a": Gt(5)}),
    "literal": Literal({"$x": 1}),
    "not": Not(Contains("x")),
    "not not": Not(Not(Gt(1))),
    "one of": OneOf("a", 5, None, ["x"]),
    "regex": Regex("a+"),
    "fullmatch": FullMatch("a+"),
    "glob": Glob("a*"),
    "contains": Contains("a"),
    "gt": Gt(1),
    "gte": Gte(1),
    "lt": Lt(1),
    "lte": Lte(1.5),
    "approx": Approx(5, abs=0.5),
    "approx plain": Approx(5),
    "type": IsType("integer", "null"),
    "exists": Exists(),
    "absent": Exists(False),
    "len": Len(2),
    "len matcher": Len(Gt(1)),
    "all": All(Gt(0)),
    "some": Some("a"),
    "any of": AnyOf(Gt(5), "a"),
    "all of": AllOf(Gt(0), Lte(100)),
    "unordered": Unordered(["a", Gt(1)]),
    "ignore case": IgnoreCase("Aa"),
    "date": Date("2026-01-31"),
    "path under": PathUnder("/srv", "C:/data"),
    "host in": HostIn("a.example", "*.b.example"),
    "attr": Attr("app.user"),
}


@pytest.mark.parametrize("name", EXAMPLES)
class TestEvery:
    """What holds for every matcher."""

    def test_spelling_is_read_back(self, name: str) -> None:
        """The spelling is an object of operators that builds the same matcher."""
        matcher = EXAMPLES[name]
        spelled = matcher.spelled()
        assert all(key.startswith("$") for key in spelled)
        assert build(spelled) == matcher
        assert build(spelled).spelled() == spelled

    def test_value_object(self, name: str) -> None:
        """Matchers are hashable, equal only to their like, frozen, can be pickled, and show how they are made."""
        matcher = EXAMPLES[name]
        assert len({matcher, build(matcher.spelled()), pickle.loads(pickle.dumps(matcher))}) == 1
        assert [other for other, candidate in EXAMPLES.items() if candidate == matcher] == [name]
        for field in dataclasses.fields(matcher):  # type: ignore[arg-type]
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(matcher, field.name, 1)
        assert eval(repr(matcher), vars(matchers)) == matcher

    def test_missing_and_null(self, name: str) -> None:
        """A missing path fits nothing but an asked-for absence and a negation, null only what names it."""
        matcher = EXAMPLES[name]
        fits_missing = name in ("absent", "not")
        fits_null = name in ("any", "exists", "not", "one of", "type")
        assert both(matcher, MISSING) == (fits_missing, fits_missing)
        assert both(matcher, None) == (fits_null, fits_null)

    def test_any_value(self, name: str) -> None:
        """Every value gets an answer, however odd; where a fit clears without a negation, only what was not recorded is unknown."""
        odd = [
            math.nan,
            math.inf,
            10**5000,
            "\ud800",
            "9" * 5000,
            "[" * 1000,
            True,
            b"x",
            {1: 2},
            *nested(10_000, 1),
            "[" * 300 + "]" * 300,
        ]
        for value in odd:
            clears, _ = both(EXAMPLES[name], value)
            assert clears is not None or name in ("attr", "not")

    def test_negation(self, name: str) -> None:
        """`$not` is true exactly when its matcher is false in the other polarity, and twice is nothing at all."""
        matcher = EXAMPLES[name]

        @given(st.one_of(st.just(MISSING), values))
        def holds(value: object) -> None:
            clears, accuses = both(matcher, value)
            assert both(Not(matcher), value) == (negated(accuses), negated(clears))
            assert both(Not(Not(matcher)), value) == (clears, accuses)

        holds()

    def test_what_clears_accuses(self, name: str) -> None:
        """A value that fits as it was recorded fits in every reading too: accusing is never the narrower."""
        matcher = EXAMPLES[name]
        if name == "not":
            return

        @given(st.one_of(st.just(MISSING), values))
        def holds(value: object) -> None:
            clears, accuses = both(matcher, value)
            assert clears is not True or accuses is True
            assert accuses is not False or clears is False

        holds()


class TestEq:
    """Literals: exactly where they clear; trimmed, as a subset and through JSON text where they accuse."""

    @pytest.mark.parametrize(
        ("literal", "value", "answer"),
        [
            ("a", "a", (T, T)),
            ("a", " a\n", (F, T)),
            ("a", "A", (F, F)),
            (5, 5.0, (T, T)),
            (5, "5", (F, F)),
            ("5", 5, (F, F)),
            (1, True, (F, F)),
            (None, None, (T, T)),
            (None, "", (F, F)),
            ({"a": 1}, {"a": 1}, (T, T)),
            ({"a": 1}, {"a": 1, "b": 2}, (F, T)),
            ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, (F, T)),
            ({"a": None}, {}, (F, F)),
            ({}, {"a": 1}, (F, T)),
            ([1, 2], [1, 2], (T, T)),
            ([1, 2], [2, 1], (F, F)),
            ([1], [1, 2], (F, F)),
            ([{"a": 1}], [{"a": 1, "b": 2}], (F, T)),
            ({"a": 1}, '{"a": 1, "b": 2}', (F, T)),
            ({"a": {"b": [1]}}, {"a": '{"b": "[1]"}'}, (F, T)),
            ([1], "[1, 2]", (F, F)),
            ({"a": 1}, "not json", (F, F)),
            ({"cmd": "rm"}, '{"cmd": "rm", "cmd": "ls"}', (F, T)),
            ({"a": 1}, "[" * 300 + "]" * 300, (F, U)),
            ("rm -rf", ["rm", "-rf"], (F, F)),
        ],
    )
    def test_literal(self, literal: object, value: object, answer: tuple[Truth, Truth]) -> None:
        """See the table."""
        assert both(Eq(literal), value) == answer
        assert both(Literal(literal), value) == answer
        assert both(OneOf([literal]), value) == answer

    def test_matchers_inside(self) -> None:
        """Matchers inside a literal are asked in the same polarity, for missing keys too."""
        literal = Eq({"a": Gt(5), "b": Exists(False)})
        assert both(literal, {"a": 6}) == (T, T)
        assert both(literal, {"a": "6"}) == (F, T)
        assert both(literal, {"a": "six"}) == (F, U)
        assert both(literal, {"a": 6, "b": None}) == (F, F)
        assert both(literal, {"a": 6, "c": 1}) == (F, T)

    def test_deep(self) -> None:
        """A literal may be as deep as a value."""
        for literal, same, other in zip(nested(10_000, 1), nested(10_000, 1.0), nested(10_000, 2), strict=True):
            assert both(Eq(literal), same) == (T, T)
            assert both(Eq(literal), other) == (F, F)

    @given(values, values)
    def test_exact_is_a_reading(self, literal: object, value: object) -> None:
        """Every value is the literal that it is."""
        assert both(Eq(value), value) == (T, T)


class TestOneOf:
    """One of several values."""

    def test_values(self) -> None:
        """Any of the values, by the rules of a literal."""
        matcher = OneOf("a", 5, None, {"x": 1})
        assert both(matcher, 5.0) == (T, T)
        assert both(matcher, "a ") == (F, T)
        assert both(matcher, "5") == (F, F)
        assert both(matcher, {"x": 1, "y": 2}) == (F, T)
        assert both(matcher, False) == (F, F)
        assert both(OneOf(1), True) == (F, F)

    def test_as_list(self) -> None:
        """The values may be given as a list, and may be matchers."""
        assert OneOf(["a", "b"]) == OneOf("a", "b")
        assert both(OneOf(Regex("^a"), "b"), "ab") == (T, T)

    def test_refused(self) -> None:
        """Nothing can be one of no values."""
        with pytest.raises(MatcherError, match=r"`\$one_of` takes a list of at least one value"):
            OneOf([])


class TestText:
    """Text matchers: text as recorded; where they accuse also numbers, lists and JSON text."""

    @pytest.mark.parametrize(
        ("matcher", "value", "answer"),
        [
            (Regex("rm\\s+-rf"), "sudo rm  -rf /", (T, T)),
            (Regex("^rm"), "sudo rm", (F, F)),
            (Regex("a.b"), "a\nb", (T, T)),
            (Regex("^rm -rf$"), ["rm", "-rf"], (F, T)),
            (Regex("^rm$"), ["sudo", "rm"], (F, T)),
            (Regex("x"), ["rm", "-rf"], (F, F)),
            (Regex("x"), ["rm", {"x": 1}], (F, U)),
            (Regex("x"), ["rm", None], (F, F)),
            (Regex("x"), [], (F, F)),
            (Regex("^-5$"), -5, (F, T)),
            (Regex("^5$"), 5.0, (F, T)),
            (Regex("^5\\.0$"), 5.0, (F, T)),
            (Regex("5"), True, (F, U)),
            (Regex("5"), {"x": "5"}, (F, U)),
            (Regex("rm -rf"), '["rm", "-rf"]', (F, T)),
            (Regex("rm -rf"), '{"cmd": "rm\\u0020-rf"}', (F, T)),
            (Regex("rm -rf"), '{"cmd": "ls"}', (F, F)),
            pytest.param(Regex("1"), 10**5000, (F, U), id="huge integer"),
            (FullMatch("ls.*"), "ls -l\n", (T, T)),
            (FullMatch("ls"), "ls -l", (F, F)),
            (FullMatch("ls"), "ls ", (F, F)),
            (FullMatch("rm -rf"), ["rm", "-rf"], (F, T)),
            (FullMatch("rm"), '{"cmd": "rm"}', (F, F)),
            (FullMatch("rm"), '["ls", "rm"]', (F, T)),
            (Glob("*.pem"), "/etc/ssl/a.pem", (T, T)),
            (Glob("*.pem"), "a.pem.txt", (F, F)),
            (Glob("4?"), 42, (F, T)),
            (Contains(".ssh"), "/home/a/.ssh/id", (T, T)),
            (Contains(".ssh"), ["ls", "/home/a/.ssh"], (F, T)),
            (Contains("a b"), ["a", ["x", "b"]], (F, F)),
            (Contains("x b"), ["a", ["x", "b"]], (F, T)),
            (Contains("12"), 5123, (F, T)),
            (IgnoreCase("STRASSE"), "stra\u00dfe", (T, T)),
            (IgnoreCase("a"), " A ", (F, T)),
            (IgnoreCase("a"), ["x", "A"], (F, T)),
            (IgnoreCase("a"), "b", (F, F)),
        ],
    )
    def test_table(self, matcher: Matcher, value: object, answer: tuple[Truth, Truth]) -> None:
        """See the table."""
        assert both(matcher, value) == answer

    def test_beyond_the_bounds(self) -> None:
        """Text that may hide something in a document too large to read is unknown where a fit accuses."""
        assert both(Contains("x"), "[" + "[" * 300 + "]" * 300 + "]") == (F, U)
        lists: Any = ["y"]
        for _ in range(50):
            lists = [lists]
        assert both(Contains("x"), lists) == (F, U)

    @pytest.mark.parametrize("make", [Regex, FullMatch, Glob, Contains, IgnoreCase, Date, Attr])
    def test_not_text(self, make: Any) -> None:
        """Each takes text and says so."""
        with pytest.raises(MatcherError, match=r"^`\$\w+` takes (a |the )"):
            make(5)

    @pytest.mark.parametrize("make", [Regex, FullMatch])
    def test_invalid_expression(self, make: Any) -> None:
        """An expression that RE2 does not take is refused with its reason."""
        with pytest.raises(MatcherError, match=r"takes a regular expression as RE2 does: invalid perl operator: \(\?<="):
            make("(?<=a)b")

    def test_empty_contains(self) -> None:
        """Every text contains the empty text: that is no condition."""
        with pytest.raises(MatcherError, match="takes a text that is not empty"):
            Contains("")


class TestNumbers:
    """Number matchers: numbers, exactly; where they accuse also text that is a JSON number."""

    @pytest.mark.parametrize(
        ("matcher", "value", "answer"),
        [
            (Gt(100), 101, (T, T)),
            (Gt(100), 100, (F, F)),
            (Gte(100), 100.0, (T, T)),
            (Lt(0.1), 0.05, (T, T)),
            (Lte(100), 10**400, (F, F)),
            (Gt(2**53), float(2**53), (F, F)),
            (Gt(float(2**53)), 2**53 + 1, (T, T)),
            (Gt(100), "250", (F, T)),
            (Gt(100), " 1e3\n", (F, T)),
            (Gt(100), "50", (F, F)),
            (Gt(100), "250 EUR", (F, U)),
            (Gt(100), "0x100", (F, U)),
            (Gt(100), "\u0662\u0665\u0660", (F, U)),
            (Gt(100), True, (F, U)),
            (Gt(100), [250], (F, U)),
            (Gt(100), math.nan, (F, U)),
            (Gt(100), math.inf, (T, T)),
            (Lt(100), math.nan, (F, U)),
            (Approx(10, abs=0.01), 9.99, (T, T)),
            (Approx(10, abs=0.01), 9.98, (F, F)),
            (Approx(100, rel=0.01), 101, (T, T)),
            (Approx(100, rel=0.01), "101", (F, T)),
            (Approx(0.3), 0.1 + 0.2, (T, T)),
            (Approx(1), True, (F, U)),
            (Approx(10, rel=0, abs=0), 10.0, (T, T)),
        ],
    )
    def test_table(self, matcher: Matcher, value: object, answer: tuple[Truth, Truth]) -> None:
        """See the table."""
        assert both(matcher, value) == answer

    @pytest.mark.parametrize("limit", ["5", True, None, math.nan, math.inf, [1]])
    def test_refused(self, limit: Any) -> None:
        """A limit is a finite number."""
        for make in (Gt, Gte, Lt, Lte, Approx):
            with pytest.raises(MatcherError, match="takes a finite number"):
                make(limit)
        with pytest.raises(MatcherError, match="rel: `rel` takes a finite number of at least 0; abs: `abs` takes"):
            Approx(1, rel=-1, abs=math.nan)

    @given(st.floats(allow_nan=False) | st.integers(), st.floats(allow_nan=False, allow_infinity=False) | st.integers())
    def test_order(self, value: float, limit: float) -> None:
        """Exactly one of less, equal and greater holds."""
        assert [both(make(limit), value)[0] for make in (Lt, Eq, Gt)].count(True) == 1
        assert both(Lte(limit), value)[0] is not both(Gt(limit), value)[0]
        assert both(Gte(limit), value)[0] is not both(Lt(limit), value)[0]


class TestShape:
    """Type, presence, length, items."""

    @pytest.mark.parametrize(
        ("matcher", "value", "answer"),
        [
            (IsType("integer"), 5.0, (T, T)),
            (IsType("integer"), 5.5, (F, F)),
            (IsType("integer"), math.inf, (F, F)),
            (IsType("number"), 5, (T, T)),
            (IsType("number"), True, (F, F)),
            (IsType("number"), "5", (F, F)),
            (IsType("boolean"), False, (T, T)),
            (IsType("object"), {"a": 1}, (T, T)),
            (IsType("object"), '{"a": 1}', (F, T)),
            (IsType("array"), '{"a": 1}', (F, F)),
            (IsType("string"), '{"a": 1}', (T, T)),
            (IsType("array"), "[" * 300 + "]" * 300, (F, U)),
            (Exists(), None, (T, T)),
            (Exists(False), None, (F, F)),
            (ANY, False, (T, T)),
            (Len(2), "a\U0001f600", (T, T)),
            (Len(2), [1, 2], (T, T)),
            (Len(2), {"a": 1, "b": 2}, (T, T)),
            (Len(2), "[1, 2]", (F, T)),
            (Len(6), "[1, 2]", (T, T)),
            (Len(2), 22, (F, U)),
            (Len(Gt(2)), "abc", (T, T)),
            (Len(0), "", (T, T)),
            (All(Gt(0)), [1, 2], (T, T)),
            (All(Gt(0)), [1, 0], (F, F)),
            (All(Gt(0)), [], (T, T)),
            (All(Gt(0)), "[1, 2]", (F, T)),
            (All(Gt(0)), [1, "x"], (F, U)),
            (All(Gt(0)), "x", (F, U)),
            (All(Gt(0)), {"a": 1}, (F, U)),
            (Some("a"), ["b", "a"], (T, T)),
            (Some("a"), ["b", "a "], (F, T)),
            (Some("a"), [], (F, F)),
            (Some("a"), "a", (F, U)),
            (Some(Gt(5)), '["x", 6]', (F, T)),
            (Unordered(["a", "b"]), ["b", "a"], (T, T)),
            (Unordered(["a", "b"]), ["b", "a "], (F, T)),
            (Unordered(["a", "a"]), ["a", "b"], (F, F)),
            (Unordered(["a"]), ["a", "a"], (F, F)),
            (Unordered([ANY, "a"]), ["a", "b"], (T, T)),
            (Unordered([Gt(5), "a"]), ["a", "x"], (F, U)),
            (Unordered(["a"]), '["a"]', (F, T)),
            (Unordered(["a"]), "a", (F, U)),
            (Unordered([]), [], (T, T)),
        ],
    )
    def test_table(self, matcher: Matcher, value: object, answer: tuple[Truth, Truth]) -> None:
        """See the table."""
        assert both(matcher, value) == answer

    def test_python_types(self) -> None:
        """Python's types stand for those of JSON."""
        assert IsType(str, int, None) == IsType("string", "integer", "null")
        assert IsType([dict, list]).types == ("object", "array")

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: IsType("strnig"), r"takes one of null, .*object \(did you mean string\?\)"),
            (IsType, "a JSON type or a list of at least one"),
            (lambda: IsType(bytes), "takes one of null"),
            (lambda: Exists(1), "takes true or false"),
            (lambda: Len(-1), "an integer of at least 0 or a matcher"),
            (lambda: Len(True), "an integer of at least 0 or a matcher"),
            (AnyOf, "a list of at least one matcher"),
            (AllOf, "at least one matcher"),
            (lambda: AllOf(Gt(1), Gt(2)), "of different operators"),
            (lambda: Unordered("a"), "takes a list"),
            (lambda: Attr(""), "the name of an attribute"),
        ],
    )
    def test_refused(self, make: Any, message: str) -> None:
        """What a matcher cannot take is refused in words."""
        with pytest.raises(MatcherError, match=message):
            make()

    def test_long_unordered(self) -> None:
        """Long lists are paired where that takes few questions, and are unknown where it takes too many."""
        numbers = list(range(5_000))
        assert both(Unordered(numbers), numbers[::-1]) == (T, T)
        assert both(Unordered([ANY] * 5_000), numbers) == (T, T)
        assert both(Unordered([Gt(number - 0.5) for number in numbers]), numbers[::-1]) == (U, U)
        assert both(Unordered([ANY] * 5_000), [1]) == (F, F)


class TestCombined:
    """Matchers of matchers."""

    def test_any_of(self) -> None:
        """Or, in three values."""
        matcher = AnyOf(Gt(5), Contains("x"), None)
        assert both(matcher, 6) == (T, T)
        assert both(matcher, "xy") == (T, T)
        assert both(matcher, None) == (T, T)
        assert both(matcher, "y") == (F, U)

    def test_all_of(self) -> None:
        """And, in three values."""
        matcher = AllOf(Gt(0), Lte(100))
        assert both(matcher, 50) == (T, T)
        assert both(matcher, "50") == (F, T)
        assert both(matcher, 101) == (F, F)
        assert both(AllOf(Gt(0), Contains("x")), "y") == (F, F)

    def test_not_turns_the_polarity(self) -> None:
        """What is negated in a rule that accuses has to hold as recorded: leniency never excuses."""
        assert Not(Contains("ok")).test(["ok"], accuse=True) is True
        assert Not(Contains("rm")).test(["rm"], accuse=False) is False
        assert Not(Eq("ok")).test(" ok", accuse=True) is True
        assert Not(Gt(5)).test("x", accuse=False) is None
        assert Not(Gt(5)).test("x", accuse=True) is True

    @given(st.lists(st.sampled_from([T, F, U])))
    def test_kleene(self, truths: list[Truth]) -> None:
        """And, or and not agree with what every completion of the unknowns has in common."""
        completions: list[list[bool]] = [[]]
        for truth in truths:
            options = [truth] if truth is not None else [True, False]
            completions = [[*before, option] for before in completions[:64] for option in options]
        if len(truths) <= 6:
            for combine, of_known in ((every, all), (some, any)):
                answers = {of_known(completion) for completion in completions}
                assert combine(truths) is (answers.pop() if len(answers) == 1 else None)
        assert every(truths) is negated(some(map(negated, truths)))


class TestAttr:
    """A value that equals an attribute of the scope."""

    def test_nearest_clears_any_accuses(self) -> None:
        """The nearest value clears; any recorded one accuses, and there a number is its text."""
        attributes = {"user": ("u1", "u0"), "account": (42, "x")}
        assert both(Attr("user"), "u1", attributes=attributes) == (T, T)
        assert both(Attr("user"), "u0", attributes=attributes) == (F, T)
        assert both(Attr("user"), " u1", attributes=attributes) == (F, T)
        assert both(Attr("user"), "u2", attributes=attributes) == (F, F)
        assert both(Attr("account"), "42", attributes=attributes) == (F, T)
        assert both(Attr("account"), 42.0, attributes=attributes) == (T, T)
        assert both(Attr("user"), 7, attributes={"user": ("7",)}) == (F, T)

    def test_not_recorded_is_unknown(self) -> None:
        """An attribute that was not recorded is no evidence; a missing value equals none all the same."""
        assert both(Attr("user"), "u1") == (U, U)
        assert both(Not(Attr("user")), "u1") == (U, U)
        assert both(Attr("user"), None) == (F, F)
        assert both(Attr("user"), MISSING) == (F, F)

    def test_reaches_every_depth(self) -> None:
        """Attributes are handed to matchers inside matchers."""
        matcher = Eq({"a": [AnyOf(Some(Attr("user")), All(AllOf(Attr("user"))), Not(Unordered([Attr("user")])), Len(OneOf(Attr("n"))))]})
        assert both(matcher, {"a": [["u"]]}, attributes={"user": ("u",), "n": (5,)}) == (T, T)


@given(scalars)
def test_one_of_is_eq_for_each(value: object) -> None:
    """One of several values answers as the values one by one."""
    options = ["5", 5, None, True, " a", "a", 0, [1], {"a": 1}]
    for accuse in (False, True):
        assert OneOf(options).test(value, accuse=accuse) == some(Eq(option).test(value, accuse=accuse) for option in options)
