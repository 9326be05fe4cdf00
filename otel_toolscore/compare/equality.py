"""When two JSON values are the same: typed and exact on meaning.

Keys stand in any order; 5 equals 5.0 and -0 equals 0, integers of any size are compared exactly; true is not 1; NaN
equals NaN. Unless strict, space, tab, CR and LF at the ends of a string are ignored if no newline is inside it. Nothing
here recurses, so depth is bounded by memory alone. Values are trees, as JSON is.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from otel_toolscore.model import MISSING

WHITESPACE: Final = " \t\r\n"
MAX_DIGITS: Final = 4_300
"""Text with more characters is not read as a number."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


class Kind(enum.Enum):
    """What a value is in JSON; its text is the name that messages use."""

    MISSING = "nothing"
    NULL = "null"
    BOOLEAN = "a boolean"
    NUMBER = "a number"
    TEXT = "text"
    LIST = "a list"
    OBJECT = "an object"
    FOREIGN = "a value that is not JSON"


_KINDS: Final[dict[type, Kind]] = {
    type(MISSING): Kind.MISSING,
    type(None): Kind.NULL,
    bool: Kind.BOOLEAN,
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    Decimal: Kind.NUMBER,
    Fraction: Kind.NUMBER,
    str: Kind.TEXT,
    list: Kind.LIST,
    tuple: Kind.LIST,
    dict: Kind.OBJECT,
}
_EXACT: Final = frozenset({int, float})
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_BASES: Final = ((str, Kind.TEXT), (int, Kind.NUMBER), (float, Kind.NUMBER), (list | tuple, Kind.LIST), (Mapping, Kind.OBJECT))


def kind_of(value: object) -> Kind:
    """What the value is; subclasses count as their JSON type."""
    kind = _KINDS.get(type(value))
    if kind is None:
        kind = next((kind for base, kind in _BASES if isinstance(value, base)), Kind.FOREIGN)
    return kind


def trimmed(text: str) -> str:
    """The text without whitespace at its ends; as it is, where a newline is inside."""
    inner = text.strip(WHITESPACE)
    if inner is text:
        return text
    return text if "\n" in inner or "\r" in inner else inner


def number_in(text: str) -> int | float | None:
    """The number that the text is by the grammar of JSON; None for any other text, and beyond `MAX_DIGITS` characters.

    As parsers do, a number with a fraction or an exponent is read as a double.
    """
    if len(text) > MAX_DIGITS:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    return int(text) if match.group(1) is None and match.group(2) is None else float(text)


def is_nan(number: Any) -> bool:
    """Whether the number is not one; for a Decimal a signalling NaN too."""
    return number.is_nan() if isinstance(number, Decimal) else bool(number != number)


def equal(a: object, b: object, strict: bool = False) -> bool:
    """Whether the two values are the same (see the module); an equivalence, with `strict` or without."""
    pending: list[tuple[Any, Any]] = [(a, b)]
    while pending:
        x, y = pending.pop()
        if x is y:
            continue
        kind = kind_of(x)
        if kind is not kind_of(y):
            return False
        if kind is Kind.OBJECT:
            if len(x) != len(y):
                return False
            for key, value in x.items():
                other = y.get(key, MISSING)
                if other is MISSING:
                    return False
                if not same_at_once(value, other):
                    pending.append((value, other))
        elif kind is Kind.LIST:
            if len(x) != len(y):
                return False
            pending.extend(pair for pair in zip(x, y, strict=True) if not same_at_once(*pair))
        elif not scalars_equal(x, y, kind, strict):
            return False
    return True


def same_at_once(x: object, y: object) -> bool:
    """Whether the values are plainly the same, as most are; False where a closer look is needed."""
    return x is y or (type(x) is type(y) and type(x) in _PLAIN and x == y)


def scalars_equal(x: Any, y: Any, kind: Kind, strict: bool) -> bool:
    """Whether two values of the kind, which is neither list nor object, are the same."""
    if kind is Kind.TEXT:
        return bool(x == y) or (not strict and trimmed(x) == trimmed(y))
    if kind is Kind.NUMBER:
        if type(x) in _EXACT and type(y) in _EXACT:
            return bool(x == y or (x != x and y != y))
        nan = is_nan(x), is_nan(y)
        return all(nan) if any(nan) else bool(x == y)
    if kind is Kind.FOREIGN:
        return _foreign_equal(x, y)
    return bool(x == y)


def _foreign_equal(x: Any, y: Any) -> bool:
    try:
        return type(x) is type(y) and bool(x == y)
    except Exception:  # a value of a program may raise anything; what cannot be compared is not equal
        return False


class _Mark:
    """What stands in a canonical form for what Python would take for something else; hashed by identity, which is fast."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name


_LIST: Final = _Mark("_LIST")
_OBJECT: Final = _Mark("_OBJECT")
_TRUE: Final = _Mark("_TRUE")
_FALSE: Final = _Mark("_FALSE")
_NAN: Final = _Mark("_NAN")


class _Foreign:
    """A value that is not JSON, hashable whatever it is."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Foreign) and (self.value is other.value or _foreign_equal(self.value, other.value))

    def __hash__(self) -> int:
        return hash(type(self.value))


def canonical(value: object, strict: bool = False, *, fold: bool = False, numeric: bool = False) -> Hashable:
    """A hashable form: two values have equal forms exactly if they are `equal`.

    With `fold`, text is compared without case; with `numeric`, text that is a JSON number counts as the number. The form
    is flat whatever the depth of the value.
    """
    kind = kind_of(value)
    if kind is not Kind.LIST and kind is not Kind.OBJECT:
        return _leaf(value, kind, strict, fold, numeric)
    plain = not (strict or fold or numeric)
    form: list[Hashable] = []
    pending: list[Any] = [value]
    while pending:
        current = pending.pop()
        kind = kind_of(current)
        if kind is Kind.TEXT and plain:
            form.append(trimmed(current))
        elif kind is Kind.LIST:
            form.append(_LIST)
            form.append(len(current))
            pending.extend(reversed(current))
        elif kind is Kind.OBJECT:
            keys = _sorted_keys(current)
            form.append(_OBJECT)
            form.append(len(keys))
            form.extend(keys)
            pending.extend(current[key] for key in reversed(keys))
        else:
            form.append(_leaf(current, kind, strict, fold, numeric))
    return tuple(form)


def _sorted_keys(value: Mapping[Any, object]) -> list[Any]:
    try:
        return sorted(value)
    except TypeError:
        return sorted(value, key=lambda key: (type(key).__qualname__, str(key)))


def _leaf(value: Any, kind: Kind, strict: bool, fold: bool, numeric: bool) -> Hashable:
    if kind is Kind.TEXT:
        text = value if strict else trimmed(value)
        number = number_in(text) if numeric else None
        if number is not None:
            return number
        return text.casefold() if fold else str(text)
    if kind is Kind.NUMBER:
        return _NAN if is_nan(value) else value
    if kind is Kind.BOOLEAN:
        return _TRUE if value else _FALSE
    if kind is Kind.FOREIGN:
        return _Foreign(value)
    return None if kind is Kind.NULL else MISSING
