"""Matchers on arguments: at a path, anywhere in a value, in text that could not be read."""
# ruff: noqa: PT028 - these functions test values; they are no tests

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Kind, Matcher, kind_of
from otel_toolscore.matchers.date import Date
from otel_toolscore.matchers.host_in import HostIn
from otel_toolscore.matchers.leniency import MAX_COSTLY, joined
from otel_toolscore.matchers.literals import Eq, Literal, OneOf
from otel_toolscore.matchers.logic import AllOf, AnyOf, Not, Some
from otel_toolscore.matchers.numbers import Approx, Bound
from otel_toolscore.matchers.path_under import PathUnder
from otel_toolscore.matchers.text import Contains, FullMatch, Glob, IgnoreCase, Regex
from otel_toolscore.matchers.truth import every, negated, some
from otel_toolscore.model import MISSING, Truth
from otel_toolscore.nested_json import UNREAD, looks_nested, readings, unescapings
from otel_toolscore.paths import Path

MAX_NESTED: Final = 8
"""JSON text inside JSON text inside ... is entered so often; what lies deeper is unknown."""

_ON_TEXT: Final = (Contains, Date, FullMatch, Glob, HostIn, IgnoreCase, PathUnder, Regex)
_AS_WRITTEN: Final = (Contains, FullMatch, Glob, Regex)
"""Those that say the same of a text in both polarities."""
_POSITIVE: Final = (Approx, Bound, Contains, Date, Eq, FullMatch, Glob, HostIn, IgnoreCase, Literal, OneOf, PathUnder, Regex)


def test_at(path: Path, matcher: Matcher, value: object, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
    """Whether what is at the path of the arguments fits.

    With `[*]`, some item has to where a fit accuses, and every item, of at least one, where it clears. Where it accuses,
    JSON text on the way is entered. A path that leads nowhere is tested as MISSING.
    """
    if path.only is not None and isinstance(value, Mapping):
        return matcher.test(value.get(path.only, MISSING), accuse=accuse, attributes=attributes)
    places = path.places(value)
    if accuse:
        return some(_at_place(matcher, place.recorded, (reading,), True, attributes) for place in places for _, reading in place.readings)
    return every(_at_place(matcher, place.recorded, [reading for _, reading in place.readings], False, attributes) for place in places)


def _at_place(matcher: Matcher, recorded: object, readings: Iterable[object], accuse: bool, attributes: Attributes) -> Truth:
    """What the matcher says of one place: where a fit accuses, of its readings, where it clears, of what was recorded there.

    `$not` turns the polarity, and with it what is looked at: text that was entered to accuse clears nothing.
    """
    if isinstance(matcher, Not):
        return negated(_at_place(matcher.matcher, recorded, readings, not accuse, attributes))
    if isinstance(matcher, AllOf | AnyOf):
        combined = every if isinstance(matcher, AllOf) else some
        return combined(_at_place(inner, recorded, readings, accuse, attributes) for inner in matcher.matchers)
    if not accuse:
        return matcher.test(recorded, accuse=False, attributes=attributes)
    return some(None if reading is UNREAD else matcher.test(reading, accuse=True, attributes=attributes) for reading in readings)


def test_anywhere(matcher: Matcher, value: object, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
    """Whether any string or key in the value, at any depth, fits; False where there is none.

    Where a fit accuses, numbers, lists (for their joined items) and what JSON text holds are tried too, and what the
    matcher cannot compare is passed over: nothing is unknown only because some other string is no number. Where it clears,
    `$not` is about all of them: no reading of any string or key fits what is in it.
    """
    if not accuse:
        return _clears(matcher, value, attributes)
    unknown = False
    tried = (Kind.TEXT, Kind.NUMBER, Kind.LIST) if _positive(matcher) else (Kind.TEXT,)
    leaves = _alternatives(matcher)
    on_joined = all(isinstance(leaf, _ON_TEXT) for leaf in leaves)
    as_text = all(isinstance(leaf, _AS_WRITTEN) for leaf in leaves)
    left = MAX_COSTLY if costly(matcher) else -1
    pending = [(value, 0)]
    while pending:
        current, nested = pending.pop()
        kind = kind_of(current)
        if kind in tried:
            if left == 0:
                return None
            left -= 1
            # What is in a list or in JSON text is still to come, so that where only text counts it need not be read here.
            tested = joined(current) if kind is Kind.LIST and on_joined else current  # type: ignore[arg-type]
            if as_text and isinstance(tested, str) and looks_nested(tested):
                if any(leaf.test(form, accuse=False) for leaf in leaves for form in _forms(leaf, tested)):
                    return True
            elif matcher.test(tested, accuse=True, attributes=attributes) is True:
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


def _clears(matcher: Matcher, value: object, attributes: Attributes) -> Truth:
    if isinstance(matcher, Not):
        found = test_anywhere(matcher.matcher, value, accuse=True, attributes=attributes)
        return negated(found) if any(True for _ in _strings(value)) else False
    if isinstance(matcher, AnyOf):
        return some(_clears(inner, value, attributes) for inner in matcher.matchers)
    if isinstance(matcher, AllOf):
        negations = [inner for inner in matcher.matchers if isinstance(inner, Not)]
        others = [inner for inner in matcher.matchers if not isinstance(inner, Not)]
        if negations:
            return every(_clears(part, value, attributes) for part in [*([AllOf(*others)] if others else []), *negations])
    return some(matcher.test(found, accuse=False, attributes=attributes) for found in _strings(value))


def _positive(matcher: Matcher) -> bool:
    """Whether a fit says that something is in the value, so that more may be tried than strings."""
    if isinstance(matcher, AnyOf | AllOf):
        return all(map(_positive, matcher.matchers))
    return isinstance(matcher, _POSITIVE)


def _alternatives(matcher: Matcher) -> list[Matcher]:
    """The matchers of which one has to fit."""
    if isinstance(matcher, AnyOf):
        return [leaf for inner in matcher.matchers for leaf in _alternatives(inner)]
    return [matcher]


def _forms(matcher: Matcher, text: str) -> Iterable[str]:
    """The forms of a text, as text, in which the matcher looks for its pattern."""
    return unescapings(text) if isinstance(matcher, Regex | Contains) else (text,)


def costly(matcher: Matcher) -> bool:
    """Whether the matcher takes long for a text."""
    if isinstance(matcher, AnyOf | AllOf):
        return any(map(costly, matcher.matchers))
    return isinstance(matcher, HostIn | PathUnder)


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


def test_text(matcher: Matcher, text: str, *, accuse: bool = True) -> Truth:
    """What a matcher says of arguments that could not be read, from their text alone.

    `$regex` and `$contains` that accuse are true where they are found in the text, as it stands or with its JSON escapes
    resolved; `$not` turns that, and the polarity with it. All else is unknown: no more can be told from such text.
    """
    if isinstance(matcher, Not):
        return negated(test_text(matcher.matcher, text, accuse=not accuse))
    if isinstance(matcher, AnyOf):
        return some(test_text(inner, text, accuse=accuse) for inner in matcher.matchers)
    if isinstance(matcher, AllOf):
        return every(test_text(inner, text, accuse=accuse) for inner in matcher.matchers)
    if isinstance(matcher, Some):
        return test_text(matcher.matcher, text, accuse=accuse)
    if accuse and isinstance(matcher, Regex | Contains):
        return True if any(matcher.test(form, accuse=False) for form in unescapings(text)) else None
    return None
