"""`evaluate` and `assert_tools`: the numbers, what they accept, and what they say when they refuse or fail."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore import (
    Approx,
    Contains,
    EvaluationResult,
    ExpectedCall,
    Regex,
    ToolCall,
    ToolScoreAssertionError,
    assert_tools,
    evaluate,
)
from otel_toolscore.model import Evidence
from otel_toolscore.rules.pattern import Pattern

CASES = json.loads((Path(__file__).parent / "cases" / "evaluate.json").read_text(encoding="utf-8"))["cases"]

PLACES = {
    "selection_accuracy": ("selection_accuracy",),
    "invocation_accuracy": ("invocation_accuracy",),
    "argument_precision": ("argument_metrics", "precision"),
    "argument_recall": ("argument_metrics", "recall"),
    "argument_f1": ("argument_metrics", "f1"),
    "sequence_accuracy": ("sequence_metrics", "sequence_accuracy"),
    "redundant_rate": ("efficiency_metrics", "redundant_rate"),
    "redundant_count": ("efficiency_metrics", "redundant_count"),
    "identical_count": ("efficiency_metrics", "identical_count"),
    "error_count": ("efficiency_metrics", "error_count"),
    "retry_after_error_count": ("efficiency_metrics", "retry_after_error_count"),
    "required_call_recall": ("required_call_recall",),
    "tool_correctness": ("tool_correctness_metrics", "tool_correctness"),
    "trajectory_accuracy": ("trajectory_metrics", "trajectory_accuracy"),
}


def at(metrics: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        metrics = metrics[key]
    return metrics


def rounded(number: float | None) -> float | None:
    return number if number is None else round(number, 12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_numbers(case: dict[str, Any]) -> None:
    """Score, grade and every metric are the case's numbers, to twelve places."""
    result = evaluate(case["expected"], case["actual"], **case["options"])
    assert (rounded(result.score), result.grade) == (case["score"], case["grade"])
    assert {name: rounded(at(result.metrics, PLACES[name])) for name in case["metrics"]} == case["metrics"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_forms_of_the_same_calls(case: dict[str, Any]) -> None:
    """Dicts under the other keys, JSON text, and records give the numbers that plain dicts give."""
    expected = [ExpectedCall(call["tool"], call.get("args")) for call in case["expected"]]
    actual = [{**call, "name": call["tool"], "arguments": json.dumps(call["args"])} if "args" in call else call for call in case["actual"]]
    actual = [{key: value for key, value in call.items() if key not in ("tool", "args") or "name" not in call} for call in actual]
    assert evaluate(expected, actual, **case["options"]).metrics == evaluate(case["expected"], case["actual"], **case["options"]).metrics


NAMES = st.sampled_from(["a", "b", "mcp__s__c", "d_e"])
KEYS = st.text("xyz.[' ", max_size=2)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=True) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)
CALL = st.fixed_dictionaries({"tool": NAMES, "args": st.dictionaries(KEYS, VALUES, max_size=3)})
CALLS = st.lists(CALL, max_size=5)


@given(CALLS)
def test_calls_against_themselves(calls: list[dict[str, Any]]) -> None:
    """Any calls against themselves score 1.0 in everything, and nothing differs."""
    result = evaluate(calls, calls)
    assert (result.score, result.grade, result.verdict, result.reasons) == (1.0, "A", "pass", ())
    assert result.metrics["trajectory_metrics"]["trajectory_accuracy"] == 1.0
    assert assert_tools(calls, calls, min_score=1.0).score == 1.0


