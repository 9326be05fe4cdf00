"""limit, repeats: rules on how many calls, how much and how often the same."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from otel_toolscore.paths import Path
from otel_toolscore.rules.order import Per
from otel_toolscore.rules.pattern import Pattern


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by each match beyond `max` (or each that takes the `sum` over it), counted apart by the value at `by`."""

    call: Pattern
    max: Fraction
    within_ns: int | None = None
    """Length of the sliding window; None: the whole of `per`."""
    by: Path | None = None
    sum: Path | None = None
    per: Per = "run"


class Repeats(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by each call of the same tool with the same arguments beyond `max`."""

    call: Pattern
    max: int
    per: Per = "run"
