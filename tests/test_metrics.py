"""The formulas of the metrics: the published numbers, their conventions, and the order they see."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.align import Calls, align
from otel_toolscore.align.places import actual_order, expected_order
from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.metrics import Measures, measure
from otel_toolscore.model import Evidence, ToolCall
from otel_toolscore.score import DEFAULT_WEIGHTS, composite, grade, merged

CASES = json.loads((Path(__file__).parent / "cases" / "evaluate.json").read_text(encoding="utf-8"))["cases"]


def called(tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=Evidence("captured", arguments or {}), **more)


def measured(items: Sequence[Item], calls: Sequence[ToolCall], *, tolerances: bool = True, **more: Any) -> Measures:
    return measure(align(items, Calls(calls, tolerances=tolerances), **more), tolerances=tolerances)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_published_numbers(case: dict[str, Any]) -> None:
    """The metrics, the composite and the grade of each published case, without tolerances."""
    expected = [ExpectedCall(call["tool"], call.get("args")) for call in case["expected"]]
    failed = [bool(call.get("error")) or call.get("is_error") is True for call in case["actual"]]
    calls = [
        called(call["tool"], call.get("args"), outcome="error" if bad else "ok") for call, bad in zip(case["actual"], failed, strict=True)
    ]
    found = measured(expected, calls, tolerances=False)
    names = ("selection_accuracy", "argument_f1", "sequence_accuracy", "redundant_rate", "required_call_recall")
    numbers = {name: getattr(found.metrics, name) for name in names}
    numbers |= {"argument_precision": found.precision, "argument_recall": found.recall, "redundant_count": found.redundant}
    for name, number in numbers.items():
        wanted = case["metrics"][name]
        assert number == wanted if wanted is None else float(number) == pytest.approx(wanted, abs=1e-9), name
    score = composite(found.metrics, merged(case["options"].get("weights", {})))
    assert score is not None
    assert float(score) == pytest.approx(case["score"], abs=1e-9)
    assert grade(score) == case["grade"]


def test_counts() -> None:
    """What is counted: the calls of both sides, the distance of their names, the redundant ones, the outcomes met."""
    expected = [ExpectedCall("a", {"x": 1}), ExpectedCall("b"), ExpectedCall("c", outcome="ok")]
    calls = [called("a", {"x": 1, "y": 2}), called("a"), called("c", outcome="unknown")]
    found = measured(expected, calls)
    assert (found.expected, found.actual, found.selected, found.edit_distance, found.redundant) == (3, 3, 3, 1, 1)
    assert (found.arguments.equal, found.arguments.expected, found.arguments.actual) == (1, 1, 2)
    assert (found.met, found.perhaps_met, found.metrics.required_call_recall) == (1, 1, None)


def test_ignored_and_defaulted_fields_count_on_neither_side() -> None:
    """With tolerances; without, every argument counts."""
    rules = {"note": FieldRule(ignore=True), "page": FieldRule(default=1)}
    expected = [ExpectedCall("a", {"x": 1, "note": "n"}, field_rules=rules)]
    calls = [called("a", {"x": 2, "note": "other", "page": 1})]
    assert measured(expected, calls).arguments.actual == 1
    assert measured(expected, calls, tolerances=False).arguments.actual == 3


def test_a_missing_call_counts_its_arguments_as_missed() -> None:
    """Those that are ignored do not count."""
    expected = [ExpectedCall("a", {"x": 1}), ExpectedCall("b", {"y": 1, "note": 2}, field_rules={"note": FieldRule(ignore=True)})]
    found = measured(expected, [called("a", {"x": 1})])
    assert (found.arguments.expected, found.metrics.argument_f1) == (2, Fraction(2, 3))


def test_what_stands_in_any_order_takes_the_matched_order() -> None:
    """Groups and `order: any` do not lower the accuracy of the sequence; a call of another tool in the place of one does once."""
    a, b, c = ExpectedCall("a"), ExpectedCall("b"), ExpectedCall("c")
    calls = [called(name) for name in "cba"]
    assert measured([a, b, c], calls, order="any").metrics.sequence_accuracy == 1
    assert measured([Group((a, b, c))], calls).metrics.sequence_accuracy == 1
    assert measured([c, Group((a, b))], calls).metrics.sequence_accuracy == 1
    assert measured([a, b], [called("z"), called("b")], order="any").metrics.sequence_accuracy == Fraction(1, 2)
    assert measured([b, a], [called("z"), called("b")], order="any").metrics.sequence_accuracy == Fraction(1, 2)


def test_inside_a_group_a_sequence_keeps_its_order() -> None:
    """Alternatives are sequences; where they stand in a group only other parts may come between."""
    a, b, c = ExpectedCall("a"), ExpectedCall("b"), ExpectedCall("c")
    group = Group((AnyOf(((a, b),)), c))
    assert measured([group], [called(name) for name in "acb"]).metrics.sequence_accuracy == 1
    assert measured([group], [called(name) for name in "cba"]).metrics.sequence_accuracy == Fraction(1, 3)


def test_calls_of_one_start_stand_as_they_were_matched() -> None:
    """What nothing expects comes after them."""
    calls = [called(name, start_ns=1) for name in "zba"]
    alignment = align([ExpectedCall("a"), ExpectedCall("b")], Calls(calls))
    assert actual_order(alignment) == [2, 1, 0]
    assert expected_order(alignment) == [0, 1]


def test_tolerated_extra_calls_leave_the_actual_side() -> None:
    """Allowed and retried calls count nowhere; without tolerances they do."""
    expected = [ExpectedCall("a", outcome="ok")]
    calls = [called("a", outcome="error"), called("a")]
    assert measured(expected, calls, extra="retries").metrics.redundant_rate == 0
    assert measured(expected, calls, extra="allow", tolerances=False).metrics.redundant_rate == Fraction(1, 2)


names = st.lists(st.sampled_from("abcd"), max_size=6)


@given(names, names)
def test_metrics_lie_between_0_and_1(expected: list[str], actual: list[str]) -> None:
    """Whatever is expected and called, and the composite with them."""
    found = measured([ExpectedCall(name, {"x": 1}) for name in expected], [called(name, {"x": 1}) for name in actual])
    for name in DEFAULT_WEIGHTS:
        value = getattr(found.metrics, name)
        assert value is None or 0 <= value <= 1
    score = composite(found.metrics, DEFAULT_WEIGHTS)
    assert score is not None
    assert 0 <= score <= 1
