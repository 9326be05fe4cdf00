"""The vocabulary: calls, scopes, runs, findings, alignments and verdicts.

Every record is frozen. Times are integer nanoseconds since the Unix epoch; a time that is not known is None.
Nothing here knows OpenTelemetry, files or policies.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal, TypeAlias

import msgspec

Truth: TypeAlias = bool | None
"""Kleene's three values: True, False, and None for unknown."""

ValueState: TypeAlias = Literal["captured", "not_captured", "unreadable"]
UnreadableCause: TypeAlias = Literal["malformed", "truncated", "redacted", "duplicate_key"]
Outcome: TypeAlias = Literal["ok", "error", "unknown", "not_executed"]
Severity: TypeAlias = Literal["low", "medium", "high", "critical"]
Enforcement: TypeAlias = Literal["enforce", "shadow"]
FindingKind: TypeAlias = Literal["violation", "inconclusive"]
Verdict: TypeAlias = Literal["pass", "fail", "inconclusive", "unscored"]
Grade: TypeAlias = Literal["A", "B", "C", "D", "F"]
Match: TypeAlias = Literal["matched", "mismatched", "missing", "extra", "out_of_order"]
ScopeKind: TypeAlias = Literal["agent", "workflow", "enclosing", "trace"]

SEVERITIES: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")
"""Lowest first."""


class Missing(enum.Enum):
    """The side of a comparison on which there is no value: neither null nor empty."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING


class Evidence(msgspec.Struct, frozen=True):
    """What a span says of one value (the arguments or the result of a call)."""

    state: ValueState
    value: object = None
    """The value, as JSON types, where `state` is captured."""
    cause: UnreadableCause | None = None
    """Why the value is unreadable."""
    text: str | None = None
    """The recorded text, where `state` is unreadable."""


NOT_CAPTURED: Final = Evidence("not_captured")


class Variant(msgspec.Struct, frozen=True):
    """How one of the merged spans describes the call: the name, server and arguments of that span."""

    tool: str
    server: str | None
    recorded_name: str
    arguments: Evidence


class MergedSpan(msgspec.Struct, frozen=True):
    """A further span that describes the same call, and why it was taken for the same."""

    span_id: str
    why: str


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One logical execution of a tool (docs/glossary.md)."""

    tool: str
    """Bare name."""
    server: str | None = None
    recorded_name: str | None = None
    """The name as the outermost span has it, where it differs from `tool`."""
    arguments: Evidence = NOT_CAPTURED
    result: Evidence = NOT_CAPTURED
    outcome: Outcome = "ok"
    error: str | None = None
    error_type: str | None = None
    id: str | None = None
    type: str | None = None
    agent: str | None = None
    """Name of the nearest agent scope; None where none is recorded."""
    agent_path: tuple[str, ...] = ()
    """Names of the agent scopes around the call, outermost first."""
    conversation: str | None = None
    service: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    trace_id: str = ""
    span_id: str = ""
    parent_span_id: str | None = None
    merged: tuple[MergedSpan, ...] = ()
    dialect: str = ""
    notes: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    """Every way the merged spans describe the call, the call's own first; empty where there is only one."""
    scope: str | None = None
    """`Scope.id` of the innermost scope around the call."""

    def described(self) -> tuple[Variant, ...]:
        """All variants, the call's own first; never empty."""
        return self.variants or (Variant(self.tool, self.server, self.recorded_name or self.tool, self.arguments),)


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """An agent or workflow span, or the span that holds a run together; scopes nest."""

    id: str
    """The span id of the scope's outermost span (or `trace:TRACE_ID` for the run of a trace that has no such span)."""
    kind: ScopeKind
    name: str | None = None
    parent: str | None = None
    """`id` of the scope around this one; None for the run's top."""
    span_id: str | None = None
    service: str | None = None
    conversation: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    input: str | None = None
    """The first user message; None where it was not captured."""
    attributes: Mapping[str, tuple[object, ...]] = {}
    """For the attribute keys that a policy asks for: the values on the scope's span, its ancestors, the resource and
    the baggage, nearest first. A key without a value is absent."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A topmost scope with everything below it."""

    trace_id: str
    scopes: tuple[Scope, ...]
    """Outer before inner; the first is the run's top."""
    calls: tuple[ToolCall, ...] = ()
    """Ordered by (start, end, span id)."""
    complete: bool = True
    tool_schemas: Mapping[str, object] = {}
    """JSON Schemas of arguments that the trace itself recorded (`gen_ai.tool.definitions`), by tool name."""
    merged_spans: int = 0

    @property
    def top(self) -> Scope:
        """The scope that holds the run together."""
        return self.scopes[0]

    @property
    def key(self) -> str:
        """Identifies the run."""
        return f"{self.trace_id}:{self.top.id}"


