"""What is wrong with a policy and where: every fault is collected, and all of them are told at once."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Final

import msgspec

QUOTED_LENGTH: Final = 60


class Fault(msgspec.Struct, frozen=True, order=True):
    """One fault (or one warning) and its place; line and column count from 1, and 0 means the file as a whole."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.message}"


class PolicyError(ValueError):
    """A policy that cannot be fully understood; `faults` are all that is wrong with it, by file and place."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class Warned(msgspec.Struct, frozen=True):
    """A warning, with the rule that it is about: a rule that a later file replaces takes its warnings along."""

    fault: Fault
    rule: str | None = None


class Faults:
    """Collects the faults and warnings of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Fault] = []
        self.warned: list[Warned] = []

    def add(self, place: Placed, message: str) -> None:
        """Note what is wrong at a place."""
        self.found.append(Fault(self.file, place.line, place.column, message))

    def warn(self, place: Placed, message: str, rule: str | None = None) -> None:
        """Note what is allowed but probably not meant."""
        self.warned.append(Warned(Fault(self.file, place.line, place.column, message), rule))

    def where(self, place: Placed) -> str:
        """`file:line:column` of a place."""
        return f"{self.file}:{place.line}:{place.column}"


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """Anything that stands somewhere in a file."""

    line: int = 0
    column: int = 0


def quoted(text: str) -> str:
    """Text of a policy as it is shown in a message: on one line, bounded, control characters escaped."""
    if len(text) > QUOTED_LENGTH:
        text = text[: QUOTED_LENGTH - 3] + "..."
    return "`" + json.dumps(text, ensure_ascii=not text.isprintable())[1:-1].replace('\\"', '"') + "`"


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; None where none is close."""
    folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word[:QUOTED_LENGTH].casefold(), folded, n=1)
    return folded[found[0]] if found else None


def did_you_mean(suggestion: str | None) -> str:
    """The question that follows an unknown word; empty without a suggestion."""
    return f"; did you mean `{suggestion}`?" if suggestion else ""


def listed(words: Iterable[str]) -> str:
    """`a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
