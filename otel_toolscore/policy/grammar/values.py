# ruff: noqa: D102 - what the methods of a kind do is said once, at `Kind`
"""Kinds of single values that mean something of their own: durations, days, paths, matchers, expected values, JSON Schemas."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any, Final

from otel_toolscore import matchers
from otel_toolscore.paths import Path, PathError
from otel_toolscore.policy.faults import closest, did_you_mean, quoted
from otel_toolscore.policy.grammar.kinds import REFUSED, Definitions, Reading, Schema, Single, Text
from otel_toolscore.policy.nodes import Node, place_of, plain

NANOSECONDS: Final = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}


def duration(text: str) -> int:
    """A length of time in nanoseconds: `500ms`, `60s`, `1.5h`."""
    unit = "ms" if text.endswith("ms") else text[-1]
    length = Fraction(text.removesuffix(unit)) * NANOSECONDS[unit]
    if length <= 0 or length.denominator != 1:
        raise ValueError("expected a length of time above 0, in whole nanoseconds")
    return int(length)


def day(text: str) -> dt.date:
    """A calendar day."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{quoted(text)} is not a day of the calendar") from None


def path(text: str) -> Path:
    """A path into arguments or a result."""
    try:
        return Path.parse(text)
    except PathError as error:
        raise ValueError(f"path {quoted(text)}: {error}") from None


def names_operator(key: str) -> bool:
    """Whether a key is an operator (or meant as one) rather than a path, which may begin with `$.` or `$[`."""
    return key.startswith("$") and key[1:2] not in {"", ".", "["}


def tested_path(text: str) -> Path:
    """A path with a matcher below it; what begins with `$` is a matcher that stands one level too high."""
    if names_operator(text):
        question = "" if text in matchers.OPERATORS else did_you_mean(closest(text, matchers.OPERATORS))
        raise ValueError(
            f"{quoted(text)} stands where the path of a value belongs: write PATH: {{{text}: ...}}{question}"
            f" (a key that does begin with `$` is written ['{text}'])"
        )
    return path(text)


def argument_name(text: str) -> str:
    """The name of an argument of an expected call; operators belong one level deeper."""
    if text in matchers.OPERATORS:
        raise ValueError(f"{quoted(text)} stands where the name of an argument belongs: write NAME: {{{text}: ...}}")
    return text


OPERATOR_KEY: Final = r"^\$[^.\[]"
PATH_KEYS: Final[Schema] = {"pattern": r"^([^$]|\$[.\[]|\$$)"}
"""JSON Schema of the keys that `tested_path` takes, as far as their form goes."""
NAME_KEYS: Final[Schema] = {"not": {"enum": list(matchers.OPERATORS)}}
"""JSON Schema of the keys that `argument_name` takes."""


def condition_schema(defs: Definitions) -> Schema:
    """The JSON Schema of a value or a matcher."""
    defs.update(matchers.json_schema())
    return {"$ref": "#/$defs/condition"}


DURATION: Final = Text("a duration", r"^[0-9]{1,9}([.][0-9]{1,9})?(ms|s|m|h|d)$", duration, example="60s")
DAY: Final = Text("a day", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", day, example="2027-01-31")
PATH: Final = Text("a path", parse=path, example="items[*].id")
IDENTIFIER: Final = Text("an id", r"^[^ \t\r\n]([^\t\r\n]*[^ \t\r\n])?$", example="no-rm-rf")


def note_matcher_faults(error: matchers.MatcherError, node: Node, label: str, reading: Reading) -> None:
    """Every fault of a matcher at the place in the file that it is about: an operator's value, or a key that cannot stand there."""
    for fault in error.faults:
        of_key = bool(fault.path) and isinstance(fault.path[-1], str) and fault.path[-1] not in matchers.OPERATORS
        place = place_of(node, fault.path, of_key=of_key)
        reading.faults.add(place, f"`{label}`: {fault.message}{did_you_mean(fault.suggestion)}")


class MatcherValue(Single, frozen=True):
    """A literal, or a matcher; read as a Matcher."""

    def takes(self, node: Node) -> bool:
        del node
        return True

    def build(self, document: object) -> object:
        return matchers.build(document)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        try:
            return self.build(plain(node))
        except matchers.MatcherError as error:
            note_matcher_faults(error, node, label, reading)
            return REFUSED

    def described(self) -> str:
        return "a value or a matcher"

    def schema(self, defs: Definitions) -> Schema:
        return condition_schema(defs)


class ExpectedValue(MatcherValue, frozen=True):
    """The value of an argument of an expected call: a literal that may hold matchers at any depth."""

    def build(self, document: object) -> object:
        return matchers.build_expected(document)


class Literal(Single, frozen=True):
    """Any value, as it is written."""

    def takes(self, node: Node) -> bool:
        del node
        return True

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        del label, reading
        return plain(node)

    def described(self) -> str:
        return "any value"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {}