@given(CALLS, CALLS)
def test_every_number_is_within_its_range(expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> None:
    """Whatever the calls are: metrics are from 0 to 1, and the record is JSON."""
    result = evaluate(expected, actual, forbidden=["d_*"])
    assert result.score is not None
    assert 0 <= result.score <= 1
    for name, place in PLACES.items():
        number = at(result.metrics, place)
        assert number is None or (isinstance(number, int) if name.endswith("count") else 0 <= number <= 1), name
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["score"] == result.score


def test_matchers_and_field_rules() -> None:
    """Expected arguments may hold matchers, as objects and in their `$` spelling, and fields may have rules."""
    expected = [
        {
            "tool": "pay",
            "args": {"to": Regex(r"@example\.com$"), "amount": Approx(10, abs=0.01), "tags": [Contains("x"), {"$gt": 3}], "note": "Lunch"},
            "fields": {"note": {"case_insensitive": True}},
            "allow_extra_fields": True,
        }
    ]
    actual = [{"tool": "pay", "args": {"to": "ada@example.com", "amount": 9.995, "tags": ["axb", 4], "note": "LUNCH", "urgent": True}}]
    result = evaluate(expected, actual)
    assert result.verdict == "pass"
    assert result.metrics["argument_metrics"] == {"precision": 0.8, "recall": 1.0, "f1": pytest.approx(8 / 9)}


def test_alternatives_groups_and_optional_calls() -> None:
    """The items of a policy's `calls` can be expected here too."""
    expected = [{"any_of": [{"tool": "mail"}, [{"tool": "dial"}, {"tool": "talk"}]]}, {"group": [{"tool": "a"}, {"tool": "b"}]}]
    expected += [{"tool": "log", "optional": True}, {"tool": "poll", "times": {"min": 1, "max": 3}}]
    names = ["dial", "talk", "b", "a", "poll", "poll"]
    result = evaluate(expected, [{"tool": name, "args": {}} for name in names])
    assert result.verdict == "pass"
    assert result.required_call_recall == 1.0


def test_names_bare_and_as_recorded() -> None:
    """`mcp__SERVER__TOOL` is expected by either name; a server that is named must be that one."""
    actual = [{"tool": "mcp__files__read", "args": {}}]
    for expected in ({"tool": "read"}, {"tool": "mcp__files__read"}, {"tool": "read", "server": "files"}):
        result = evaluate([expected], actual)
        assert (result.score, result.metrics["tool_correctness_metrics"]["tool_correctness"]) == (1.0, 1.0), expected
        assert result.metrics["invocation_accuracy"] == 1.0
    assert evaluate([{"tool": "read", "server": "mail"}], actual).verdict == "fail"


def test_arguments_that_were_not_captured() -> None:
    """They are unknown, not empty: argument_f1 is None and leaves the mean, and the score has bounds."""
    for call in ({"tool": "a"}, {"tool": "a", "args": None}, ToolCall(tool="a")):
        result = evaluate([{"tool": "a", "args": {"x": 1}}], [call])
        assert (result.argument_f1, result.score, result.score_bounds) == (None, 1.0, (0.7, 1.0))
        assert (result.grade, result.verdict) == (None, "inconclusive")
        assert result.metrics["trajectory_metrics"]["trajectory_accuracy"] is None
        with pytest.raises(ToolScoreAssertionError, match=r"could be as low as 0\.700"):
            assert_tools([{"tool": "a", "args": {"x": 1}}], [call], min_score=0.9)
        assert_tools([{"tool": "a", "args": {"x": 1}}], [call], min_score=0.7)


def test_arguments_that_are_not_json_fail_the_call() -> None:
    """Malformed text is a wrong argument, with the reason; text that was cut is unknown."""
    result = evaluate([{"tool": "a", "args": {"x": 1}}], [{"tool": "a", "args": "{not valid"}])
    assert (result.argument_f1, result.verdict) == (0.0, "fail")
    assert "JSON" in " ".join(result.reasons)
    assert evaluate([{"tool": "a", "args": {"x": 1}}], [{"tool": "a", "args": '{"x": "lo'}]).argument_f1 is None


def test_calls_that_failed() -> None:
    """`is_error` that is true, or an `error` that says something; the outcome can be expected too."""
    failures: list[dict[str, Any]] = [{"is_error": True}, {"error": "boom"}, {"error": {"code": 5}}, {"outcome": "error"}]
    for failure in failures:
        result = evaluate([{"tool": "a"}], [{"tool": "a", "args": {}, **failure}])
        assert (result.metrics["efficiency_metrics"]["error_count"], result.required_call_recall) == (1, 0.0)
        assert evaluate([{"tool": "a", "outcome": "error"}], [{"tool": "a", "args": {}, **failure}]).required_call_recall == 1.0
    for fine in ({"error": ""}, {"error": None}, {"error": []}, {"is_error": "true"}, {"is_error": 1}):
        assert evaluate([{"tool": "a"}], [{"tool": "a", "args": {}, **fine}]).metrics["efficiency_metrics"]["error_count"] == 0, fine


def test_retries_repeat_the_failed_call_right_before_them() -> None:
    """The same tool and arguments; other arguments are another attempt, and unknown ones are no evidence."""
    failed = {"tool": "a", "args": {"x": 1}, "error": "boom"}

    def retries(*calls: dict[str, Any]) -> int:
        return int(evaluate([], list(calls)).metrics["efficiency_metrics"]["retry_after_error_count"])

    assert retries(failed, failed, {"tool": "a", "args": {"x": 1.0}}) == 2
    assert retries(failed, {"tool": "a", "args": {"x": 2}}) == 0
    assert retries({"tool": "a", "error": "boom"}, {"tool": "a"}) == 0


def test_forbidden_calls() -> None:
    """Each is reported with the call and the rule, by the engine that judges rules of policies; the score stays."""
    forbidden = [
        "delete_*",
        {"tool": "sh", "args": {"command": {"$regex": r"rm\s+-rf"}}, "reason": "destructive"},
        {"any_arg": Contains("/etc/shadow")},
        Pattern(tool=("pay",)),
    ]
    actual = [
        {"tool": "sh", "args": {"command": "sudo rm  -rf /"}},
        {"tool": "SH", "args": {"command": ["cat", "/etc/shadow"]}},
        {"tool": "delete_user", "args": {}},
        {"tool": "sh"},
    ]
    result = evaluate([{"tool": "sh"}], actual, forbidden=forbidden)
    assert [(one["index"], one["tool"], one["rule"], one["reason"]) for one in result.policy_violations] == [
        (0, "sh", 1, "destructive"),
        (1, "SH", 2, None),
        (2, "delete_user", 0, None),
    ]
    assert result.policy_violations[0]["args"] == {"command": "sudo rm  -rf /"}
    policy = result.metrics["policy_metrics"]
    assert (policy["violation_count"], policy["rule_count"], policy["inconclusive_count"]) == (3, 4, 2)
    assert result.score == evaluate([{"tool": "sh"}], actual).score
    assert evaluate([], []).metrics["policy_metrics"]["rule_count"] == 0


def test_weights() -> None:
    """Given weights are merged over the defaults and normalised; the class says what the defaults are."""
    expected, actual = [{"tool": "a"}, {"tool": "b"}], [{"tool": "a", "args": {}}]
    assert evaluate(expected, actual, weights={"sequence_accuracy": 0}).score == 1.0
    only = {"selection_accuracy": 0, "argument_f1": 0, "redundant_rate": 0, "sequence_accuracy": 3}
    result = evaluate(expected, actual, weights=only)
    assert (result.score, result.weights["sequence_accuracy"]) == (0.5, 1.0)
    assert dict(EvaluationResult.DEFAULT_WEIGHTS) == {
        "selection_accuracy": 0.4,
        "argument_f1": 0.3,
        "sequence_accuracy": 0.2,
        "redundant_rate": 0.1,
        "required_call_recall": 0.0,
    }


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"recall": 1}, "weights: unknown key 'recall'"),
        ({"argument_f1": -1}, r"weights\['argument_f1'\]: expected a finite number of at least 0"),
        ({"argument_f1": math.inf}, r"weights\['argument_f1'\]: expected a finite number"),
        ({"argument_f1": True}, r"weights\['argument_f1'\]: expected a finite number"),
        (dict.fromkeys(("selection_accuracy", "argument_f1", "sequence_accuracy", "redundant_rate"), 0), "at least one above 0"),
        ([1], "weights: expected a dict"),
    ],
    ids=str,
)
def test_weights_that_are_refused(weights: Any, told: str) -> None:
    """The message names the weight and what was expected."""
    with pytest.raises((TypeError, ValueError), match=told):
        evaluate([], [], weights=weights)


