"""The JSON result: its keys, its values, and that the same document gives the same bytes."""

from __future__ import annotations

import json
import math

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from scored_document import CALLS, DOCUMENT, POLICY, RESULT, RUN, SECRET, TOP, TRACE, call, captured, document_of, passing

from otel_toolscore.model import NOT_CAPTURED, Run, RunResult, Scope
from otel_toolscore.reports.call_record import VALUE_KEYS, record, timestamp
from otel_toolscore.reports.json import agent, line, render, render_lines

CALL_KEYS = [
    *("tool", "server", "recorded_name", "args", "args_state", "args_cause", "args_text", "result", "result_state", "outcome", "error"),
    *("error_type", "id", "type", "agent", "agent_path", "conversation", "service", "start", "start_unix_nano", "duration", "trace_id"),
    *("span_id", "parent_span_id", "merged", "dialect", "notes"),
]


def result(*, values: bool = True) -> dict[str, object]:
    return json.loads(render(DOCUMENT, POLICY, values=values))  # type: ignore[no-any-return]


def test_the_record_of_a_call() -> None:
    """A record has exactly its keys; what is not known is null, times are exact."""
    found = record(CALLS[1], values=True)
    assert found == {
        "tool": "issue_refund",
        "server": "payments",
        "recorded_name": "mcp__payments__issue_refund",
        "args": {"order_id": "A-1041", "amount": 950},
        "args_state": "captured",
        "args_cause": None,
        "args_text": None,
        "result": None,
        "result_state": "not_captured",
        "outcome": "error",
        "error": "card declined\nby the bank",
        "error_type": "PaymentError",
        "id": None,
        "type": None,
        "agent": "support",
        "agent_path": ["support"],
        "conversation": "c-1",
        "service": "agents",
        "start": "2026-09-21T14:13:21.000000000Z",
        "start_unix_nano": "1790000001000000000",
        "duration": 0.04,
        "trace_id": TRACE,
        "span_id": "b000000000000001",
        "parent_span_id": "b0b0b0b0b0b0b0b0",
        "merged": [{"span_id": "b1b1b1b1b1b1b1b1", "why": "MCP client below"}],
        "dialect": "genai",
        "notes": ["fan_out"],
    }
    assert list(found) == CALL_KEYS


def test_hidden_values_have_no_key() -> None:
    """Without values, the keys that hold them are absent; what state the arguments are in stays."""
    assert list(record(CALLS[4], values=False)) == [key for key in CALL_KEYS if key not in VALUE_KEYS]
    assert record(CALLS[4], values=False)["args_state"] == "unreadable"


def test_unreadable_arguments() -> None:
    """Their text is in `args_text`, why they are unreadable in `args_cause`; `args` is null."""
    found = record(CALLS[4], values=True)
    assert (found["args"], found["args_state"], found["args_cause"], found["args_text"]) == (None, "unreadable", "truncated", '{"q": "a l')


def test_times_keep_every_nanosecond() -> None:
    """The start is written to the nanosecond, also before 1970 and where it is not known."""
    assert timestamp(1_790_000_000_123_456_789) == "2026-09-21T14:13:20.123456789Z"
    assert timestamp(-1) == "1969-12-31T23:59:59.999999999Z"
    unknown = record(call(0, "a", start_ns=None), values=True)
    assert (unknown["start"], unknown["start_unix_nano"], unknown["duration"]) == (None, None, None)


def test_the_document() -> None:
    """Every part has its keys, in the order of the documentation."""
    found = result()
    assert list(found) == ["schema_version", "verdict", "policy", "totals", "runs", "coverage", "gates", "problems", "reasons"]
    assert found["schema_version"] == "1"
    assert found["policy"] == {"digest": "d1" * 32, "sources": ["toolscore.yaml"], "rules": [], "expectations": []}
    assert found["totals"] == {
        "spans": 36,
        "tool_spans": 6,
        "calls": 5,
        "runs": 1,
        "violations": 2,
        "shadow_violations": 1,
        "inconclusive": 1,
        "merged_spans": 1,
    }
    assert found["coverage"] == {
        "unused_rules": ["never"],
        "unused_expectations": ["nobody"],
        "uncovered_tools": ["log"],
        "captured_share": 0.6,
    }
    assert found["gates"] == []
    assert found["problems"] == [{"code": "cut_record", "where": "traces.jsonl:12", "message": "expected a whole JSON document"}]


def test_a_run() -> None:
    """A run has its top's identity, its calls with their verdicts, findings and expectations."""
    (run,) = result()["runs"]  # type: ignore[misc]
    assert {key: item for key, item in run.items() if key not in ("calls", "findings", "expectations")} == {
        "trace_id": TRACE,
        "span_id": TOP.span_id,
        "agent": "support",
        "conversation": "c-1",
        "service": "agents",
        "start": "2026-09-21T14:13:20.000000000Z",
        "duration": 7.0,
        "complete": True,
        "verdict": "fail",
    }
    assert [made["verdict"] for made in run["calls"]] == ["pass", "fail", "fail", "inconclusive", "unscored"]
    assert run["findings"][0] == {
        "rule": "no-rm-rf",
        "kind": "violation",
        "enforcement": "enforce",
        "severity": "critical",
        "message": "destructive shell command",
        "explanation": "the call of `run_shell` is one that the rule forbids",
        "cause": None,
        "tool": "run_shell",
        "call": 2,
        "span_id": CALLS[2].span_id,
        "path": "$.command",
    }


