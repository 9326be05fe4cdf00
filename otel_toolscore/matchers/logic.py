"""Matchers about presence, type and size, and those made of other matchers."""
# ruff: noqa: ARG002, D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Kind, Matcher, kind_of
from otel_toolscore.matchers.faults import nearest, refused
from otel_toolscore.matchers.literals import Eq
from otel_toolscore.matchers.truth import every, negated, some
from otel_toolscore.model import MISSING, Missing, Truth
from otel_toolscore.nested_json import UNREAD, readings

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_PYTHON_TYPES: Final[dict[object, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
}
_TYPES_OF: Final = {
    Kind.NULL: ("null",),
    Kind.BOOLEAN: ("boolean",),
    Kind.TEXT: ("string",),
    Kind.LIST: ("array",),
    Kind.OBJECT: ("object",),
}


def as_matcher(value: object) -> Matcher:
    """The value, if it is a matcher, else that it equals this one."""
    return value if isinstance(value, Matcher) else Eq(value)


def spelled_condition(matcher: Matcher) -> Any:
    """A matcher as it is spelled where a value or a matcher may stand: a plain value without its `$eq`."""
    spelled = matcher.spelled()
    return spelled["$eq"] if isinstance(matcher, Eq) and "$eq" in spelled else spelled


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnyValue(Matcher):
    """Any value that is there, null too: `ANY`."""

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return value is not MISSING

    def spelled(self) -> dict[str, Any]:
        return {"$any": True}

    def __repr__(self) -> str:
        return "ANY"


ANY: Final = AnyValue()
"""Any value that is there, null too."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Exists(Matcher):
    """There is a value at the path, null too; `Exists(False)`: there is none."""

    present: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.present, bool):
            raise refused("`$exists` takes true or false")

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return (value is not MISSING) is self.present

    def spelled(self) -> dict[str, Any]:
        return {"$exists": self.present}


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Not(Matcher):
    """The matcher does not fit: true exactly when it is false, so also on a missing path and on another type.

    It turns the polarity of what is in it.
    """

    matcher: Matcher

    def __init__(self, matcher: object) -> None:
        object.__setattr__(self, "matcher", as_matcher(matcher))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return negated(self.matcher.test(value, accuse=not accuse, attributes=attributes))

    def spelled(self) -> dict[str, Any]:
        return {"$not": spelled_condition(self.matcher)}


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class AnyOf(Matcher):
    """At least one of the matchers fits: `AnyOf(Regex("a"), Gt(5))`."""

    matchers: tuple[Matcher, ...]

    def __init__(self, *matchers: object) -> None:
        if not matchers:
            raise refused("`$any_of` takes a list of at least one matcher")
        object.__setattr__(self, "matchers", tuple(map(as_matcher, matchers)))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return some(matcher.test(value, accuse=accuse, attributes=attributes) for matcher in self.matchers)

    def spelled(self) -> dict[str, Any]:
        return {"$any_of": [spelled_condition(matcher) for matcher in self.matchers]}

    def __repr__(self) -> str:
        return f"AnyOf({', '.join(map(repr, self.matchers))})"


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class AllOf(Matcher):
    """All of the matchers fit; spelled as several `$` keys in one object, so each operator at most once."""

    matchers: tuple[Matcher, ...]

    def __init__(self, *matchers: Matcher) -> None:
        if not matchers:
            raise refused("at least one matcher is needed")
        operators = [operator for matcher in matchers for operator in matcher.spelled()]
        if len(operators) != len(set(operators)):
            raise refused("several matchers on one value are of different operators")
        object.__setattr__(self, "matchers", matchers)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return every(matcher.test(value, accuse=accuse, attributes=attributes) for matcher in self.matchers)

    def spelled(self) -> dict[str, Any]:
        return {operator: argument for matcher in self.matchers for operator, argument in matcher.spelled().items()}

    def __repr__(self) -> str:
        return f"AllOf({', '.join(map(repr, self.matchers))})"


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class IsType(Matcher):
    """The value is of one of the JSON types: `IsType("string", "null")`, or Python's: `IsType(str, None)`.

    5.0 is an integer, as in JSON Schema; a boolean is no number.
    """

    types: tuple[str, ...]

    def __init__(self, *types: object) -> None:
        if len(types) == 1 and isinstance(types[0], list | tuple):
            types = tuple(types[0])
        if not types:
            raise refused("`$type` takes a JSON type or a list of at least one")
        object.__setattr__(self, "types", tuple(map(_type_name, types)))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        if value is MISSING:
            return False
        if any(name in self.types for name in types_of(value)):
            return True
        if not accuse or not isinstance(value, str) or not {"array", "object"} & set(self.types):
            return False
        read = readings(value)
        return None if read is UNREAD else any(name in self.types for reading in read for name in types_of(reading))

    def spelled(self) -> dict[str, Any]:
        return {"$type": self.types[0] if len(self.types) == 1 else list(self.types)}

    def __repr__(self) -> str:
        return f"IsType({', '.join(map(repr, self.types))})"


def _type_name(wanted: object) -> str:
    name = wanted if isinstance(wanted, str) else "null" if wanted is None else _PYTHON_TYPES.get(wanted)
    if name not in TYPES:
        raise refused(f"`$type` takes one of {', '.join(TYPES)}", nearest(name, TYPES) if name else None)
    return name


def types_of(value: Any) -> tuple[str, ...]:
    """The JSON types of the value."""
    kind = kind_of(value)
    if kind is Kind.NUMBER:
        return ("integer", "number") if isinstance(value, int) or (isinstance(value, float) and value.is_integer()) else ("number",)
    return _TYPES_OF.get(kind, ())


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Len(Matcher):
    """The length fits: code points of a text, items of a list, keys of an object. `Len(3)`, `Len(Gt(3))`."""

    length: Matcher

    def __init__(self, length: object) -> None:
        counts = isinstance(length, int) and not isinstance(length, bool) and length >= 0
        if not counts and not isinstance(length, Matcher):
            raise refused("`$len` takes an integer of at least 0 or a matcher")
        object.__setattr__(self, "length", as_matcher(length))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        sized: list[Any] = [value] if kind_of(value) in (Kind.TEXT, Kind.LIST, Kind.OBJECT) else []
        if not sized:
            return None if accuse and value is not None and value is not MISSING else False
        unread = False
        if accuse and isinstance(value, str):
            read = readings(value)
            unread = read is UNREAD
            sized += () if read is UNREAD else read
        truth = some(self.length.test(len(one), accuse=accuse, attributes=attributes) for one in sized)
        return None if unread and truth is False else truth

    def spelled(self) -> dict[str, Any]:
        return {"$len": spelled_condition(self.length)}


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class All(Matcher):
    """Every item of the list fits; an empty list does."""

    matcher: Matcher

    def __init__(self, matcher: object) -> None:
        object.__setattr__(self, "matcher", as_matcher(matcher))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        lists = lists_in(value, accuse)
        if not isinstance(lists, list):
            return lists
        return some(every(self.matcher.test(item, accuse=accuse, attributes=attributes) for item in items) for items in lists)

    def spelled(self) -> dict[str, Any]:
        return {"$all": spelled_condition(self.matcher)}


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Some(Matcher):
    """At least one item of the list fits; of an empty list none does."""

    matcher: Matcher

    def __init__(self, matcher: object) -> None:
        object.__setattr__(self, "matcher", as_matcher(matcher))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        lists = lists_in(value, accuse)
        if not isinstance(lists, list):
            return lists
        return some(self.matcher.test(item, accuse=accuse, attributes=attributes) for items in lists for item in items)

    def spelled(self) -> dict[str, Any]:
        return {"$some": spelled_condition(self.matcher)}


def lists_in(value: object, accuse: bool) -> list[Any] | Truth:
    """The lists that the value may be read as; where there is none, what a list matcher then says."""
    if value is MISSING or value is None:
        return False
    if isinstance(value, list | tuple):
        return [value]
    if not accuse:
        return False
    read = readings(value) if isinstance(value, str) else ()
    lists = [reading for reading in read if isinstance(reading, list)] if read is not UNREAD else []
    return lists or None
