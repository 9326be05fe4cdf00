"""Paths into JSON values: `a.b`, `items[0].id`, `items[*].id`, and `'"a.b"'` or `['a.b']` for a key that has a dot in it.

Grammar: a name is any text without `.`, `[` and `]` that does not begin with a quote; a quoted name stands in double or
single quotes and knows the escapes of JSON. A leading `$.` (as difference paths have it) is allowed, and `$` alone is the
whole value. An exact key wins over nesting: where an object has the key `a.b`, the path `a.b` means that key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from otel_toolscore.model import MISSING, Missing
from otel_toolscore.nested_json import UNREAD, Unread, looks_nested, readings

MAX_STEPS: Final = 100
"""A path with more steps is refused."""

_NAME: Final = re.compile(r"[^.\[\]\"'][^.\[\]]*")
_DOUBLE_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)
_TO_DOUBLE_QUOTES: Final = re.compile(r'\\.|"', re.DOTALL)
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_PLAIN_KEY: Final = re.compile(r"[^.\[\]\"'$\s\\\x00-\x1f\x7f][^.\[\]\"'\s\\\x00-\x1f\x7f]*")

Found = tuple[str, object]
"""A concrete path (`$.a[0].b`) and what is there."""


class PathError(ValueError):
    """A path that cannot be read; `offset` is where in its text."""

    def __init__(self, offset: int, expected: str) -> None:
        super().__init__(f"at offset {offset}: expected {expected}")
        self.offset = offset
        self.expected = expected


class Step(msgspec.Struct, frozen=True):
    """One step of a path: into an object (`keys`), to one item of a list (`index`) or to every item (`each`)."""

    keys: tuple[tuple[str, int], ...] = ()
    """Keys that the step may mean, the most exact first, each with the number of the step that follows it."""
    index: int | None = None
    each: bool = False


class Path(msgspec.Struct, frozen=True):
    """A path as it was written, and its steps."""

    text: str
    steps: tuple[Step, ...]
    wildcard: bool
    """Whether it has `[*]` in it and so may select several values."""
    only: str | None
    """The key, where the path is nothing but one key of the value."""

    @classmethod
    def parse(cls, text: str) -> Path:
        """Read a path; `PathError` says where it is wrong and what was expected there."""
        tokens = _tokens(text)
        steps = tuple(_step(tokens, number) for number in range(len(tokens)))
        only = steps[0].keys[0][0] if len(steps) == 1 and steps[0].keys else None
        return cls(text, steps, any(step.each for step in steps), only)

    def select(self, value: object, *, nested_text: bool = False) -> list[Found]:
        """The values at the path, in their order; empty where there are none. With `nested_text`, JSON text is entered."""
        return [
            (where, found)
            for where, found in self.candidates(value, nested_text=nested_text)
            if found is not MISSING and found is not UNREAD
        ]

    def candidates(self, value: object, *, nested_text: bool = False) -> list[tuple[str, object | Missing | Unread]]:
        """Like `select`, but never empty and without gaps: what is not there is MISSING.

        `[*]` gives one candidate (or more) for each item, and one MISSING where there is no item. With `nested_text`, text
        that is a JSON object or array is entered in each of its readings, and is UNREAD where it is beyond the bounds of
        `nested_json`.
        """
        places = self.places(value)
        if nested_text:
            return [reading for place in places for reading in place.readings]
        return [(place.readings[0][0], place.recorded) for place in places]

    def places(self, value: object) -> list[Place]:
        """The places behind the candidates: a text on the way is one place, whatever the path leads to inside of it."""
        return _walk(self.steps, value, 0, "$")


class Place(msgspec.Struct, frozen=True, gc=False):
    """One place that a path leads to."""

    recorded: object
    """The value as it was recorded; MISSING where there is none, or only inside of a text."""
    readings: tuple[tuple[str, object], ...]
    """What may be there, each with its concrete path: the recorded value alone, or what the path leads to in each reading of
    a text on the way. MISSING where the path leads nowhere, UNREAD where a text is beyond the bounds of `nested_json`."""


def joined(path: str, key: object) -> str:
    """The path of a key below a path; the key is quoted where it would not be read back as it is."""
    name = key if isinstance(key, str) else str(key)
    return f"{path}.{name}" if _PLAIN_KEY.fullmatch(name) else f"{path}[{json.dumps(name)}]"


class _Token(msgspec.Struct, frozen=True):
    name: str | None = None
    quoted: bool = False
    index: int | None = None
    each: bool = False


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    if text[:1] == "$" and text[1:2] in ("", ".", "["):
        at = 1
        if text[1:2] == ".":
            token, at = _name(text, 2)
            tokens.append(token)
    else:
        token, at = _bracket(text, 0) if text[:1] == "[" else _name(text, 0)
        tokens.append(token)
    while at < len(text):
        if text[at] == ".":
            token, at = _name(text, at + 1)
        elif text[at] == "[":
            token, at = _bracket(text, at)
        else:
            raise PathError(at, "`.`, `[` or the end")
        tokens.append(token)
        if len(tokens) > MAX_STEPS:
            raise PathError(at, f"the end: a path has at most {MAX_STEPS} steps")
    return tokens


def _name(text: str, at: int) -> tuple[_Token, int]:
    if text[at : at + 1] in ('"', "'"):
        name, end = _quoted(text, at)
        return _Token(name, quoted=True), end
    match = _NAME.match(text, at)
    if match is None:
        raise PathError(at, "a name" if at < len(text) else "a name, not the end")
    return _Token(match.group()), match.end()


def _bracket(text: str, at: int) -> tuple[_Token, int]:
    start = at + 1
    following = text[start : start + 1]
    if following == "*":
        token, end = _Token(each=True), start + 1
    elif following in ('"', "'"):
        name, end = _quoted(text, start)
        token = _Token(name, quoted=True)
    else:
        match = _INDEX.match(text, start)
        if match is None:
            raise PathError(start, "an index, `*` or a quoted name")
        token, end = _Token(index=int(match.group())), match.end()
    if text[end : end + 1] != "]":
        raise PathError(end, "`]`")
    return token, end + 1


def _quoted(text: str, at: int) -> tuple[str, int]:
    single = text[at] == "'"
    match = (_SINGLE_QUOTED if single else _DOUBLE_QUOTED).match(text, at)
    if match is None:
        raise PathError(at, f"a closing {text[at]}")
    inner = match.group()[1:-1]
    if single:
        inner = _TO_DOUBLE_QUOTES.sub(lambda found: {"\\'": "'", '"': '\\"'}.get(found.group(), found.group()), inner)
    try:
        return str(json.loads(f'"{inner}"', strict=False)), match.end()
    except ValueError:
        raise PathError(at, "a quoted name with the escapes of JSON") from None


def _step(tokens: list[_Token], number: int) -> Step:
    token = tokens[number]
    if token.name is None:
        return Step(index=token.index, each=token.each)
    if token.quoted:
        return Step(keys=((token.name, number + 1),))
    keys = [(token.name, number + 1)]
    for last in range(number + 1, len(tokens)):
        name = tokens[last].name
        if name is None or tokens[last].quoted:
            break
        keys.append((f"{keys[-1][0]}.{name}", last + 1))
    return Step(keys=tuple(reversed(keys)))


def _place(where: str, value: object) -> list[Place]:
    return [Place(value, ((where, value),))]


def _walk(steps: tuple[Step, ...], value: object, number: int, where: str) -> list[Place]:
    if number == len(steps):
        return _place(where, value)
    if isinstance(value, str):
        return _inside(steps, value, number, where)
    step = steps[number]
    if step.keys:
        return _enter(steps, value, number, where)
    if isinstance(value, list | tuple):
        wanted = range(len(value)) if step.index is None else range(step.index, min(step.index + 1, len(value)))
        if wanted:
            return [place for at in wanted for place in _walk(steps, value[at], number + 1, f"{where}[{at}]")]
    return _place(f"{where}[{'*' if step.index is None else step.index}]", MISSING)


def _enter(steps: tuple[Step, ...], value: object, number: int, where: str) -> list[Place]:
    """The first of the step's keys that leads to something; else the most exact one that the object has."""
    keys = steps[number].keys
    dead_end: list[Place] | None = None
    if isinstance(value, Mapping):
        for key, following in keys:
            if key in value:
                places = _walk(steps, value[key], following, joined(where, key))
                if any(there is not MISSING for place in places for _, there in place.readings):
                    return places
                dead_end = dead_end or places
    return dead_end or _place(joined(where, keys[-1][0]), MISSING)


def _inside(steps: tuple[Step, ...], text: str, number: int, where: str) -> list[Place]:
    """What the path leads to in a text, as one place."""
    read = readings(text) if looks_nested(text) else ()
    if read is UNREAD:
        return [Place(MISSING, ((where, UNREAD),))]
    if not read:
        step = steps[number]
        return _place(joined(where, step.keys[-1][0]) if step.keys else f"{where}[{'*' if step.index is None else step.index}]", MISSING)
    inner = [place for reading in read for place in _walk(steps, reading, number, where)]
    return [Place(MISSING, tuple(found for place in inner for found in place.readings))]
