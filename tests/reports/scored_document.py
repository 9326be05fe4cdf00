"""A scored document with something of everything, for the tests of the reports."""

from __future__ import annotations

from fractions import Fraction

from otel_toolscore.matchers import Gt
from otel_toolscore.model import (
    MISSING,
    NOT_CAPTURED,
    Coverage,
    Difference,
    Document,
    Evidence,
    ExpectationResult,
    Finding,
    MergedSpan,
    Metrics,
    Pair,
    Problem,
    Run,
    RunResult,
    Scope,
    ToolCall,
    Totals,
    Verdict,
)
from otel_toolscore.policy.records import Policy

START = 1_790_000_000_000_000_000
SECOND = 10**9
TRACE = "a" * 32
SECRET = "AK" + "IAIOSFODNN7EXAMPLE"

ONE = Fraction(1)
ALL_ONE = Metrics(selection_accuracy=ONE, argument_f1=ONE, sequence_accuracy=ONE, redundant_rate=Fraction(0), required_call_recall=ONE)


def captured(value: object) -> Evidence:
    return Evidence("captured", value)


def call(number: int, tool: str, arguments: Evidence = NOT_CAPTURED, **members: object) -> ToolCall:
    return ToolCall(
        **{
            "tool": tool,
            "arguments": arguments,
            "start_ns": START + number * SECOND,
            "end_ns": START + number * SECOND + 40_000_000,
            "trace_id": TRACE,
            "span_id": f"{0xB000000000000000 + number:016x}",
            "parent_span_id": "b0b0b0b0b0b0b0b0",
            "agent": "support",
            "agent_path": ("support",),
            "conversation": "c-1",
            "service": "agents",
            "dialect": "genai",
            **members,
        }  # type: ignore[arg-type]
    )


CALLS = (
    call(0, "search_orders", captured({"customer": "ada@example.com"}), result=captured({"order": "A-1041"}), id="call_1", type="function"),
    call(
        1,
        "issue_refund",
        captured({"order_id": "A-1041", "amount": 950}),
        server="payments",
        recorded_name="mcp__payments__issue_refund",
        outcome="error",
        error="card declined\nby the bank",
        error_type="PaymentError",
        merged=(MergedSpan("b1b1b1b1b1b1b1b1", "MCP client below"),),
        notes=("fan_out",),
    ),
    call(2, "run_shell", captured({"command": f"rm -rf / # {SECRET}"}), agent="helper", agent_path=("support", "helper")),
    call(3, "notify"),
    call(4, "log", Evidence("unreadable", None, "truncated", '{"q": "a l')),
)
TOP = Scope(
    id="b0b0b0b0b0b0b0b0",
    kind="agent",
    name="support",
    span_id="b0b0b0b0b0b0b0b0",
    service="agents",
    conversation="c-1",
    start_ns=START,
    end_ns=START + 7 * SECOND,
)
RUN = Run(trace_id=TRACE, scopes=(TOP,), calls=CALLS, merged_spans=1)

VIOLATION = Finding(
    rule="no-rm-rf",
    kind="violation",
    severity="critical",
    message="destructive shell command",
    explanation="the call of `run_shell` is one that the rule forbids",
    tool="run_shell",
    call=2,
    span_id=CALLS[2].span_id,
    agent="helper",
    path="$.command",
)
OPEN = Finding(
    rule="no-rm-rf",
    kind="inconclusive",
    severity="critical",
    explanation="it is not known whether the call of `notify` is one that the rule forbids",
    cause="arguments_not_captured",
    tool="notify",
    call=3,
    span_id=CALLS[3].span_id,
)
SHADOW = Finding(rule="trial", kind="violation", severity="low", enforcement="shadow", explanation="a trial", tool="run_shell", call=2)
OF_RUN = Finding(rule="audit", kind="violation", severity="medium", message="no audit log", explanation="no call that the rule requires")

EXPECTATION = ExpectationResult(
    id="refund",
    agent="support",
    span_id=TOP.span_id,
    verdict="fail",
    score=Fraction(8999, 10000),
    score_bounds=(Fraction(1, 2), Fraction(9, 10)),
    grade="B",
    metrics=Metrics(
        selection_accuracy=ONE,
        argument_f1=Fraction(2, 3),
        sequence_accuracy=ONE,
        redundant_rate=Fraction(0),
        required_call_recall=None,
    ),
    reasons=("`issue_refund`: $.amount differs",),
    tolerated=("the default of $.page",),
    alignment=(
        Pair(0, 0, "matched"),
        Pair(
            1, 1, "mismatched", (Difference("$.amount", {"x": Gt(0)}, 950, "does not match"), Difference("$.note", MISSING, "n", "extra"))
        ),
        Pair(2, None, "missing"),
        Pair(None, 2, "extra"),
        Pair(3, 3, "matched", unknown=True),
    ),
    calls=(0, 1, 2, 3),
    expected_tools=("search_orders", "issue_refund", "send_email", "notify"),
)
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "fail", "inconclusive", "unscored")
RESULT = RunResult(run=RUN, verdict="fail", call_verdicts=VERDICTS, findings=(VIOLATION, SHADOW, OPEN, OF_RUN), expectations=(EXPECTATION,))
DOCUMENT = Document(
    verdict="fail",
    reasons=("an expectation failed",),
    runs=(RESULT,),
    totals=Totals(spans=36, tool_spans=6, calls=5, runs=1, violations=2, shadow_violations=1, inconclusive=1, merged_spans=1),
    coverage=Coverage(unused_rules=("never",), unused_expectations=("nobody",), uncovered_tools=("log",), captured_share=0.6),
    problems=(Problem("cut_record", "traces.jsonl:12", "expected a whole JSON document", TRACE),),
)
POLICY = Policy(sources=("toolscore.yaml",), digest="d1" * 32)


def passing(number: int, calls: int = 2) -> RunResult:
    """A run in which everything passed."""
    scope = Scope(id=f"s{number}", kind="agent", name=f"agent-{number}", span_id=f"s{number}")
    made = tuple(call(i, "look", captured({"i": i})) for i in range(calls))
    return RunResult(run=Run(trace_id=f"{number:032x}", scopes=(scope,), calls=made), verdict="pass", call_verdicts=("pass",) * calls)


def document_of(*results: RunResult, verdict: Verdict = "pass") -> Document:
    return Document(verdict=verdict, runs=results, totals=Totals(runs=len(results), calls=sum(len(result.run.calls) for result in results)))
