"""A policy as the engine reads it."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from otel_toolscore.expected import Item
from otel_toolscore.model import Severity
from otel_toolscore.rules.pattern import Pattern, When
from otel_toolscore.rules.rule import Rule

ExtraCalls: TypeAlias = Literal["forbid", "allow", "retries"] | tuple[Pattern, ...]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """What the policy knows of a tool."""

    server: str | None = None
    parameters: object = None
    """JSON Schema of the arguments; None: not given."""


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """Which calls a scope should make (docs/policy.md)."""

    id: str
    calls: tuple[Item, ...]
    when: When | None = None
    include_subagents: bool = True
    """Resolved: false by default where `when.agent` is given."""
    per: Literal["scope", "run", "conversation"] = "scope"
    order: Literal["in_order", "any"] = "in_order"
    extra_calls: ExtraCalls = "forbid"
    min_score: Fraction | None = None
    required: bool = False
    strict: bool = False
    weights: Mapping[str, Fraction] = {}
    """Only what was given; merged over the defaults by `score`."""
    tolerances: bool = True
    """False for a bare list of calls: what is tolerated is not taken out before the metrics."""
    where: str = ""


class SpanMapping(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of `spans`: how to read spans that no dialect knows."""

    attributes: tuple[tuple[str, object], ...]
    """(attribute key, Matcher)"""
    tool: str
    args: str | None = None
    result: str | None = None
    id: str | None = None


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded policy: everything in it is understood."""

    version: int = 1
    runs: Literal["agent", "trace"] = "agent"
    fail_on: Severity = "low"
    tools: Mapping[str, Tool] = {}
    expectations: tuple[Expectation, ...] = ()
    rules: tuple[Rule, ...] = ()
    spans: tuple[SpanMapping, ...] = ()
    sources: tuple[str, ...] = ()
    """The files (or built-in names) that it came from, in the order in which they were applied."""
    digest: str = ""
    """SHA-256 (hex) over the resolved policy."""
    warnings: tuple[str, ...] = ()

    @classmethod
    def load(cls, *paths: str | os.PathLike[str]) -> Policy:
        """The policy of these files (or `toolscore:recommended`), applied in order; raises PolicyError with every fault of every file."""
        loader = importlib.import_module("otel_toolscore.policy.files")  # it stands above: it builds these records
        policy: Policy = loader.load(paths)
        return policy
