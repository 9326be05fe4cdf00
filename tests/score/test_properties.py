"""What holds of every expectation and every list of calls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.model import Evidence, ExpectationResult, ToolCall
from otel_toolscore.score import score_calls

values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.text("ab ", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from("xyz"), values, max_size=3)
few = st.dictionaries(st.sampled_from("xy"), st.integers(1, 2), max_size=2)
tools = st.sampled_from("abc")
outcomes = st.sampled_from(["ok", "ok", "error"])
calls = st.builds(
    lambda tool, value, outcome: ToolCall(tool=tool, arguments=Evidence("captured", value), outcome=outcome), tools, few, outcomes
)
expected_calls = st.builds(
    ExpectedCall,
    tools,
    st.none() | few,
    allow_extra_fields=st.booleans(),
    outcome=st.sampled_from(["any", "ok"]),
    field_rules=st.sampled_from([{}, {"x": FieldRule(ignore=True)}, {"y": FieldRule(abs_tol=1)}, {"x": FieldRule(default=1)}]),
    min_times=st.sampled_from([0, 1, 1]),
    max_times=st.sampled_from([1, 1, 2]),
)
items: st.SearchStrategy[Item] = st.recursive(
    expected_calls,
    lambda inner: (
        st.builds(Group, st.lists(inner, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(st.lists(inner, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple))
    ),
    max_leaves=4,
)


def scored(expectation: Sequence[Item], made: Sequence[ToolCall], **more: Any) -> ExpectationResult:
    return score_calls(expectation, made, id="e", **more)


@given(st.lists(st.tuples(tools, arguments), max_size=6), st.booleans(), st.booleans(), st.sampled_from(["in_order", "any"]))
def test_a_run_against_itself_is_perfect(made: list[tuple[str, dict[str, Any]]], strict: bool, tolerances: bool, order: str) -> None:
    """It scores exactly 1 and passes, whatever the values."""
    expectation = [ExpectedCall(tool, value) for tool, value in made]
    result = scored(
        expectation,
        [ToolCall(tool=tool, arguments=Evidence("captured", value)) for tool, value in made],
        strict=strict,
        tolerances=tolerances,
        order=order,
    )
    assert (result.verdict, result.score, result.grade) == ("pass", 1, "A")
    assert all(pair.match == "matched" for pair in result.alignment)


@given(
    st.lists(items, max_size=3),
    st.lists(calls, max_size=5),
    st.sampled_from(["in_order", "any"]),
    st.sampled_from(["forbid", "allow", "retries"]),
)
def test_a_strict_pass_scores_1(expectation: list[Item], made: list[ToolCall], order: str, extra: Any) -> None:
    """Whatever the expectation tolerates; and it is only then without a reason."""
    result = scored(expectation, made, order=order, extra=extra, weights={"required_call_recall": 0})
    assert result.verdict in ("pass", "fail")
    if result.verdict == "pass":
        assert (result.score, result.reasons) == (1, ())
    else:
        assert result.reasons


@given(st.lists(items, max_size=3), st.lists(calls, max_size=4), st.data())
def test_tightening_never_turns_a_fail_into_a_pass(expectation: list[Item], made: list[ToolCall], data: st.DataObject) -> None:
    """No order is less than an order, extra calls allowed less than forbidden, a field rule less than none."""
    order = data.draw(st.sampled_from(["any", "in_order"]))
    extra = data.draw(st.sampled_from(["allow", "retries", "forbid"]))
    before = scored(expectation, made, order=order, extra=extra).verdict
    tighter = [
        scored(expectation, made, order="in_order", extra=extra),
        scored(expectation, made, order=order, extra="forbid"),
        scored(expectation, made, order=order, extra=extra, strict=True),
        scored([without_tolerance(item) for item in expectation], made, order=order, extra=extra),
    ]
    assert before == "pass" or all(result.verdict != "pass" for result in tighter)


def without_tolerance(item: Item) -> Item:
    """The item with no field rules, no further arguments, one outcome and its least repetitions only."""
    if isinstance(item, ExpectedCall):
        return msgspec.structs.replace(
            item, field_rules={}, allow_extra_fields=False, outcome="ok", max_times=max(1, item.min_times), arguments=item.arguments
        )
    if isinstance(item, Group):
        return Group(tuple(map(without_tolerance, item.items)))
    return AnyOf(tuple(tuple(map(without_tolerance, alternative)) for alternative in item.alternatives))


@given(st.lists(expected_calls, max_size=4), st.lists(calls, max_size=4), st.sampled_from([None, 0.5, 0.9]))
def test_a_higher_minimum_is_tighter(expectation: list[ExpectedCall], made: list[ToolCall], minimum: float | None) -> None:
    """What passes at one minimum passes at every lower one; no minimum is the highest."""
    if scored(expectation, made, min_score=minimum).verdict == "pass":
        assert scored(expectation, made, min_score=0.4).verdict == "pass"
    must = [msgspec.structs.replace(one, must=True) for one in expectation]
    if scored(must, made, min_score=0.4).verdict == "pass":
        assert scored(expectation, made, min_score=0.4).verdict == "pass"


whole = st.fixed_dictionaries({"x": st.integers(1, 3), "y": st.integers(1, 2)})
plain_calls = st.builds(lambda tool, value: ToolCall(tool=tool, arguments=Evidence("captured", value)), tools, whole)


@settings(max_examples=60)
@given(
    st.lists(st.builds(ExpectedCall, tools, whole), max_size=5),
    st.lists(plain_calls, max_size=6),
    st.integers(0, 1_000),
    st.sampled_from([None, 0.7]),
)
def test_without_order_the_order_of_calls_changes_nothing(
    expectation: list[ExpectedCall], made: list[ToolCall], seed: int, minimum: float | None
) -> None:
    """Under `order: any` neither that of the calls nor that of the expected ones."""
    shuffled, turned = made.copy(), expectation.copy()
    random.Random(seed).shuffle(shuffled)
    random.Random(seed).shuffle(turned)
    first = scored(expectation, made, order="any", min_score=minimum)
    for result in (scored(expectation, shuffled, order="any", min_score=minimum), scored(turned, made, order="any", min_score=minimum)):
        assert (result.verdict, result.score, result.metrics) == (first.verdict, first.score, first.metrics)


@given(st.lists(items, max_size=3), st.lists(calls, max_size=5), st.sampled_from(["in_order", "any"]))
def test_the_result_accounts_for_every_call(expectation: list[Item], made: list[ToolCall], order: str) -> None:
    """Each actual call and each expected one is in exactly one row of the alignment; reasons name what the rows show."""
    result = scored(expectation, made, order=order)
    assert sorted(pair.actual for pair in result.alignment if pair.actual is not None) == list(range(len(made)))
    assert [pair.expected for pair in result.alignment if pair.expected is not None] == list(range(len(result.expected_tools)))
    for pair in result.alignment:
        if pair.match == "missing":
            assert pair.expected is not None
            assert any(reason.startswith(f"{result.expected_tools[pair.expected]} was not called") for reason in result.reasons)
        for difference in pair.differences:
            assert any(difference.why.split()[-1] in reason for reason in result.reasons)
