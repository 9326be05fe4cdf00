"""before, never_after: rules on the order of calls."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from otel_toolscore.paths import Path
from otel_toolscore.rules.pattern import Pattern

Per: TypeAlias = Literal["run", "agent", "conversation"]


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by a `call` without an earlier successful `needs` (with equal values at the `same` paths)."""

    call: Pattern
    needs: Pattern
    same: tuple[tuple[Path, Path], ...] = ()
    """(path in `call`, path in `needs`)"""
    once: bool = False
    per: Per = "run"


class NeverAfter(msgspec.Struct, frozen=True, kw_only=True):
    """Violated by a `call` after an `after`."""

    call: Pattern
    after: Pattern
    per: Per = "run"