def test_strict_compares_space_around_text() -> None:
    """Without `strict` it does not matter."""
    expected, actual = [{"tool": "a", "args": {"q": "x"}}], [{"tool": "a", "args": {"q": " x\n"}}]
    assert evaluate(expected, actual).argument_f1 == 1.0
    assert evaluate(expected, actual, strict=True).argument_f1 == 0.0


REFUSED_ACTUAL = [
    ("x", TypeError, "actual: expected a list of calls, got str"),
    ({"tool": "a"}, TypeError, "actual: expected a list of calls, got dict"),
    (None, TypeError, "actual: expected a list of calls, got NoneType"),
    ([{"tool": "a", "args": {}}, 7], TypeError, r"actual\[1\]: expected a dict with `tool`, got int"),
    ([{"args": {}}], ValueError, r"actual\[0\]: expected `tool`, the name of the tool \(there is args\)"),
    ([{"tool": ""}], TypeError, r"actual\[0\]\.tool: expected a name"),
    ([{"tool": 5}], TypeError, r"actual\[0\]\.tool: expected a name \(text that is not empty\), got int"),
    ([{"tool": "a", "args": [1]}], TypeError, r"actual\[0\]\.args: expected an object \(a dict\), its JSON text, or None, got list"),
    ([{"tool": "a", "args": {"x": object()}}], TypeError, r"actual\[0\]\.args: expected JSON values"),
    ([{"tool": "a", "name": "b"}], ValueError, r"actual\[0\]: `tool` is given twice, also as `name`"),
    ([{"tool": "a", "outcome": "fine"}], ValueError, r"actual\[0\]\.outcome: expected one of ok, error, unknown, not_executed"),
]


