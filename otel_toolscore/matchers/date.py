"""The `$date` matcher: the same instant, however it is written."""
# ruff: noqa: ARG002, D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Matcher, trimmed
from otel_toolscore.matchers.faults import refused
from otel_toolscore.matchers.leniency import text_truth
from otel_toolscore.model import Missing, Truth

_INSTANT: Final = re.compile(
    r"(?P<year>[0-9]{4})(?P<dash>-?)(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,30}))?)?"
    r" ?(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?",
    re.ASCII,
)


def instant(text: str) -> Fraction | None:
    """Seconds since 0001-01-01T00:00:00Z of an ISO 8601 or RFC 3339 date or time; None for any other text.

    A date is its midnight; without an offset the time is taken for UTC. A leap second is the second after it.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    part = match.groupdict()
    hour, minute, second = (int(part[name] or 0) for name in ("hour", "minute", "second"))
    try:
        day = dt.date(int(part["year"]), int(part["month"]), int(part["day"])).toordinal()
    except ValueError:
        return None
    shift = _shift(part["offset"] or "Z")
    whole_day = hour == 24 and minute == second == 0 and not int(part["fraction"] or 0)
    if shift is None or minute > 59 or second > 60 or (hour > 23 and not whole_day):
        return None
    seconds = (day - 1) * 86_400 + hour * 3_600 + minute * 60 + second - shift
    return seconds + Fraction(int(part["fraction"] or 0), 10 ** len(part["fraction"] or ""))


def _shift(offset: str) -> int | None:
    """Seconds east of UTC; None for an offset that no clock has."""
    if offset in "Zz":
        return 0
    hours, minutes = int(offset[1:3]), int(offset[-2:]) if len(offset) > 3 else 0
    if hours > 23 or minutes > 59:
        return None
    return (hours * 3_600 + minutes * 60) * (-1 if offset[0] == "-" else 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Date(Matcher):
    """The text is the same instant as this one (ISO 8601 or RFC 3339; a date is its midnight, no offset means UTC)."""

    text: str
    _instant: Fraction = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found = instant(self.text) if isinstance(self.text, str) else None
        if found is None:
            raise refused("`$date` takes a date or time as in 2026-01-31 or 2026-01-31T09:30:00+01:00")
        object.__setattr__(self, "_instant", found)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        def same(text: str) -> Truth:
            found = instant(trimmed(text) if accuse else text)
            if found is None:
                return None if accuse else False
            return found == self._instant

        return text_truth(value, accuse, same)

    def spelled(self) -> dict[str, Any]:
        return {"$date": self.text}
