"""`except`: what excuses a call, or a scope, from a rule."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Final

from otel_toolscore.model import Scope
from otel_toolscore.rules.judge import Situation
from otel_toolscore.rules.pattern import examine
from otel_toolscore.rules.rule import Waiver
from otel_toolscore.rules.when import agents_of, holds

_NANOSECONDS_A_DAY: Final = 86_400_000_000_000
_EPOCH: Final = dt.date(1970, 1, 1)


def waives_call(waivers: Sequence[Waiver], situation: Situation) -> bool:
    """Whether one of the waivers certainly covers the call."""
    call = situation.call
    return any(
        _in_force(waiver, call.start_ns)
        and (
            waiver.when is None
            or holds(waiver.when, situation.around, service=call.service, agents=agents_of(call), accuse=False).truth is True
        )
        and (waiver.call is None or examine(waiver.call, call, accuse=False, context=situation.context).truth is True)
        for waiver in waivers
    )


def waives_scope(waivers: Sequence[Waiver], scope: Scope, outside: Sequence[Scope]) -> bool:
    """Whether one of the waivers certainly covers the scope; one that names a call covers no scope."""
    around = (scope, *outside)
    return any(
        waiver.call is None
        and _in_force(waiver, scope.start_ns)
        and (waiver.when is None or holds(waiver.when, around, service=scope.service, accuse=False).truth is True)
        for waiver in waivers
    )


def _in_force(waiver: Waiver, start_ns: int | None) -> bool:
    """By the UTC date of the start; where that is not known, a waiver with an end is not in force."""
    if waiver.until is None:
        return True
    return start_ns is not None and start_ns // _NANOSECONDS_A_DAY <= (waiver.until - _EPOCH).days
