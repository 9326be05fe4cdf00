"""One alignment, the best there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import brute_force
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otel_toolscore.align import Alignment, Calls, align
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.model import Evidence, ToolCall

tools = st.sampled_from("ab")
arguments = st.dictionaries(st.sampled_from("xy"), st.integers(1, 2), max_size=2)
times = st.sampled_from([(1, 1), (1, 1), (1, 1), (0, 1), (2, 2), (1, 2), (0, None), (1, None)])


@st.composite
def expected_calls(draw: st.DrawFn) -> ExpectedCall:
    least, most = draw(times)
    return ExpectedCall(
        draw(tools),
        draw(st.none() | arguments),
        outcome=draw(st.sampled_from(["any", "any", "ok", "error"])),
        min_times=least,
        max_times=most,
    )


items: st.SearchStrategy[Item] = st.recursive(
    expected_calls(),
    lambda inner: (
        st.builds(Group, st.lists(inner, max_size=2).map(tuple))
        | st.builds(AnyOf, st.lists(st.lists(inner, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple))
    ),
    max_leaves=3,
)
calls = st.builds(
    ToolCall,
    tool=tools,
    arguments=arguments.map(lambda value: Evidence("captured", value)),
    outcome=st.sampled_from(["ok", "ok", "error"]),
)


@st.composite
def call_lists(draw: st.DrawFn) -> list[ToolCall]:
    found = draw(st.lists(calls, max_size=4))
    if draw(st.booleans()):
        return found
    starts = sorted(draw(st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found))))
    return [ToolCall(tool=c.tool, arguments=c.arguments, outcome=c.outcome, start_ns=start) for c, start in zip(found, starts, strict=True)]


def measured(alignment: Alignment) -> brute_force.Best:
    judgements = [slot.judgement for slot in alignment.slots if slot.judgement is not None]
    comparisons = [judgement.comparison for judgement in judgements if judgement.comparison is not None]
    return brute_force.Best(
        pairs=len(judgements),
        equal=sum(comparison.equal for comparison in comparisons),
        surplus=sum(comparison.surplus for comparison in comparisons),
        met=sum(bool(judgement.met) for judgement in judgements),
        crossed=sum(slot.out_of_order for slot in alignment.slots),
        calls=tuple(float("inf") if slot.call is None else slot.call for slot in alignment.slots),
    )


@settings(max_examples=400)
@given(
    st.lists(items, max_size=3),
    call_lists(),
    st.sampled_from(["in_order", "in_order", "any"]),
    st.sampled_from(["forbid", "allow", "retries"]),
)
def test_the_alignment_is_the_best_of_all(
    expectation: Sequence[Item], made: list[ToolCall], order: str, extra: Literal["forbid", "allow", "retries"]
) -> None:
    """With alternatives, groups, repetitions and equal starts the objective's value is that of trying everything."""
    resolutions = list(brute_force.resolutions(expectation, True))
    assume(len(resolutions) <= 8 and max(map(len, resolutions)) <= 4)
    found = align(expectation, Calls(made), order=order, extra=extra)
    faultless, best = brute_force.best(expectation, made, order, extra)
    assert found.exact
    assert found.faultless == ("certain" if faultless else "none")
    assert measured(found)[:5] == best[:5]
    if not faultless:
        assert measured(found).calls == best.calls
