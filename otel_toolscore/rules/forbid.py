"""forbid, allow, require: rules on single calls and on their absence."""

from __future__ import annotations

import msgspec

from otel_toolscore.rules.pattern import Pattern


class Forbid(msgspec.Struct, frozen=True):
    """Violated when a call matches."""

    pattern: Pattern


class Allow(msgspec.Struct, frozen=True):
    """Violated when a call matches none."""

    patterns: tuple[Pattern, ...]


class Require(msgspec.Struct, frozen=True):
    """Violated when a selected scope (the run) ends without a match."""

    pattern: Pattern
