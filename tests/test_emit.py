"""Verdicts as attributes and events: names, order, bounds, and no values."""

from __future__ import annotations

from fractions import Fraction

import pytest

from otel_toolscore import emit
from otel_toolscore.model import ExpectationResult, Finding, Metrics, Run, RunResult, Scope, ToolCall

NONE = Metrics(selection_accuracy=None, argument_f1=None, sequence_accuracy=None, redundant_rate=None, required_call_recall=None)
FULL = Metrics(
    selection_accuracy=Fraction(1),
    argument_f1=Fraction(1, 2),
    sequence_accuracy=Fraction(1),
    redundant_rate=Fraction(0),
    required_call_recall=None,
)
CALL = ToolCall(tool="sh", trace_id="a" * 32, span_id="b" * 16, id="c1", agent="support", conversation="c-1", service="desk")
SCOPE = Scope(id="d" * 16, kind="agent", name="support", span_id="d" * 16, service="desk", conversation="c-1")


def finding(rule: str, severity: str = "high", kind: str = "violation", **more: object) -> Finding:
    return Finding(rule=rule, severity=severity, kind=kind, **more)


def result(name: str, verdict: str = "pass", score: Fraction | None = Fraction(1), **more: object) -> ExpectationResult:
    return ExpectationResult(**{"id": name, "verdict": verdict, "score": score, "grade": None, "metrics": NONE, **more})


def test_a_passing_call_says_only_that() -> None:
    """Where nothing was found, there are two attributes."""
    assert emit.attributes_for_call([], "pass", "f00") == {"toolscore.verdict": "pass", "toolscore.policy.digest": "f00"}


def test_the_worst_finding_is_named_and_all_rules_are_listed() -> None:
    """A violation goes before an inconclusive finding of a higher severity; lists are sorted and without repetition."""
    findings = [
        finding("c", "critical", "inconclusive", cause="arguments_not_captured"),
        finding("b", "low"),
        finding("a", "high", message="destructive", explanation="the command matches"),
        finding("a", "high"),
    ]
    assert emit.attributes_for_call(findings, "fail", "f00") == {
        "toolscore.verdict": "fail",
        "toolscore.policy.digest": "f00",
        "toolscore.rule.id": "a",
        "toolscore.severity": "high",
        "toolscore.violated_rules": ["a", "b"],
        "toolscore.inconclusive_rules": ["c"],
        "toolscore.reason": "destructive: the command matches",
    }


def test_a_finding_in_shadow_is_not_on_the_span() -> None:
    """What a rule in shadow finds is counted apart, so a span does not show it among the others."""
    assert emit.attributes_for_call([finding("s", enforcement="shadow")], "pass", "d") == emit.attributes_for_call([], "pass", "d")


def test_a_reason_is_one_line_of_at_most_256_characters() -> None:
    """A long message is cut, and line breaks are spaces."""
    reason = emit.attributes_for_call([finding("a", message="x\ny " * 200)], "fail", "d")["toolscore.reason"]
    assert isinstance(reason, str)
    assert (len(reason), reason[:7], reason[-1], "\n" in reason) == (256, "x y x y", "…", False)


def test_a_cause_is_the_reason_where_nothing_else_is_said() -> None:
    """An inconclusive finding without an explanation gives its cause."""
    assert emit.attributes_for_call([finding("a", kind="inconclusive", cause="trace_incomplete")], "inconclusive", "d")[
        "toolscore.reason"
    ] == ("trace_incomplete")


def test_a_scope_shows_its_worst_expectation() -> None:
    """Failed before open, then the lowest score, then the id; metrics that are null are absent."""
    expectations = [
        result("a", "fail", Fraction(3, 4)),
        result("b", "fail", Fraction(1, 2), metrics=FULL, reasons=("missing call sh", "more")),
        result("c", "inconclusive", None),
    ]
    assert emit.attributes_for_scope("fail", [], expectations, "d") == {
        "toolscore.verdict": "fail",
        "toolscore.policy.digest": "d",
        "toolscore.expectation.id": "b",
        "toolscore.score": 0.5,
        "toolscore.reason": "missing call sh",
        "toolscore.selection_accuracy": 1.0,
        "toolscore.argument_f1": 0.5,
        "toolscore.sequence_accuracy": 1.0,
        "toolscore.redundant_rate": 0.0,
        "toolscore.expectations": ["a", "b", "c"],
    }


def test_ties_of_expectations_go_by_id() -> None:
    """With equal verdicts and scores the id that sorts first is shown."""
    assert emit.worst_expectation([result("b"), result("a")]).id == "a"  # type: ignore[union-attr]


