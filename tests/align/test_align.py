"""One alignment, the best there is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

import brute_force
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from otel_toolscore.align import Alignment, Calls, align
from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.matchers import Gt
from otel_toolscore.model import Evidence, ToolCall, Variant
from otel_toolscore.score import score_calls

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


@settings(max_examples=300)
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


def captured(value: dict[str, object], **more: Any) -> ToolCall:
    return ToolCall(tool="a", arguments=Evidence("captured", value), **more)


def random_arguments(generator: random.Random, shapes: int) -> dict[str, object]:
    """Some of eight arguments, with few values each."""
    names = generator.sample(range(8), generator.randrange(1, shapes))
    return {f"k{name}": generator.randrange(4) for name in names}


@pytest.mark.parametrize(("expected", "actual", "order"), [(400, 400, "in_order"), (300, 400, "any"), (400, 300, "in_order")])
def test_hundreds_of_calls_of_one_tool(expected: int, actual: int, order: str) -> None:
    """Most equal arguments and then fewest surplus ones, as an independent solver has them."""
    generator = random.Random(expected + actual)
    wanted = [random_arguments(generator, 6) for _ in range(expected)]
    made = [random_arguments(generator, 6) for _ in range(actual)]
    equal = np.array([[sum(one.get(key) == value for key, value in other.items()) for one in made] for other in wanted])
    surplus = np.array([[len(one.keys() - other.keys()) for one in made] for other in wanted])
    rows, columns = linear_sum_assignment(equal * 10_000 - surplus, maximize=True)
    found = align([ExpectedCall("a", one) for one in wanted], Calls(list(map(captured, made))), order=order)
    assert found.exact
    assert measured(found)[:3] == (min(expected, actual), equal[rows, columns].sum(), surplus[rows, columns].sum())


def test_rules_and_matchers_pair_at_scale() -> None:
    """Where equality is not a matter of the canonical form the pairs are those of comparing one by one."""
    generator = random.Random(4)
    rules = {"x": FieldRule(abs_tol=2), "y": FieldRule(case_insensitive=True), "z": FieldRule(order_independent_list=True)}
    wanted = [
        {"x": generator.randrange(60), "y": generator.choice("AB"), "z": [1, generator.randrange(4)], "w": Gt(generator.randrange(6))}
        for _ in range(120)
    ]
    made = [
        {"x": generator.randrange(60), "y": generator.choice("ab"), "z": [generator.randrange(4), 1], "w": generator.randrange(6)}
        for _ in range(120)
    ]
    equal = np.array(
        [
            [
                (abs(one["x"] - other["x"]) <= 2)
                + (one["y"] == other["y"].lower())
                + (sorted(one["z"]) == sorted(other["z"]))
                + (other["w"].test(one["w"], accuse=False) is True)
                for one in made
            ]
            for other in wanted
        ]
    )
    rows, columns = linear_sum_assignment(equal, maximize=True)
    found = align([ExpectedCall("a", one, rules) for one in wanted], Calls(list(map(captured, made))))
    assert measured(found).equal == equal[rows, columns].sum()


def test_alternatives_at_scale() -> None:
    """A hundred choices between two tools, of which any number of each were called, are one matching."""
    generator = random.Random(9)
    either = [AnyOf(((ExpectedCall("a", {"x": index}),), (ExpectedCall("b", {"x": index}),))) for index in range(100)]
    made = [ToolCall(tool=generator.choice("ab"), arguments=Evidence("captured", {"x": index})) for index in range(100)]
    assert align(either, Calls(made)).faultless == "certain"
    generator.shuffle(made)
    found = align(either, Calls(made))
    assert (found.faultless, found.exact, measured(found)[:2]) == ("none", True, (100, 100))


def test_more_alternatives_than_can_all_be_tried() -> None:
    """Then the result is good, not proven the best, and says by how much another could be better."""
    either = AnyOf(((ExpectedCall("a"), ExpectedCall("b")), (ExpectedCall("c"), ExpectedCall("d"))))
    made = [ToolCall(tool=tool) for tool in "ad" * 12]
    found = align([either] * 12, Calls(made))
    assert (measured(found).pairs, found.exact, found.faultless) == (12, False, "none")
    assert found.bound is not None


def test_a_search_beyond_its_bound_is_not_a_no() -> None:
    """Sequences that interleave in too many ways leave it open whether there is an alignment without a difference."""
    generator = random.Random(2)
    words = ["".join(generator.choice("ab") for _ in range(6)) for _ in range(9)]
    group = Group(tuple(AnyOf((tuple(map(ExpectedCall, word)),)) for word in words))
    letters = list("".join(words))
    assert align([group], Calls([ToolCall(tool=letter) for letter in letters])).faultless == "certain"
    generator.shuffle(letters)
    found = align([group], Calls([ToolCall(tool=letter) for letter in letters]))
    assert (found.faultless, found.exact, found.bound) == ("unsettled", False, 0)
    assert score_calls([group], list(found.calls.calls), id="e").verdict == "inconclusive"


def test_the_best_alignment_may_show_what_the_search_did_not() -> None:
    """Where the search was given up and the best alignment has no difference, that is one."""
    parts = tuple(
        AnyOf(((ExpectedCall("a", {"x": index}, allow_extra_fields=True), ExpectedCall("a", allow_extra_fields=True)),))
        for index in range(40)
    )
    made = [captured({"x": index % 40, "y": index}) for index in range(80)]
    assert align([Group((*parts, ExpectedCall("a", {"x": 99})))], Calls([*made, captured({"x": 99})])).faultless == "certain"


def test_long_lists_without_a_difference() -> None:
    """A thousand calls in order between others that are allowed; repetitions without limit; a group of a thousand."""
    calls = [ToolCall(tool="ab"[index % 2], arguments=Evidence("captured", {"x": index})) for index in range(2_000)]
    wanted = [ExpectedCall("a", {"x": index}) for index in range(0, 2_000, 2)]
    assert align(wanted, Calls(calls), extra="allow").faultless == "certain"
    assert align(wanted[::-1], Calls(calls), extra="allow").faultless == "none"
    assert align([Group(tuple(wanted[::-1]))], Calls(calls), extra="allow").faultless == "certain"
    loops = [ExpectedCall("a", min_times=1, max_times=None), ExpectedCall("b", min_times=0, max_times=None)]
    ordered = sorted(calls, key=lambda call: call.tool)
    found = align(loops, Calls(ordered))
    assert (found.faultless, len(found.slots)) == ("certain", 2_000)


def test_earlier_calls_and_failed_ones() -> None:
    """Of equally good calls the one whose outcome is met is taken, then the earliest."""
    failed, good = captured({}, outcome="error"), captured({})
    found = align([ExpectedCall("a")], Calls([failed, good, good]), extra="allow")
    assert [slot.call for slot in found.slots] == [1]
    assert [slot.call for slot in align([ExpectedCall("a")], Calls([failed, failed])).slots] == [0]


def test_calls_in_the_list_need_not_be_in_time() -> None:
    """Where all starts are known they decide; where one is missing the list's order holds."""
    first, second = ToolCall(tool="a", start_ns=1), ToolCall(tool="b", start_ns=2)
    wanted = [ExpectedCall("a"), ExpectedCall("b")]
    assert align(wanted, Calls([second, first])).faultless == "certain"
    assert align(wanted, Calls([second, ToolCall(tool="a")])).faultless == "none"


def test_all_variants_of_a_call_have_to_fit() -> None:
    """Where spans of one call disagree on its arguments, an expectation holds only if it holds for each of them."""
    variants = tuple(Variant("a", None, "a", Evidence("captured", {"x": value})) for value in (1, 2))
    call = ToolCall(tool="a", arguments=Evidence("captured", {"x": 1}), variants=variants)
    assert align([ExpectedCall("a", {"x": 1})], Calls([call])).faultless == "none"
    assert align([ExpectedCall("a", {"x": Gt(0)})], Calls([call])).faultless == "certain"
