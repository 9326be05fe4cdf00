"""Ids, enums, integers and times in the spellings that exports use.

Each function takes what JSON gave and returns the value, or raises ValueError whose text says what was expected
(never what was there).
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import re
from fractions import Fraction
from typing import Final

from otel_toolscore.spans import CLIENT, CONSUMER, INTERNAL, PRODUCER, SERVER, STATUS_ERROR, STATUS_OK, STATUS_UNSET

TRACE_ID_BYTES: Final = 16
SPAN_ID_BYTES: Final = 8

_HEX = re.compile(r"[0-9a-fA-F]+")
_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s*(Z|z|UTC|[-+]\d\d(?::?\d\d)?)?",
)
_KINDS: Final = {
    "unspecified": INTERNAL,
    "internal": INTERNAL,
    "server": SERVER,
    "client": CLIENT,
    "producer": PRODUCER,
    "consumer": CONSUMER,
}
_STATUSES: Final = {"": STATUS_UNSET, "unset": STATUS_UNSET, "ok": STATUS_OK, "error": STATUS_ERROR}
_EPOCH: Final = dt.date(1970, 1, 1).toordinal()
_DAY_S: Final = 86_400
_SPECIAL_DOUBLES: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

_MAX_DIGITS: Final = 4300
"""Longer decimal integers are not converted: the conversion takes time that is quadratic in their length."""


def identifier(value: object, size: int) -> str | None:
    """A trace or span id of `size` bytes as lower-case hex; None where it is absent, empty or all zeros.

    Hex (with or without `0x`), base64 (padded or not) and integers are understood; any other text is kept as it is.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < 1 << (8 * size):
            raise ValueError(f"expected an id of {size} bytes")
        return f"{value:0{2 * size}x}" if value else None
    if not isinstance(value, str):
        raise ValueError("expected an id as text")
    text = value.strip()
    if text[:2] in ("0x", "0X") and _HEX.fullmatch(text, 2):
        text = text[2:].zfill(2 * size)
    if _HEX.fullmatch(text):
        text = text.lower()
    elif len(text.rstrip("=")) == -(-size * 4 // 3) and len(text) % 4 in (0, len(text.rstrip("=")) % 4):
        text = _from_base64(text) or text
    return text if text.strip("0") else None


def hexadecimal(value: object, size: int) -> str | None:
    """An id of `size` bytes as hex at its full length, for sources that leave leading zeros out; other text as it is."""
    text = identifier(value, size)
    return text.zfill(2 * size) if text and len(text) < 2 * size and _HEX.fullmatch(text) else text


def _from_base64(text: str) -> str | None:
    bare = text.rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_" if set(bare) & set("-_") else None, validate=True).hex()
    except binascii.Error:
        return None


def integer(value: object) -> int:
    """A 64-bit (or longer) integer, as a number or as decimal text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= _MAX_DIGITS and ((value.isdecimal() and value.isascii()) or _INTEGER.fullmatch(value)):
        return int(value)
    raise ValueError("expected an integer, as a number or as decimal text")


def double(value: object) -> float | int:
    """A double, as a number or as text; "NaN", "Infinity" and "-Infinity" included."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value in _SPECIAL_DOUBLES:
            return _SPECIAL_DOUBLES[value]
        if _NUMBER.fullmatch(value):
            return float(value)
    raise ValueError('expected a number, "NaN", "Infinity" or "-Infinity"')


def _name(value: str, *prefixes: str) -> str:
    lowered = value.strip().lower()
    for prefix in prefixes:
        lowered = lowered.removeprefix(prefix)
    return lowered


def kind(value: object) -> int:
    """A span kind: an OTLP number, or its name (`SPAN_KIND_CLIENT`, `SpanKind.CLIENT`, `client`).

    Unspecified is read as internal, as the OTLP specification allows.
    """
    if value is None:
        return INTERNAL
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        found = _KINDS.get(_name(value, "span_kind_", "spankind."))
        if found is None:
            raise ValueError("expected a span kind")
        return found
    number = integer(value)
    return number if INTERNAL <= number <= CONSUMER else INTERNAL


def status(value: object) -> int:
    """A status code: an OTLP number, or its name (`STATUS_CODE_ERROR`, `StatusCode.ERROR`, `error`)."""
    if value is None:
        return STATUS_UNSET
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        found = _STATUSES.get(_name(value, "status_code_", "statuscode."))
        if found is None:
            raise ValueError("expected a status code: UNSET, OK or ERROR")
        return found
    number = integer(value)
    if number not in (STATUS_UNSET, STATUS_OK, STATUS_ERROR):
        raise ValueError("expected a status code: 0, 1 or 2")
    return number


def nanoseconds(value: object) -> int | None:
    """A time in nanoseconds since the epoch that OTLP wrote; 0 and absent are None."""
    if value is None or value == "":
        return None
    number = integer(value)
    if not 0 <= number < 1 << 64:
        raise ValueError("expected a time of 64 bits that is not negative")
    return number or None


def time(value: object) -> int | None:
    """A time whose unit is not told, as nanoseconds since the epoch: ISO 8601 text, or a number.

    A number's unit follows from its size, for times from 1973 to 5138: seconds, milliseconds, microseconds or nanoseconds.
    A smaller integer is taken as nanoseconds, a smaller fraction as seconds. Text without a zone is UTC.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return _iso(value)
        value = float(value) if set(value) & set(".eE") else integer(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1 << 63:
        raise ValueError("expected a time: nanoseconds, or ISO 8601 text")
    for limit, factor in ((1e8, 1 if isinstance(value, int) else 10**9), (1e11, 10**9), (1e14, 10**6), (1e17, 10**3)):
        if value < limit:
            return round(Fraction(value) * factor)
    return round(value)


def _iso(text: str) -> int:
    found = _ISO.fullmatch(text.strip())
    if found is None:
        raise ValueError("expected a time: nanoseconds, or ISO 8601 text")
    year, month, day, hour, minute = map(int, found.groups()[:5])
    second, fraction, zone = found.group(6) or "0", found.group(7) or "", found.group(8) or "Z"
    try:
        days = dt.date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        raise ValueError("expected a time: a date that exists") from None
    if hour > 24 or minute > 59 or int(second) > 60:
        raise ValueError("expected a time: an hour, minute and second that exist")
    seconds = days * _DAY_S + hour * 3600 + minute * 60 + int(second)
    if zone[0] in "+-":
        digits = zone[1:].replace(":", "").ljust(4, "0")
        offset = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        seconds -= offset if zone[0] == "+" else -offset
    return seconds * 10**9 + int(fraction.ljust(9, "0")[:9])
