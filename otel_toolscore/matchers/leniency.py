"""How text and number matchers take values: as recorded where a fit clears a call, in every plausible reading where it accuses.

In both polarities MISSING and null fit nothing here. A value of another type is False where a fit clears and, after the
readings below, unknown where it accuses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from otel_toolscore.compare import Kind, kind_of, number_in, trimmed
from otel_toolscore.compare.equality import is_nan
from otel_toolscore.matchers.truth import some
from otel_toolscore.model import MISSING, Truth
from otel_toolscore.nested_json import UNREAD, looks_nested, readings, unescapings

MAX_NESTED_LISTS: Final = 20
"""Lists inside lists beyond this depth are not tried: unknown."""
MAX_COSTLY: Final = 2_000
"""So many texts of one argument are looked at by matchers that take long for a text; the rest is unknown."""


def text_truth(value: object, accuse: bool, test: Callable[[str], Truth], *, searches: bool = False, costly: bool = False) -> Truth:
    """What a text matcher says of the value.

    Where it accuses, it also tries numbers as their JSON text, a list's items and its items joined by one space, and
    the list that JSON text is; one that `searches` (is found anywhere) also tries JSON text with its escapes resolved.
    A `costly` test is made at most `MAX_COSTLY` times.
    """
    if isinstance(value, str) and not accuse:
        return test(value)
    if value is MISSING or value is None or not accuse:
        return False
    if isinstance(value, str) and not looks_nested(value):
        return test(value)
    return _reading(value, _bounded(test) if costly else test, searches, 0)


def _bounded(test: Callable[[str], Truth]) -> Callable[[str], Truth]:
    """The test, as often as a costly one may be made; unknown beyond."""
    left = iter(range(MAX_COSTLY))
    return lambda text: None if next(left, None) is None else test(text)


def _reading(value: Any, test: Callable[[str], Truth], searches: bool, depth: int) -> Truth:
    kind = kind_of(value)
    if kind is Kind.TEXT:
        truth = test(value)
        return truth if truth is True or not looks_nested(value) else some([truth, *_nested(value, test, searches, depth)])
    if kind is Kind.NUMBER:
        texts = json_texts(value)
        return some(test(text) for text in texts) if texts else None
    if kind is Kind.LIST and depth < MAX_NESTED_LISTS:
        return _list(value, test, searches, depth)
    return False if kind is Kind.NULL else None


def _nested(text: str, test: Callable[[str], Truth], searches: bool, depth: int) -> list[Truth]:
    truths = [test(form) for form in unescapings(text)] if searches else []
    read = readings(text)
    if read is UNREAD:
        return [*truths, None]
    return truths + [_reading(reading, test, searches, depth + 1) for reading in read if isinstance(reading, list)]


def _list(items: Sequence[object], test: Callable[[str], Truth], searches: bool, depth: int) -> Truth:
    truth = some(_reading(item, test, searches, depth + 1) for item in items)
    if truth is True:
        return True
    together = joined(items)
    # That the joined text is, say, no URL says nothing of the items.
    return True if together and test(together) is True else truth


def joined(items: Sequence[object]) -> str:
    """The texts and numbers of a list, as one text with spaces between."""
    return " ".join(
        item if isinstance(item, str) else next(iter(json_texts(item)), "") for item in items if kind_of(item) in (Kind.TEXT, Kind.NUMBER)
    )


def json_texts(number: Any) -> tuple[str, ...]:
    """The number as JSON writes it, a whole float also without its fraction; empty for integers beyond any use as text."""
    if isinstance(number, float):
        if is_nan(number):
            return ("NaN",)
        if number in (float("inf"), float("-inf")):
            return ("Infinity" if number > 0 else "-Infinity",)
        return (repr(number), str(int(number))) if number.is_integer() else (repr(number),)
    try:
        return (str(number),)
    except ValueError:
        return ()


def number_truth(value: object, accuse: bool, test: Callable[[Any], bool]) -> Truth:
    """What a number matcher says of the value; where it accuses, text that is a JSON number is read. NaN compares with nothing."""
    if type(value) is int:
        return test(value)
    if value is MISSING or value is None:
        return False
    number: Any = value
    kind = kind_of(value)
    if accuse and isinstance(value, str):
        number = number_in(trimmed(value))
    elif kind is not Kind.NUMBER:
        number = None
    if number is None or is_nan(number):
        return None if accuse else False
    return test(number)
