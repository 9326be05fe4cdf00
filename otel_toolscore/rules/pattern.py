"""PATTERN and `when`: what a rule says of a call and of the scopes around it, in three-valued logic."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from otel_toolscore.matchers import Matcher
from otel_toolscore.model import Outcome
from otel_toolscore.paths import Path

ArgumentTests: TypeAlias = tuple[tuple[Path, Matcher], ...]


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on one call; what is None is not asked, what is given is anded."""

    tool: tuple[str, ...] | None = None
    """Names or globs, one of which fits."""
    server: tuple[str, ...] | None = None
    agent: tuple[str, ...] | None = None
    """On the nearest agent."""
    args: ArgumentTests | None = None
    """Empty: the call takes no arguments."""
    any_arg: Matcher | None = None
    result: Matcher | ArgumentTests | None = None
    outcome: tuple[Outcome, ...] | None = None
    allow_extra_fields: bool = True


class When(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on scopes."""

    agent: tuple[str, ...] | None = None
    workflow: tuple[str, ...] | None = None
    service: tuple[str, ...] | None = None
    input: Matcher | None = None
    attributes: tuple[tuple[str, Matcher], ...] = ()
