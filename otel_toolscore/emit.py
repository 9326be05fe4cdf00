"""Verdicts as span attributes, log events and metric points: what is written, not how it is sent.

Everything here is a pure function over the records of `model`; `live.telemetry` hands the results to OpenTelemetry. The names are
those of docs/live.md. No value of an argument or a result is in anything that is built here: findings and reasons hold none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from otel_toolscore.model import SEVERITIES, ExpectationResult, Finding, Metrics, RunResult, Scope, Severity, ToolCall, Verdict

AttributeValue: TypeAlias = str | int | float | Sequence[str]
Attributes: TypeAlias = dict[str, AttributeValue]

PREFIX: Final = "toolscore."
VERDICT: Final = "toolscore.verdict"
POLICY_DIGEST: Final = "toolscore.policy.digest"
RULE_ID: Final = "toolscore.rule.id"
SEVERITY: Final = "toolscore.severity"
REASON: Final = "toolscore.reason"
VIOLATED_RULES: Final = "toolscore.violated_rules"
INCONCLUSIVE_RULES: Final = "toolscore.inconclusive_rules"
EXPECTATIONS: Final = "toolscore.expectations"
EXPECTATION_ID: Final = "toolscore.expectation.id"
SCORE: Final = "toolscore.score"
CALL_COUNT: Final = "toolscore.call_count"
VIOLATION_COUNT: Final = "toolscore.violation_count"
CAUSE: Final = "toolscore.cause"
REVISION: Final = "toolscore.revision"
ENFORCEMENT: Final = "toolscore.enforcement"
DROP_REASON: Final = "toolscore.drop.reason"

TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
AGENT_NAME: Final = "gen_ai.agent.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"

EVENT_NAME: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
SCORE_VALUE: Final = "gen_ai.evaluation.score.value"
SCORE_LABEL: Final = "gen_ai.evaluation.score.label"
EXPLANATION: Final = "gen_ai.evaluation.explanation"

LISTS: Final = frozenset({VIOLATED_RULES, INCONCLUSIVE_RULES, EXPECTATIONS})
METRIC_FIELDS: Final = Metrics.__struct_fields__
WRITTEN: Final = (
    frozenset({VERDICT, POLICY_DIGEST, RULE_ID, SEVERITY, REASON, EXPECTATION_ID, SCORE, CALL_COUNT, VIOLATION_COUNT})
    | LISTS
    | {PREFIX + name for name in METRIC_FIELDS}
)
"""Every attribute that may be written on a span."""

REASON_LENGTH: Final = 256
EXPLANATION_LENGTH: Final = 2048

SEVERITY_NUMBERS: Final[Mapping[Severity, int]] = {"critical": 21, "high": 17, "medium": 13}
"""Log severities of violations; everything else is 9 (INFO)."""
INFO: Final = 9


class RunTotals(msgspec.Struct, frozen=True):
    """What the span of a run's top says of the run as a whole."""

    calls: int
    violations: int
    severity: Severity | None
    """The highest of the enforced violations."""


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One log record `gen_ai.evaluation.result`."""

    key: tuple[str, ...]
    """What it is about; an evaluation with a key that was published is not published again."""
    trace_id: str
    span_id: str | None
    """The evaluated span; None where a run has none."""
    service: str | None
    severity_number: int
    attributes: Attributes


def shortened(text: str, limit: int) -> str:
    """`text` in one line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def enforced(findings: Iterable[Finding]) -> list[Finding]:
    """The violations that count against a verdict."""
    return [finding for finding in findings if finding.kind == "violation" and finding.enforcement == "enforce"]


def worst(findings: Iterable[Finding]) -> Finding | None:
    """The finding to name where there is room for one: a violation before an inconclusive one, then severity, then rule id."""
    return min(
        (finding for finding in findings if finding.enforcement == "enforce"),
        key=lambda finding: (finding.kind != "violation", -SEVERITIES.index(finding.severity), finding.rule),
        default=None,
    )


def explained(finding: Finding) -> str:
    """The rule's own message, and what was seen."""
    return ": ".join(part for part in (finding.message, finding.explanation) if part)


def attributes_for_call(findings: Sequence[Finding], verdict: Verdict, digest: str) -> Attributes:
    """What the span of a tool call says; in the order of importance, for spans that have room for only some of it.

    Findings of rules in shadow are counted apart and not written: to a reader of the span they would look like the others.
    """
    attributes: Attributes = {VERDICT: verdict, POLICY_DIGEST: digest}
    if not findings:
        return attributes
    found = worst(findings)
    if found is None:
        return attributes
    attributes[RULE_ID] = found.rule
    attributes[SEVERITY] = found.severity
    for key, kind in ((VIOLATED_RULES, "violation"), (INCONCLUSIVE_RULES, "inconclusive")):
        if rules := sorted({finding.rule for finding in findings if finding.kind == kind and finding.enforcement == "enforce"}):
            attributes[key] = rules
    if reason := explained(found) or found.cause:
        attributes[REASON] = shortened(reason, REASON_LENGTH)
    return attributes


def worst_expectation(expectations: Iterable[ExpectationResult]) -> ExpectationResult | None:
    """A failed one, then the lowest score, then the id that sorts first; one without a score counts as the lowest."""
    return min(
        expectations,
        key=lambda result: (result.verdict != "fail", result.score is not None, result.score if result.score is not None else 0, result.id),
        default=None,
    )


