"""Matchers on text."""
# ruff: noqa: ARG002, D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from otel_toolscore import regex
from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Matcher, trimmed
from otel_toolscore.matchers.faults import refused
from otel_toolscore.matchers.leniency import text_truth
from otel_toolscore.model import Missing, Truth


def _check_text(operator: str, value: object) -> None:
    if not isinstance(value, str):
        raise refused(f"`{operator}` takes a text")


def _check_expression(operator: str, pattern: object) -> None:
    _check_text(operator, pattern)
    try:
        regex.compiled(str(pattern))
    except regex.RegexError as error:
        raise refused(f"`{operator}` takes a regular expression as RE2 does: {error}") from None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Regex(Matcher):
    """The regular expression (RE2, `.` matches newlines too) is found anywhere in the text."""

    pattern: str

    def __post_init__(self) -> None:
        _check_expression("$regex", self.pattern)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return text_truth(value, accuse, regex.compiled(self.pattern).found_in, searches=True)

    def spelled(self) -> dict[str, Any]:
        return {"$regex": self.pattern}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FullMatch(Matcher):
    """The regular expression (RE2, `.` matches newlines too) matches the whole text."""

    pattern: str

    def __post_init__(self) -> None:
        _check_expression("$fullmatch", self.pattern)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return text_truth(value, accuse, regex.compiled(self.pattern).fits)

    def spelled(self) -> dict[str, Any]:
        return {"$fullmatch": self.pattern}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Glob(Matcher):
    """The glob fits the whole text: `*` is any run of characters, `?` is one, all else is itself."""

    pattern: str

    def __post_init__(self) -> None:
        _check_text("$glob", self.pattern)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return text_truth(value, accuse, regex.glob(self.pattern).fits)

    def spelled(self) -> dict[str, Any]:
        return {"$glob": self.pattern}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contains(Matcher):
    """The text is found anywhere in the value's text, case and all. (For an item of a list: `Some`.)"""

    text: str

    def __post_init__(self) -> None:
        _check_text("$contains", self.text)
        if not self.text:
            raise refused("`$contains` takes a text that is not empty: every text contains the empty one")

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return text_truth(value, accuse, lambda text: self.text in text, searches=True)

    def spelled(self) -> dict[str, Any]:
        return {"$contains": self.text}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IgnoreCase(Matcher):
    """The text is this one but for case (after case folding)."""

    text: str

    def __post_init__(self) -> None:
        _check_text("$ignore_case", self.text)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        def same(text: str) -> bool:
            return text.casefold() == self.text.casefold() or (accuse and trimmed(text).casefold() == trimmed(self.text).casefold())

        return text_truth(value, accuse, same)

    def spelled(self) -> dict[str, Any]:
        return {"$ignore_case": self.text}
