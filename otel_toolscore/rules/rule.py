"""The record of a rule, whatever its constraint."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import msgspec

from otel_toolscore.model import Enforcement, Severity
from otel_toolscore.rules.arguments import ValidArguments
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.pattern import Pattern, When

Constraint = Forbid | Allow | Require | Before | NeverAfter | Limit | Repeats | ValidArguments


class Waiver(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of `except`: what it certainly covers, the rule does not find."""

    call: Pattern | None = None
    when: When | None = None
    until: dt.date | None = None
    """The last day (UTC) on which it holds."""
    reason: str | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What must never, or must always, hold."""

    id: str
    constraint: Constraint
    severity: Severity = "high"
    message: str | None = None
    enforcement: Enforcement = "enforce"
    when: When | None = None
    waivers: tuple[Waiver, ...] = ()
    labels: Mapping[str, str] = {}
    runbook: str | None = None
    where: str = ""
    """file:line:column of the rule."""
