"""`evaluate` and `assert_tools`: calls that are at hand in Python, scored by the core that scores spans."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from otel_toolscore.align import Calls, Question
from otel_toolscore.behaviour import called_names, credentials_passed, invocation_accuracy, repetition, tool_correctness, trajectory
from otel_toolscore.calls_in import actual_calls, check_keys, expected_items
from otel_toolscore.credentials import mask
from otel_toolscore.engine import score_runs
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.forbidden_in import forbidden_rules
from otel_toolscore.metrics import Measures
from otel_toolscore.model import Run, Scope, ToolCall
from otel_toolscore.policy.records import Policy
from otel_toolscore.results import EvaluationResult, told
from otel_toolscore.rules.rule import Rule
from otel_toolscore.score import DEFAULT_WEIGHTS, merged, score_question


class ToolScoreAssertionError(AssertionError):
    """The calls of an agent do not do; the message says what differs."""


def evaluate(
    expected: Sequence[object],
    actual: Sequence[object],
    weights: Mapping[str, float] | None = None,
    strict: bool = False,
    forbidden: Sequence[object] | None = None,
) -> EvaluationResult:
    """Score the calls that were made against those that are expected.

    `expected` and `actual` are lists of dicts with `tool` and `args`, or of records (docs/python.md has all they may hold).
    `weights` are merged over `EvaluationResult.DEFAULT_WEIGHTS`. `strict`: space around text is compared too. `forbidden` are
    patterns of calls that must not be made; they are reported in `policy_violations` and do not change the score.

    TypeError or ValueError where an item cannot be understood; the message names it and what was expected, and no value.
    """
    items, calls, rules = expected_items(expected), actual_calls(actual), forbidden_rules(forbidden or ())
    given = _weights(weights)
    scored = score_question(Question(items, Calls(calls, strict=strict, tolerances=False)), id="evaluate", weights=given)
    resolved = tuple(slot.expected for slot in scored.alignment.slots)
    result = scored.result
    return EvaluationResult(
        score=_float(result.score),
        grade=result.grade,
        score_bounds=None if result.score_bounds is None else (float(result.score_bounds[0]), float(result.score_bounds[1])),
        verdict=result.verdict,
        metrics=_in_floats({**_composite(scored.measures), **_beyond(resolved, calls, scored.measures, strict), **_policy(rules, calls)}),
        weights={name: float(weight) for name, weight in merged(given).items()},
        reasons=result.reasons,
        expected=resolved,
        actual=calls,
        alignment=result.alignment,
        exact=result.exact,
    )


def _composite(measures: Measures) -> dict[str, Any]:
    """The groups that belong to the composite."""
    metrics = measures.metrics
    longer = max(measures.expected, measures.actual)
    return {
        "selection_accuracy": metrics.selection_accuracy,
        "required_call_recall": metrics.required_call_recall,
        "argument_metrics": {"precision": measures.precision, "recall": measures.recall, "f1": metrics.argument_f1},
        "sequence_metrics": {
            "edit_distance": measures.edit_distance,
            "normalized_distance": Fraction(measures.edit_distance, longer) if longer else Fraction(0),
            "sequence_accuracy": metrics.sequence_accuracy,
        },
    }


def _beyond(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], measures: Measures, strict: bool) -> dict[str, Any]:
    """The groups beyond the composite."""
    wanted, called = {call.name for call in expected}, set(called_names(expected, calls))
    return {
        "invocation_accuracy": invocation_accuracy(wanted, called),
        "efficiency_metrics": {
            "redundant_count": measures.redundant,
            "redundant_rate": measures.metrics.redundant_rate,
            **repetition(calls, strict=strict),
        },
        "tool_correctness_metrics": tool_correctness(wanted, called),
        "trajectory_metrics": trajectory(expected, calls, strict=strict),
        "security_metrics": credentials_passed(calls),
    }


def _policy(rules: tuple[Rule, ...], calls: Sequence[ToolCall]) -> dict[str, Any]:
    """What the rules find in the calls, by the engine that judges the rules of a policy."""
    if not rules:
        return {"policy_metrics": {"violation_count": 0, "rule_count": 0, "inconclusive_count": 0, "violations": []}}
    made = tuple(msgspec.structs.replace(call, trace_id="", span_id=str(index), scope="") for index, call in enumerate(calls))
    run = Run(trace_id="", scopes=(Scope(id="", kind="trace"),), calls=made)
    findings = [finding for result in score_runs(Policy(rules=rules), [run]).runs for finding in result.findings]
    reasons = {rule.id: rule.message for rule in rules}
    violations = [
        {
            "index": finding.call,
            "tool": calls[finding.call].tool,
            "args": calls[finding.call].arguments.value,
            "rule": int(finding.rule),
            "reason": reasons[finding.rule],
        }
        for finding in findings
        if finding.kind == "violation" and finding.call is not None
    ]
    violations.sort(key=lambda violation: (violation["index"], violation["rule"]))
    return {
        "policy_metrics": {
            "violation_count": len(violations),
            "rule_count": len(rules),
            "inconclusive_count": sum(finding.kind == "inconclusive" for finding in findings),
            "violations": violations,
        }
    }


def _weights(weights: object) -> Mapping[str, float | Fraction]:
    """The given weights; TypeError or ValueError where they are none."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise TypeError(f"weights: expected a dict of metrics to numbers, got {type(weights).__name__}")
    check_keys(weights, tuple(DEFAULT_WEIGHTS), "weights")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float | Fraction) or not 0 <= weight < math.inf:
            raise ValueError(f"weights[{name!r}]: expected a finite number of at least 0")
    if not any({**DEFAULT_WEIGHTS, **weights}.values()):
        raise ValueError("weights: expected at least one above 0")
    return weights


def _in_floats(metrics: dict[str, Any]) -> dict[str, Any]:
    """The groups with every exact number as a float."""
    return {
        name: {key: _float(value) for key, value in group.items()} if isinstance(group, dict) else _float(group)
        for name, group in metrics.items()
    }


def _float(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value


def assert_tools(
    expected: Sequence[object],
    actual: Sequence[object],
    min_score: float = 0.9,
    weights: Mapping[str, float] | None = None,
    strict: bool = False,
) -> EvaluationResult:
    """Fail unless the score is at least `min_score` (0 to 1); gives the result of `evaluate`.

    The score alone decides; where arguments are unknown, the lowest that it can be. ToolScoreAssertionError shows the calls side by
    side. TypeError or ValueError as `evaluate`.
    """
    if isinstance(min_score, bool) or not isinstance(min_score, int | float | Fraction) or not 0 <= min_score <= 1:
        raise ValueError("min_score: expected a number from 0 to 1")
    result = evaluate(expected, actual, weights=weights, strict=strict)
    certain = result.score if result.score_bounds is None else result.score_bounds[0]
    if certain is None or certain < min_score:
        raise ToolScoreAssertionError("\n".join(mask(line) for line in (_summary(result, min_score), *told(result))))
    return result


def _summary(result: EvaluationResult, min_score: float) -> str:
    minimum = f"the minimum of {float(min_score):.3f}"
    if result.score_bounds is None:
        return f"the tool calls score {result.score:.3f}, below {minimum}"
    low, high = result.score_bounds
    if high < min_score:
        return f"the tool calls score at most {high:.3f}, below {minimum}"
    return f"the score is not known and could be as low as {low:.3f}, below {minimum}: arguments were not captured"
