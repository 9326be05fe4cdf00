"""What an expectation asks for: calls, alternatives and groups of calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from otel_toolscore.compare import FieldRule

OutcomeWanted: TypeAlias = Literal["ok", "error", "unknown", "not_executed", "any"]


class ExpectedCall(msgspec.Struct, frozen=True):
    """One call that should be made.

    `arguments` None means that they are not checked, `{}` that the call takes none; values may be matchers.
    `field_rules` are keyed by path (`a.b`, `items[*].id`).
    """

    name: str
    arguments: Mapping[str, object] | None = None
    field_rules: Mapping[str, FieldRule] = {}
    allow_extra_fields: bool = False
    server: str | None = None
    """The server that the call must be of; None: any."""
    outcome: OutcomeWanted = "any"
    min_times: int = 1
    max_times: int | None = 1
    """None: without limit."""
    must: bool = False
    """True: its differences fail at any score."""


class AnyOf(msgspec.Struct, frozen=True):
    """One of several alternatives, each a sequence of items."""

    alternatives: tuple[tuple[Item, ...], ...]


class Group(msgspec.Struct, frozen=True):
    """All of the items, in any order among themselves; it closes before the next item starts."""

    items: tuple[Item, ...]


Item: TypeAlias = ExpectedCall | AnyOf | Group
