"""Matchers on arguments: at a path, anywhere in a value, in text that could not be read."""
# ruff: noqa: PT028 - these functions test values; they are no tests

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Kind, Matcher, kind_of
from otel_toolscore.matchers.date import Date
from otel_toolscore.matchers.host_in import HostIn
from otel_toolscore.matchers.literals import Eq, Literal, OneOf
from otel_toolscore.matchers.logic import AllOf, AnyOf, Some
from otel_toolscore.matchers.numbers import Approx, Bound
from otel_toolscore.matchers.path_under import PathUnder
from otel_toolscore.matchers.text import Contains, FullMatch, Glob, IgnoreCase, Regex
from otel_toolscore.matchers.truth import every, some
from otel_toolscore.model import MISSING, Truth
from otel_toolscore.nested_json import UNREAD, looks_nested, readings, unescapings
from otel_toolscore.paths import Path

MAX_NESTED: Final = 8
"""JSON text inside JSON text inside ... is entered so often; what lies deeper is unknown."""

_POSITIVE: Final = (Approx, Bound, Contains, Date, Eq, FullMatch, Glob, HostIn, IgnoreCase, Literal, OneOf, PathUnder, Regex)


def test_at(path: Path, matcher: Matcher, value: object, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
    """Whether what is at the path of the arguments fits.

    With `[*]`, some item has to where a fit accuses, and every item, of at least one, where it clears. Where it accuses,
    JSON text on the way is entered. A path that leads nowhere is tested as MISSING.
    """
    if path.only is not None and isinstance(value, Mapping):
        return matcher.test(value.get(path.only, MISSING), accuse=accuse, attributes=attributes)
    combined = some if accuse else every
    return combined(
        None if found is UNREAD else matcher.test(found, accuse=accuse, attributes=attributes)
        for _, found in path.candidates(value, nested_text=accuse)
    )


def test_anywhere(matcher: Matcher, value: object, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
    """Whether any string or key in the value, at any depth, fits; False where there is none.

    Where a fit accuses, numbers, lists (for their joined items) and what JSON text holds are tried too, and what the
    matcher cannot compare is passed over: nothing is unknown only because some other string is no number.
    """
    if not accuse:
        return some(matcher.test(found, accuse=False, attributes=attributes) for found in _strings(value))
    unknown = False
    tried = (Kind.TEXT, Kind.NUMBER, Kind.LIST) if _positive(matcher) else (Kind.TEXT,)
    pending = [(value, 0)]
    while pending:
        current, nested = pending.pop()
        kind = kind_of(current)
        if kind in tried and matcher.test(current, accuse=True, attributes=attributes) is True:
            return True
        if kind is Kind.OBJECT:
            pending.extend((item, nested) for pair in current.items() for item in pair)  # type: ignore[attr-defined]
        elif kind is Kind.LIST:
            pending.extend((item, nested) for item in current)  # type: ignore[attr-defined]
        elif isinstance(current, str) and looks_nested(current):
            read = readings(current) if nested < MAX_NESTED else UNREAD
            unknown = unknown or read is UNREAD
            pending.extend((reading, nested + 1) for reading in (() if read is UNREAD else read))
    return None if unknown else False


def _positive(matcher: Matcher) -> bool:
    """Whether a fit says that something is in the value, so that more may be tried than strings."""
    if isinstance(matcher, AnyOf | AllOf):
        return all(map(_positive, matcher.matchers))
    return isinstance(matcher, _POSITIVE)


def _strings(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, Mapping):
            pending.extend(item for pair in current.items() for item in pair)
        elif isinstance(current, list | tuple):
            pending.extend(current)


def test_text(matcher: Matcher, text: str) -> Truth:
    """What a matcher that accuses says of arguments that could not be read, from their text alone.

    True where `$regex` or `$contains` is found in the text, as it stands or with its JSON escapes resolved, as far as that
    decides; else unknown: no more can be told from such text.
    """
    if isinstance(matcher, Regex | Contains):
        return True if any(matcher.test(form, accuse=False) for form in unescapings(text)) else None
    if isinstance(matcher, AnyOf):
        return some(test_text(inner, text) for inner in matcher.matchers)
    if isinstance(matcher, AllOf):
        return every(test_text(inner, text) for inner in matcher.matchers)
    return test_text(matcher.matcher, text) if isinstance(matcher, Some) else None
