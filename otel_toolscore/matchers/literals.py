"""Matchers that compare with given values."""
# ruff: noqa: D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Kind, Matcher, canonical, equal, has_matchers, kind_of
from otel_toolscore.compare.equality import scalars_equal
from otel_toolscore.compare.pairing import all_paired, paired_by_form
from otel_toolscore.matchers.faults import refused
from otel_toolscore.matchers.leniency import json_texts
from otel_toolscore.matchers.truth import some
from otel_toolscore.model import MISSING, Missing, Truth
from otel_toolscore.nested_json import UNREAD, readings

_CONTAINERS = (Kind.LIST, Kind.OBJECT)


def literal_truth(expected: object, actual: object, *, accuse: bool, attributes: Attributes) -> Truth:
    """Whether the actual value is the expected one.

    Where a fit accuses: strings but for whitespace at their ends, an object may have further keys, JSON text is read where
    an object or list is expected. Where it clears: exactly. Text and numbers are never the same. Matchers may stand
    anywhere in the expected value.
    """
    kind = kind_of(expected)
    if kind not in _CONTAINERS and not isinstance(expected, Matcher):
        return kind is kind_of(actual) and scalars_equal(expected, actual, kind, not accuse)
    unknown = False
    pending: list[tuple[Any, Any]] = [(expected, actual)]
    while pending:
        wanted, got = pending.pop()
        if isinstance(wanted, Matcher):
            truth = wanted.test(got, accuse=accuse, attributes=attributes)
        else:
            kind, other = kind_of(wanted), kind_of(got)
            if kind is other:
                truth = _same_kind(wanted, got, kind, accuse, pending)
            else:
                reads = accuse and kind in _CONTAINERS and other is Kind.TEXT
                truth = _nested_truth(wanted, got, attributes) if reads else False
        if truth is False:
            return False
        unknown = unknown or truth is None
    return None if unknown else True


def _same_kind(wanted: Any, got: Any, kind: Kind, accuse: bool, pending: list[tuple[Any, Any]]) -> bool:
    """Whether two values of one kind are the same as far as their parts are, which become pending."""
    if kind is Kind.OBJECT:
        pending.extend((value, got.get(key, MISSING)) for key, value in wanted.items())
        return accuse or all(key in wanted for key in got)
    if kind is Kind.LIST:
        pending.extend(zip(wanted, got, strict=False))
        return len(wanted) == len(got)
    return scalars_equal(wanted, got, kind, not accuse)


def _nested_truth(wanted: object, text: str, attributes: Attributes) -> Truth:
    read = readings(text)
    if read is UNREAD:
        return None
    return some(literal_truth(wanted, reading, accuse=True, attributes=attributes) for reading in read)


def spelled_value(value: object) -> Any:
    """An expected value as a policy spells it: matchers by their operators, other objects with `$` keys as `$literal`."""
    if isinstance(value, Matcher):
        return value.spelled()
    if isinstance(value, Mapping):
        if any(isinstance(key, str) and key.startswith("$") for key in value):
            return {"$literal": dict(value)}
        return {key: spelled_value(item) for key, item in value.items()} if has_matchers(value) or has_operators(value) else dict(value)
    if isinstance(value, list | tuple):
        return [spelled_value(item) for item in value] if has_matchers(value) or has_operators(value) else list(value)
    return value