def test_the_top_of_a_run_counts() -> None:
    """Calls and enforced violations are counted, and the highest severity among these is the run's."""
    run = Run(trace_id="a" * 32, scopes=(SCOPE,), calls=(CALL, CALL))
    found = (finding("a", "medium", call=0), finding("b", "critical", call=0, enforcement="shadow"), finding("c", kind="inconclusive"))
    totals = emit.totals(RunResult(run=run, verdict="fail", call_verdicts=("fail", "pass"), findings=found))
    attributes = emit.attributes_for_scope("fail", [], [], "d", totals)
    assert attributes == {
        "toolscore.verdict": "fail",
        "toolscore.policy.digest": "d",
        "toolscore.call_count": 2,
        "toolscore.violation_count": 1,
        "toolscore.severity": "medium",
    }


def test_attributes_that_a_span_brought_along_are_replaced() -> None:
    """Our names are either written anew or blanked; other names stay."""
    present = ["toolscore.verdict", "toolscore.score", "toolscore.violated_rules", "toolscore.other", "app.key"]
    assert emit.written_over({"toolscore.verdict": "fail"}, present) == {
        "toolscore.verdict": "fail",
        "toolscore.score": "",
        "toolscore.violated_rules": [],
    }


def test_a_full_span_loses_none_of_its_own_attributes() -> None:
    """Only what fits is written, the most important first; overwriting takes no room."""
    attributes = {"toolscore.verdict": "fail", "toolscore.policy.digest": "d", "toolscore.rule.id": "a", "toolscore.reason": "r"}
    assert list(emit.fitting(attributes, ["toolscore.reason", "x"], 1)) == ["toolscore.verdict", "toolscore.reason"]
    assert emit.fitting(attributes, [], None) == attributes


@pytest.mark.parametrize(("severity", "number"), [("critical", 21), ("high", 17), ("medium", 13), ("low", 9)])
def test_the_event_of_a_violation(severity: str, number: int) -> None:
    """Its severity number follows the rule's severity, its score is 0."""
    event = emit.finding_event(finding("no-rm", severity, message="destructive", call=0), CALL, SCOPE, "a" * 32, "f00")
    assert (event.severity_number, event.trace_id, event.span_id, event.service) == (number, "a" * 32, "b" * 16, "desk")
    assert event.attributes == {
        "gen_ai.evaluation.name": "toolscore.rule.no-rm",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": "destructive",
        "toolscore.rule.id": "no-rm",
        "toolscore.severity": severity,
        "toolscore.policy.digest": "f00",
        "toolscore.revision": 1,
        "gen_ai.tool.name": "sh",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.agent.name": "support",
        "gen_ai.conversation.id": "c-1",
    }


def test_an_inconclusive_rule_is_told_once_for_a_run() -> None:
    """Its key names the run, not the call; it has no score and is informational."""
    found = finding("a", "critical", "inconclusive", cause="arguments_not_captured", call=0)
    other = ToolCall(tool="other", span_id="e" * 16)
    first, second = (emit.finding_event(found, call, SCOPE, "a" * 32, "d") for call in (CALL, other))
    assert first.key == second.key
    assert first.severity_number == 9
    assert "gen_ai.evaluation.score.value" not in first.attributes
    assert first.attributes["toolscore.cause"] == "arguments_not_captured"


def test_a_violation_is_told_once_for_each_call() -> None:
    """Its key names the call."""
    other = ToolCall(tool="other", span_id="e" * 16)
    assert (
        emit.finding_event(finding("a"), CALL, SCOPE, "a" * 32, "d").key
        != emit.finding_event(finding("a"), other, SCOPE, "a" * 32, "d").key
    )


def test_a_violation_in_shadow_is_labelled_and_informational() -> None:
    """No alert on log severity or on the label fires for a rule that is tried out."""
    event = emit.finding_event(finding("a", "critical", enforcement="shadow"), CALL, SCOPE, "a" * 32, "d")
    assert (event.severity_number, event.attributes["gen_ai.evaluation.score.label"]) == (9, "shadow")


def test_a_finding_about_a_scope_names_no_tool() -> None:
    """`require` is told on the scope's span."""
    event = emit.finding_event(finding("must-log"), None, SCOPE, "a" * 32, "d")
    assert event.span_id == SCOPE.span_id
    assert "gen_ai.tool.name" not in event.attributes
    assert event.attributes["gen_ai.agent.name"] == "support"


def test_the_event_of_an_expectation() -> None:
    """Score and verdict as value and label; all reasons as the explanation."""
    event = emit.expectation_event(result("e", "fail", Fraction(9, 10), reasons=("one", "two"), agent="support"), SCOPE, "a" * 32, "d")
    assert event.severity_number == 9
    assert event.attributes == {
        "gen_ai.evaluation.name": "toolscore.expectation.e",
        "gen_ai.evaluation.score.value": 0.9,
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": "one; two",
        "toolscore.expectation.id": "e",
        "toolscore.policy.digest": "d",
        "toolscore.revision": 1,
        "gen_ai.agent.name": "support",
        "gen_ai.conversation.id": "c-1",
    }


def test_an_inconclusive_expectation_has_no_score_value() -> None:
    """Even where a score was computed for what is known."""
    assert emit.SCORE_VALUE not in emit.expectation_event(result("e", "inconclusive", Fraction(1, 2)), SCOPE, "t", "d").attributes