class Difference(msgspec.Struct, frozen=True):
    """One place where an expected and an actual value differ."""

    path: str
    """`$.a[0].b`; `$` is the arguments as a whole."""
    expected: object
    """A JSON value, a matcher, or MISSING."""
    actual: object
    why: str
    """What is wrong, without any value."""


class Pair(msgspec.Struct, frozen=True):
    """One row of an alignment: an expected call, an actual call, or both."""

    expected: int | None
    """Index into the resolved expected calls (`Alignment.expected`)."""
    actual: int | None
    """Index into the actual calls."""
    match: Match
    differences: tuple[Difference, ...] = ()
    unknown: bool = False
    """True where the arguments (or the outcome) of the actual call cannot be known, so that the match is open."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule's answer about a call or a scope. No field holds an argument or result value."""

    rule: str
    kind: FindingKind
    severity: Severity
    enforcement: Enforcement = "enforce"
    message: str | None = None
    """The rule's own message."""
    explanation: str = ""
    """What was seen, without values."""
    cause: str | None = None
    """Why a finding is inconclusive: `arguments_not_captured`, `trace_incomplete`, ..."""
    tool: str | None = None
    call: int | None = None
    """Index into the run's calls."""
    span_id: str | None = None
    agent: str | None = None
    path: str | None = None
    """The argument path that decided, where one did."""


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """The five metrics of docs/metrics.md, exact; None where there is no evidence."""

    selection_accuracy: Fraction | None
    argument_f1: Fraction | None
    sequence_accuracy: Fraction | None
    redundant_rate: Fraction | None
    required_call_recall: Fraction | None


class ExpectationResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a scope (or run, or conversation) did against one expectation."""

    id: str
    agent: str | None = None
    span_id: str | None = None
    verdict: Verdict
    score: Fraction | None
    score_bounds: tuple[Fraction, Fraction] | None = None
    """Lowest and highest score that completions of the unknowns can have; None where nothing is unknown."""
    grade: Grade | None
    metrics: Metrics
    reasons: tuple[str, ...] = ()
    """What is wrong, in the order in which a person would mend it; without values."""
    tolerated: tuple[str, ...] = ()
    """What the expectation's own tolerances let pass."""
    alignment: tuple[Pair, ...] = ()
    calls: tuple[int, ...] = ()
    """For each actual index of the alignment, the index into the run's calls."""
    expected_tools: tuple[str, ...] = ()
    """For each expected index of the alignment, the tool's name."""
    exact: bool = True
    """False where the alignment is not proven optimal."""
    bound: int | None = None
    """Where the alignment is not proven optimal: at most so many more arguments could be equal in a better one."""


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """A run with all that was found in it."""

    run: Run
    verdict: Verdict
    call_verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...] = ()
    expectations: tuple[ExpectationResult, ...] = ()


class Problem(msgspec.Struct, frozen=True):
    """Something that could not be read."""

    code: str
    where: str
    """File and line, offset or record number."""
    message: str
    trace_id: str | None = None
    """The trace that it belongs to; None where that is not known."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What of the policy and of the calls was never touched."""

    unused_rules: tuple[str, ...] = ()
    unused_expectations: tuple[str, ...] = ()
    uncovered_tools: tuple[str, ...] = ()
    captured_share: float | None = None
    """Share of the calls whose arguments were captured; None where there was no call."""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over a whole document."""

    spans: int = 0
    tool_spans: int = 0
    calls: int = 0
    runs: int = 0
    violations: int = 0
    shadow_violations: int = 0
    inconclusive: int = 0
    merged_spans: int = 0


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """All that was scored together, and what it comes to."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    """Why the verdict is what it is, for a person; with a hint where it is inconclusive or unscored."""
    runs: tuple[RunResult, ...] = ()
    totals: Totals = Totals()
    coverage: Coverage = Coverage()
    problems: tuple[Problem, ...] = ()