def has_operators(value: object) -> bool:
    """Whether any object in the value has a key that begins with `$`."""
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, Mapping):
            if any(isinstance(key, str) and key.startswith("$") for key in current):
                return True
            pending.extend(current.values())
        elif isinstance(current, list | tuple):
            pending.extend(current)
    return False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Eq(Matcher):
    """The value is this one (see `literal_truth` for what that means in each polarity)."""

    value: object

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return literal_truth(self.value, value, accuse=accuse, attributes=attributes)

    def spelled(self) -> dict[str, Any]:
        spelled = spelled_value(self.value)
        is_literal = isinstance(spelled, dict) and "$literal" in spelled and not isinstance(self.value, Matcher)
        return spelled if is_literal else {"$eq": spelled}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Literal(Matcher):
    """The value is this one, in which keys that begin with `$` are keys and no operators."""

    value: object

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return literal_truth(self.value, value, accuse=accuse, attributes=attributes)

    def spelled(self) -> dict[str, Any]:
        return {"$literal": self.value}


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class OneOf(Matcher):
    """The value is one of these: `OneOf("a", "b")` or `OneOf(["a", "b"])`."""

    values: tuple[object, ...]
    _scalars: tuple[frozenset[object], frozenset[object]] = field(repr=False)
    _others: tuple[object, ...] = field(repr=False)

    def __init__(self, *values: object) -> None:
        if len(values) == 1 and isinstance(values[0], list | tuple | set | frozenset):
            values = tuple(values[0])
        if not values:
            raise refused("`$one_of` takes a list of at least one value")
        scalars = [value for value in values if not isinstance(value, Matcher) and kind_of(value) not in _CONTAINERS]
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_scalars", tuple(frozenset(canonical(value, strict) for value in scalars) for strict in (False, True)))
        object.__setattr__(self, "_others", tuple(value for value in values if isinstance(value, Matcher) or kind_of(value) in _CONTAINERS))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        strict = not accuse
        if kind_of(value) not in _CONTAINERS and value is not MISSING and canonical(value, strict) in self._scalars[strict]:
            return True
        return some(literal_truth(option, value, accuse=accuse, attributes=attributes) for option in self._others)

    def spelled(self) -> dict[str, Any]:
        return {"$one_of": [spelled_value(value) for value in self.values]}

    def __repr__(self) -> str:
        return f"OneOf({', '.join(map(repr, self.values))})"


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Unordered(Matcher):
    """The value is a list of exactly these items, each as often as here, in any order: `Unordered(["a", "b"])`."""

    items: tuple[object, ...]

    def __init__(self, items: object) -> None:
        if not isinstance(items, list | tuple):
            raise refused("`$unordered` takes a list")
        object.__setattr__(self, "items", tuple(items))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        if value is MISSING or value is None:
            return False
        if accuse and isinstance(value, str):
            read = readings(value)
            lists = [reading for reading in read if isinstance(reading, list)] if read is not UNREAD else []
            return some(self._holds(items, accuse, attributes) for items in lists) if lists else None
        if not isinstance(value, list | tuple):
            return None if accuse else False
        return self._holds(value, accuse, attributes)

    def _holds(self, items: list[Any] | tuple[Any, ...], accuse: bool, attributes: Attributes) -> Truth:
        if len(items) != len(self.items):
            return False

        def fits(row: int, column: int) -> Truth:
            return literal_truth(self.items[row], items[column], accuse=accuse, attributes=attributes)

        strict = not accuse
        forms = [None if has_matchers(item) else (canonical(item, strict),) for item in self.items]
        start = paired_by_form(forms, [(canonical(item, strict),) for item in items])
        return all_paired(start, len(items), fits)

    def spelled(self) -> dict[str, Any]:
        return {"$unordered": [spelled_value(item) for item in self.items]}

    def __repr__(self) -> str:
        return f"Unordered({list(self.items)!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attr(Matcher):
    """The value equals the attribute of this name of the scope around the call.

    Where a fit clears, the nearest value counts, exactly; where it accuses, any of the values recorded for the scopes
    around, the resource and the baggage, and a number equals its text. Unknown where no value was recorded.
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise refused("`$attr` takes the name of an attribute")

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        if value is MISSING or value is None:
            return False
        recorded = attributes.get(self.name, ())
        if not recorded:
            return None
        if not accuse:
            return equal(recorded[0], value, strict=True)
        return any(equal(one, other) for one in recorded for other in self._forms(value, one))

    @staticmethod
    def _forms(value: Any, recorded: object) -> tuple[object, ...]:
        if kind_of(value) is Kind.NUMBER and isinstance(recorded, str):
            return json_texts(value)
        if isinstance(value, str) and kind_of(recorded) is Kind.NUMBER:
            return (recorded,) if value.strip() in json_texts(recorded) else ()
        return (value,)

    def spelled(self) -> dict[str, Any]:
        return {"$attr": self.name}
