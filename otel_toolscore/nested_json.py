"""JSON inside text: arguments that hold a whole document as a string.

Used only where a rule accuses. Bounds, so that no argument can stall or exhaust a scorer: `MAX_CHARACTERS` of text,
`MAX_VALUES` in it, `MAX_DEPTH` nested brackets, `MAX_QUOTINGS` times a JSON string around the document. Text that looks like a document but
lies beyond them is `UNREAD`: nobody may conclude from it that something is absent.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterator
from typing import Any, Final

MAX_CHARACTERS: Final = 1_200_000
MAX_VALUES: Final = 20_000
MAX_DEPTH: Final = 200
MAX_QUOTINGS: Final = 3
MAX_DIGITS: Final = 4_300
"""Longer integers are read as floats (that is, as infinity): decimal conversion is quadratic."""

_AROUND: Final = " \t\r\n\ufeff"
_CLOSING: Final = {"{": "}", "[": "]", '"': '"'}
_TOKENS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_ESCAPES: Final = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])")
_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Unread(enum.Enum):
    """Text that looks like a JSON document but lies beyond the bounds."""

    UNREAD = "unread"

    def __repr__(self) -> str:
        return "UNREAD"


UNREAD: Final = Unread.UNREAD


def looks_nested(text: str) -> bool:
    """Whether the text might be a JSON object or array (or a JSON string around one); cheap, with false positives."""
    return text[:1] in _CLOSING or (text[:1] in _AROUND and text.lstrip(_AROUND)[:1] in _CLOSING)


def readings(text: str) -> tuple[object, ...] | Unread:
    """What a JSON parser may make of the text: objects and arrays only.

    Empty where the text is no such document. Two readings where an object has a key twice, since parsers disagree about
    which one counts. NaN and Infinity are read.
    """
    for _ in range(MAX_QUOTINGS + 1):
        text = text.strip(_AROUND)
        first = text[:1]
        if len(text) < 2 or _CLOSING.get(first) != text[-1]:
            return ()
        if len(text) > MAX_CHARACTERS or text.count(",") > MAX_VALUES or _deeper_than(text, MAX_DEPTH):
            return UNREAD
        found, doubled = _decode(text, last_wins=True)
        if not isinstance(found, str):
            break
        text = found
    if not isinstance(found, dict | list):
        return ()
    return (found, _decode(text, last_wins=False)[0]) if doubled else (found,)


def unescapings(text: str) -> Iterator[str]:
    """The text, then the text with its JSON string escapes resolved wherever they stand, again while it changes, up to
    `MAX_QUOTINGS` times."""
    yield text
    for _ in range(MAX_QUOTINGS):
        resolved = _ESCAPES.sub(lambda match: _unescape(match.group()), text) if "\\" in text else text
        if resolved == text:
            return
        yield resolved
        text = resolved


def _unescape(escape: str) -> str:
    if escape[1] != "u":
        return _CONTROLS.get(escape[1], escape[1])
    if len(escape) == 6:
        return chr(int(escape.removeprefix("\\u"), base=16))
    high, low = int(escape[2:6], 16), int(escape[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _deeper_than(text: str, bound: int) -> bool:
    if text.count("[") + text.count("{") <= bound:
        return False
    depth = 0
    for match in _TOKENS.finditer(text):
        first = text[match.start()]
        if first in "[{":
            depth += 1
            if depth > bound:
                return True
        elif first in "]}":
            depth -= 1
    return False


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


_WITHOUT_KEYS: Final = json.JSONDecoder(parse_int=_integer, strict=False)


def _decode(text: str, *, last_wins: bool) -> tuple[Any, bool]:
    """The document (None where it is none) and whether an object in it has a key twice."""
    if "{" not in text:
        try:
            return _WITHOUT_KEYS.decode(text), False
        except (ValueError, RecursionError):
            return None, False
    doubled = False

    def built(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal doubled
        found = dict(pairs if last_wins else reversed(pairs))
        doubled = doubled or len(found) < len(pairs)
        return found

    try:
        return json.loads(text, object_pairs_hook=built, parse_int=_integer, strict=False), doubled
    except (ValueError, RecursionError):
        return None, False