@pytest.mark.parametrize(("actual", "kind", "told"), REFUSED_ACTUAL, ids=[told for _, _, told in REFUSED_ACTUAL])
def test_actual_calls_that_are_refused(actual: Any, kind: type[Exception], told: str) -> None:
    """The message names the item's index and what was expected there."""
    with pytest.raises(kind, match=told):
        evaluate([], actual)


REFUSED_EXPECTED = [
    (3, TypeError, "expected: expected a list of calls, got int"),
    ([{"tool": "a"}, {"tool": "a", "arg": {}}], ValueError, r"expected\[1\]: unknown key 'arg', did you mean 'args'\?"),
    ([{"tool": "a", "args": "{}"}], TypeError, r"expected\[0\]\.args: expected an object"),
    ([{"tool": "a", "args": {"x": {"$regx": "y"}}}], ValueError, r"expected\[0\]\.args\['x'\]: .*\$regx.*\$regex"),
    ([{"tool": "a", "fields": {"x": {"ignor": True}}}], ValueError, r"fields\['x'\]: unknown key 'ignor', did you mean 'ignore'\?"),
    ([{"tool": "a", "fields": {"x..y": {"ignore": True}}}], ValueError, r"expected\[0\]\.fields\['x\.\.y'\]: at offset 2"),
    ([{"tool": "a", "times": 0}], ValueError, r"expected\[0\]\.times: expected a whole number of at least 1"),
    ([{"tool": "a", "outcome": "good"}], ValueError, r"expected\[0\]\.outcome: expected one of ok, error"),
    ([{"any_of": []}], ValueError, r"expected\[0\]\.any_of: expected at least one call"),
    ([{"group": [{"tool": "a"}, 5]}], TypeError, r"expected\[0\]\.group\[1\]: expected a dict with `tool`, got int"),
    ([{"any_of": [{"tool": "a"}], "tool": "b"}], ValueError, r"expected\[0\]: `any_of` stands alone in its item"),
    ([ToolCall(tool="a", arguments=Evidence("unreadable", cause="truncated"))], ValueError, r"expected\[0\]: .* could be read"),
]