def attributes_for_scope(
    verdict: Verdict,
    findings: Sequence[Finding],
    expectations: Sequence[ExpectationResult],
    digest: str,
    totals: RunTotals | None = None,
) -> Attributes:
    """What the span of an agent, a workflow or a run's top says.

    `findings` are those about the scope itself, `totals` those of the run where the scope is its top.
    """
    attributes = attributes_for_call(findings, verdict, digest)
    if totals is not None:
        attributes[CALL_COUNT] = totals.calls
        attributes[VIOLATION_COUNT] = totals.violations
        if totals.severity is not None:
            attributes[SEVERITY] = totals.severity
    judged = worst_expectation(expectations)
    if judged is None:
        return attributes
    attributes[EXPECTATION_ID] = judged.id
    if judged.score is not None:
        attributes[SCORE] = float(judged.score)
    if judged.reasons and not enforced(findings):
        attributes[REASON] = shortened(judged.reasons[0], REASON_LENGTH)
    for name in METRIC_FIELDS:
        value = getattr(judged.metrics, name)
        if value is not None:
            attributes[PREFIX + name] = float(value)
    attributes[EXPECTATIONS] = sorted({result.id for result in expectations})
    return attributes


def totals(result: RunResult) -> RunTotals:
    """What the run's top says of the run."""
    found = enforced(result.findings)
    severity = max((finding.severity for finding in found), key=SEVERITIES.index, default=None)
    return RunTotals(len(result.run.calls), len(found), severity)


def written_over(attributes: Attributes, present: Iterable[str]) -> Attributes:
    """`attributes`, and blanks for those of our names that a span brought along and that are not written anew."""
    stale = {key: [] if key in LISTS else "" for key in present if key in WRITTEN and key not in attributes}
    return {**attributes, **stale} if stale else attributes


def fitting(attributes: Attributes, present: Iterable[str], room: int | None) -> Attributes:
    """As many of `attributes`, the first first, as can be set without the span losing one of its own.

    `room` is the number of attributes that the span may still take; None: any number. Overwriting takes no room.
    """
    if room is None or len(attributes) <= room:
        return attributes
    taken = set(present)
    fit: Attributes = {}
    for key, value in attributes.items():
        if key in taken:
            fit[key] = value
        elif room > 0:
            fit[key] = value
            room -= 1
    return fit


def _about(call: ToolCall | None, scope: Scope | None, agent: str | None) -> Attributes:
    attributes: Attributes = {}
    if call is not None:
        attributes[TOOL_NAME] = call.tool
        if call.id is not None:
            attributes[TOOL_CALL_ID] = call.id
    if agent is not None:
        attributes[AGENT_NAME] = agent
    conversation = call.conversation if call is not None else scope.conversation if scope is not None else None
    if conversation is not None:
        attributes[CONVERSATION_ID] = conversation
    return attributes


def finding_event(finding: Finding, call: ToolCall | None, scope: Scope, trace_id: str, digest: str, revision: int = 1) -> Evaluation:
    """The event of a finding. A violation is told once for each call (or scope), an inconclusive rule once for each run (`scope`)."""
    violation = finding.kind == "violation"
    shadow = finding.enforcement == "shadow"
    span_id = call.span_id if call is not None else finding.span_id or scope.span_id
    attributes: Attributes = {EVALUATION_NAME: f"toolscore.rule.{finding.rule}"}
    if violation:
        attributes[SCORE_VALUE] = 0.0
    attributes[SCORE_LABEL] = "shadow" if shadow and violation else "fail" if violation else "inconclusive"
    if text := explained(finding):
        attributes[EXPLANATION] = shortened(text, EXPLANATION_LENGTH)
    attributes[RULE_ID] = finding.rule
    attributes[SEVERITY] = finding.severity
    if finding.cause is not None:
        attributes[CAUSE] = finding.cause
    attributes |= {POLICY_DIGEST: digest, REVISION: revision}
    attributes |= _about(call, scope, call.agent if call is not None else finding.agent or scope.name)
    about = (span_id or scope.id) if violation else scope.id
    return Evaluation(
        key=(finding.kind, finding.rule, about),
        trace_id=trace_id,
        span_id=span_id,
        service=call.service if call is not None and call.service is not None else scope.service,
        severity_number=SEVERITY_NUMBERS.get(finding.severity, INFO) if violation and not shadow else INFO,
        attributes=attributes,
    )


def expectation_event(result: ExpectationResult, scope: Scope, trace_id: str, digest: str, revision: int = 1) -> Evaluation:
    """The event of an expectation that was judged on `scope`."""
    attributes: Attributes = {EVALUATION_NAME: f"toolscore.expectation.{result.id}"}
    if result.score is not None and result.verdict != "inconclusive":
        attributes[SCORE_VALUE] = float(result.score)
    attributes[SCORE_LABEL] = result.verdict
    if result.reasons:
        attributes[EXPLANATION] = shortened("; ".join(result.reasons), EXPLANATION_LENGTH)
    attributes |= {EXPECTATION_ID: result.id, POLICY_DIGEST: digest, REVISION: revision}
    attributes |= _about(None, scope, result.agent or scope.name)
    return Evaluation(
        key=("expectation", result.id, scope.id),
        trace_id=trace_id,
        span_id=result.span_id or scope.span_id,
        service=scope.service,
        severity_number=INFO,
        attributes=attributes,
    )