def test_an_expectation() -> None:
    """Scores are numbers, metrics that have no evidence null; a missing side of a difference has no key, a matcher is spelled."""
    (expectation,) = result()["runs"][0]["expectations"]  # type: ignore[index]
    assert expectation["score"] == 0.8999
    assert expectation["score_bounds"] == [0.5, 0.9]
    assert expectation["metrics"] == {
        "selection_accuracy": 1.0,
        "argument_f1": 2 / 3,
        "sequence_accuracy": 1.0,
        "redundant_rate": 0.0,
        "required_call_recall": None,
    }
    assert [(pair["expected"], pair["actual"], pair["match"]) for pair in expectation["alignment"]] == [
        (0, 0, "matched"),
        (1, 1, "mismatched"),
        (2, None, "missing"),
        (None, 2, "extra"),
        (3, 3, "matched"),
    ]
    assert expectation["alignment"][1]["differences"] == [
        {"path": "$.amount", "expected": {"x": {"$gt": 0}}, "actual": 950, "why": "does not match"},
        {"path": "$.note", "actual": "n", "why": "extra"},
    ]
    (hidden,) = result(values=False)["runs"][0]["expectations"]  # type: ignore[index]
    assert hidden["alignment"][1]["differences"] == [{"path": "$.amount", "why": "does not match"}, {"path": "$.note", "why": "extra"}]


def test_actual_is_the_index_of_the_run() -> None:
    """Where an expectation saw some of the run's calls, `actual` still counts the run's."""
    expectation = msgspec.structs.replace(RESULT.expectations[0], calls=(1, 2, 3, 4))
    document = document_of(msgspec.structs.replace(RESULT, expectations=(expectation,)))
    found = json.loads(render(document, POLICY, values=False))
    assert [pair["actual"] for pair in found["runs"][0]["expectations"][0]["alignment"]] == [1, 2, None, 3, 4]


def test_the_agent_of_a_run() -> None:
    """A run is of its top's agent, or of the one agent below its top."""

    def named(*scopes: Scope) -> str | None:
        return agent(Run(trace_id=TRACE, scopes=scopes))

    graph = Scope(id="g", kind="enclosing", name="LangGraph")
    one = Scope(id="1", kind="agent", name="one", parent="g")
    assert named(TOP) == "support"
    assert named(graph, one, Scope(id="2", kind="agent", name="sub", parent="1")) == "one"
    assert named(graph, one, Scope(id="2", kind="agent", name="two", parent="g")) is None
    assert named(graph) is None


def test_credentials_never_leave() -> None:
    """A credential is masked with values shown; nothing of an argument is there with values hidden."""
    shown, hidden = render(DOCUMENT, POLICY, values=True).decode(), render(DOCUMENT, POLICY, values=False).decode()
    assert SECRET not in shown
    assert "rm -rf / # [masked AWS access key]" in shown
    assert "rm -rf" not in hidden.replace("no-rm-rf", "")
    assert "card declined" not in hidden
    assert "ada@example.com" not in hidden


def test_credentials_are_masked_wherever_they_stand() -> None:
    """Names, ids and messages are masked like values."""
    made = call(0, f"tool {SECRET}", id=SECRET, agent=SECRET, error_type=SECRET)
    document = document_of(RunResult(run=Run(trace_id=TRACE, scopes=(TOP,), calls=(made,)), verdict="pass", call_verdicts=("pass",)))
    assert SECRET not in render(document, POLICY, values=False).decode()


def test_lines_hold_the_same() -> None:
    """JSON Lines are the runs one by one, then the document without them."""
    document = document_of(RESULT, passing(1), passing(2))
    *runs, rest = (json.loads(text) for text in render_lines(document, POLICY, values=True))
    whole = json.loads(render(document, POLICY, values=True))
    assert runs == whole.pop("runs")
    assert rest == whole


def test_the_same_bytes() -> None:
    """Rendering twice gives the same bytes, which end a line."""
    assert render(DOCUMENT, POLICY, values=True) == render(DOCUMENT, POLICY, values=True)
    assert render(DOCUMENT, POLICY, values=True).endswith(b"}\n")


def test_numbers_that_json_lacks_become_text() -> None:
    """NaN and infinities are written as OTLP writes them; integers keep every digit."""
    made = record(call(0, "a", captured({"x": [math.nan, math.inf, -math.inf], "n": 2**80})), values=True)
    assert json.loads(line(made))["args"] == {"x": ["NaN", "Infinity", "-Infinity"], "n": 2**80}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.text(alphabet=st.characters(categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_whatever_was_captured_gives_valid_json(value: object) -> None:
    """Any captured value, also text that is not Unicode, gives JSON that every parser takes."""

    def refuse(name: str) -> object:
        raise AssertionError(name)

    made = record(call(0, "a", captured({"x": value}), result=captured(value)), values=True)
    json.loads(line(made).decode(), parse_constant=refuse)


def test_nothing_was_scored() -> None:
    """A document without runs is whole."""
    found = json.loads(render(document_of(verdict="unscored"), POLICY, values=True))
    assert (found["runs"], found["verdict"]) == ([], "unscored")
    assert record(msgspec.structs.replace(CALLS[3], arguments=NOT_CAPTURED), values=True)["args"] is None
    assert RUN.top is TOP