@pytest.mark.parametrize(("expected", "kind", "told"), REFUSED_EXPECTED, ids=[told for _, _, told in REFUSED_EXPECTED])
def test_expected_calls_that_are_refused(expected: Any, kind: type[Exception], told: str) -> None:
    """A key that is not known is refused: what is misspelt must not check less."""
    with pytest.raises(kind, match=told):
        evaluate(expected, [])


REFUSED_FORBIDDEN = [
    ("sh", TypeError, "forbidden: expected a list of patterns, got str"),
    ([5], TypeError, r"forbidden\[0\]: expected a dict with `tool`, got int"),
    ([{"reason": "x"}], ValueError, r"forbidden\[0\]: expected `tool` or another condition"),
    ([{"tol": "x"}], ValueError, r"forbidden\[0\]: unknown key 'tol', did you mean 'tool'\?"),
    ([{"tool": "a", "args": [1]}], TypeError, r"forbidden\[0\]\.args: expected a dict of paths"),
    ([{"tool": "a", "args": {"x": {"$gte": "y"}}}], ValueError, r"forbidden\[0\]\.args\['x'\]: "),
    ([{"tool": []}], TypeError, r"forbidden\[0\]\.tool: expected a name"),
    ([{"tool": "a", "outcome": "bad"}], ValueError, r"forbidden\[0\]\.outcome: expected one of ok"),
]


@pytest.mark.parametrize(("forbidden", "kind", "told"), REFUSED_FORBIDDEN, ids=[told for _, _, told in REFUSED_FORBIDDEN])
def test_forbidden_calls_that_are_refused(forbidden: Any, kind: type[Exception], told: str) -> None:
    """A pattern that cannot be understood never becomes one that finds less."""
    with pytest.raises(kind, match=told):
        evaluate([], [], forbidden=forbidden)


def test_a_message_of_a_fault_shows_no_value() -> None:
    """Arguments may be private: a refusal names places only."""
    with pytest.raises(TypeError) as refused:
        evaluate([], [{"tool": "a", "args": {"x": {"secret-value"}}}])
    assert "secret-value" not in str(refused.value)


def test_assert_tools_gives_the_result() -> None:
    """A test can go on with the numbers."""
    result = assert_tools([{"tool": "a"}], [{"tool": "a", "args": {}}])
    assert isinstance(result, EvaluationResult)
    assert result.score == 1.0


def test_assert_tools_shows_the_calls_side_by_side() -> None:
    """The message says what was wanted, what came, and where they differ; the composite decides alone."""
    expected = [{"tool": "search", "args": {"q": "Oslo"}}, {"tool": "refund", "args": {"amount": 42.5}}, {"tool": "mail"}]
    actual = [expected[0], {"tool": "refund", "args": {"amount": 95, "fast": True}}, {"tool": "sh", "args": {}}]
    with pytest.raises(ToolScoreAssertionError) as failed:
        assert_tools(expected, actual, min_score=0.8)
    text = str(failed.value)
    assert text.startswith("the tool calls score 0.587, below the minimum of 0.800\n")
    for line in (
        "  ~ expected[1] is actual[1] refund(amount=95, fast=true)",
        "      $.amount: expected 42.5, got 95",
        "  - expected[2] mail(...): was not called",
        "  + actual[2] sh(): is not expected",
    ):
        assert line in text.splitlines(), text
    assert "search" not in text
    assert_tools(expected, actual, min_score=0.5)


