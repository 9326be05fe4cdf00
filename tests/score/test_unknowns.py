"""What is unknown is never decided: verdict and bounds hold for every completion."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.model import NOT_CAPTURED, Evidence, ExpectationResult, ToolCall
from otel_toolscore.score import score_calls

ARGUMENTS: list[dict[str, int]] = [
    {"x": 1, "y": 1},
    {"x": 1, "y": 2},
    {"x": 2},
    {"x": 1},
    {"y": 2},
    {},
    {"x": 1, "z": 1},
    {"x": 1, "y": 1, "z": 1},
    {"x": 1, "p": 1, "q": 1, "r": 1, "s": 1, "t": 1},
]
"""What a call whose arguments are not known may have had."""

expected_calls = st.builds(
    ExpectedCall,
    st.sampled_from("aab"),
    st.sampled_from([None, {}, {"x": 1}, {"x": 1}, {"x": 1, "y": 1}, {"y": 2}]),
    allow_extra_fields=st.sampled_from([False, False, True]),
    outcome=st.sampled_from(["any", "ok", "ok"]),
    server=st.sampled_from([None, None, None, None, "s"]),
    must=st.integers(0, 6).map(lambda drawn: drawn == 0),
    min_times=st.integers(0, 7).map(lambda drawn: min(drawn, 1)),
)
items: st.SearchStrategy[Item] = (
    expected_calls
    | st.tuples(expected_calls, expected_calls).map(Group)
    | st.tuples(expected_calls, expected_calls).map(lambda pair: AnyOf(((pair[0],), (pair[1],))))
)
calls = st.builds(
    ToolCall,
    tool=st.sampled_from("aab"),
    server=st.sampled_from([None, "s", "other"]),
    arguments=st.sampled_from([NOT_CAPTURED, *(Evidence("captured", value) for value in ARGUMENTS[:6])]),
    outcome=st.sampled_from(["ok", "ok", "ok", "error", "unknown"]),
)


def completions(call: ToolCall) -> Iterator[ToolCall]:
    """All that the call may have been."""
    for value in ARGUMENTS if call.arguments is NOT_CAPTURED else [call.arguments.value]:
        for outcome in ["ok", "error"] if call.outcome == "unknown" else [call.outcome]:
            for server in ["s", "other"] if call.server is None else [call.server]:
                yield msgspec.structs.replace(call, arguments=Evidence("captured", value), outcome=outcome, server=server)


@settings(max_examples=80)
@given(
    st.lists(items, max_size=2),
    st.lists(calls, max_size=3),
    st.sampled_from(["in_order", "any"]),
    st.sampled_from(["forbid", "allow", "retries"]),
    st.sampled_from([None, Fraction(1, 2), Fraction(7, 10), Fraction(9, 10)]),
    st.booleans(),
)
def test_verdict_and_bounds_hold_for_every_completion(
    expectation: Sequence[Item], made: list[ToolCall], order: str, extra: Any, minimum: Fraction | None, tolerances: bool
) -> None:
    """A pass passes and a fail fails whatever the unknowns are, and no completion scores outside the bounds."""
    variants = [list(completions(call)) for call in made]
    number = 1
    for options in variants:
        number *= len(options)
    assume(1 < number <= 100)

    def scored(known: Sequence[ToolCall]) -> ExpectationResult:
        return score_calls(expectation, known, id="e", order=order, extra=extra, min_score=minimum, tolerances=tolerances)

    result = scored(made)
    complete = [scored(known) for known in itertools.product(*variants)]
    verdicts = {one.verdict for one in complete}
    assert result.verdict == "inconclusive" or verdicts == {result.verdict}
    scores = [one.score for one in complete if one.score is not None]
    low, high = result.score_bounds or (result.score, result.score)
    assert low is not None
    assert high is not None
    assert low <= min(scores)
    assert max(scores) <= high


@given(expected_calls, calls, st.sampled_from([None, Fraction(1, 2), Fraction(9, 10)]))
def test_one_call_is_decided_as_far_as_it_can_be(expected: ExpectedCall, made: ToolCall, minimum: Fraction | None) -> None:
    """For one expected and one actual call the verdict is open only if completions differ in theirs."""
    assume(not expected.must)
    result = score_calls([expected], [made], id="e", min_score=minimum)
    verdicts = {score_calls([expected], [known], id="e", min_score=minimum).verdict for known in completions(made)}
    if expected.server is None or made.server is not None:
        assert result.verdict == (verdicts.pop() if len(verdicts) == 1 else "inconclusive")


def test_more_surplus_than_any_sample_lowers_f1_to_the_bound() -> None:
    """The lower bound is the infimum: with ever more arguments that nobody expected the score comes as near as one likes."""
    expected = [ExpectedCall("a", {"x": 1}), ExpectedCall("a", {"x": 2})]
    result = score_calls(expected, [ToolCall(tool="a", arguments=Evidence("captured", {"x": 1})), ToolCall(tool="a")], id="e")
    assert result.score_bounds == (Fraction(7, 10), 1)
    many = {f"z{index}": 0 for index in range(2_000)}
    worst = score_calls(expected, [ToolCall(tool="a", arguments=Evidence("captured", value)) for value in ({"x": 1}, many)], id="e")
    assert worst.score is not None
    assert Fraction(7, 10) < worst.score < Fraction(71, 100)


def test_further_arguments_that_are_allowed_do_not_lower_the_bound() -> None:
    """Where further arguments are allowed, the worst completion has wrong values for what was expected."""
    expected = [ExpectedCall("a", {"x": 1}), ExpectedCall("b", {"x": 1}, allow_extra_fields=True)]
    made = [ToolCall(tool="a", arguments=Evidence("captured", {"x": 1})), ToolCall(tool="b")]
    result = score_calls(expected, made, id="e")
    assert result.score_bounds == (Fraction(85, 100), 1)
