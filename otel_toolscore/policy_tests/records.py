"""A file of policy tests, as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome, Verdict

FIRST_START_NS: Final = 1_767_225_600_000_000_000
"""When a test's first call starts unless it says otherwise: 2026-01-01T00:00:00Z."""


class GivenCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a test. What is None is as if no span had recorded it."""

    tool: str
    """As recorded: `mcp__SERVER__TOOL` has its server in it."""
    server: str | None = None
    arguments: Evidence = NOT_CAPTURED
    result: Evidence = NOT_CAPTURED
    outcome: Outcome = "ok"
    error: str | None = None
    agent: str | None = None
    conversation: str | None = None
    service: str | None = None
    run: str | None = None
    """Calls of different runs, whatever these are called, are not of one run."""
    start_ns: int = FIRST_START_NS
    end_ns: int = FIRST_START_NS


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """An expected finding; what is UNSET is not asked."""

    rule: str
    tool: str | msgspec.UnsetType | None = msgspec.UNSET
    """None: the finding names no tool, as one about a run does."""
    call: int | msgspec.UnsetType = msgspec.UNSET
    """Index into the calls of the test, from 0; with a trace, into those of the run."""

    def __str__(self) -> str:
        parts = [self.rule]
        if self.tool is not msgspec.UNSET:
            parts.append("no tool" if self.tool is None else f"tool {self.tool}")
        if self.call is not msgspec.UNSET:
            parts.append(f"call {self.call}")
        return ", ".join(parts)


class PolicyTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test."""

    name: str
    calls: tuple[GivenCall, ...] = ()
    trace: str | None = None
    """Path of an export of traces, from the file of the test; instead of calls."""
    agent: str | None = None
    workflow: str | None = None
    service: str | None = None
    conversation: str | None = None
    input: str | None = None
    attributes: Mapping[str, object] = {}
    complete: bool = True
    rules: tuple[str, ...] | None = None
    """Only findings of these rules are looked at; None: of all."""
    violations: tuple[Wanted, ...] = ()
    inconclusive: tuple[Wanted, ...] = ()
    verdict: Verdict | None = None
    expectations: Mapping[str, Verdict] = {}
    where: str = ""
    """file:line:column of the test."""


class PolicyTestFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of tests holds."""

    name: str
    policies: tuple[str, ...]
    """Files by their path from this one, and built-in names."""
    tests: tuple[PolicyTest, ...]