def test_assert_tools_is_bounded_and_masks_credentials() -> None:
    """Neither hundreds of differences nor a long value fills the screen, and a key is never shown."""
    key = "AKIAIOSFODNN7EXAMPLE"
    expected = [{"tool": "a", "args": {"x": "y" * 2_000, "password": "hunter2hunter2", "key": key}}] * 200
    actual = [{"tool": "a", "args": {"x": "z" * 2_000, "password": "correct-horse-1", "key": f"{key} "}}] * 200
    with pytest.raises(ToolScoreAssertionError) as failed:
        assert_tools(expected, actual)
    text = str(failed.value)
    assert len(text) < 20_000
    assert "more calls that differ" in text
    assert not any(word in text for word in (key, "hunter2", "correct-horse"))


@pytest.mark.parametrize("minimum", [-0.1, 1.1, "0.9", math.nan, True], ids=str)
def test_a_minimum_score_is_from_0_to_1(minimum: Any) -> None:
    """A minimum that no score can miss, or reach, is a mistake."""
    with pytest.raises((TypeError, ValueError), match="min_score: expected a number from 0 to 1"):
        assert_tools([], [], min_score=minimum)


def test_the_record_of_a_result() -> None:
    """`to_dict` holds all of it as JSON types, with a version, matchers spelled out and credentials masked."""
    actual = [{"tool": "a", "args": {"x": 2, "key": "AKIAIOSFODNN7EXAMPLE"}, "result": "done", "id": "c1"}]
    result = evaluate([{"tool": "a", "args": {"x": Regex("y")}}, {"tool": "b"}], actual)
    record = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert record["schema_version"] == EvaluationResult.RECORD_SCHEMA_VERSION == "1"
    assert record["calls"]["expected"][0]["args"] == {"x": {"$regex": "y"}}
    assert record["calls"]["actual"][0]["args"] == {"x": 2, "key": "[masked AWS access key]"}
    assert record["calls"]["actual"][0]["result"] == "done"
    pairs = [(pair["expected"], pair["actual"], pair["match"]) for pair in record["alignment"]]
    assert pairs == [(0, 0, "mismatched"), (1, None, "missing")]
    assert record["metrics"]["security_metrics"] == {
        "secret_count": 1,
        "secrets": [{"index": 0, "tool": "a", "path": "$.key", "kind": "AWS access key"}],
    }
    assert record["score"] == result.score


def test_credentials_are_found_where_they_are() -> None:
    """By path, in keys and nested lists, also where only the key says that it is one; ordinary ids are none."""
    arguments = {
        "headers": {"password": "correct-horse-1"},
        "parts": [{"text": "use ghp_" + "a1B2" * 9}],
        "id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    }
    found = evaluate([], [{"tool": "a", "args": arguments}]).metrics["security_metrics"]
    assert [(one["path"], one["index"]) for one in found["secrets"]] == [("$.headers.password", 0), ("$.parts[0].text", 0)]


def test_a_result_reads_well() -> None:
    """`repr` and rich show the numbers, not the calls."""
    result = evaluate([{"tool": "a"}], [{"tool": "b", "args": {"x": "private"}}])
    assert repr(result).startswith("EvaluationResult(score=0.0, grade='F', verdict='fail', selection_accuracy=0.0")
    assert "private" not in repr(result)
    assert dict(result.__rich_repr__())["score"] == 0.0


def test_a_result_is_told_in_the_order_of_the_calls_and_has_bounds() -> None:
    """The properties are the metrics' values."""
    result = evaluate([{"tool": "a"}, {"tool": "a"}], [{"tool": "a", "args": {}}] * 4)
    assert (result.redundant_rate, result.sequence_accuracy, result.selection_accuracy) == (0.5, 0.5, 1.0)
    assert (result.exact, result.score_bounds, result.required_call_recall) == (True, None, 1.0)
