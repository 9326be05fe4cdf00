"""limit and repeats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from written import (
    MILLISECOND,
    NOT_CAPTURED,
    call,
    fed_one_by_one,
    findings,
    judged,
    pattern,
    rule,
    run,
    scope,
    scored,
    unreadable,
    variant,
    when,
)

from otel_toolscore.engine import Bounds, score_runs
from otel_toolscore.model import ToolCall
from otel_toolscore.paths import Path
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.limits import Limit, Repeats, amount_of
from otel_toolscore.rules.rule import Waiver


def limit(most: float | str, tool: str = "pay", args: dict[str, object] | None = None, **more: Any) -> Limit:
    for key in ("by", "sum"):
        if key in more:
            more[key] = Path.parse(more[key])
    if "within" in more:
        more["within_ns"] = more.pop("within") * MILLISECOND
    return Limit(call=pattern(tool, args), max=Fraction(most), **more)


def paid(*amounts: object, to: str = "a") -> list[ToolCall]:
    return [call("pay", {"to": to, "amount": amount}, 10 * number) for number, amount in enumerate(amounts)]


class TestCount:
    def test_each_call_beyond_is_a_violation(self) -> None:
        """The first `max` are well, every further one is found."""
        calls = [call("pay", {}, 10 * number) for number in range(4)]
        assert judged(limit(2), *calls) == [("violation", 2), ("violation", 3)]
        assert judged(limit(4), *calls) == []

    def test_nothing_may_be_called(self) -> None:
        """`max: 0` finds the first."""
        assert judged(limit(0), call("pay")) == [("violation", 0)]

    def test_calls_are_counted_in_the_order_of_starts(self) -> None:
        """The one that started last is beyond, whenever it ended."""
        calls = [call("pay", {}, 20, 21), call("pay", {}, 0, 99), call("pay", {}, 10, 12)]
        assert judged(limit(2), *calls) == [("violation", 2)]

    def test_equal_times_are_ordered_by_span_id(self) -> None:
        """So that the same data always give the same answer."""
        calls = [call("pay", {}, 0, span_id=name) for name in ("c", "a", "b")]
        (finding,) = findings(scored(rule(limit(2)), run(*calls)))
        assert finding.span_id == "c"

    def test_a_possible_call_before_leaves_it_open(self) -> None:
        """With t certain and u possible: beyond if t is over, open if t + u is."""
        big = limit(1, args={"amount": {"$gt": 100}})
        calls = [call("pay", NOT_CAPTURED), call("pay", {"amount": 500}, 10), call("pay", {"amount": 500}, 20)]
        assert judged(big, *calls) == [("inconclusive", 1), ("violation", 2)]

    def test_a_possible_call_is_itself_open(self) -> None:
        """It may be one beyond, and it may be none at all."""
        big = limit(1, args={"amount": {"$gt": 100}})
        calls = [call("pay", {"amount": 500}), call("pay", NOT_CAPTURED, 10), call("pay", {"amount": 5}, 20)]
        (finding,) = findings(scored(rule(big), run(*calls)))
        assert (finding.kind, finding.call, finding.cause) == ("inconclusive", 1, "arguments_not_captured")

    def test_few_possible_calls_are_silent(self) -> None:
        """Even if all of them count, the limit is not reached."""
        assert judged(limit(2, args={"amount": 1}), call("pay", NOT_CAPTURED), call("pay", NOT_CAPTURED, 10)) == []

    def test_an_excused_call_does_not_count(self) -> None:
        """What a waiver covers is not found, and not counted against others."""
        boss = Waiver(call=pattern("pay", {"to": "boss"}))
        calls = [call("pay", {"to": to}, 10 * number) for number, to in enumerate(["boss", "a", "b", "c"])]
        assert judged(limit(2), *calls, waivers=(boss,)) == [("violation", 3)]

    def test_only_calls_where_when_holds_count(self) -> None:
        """Calls of other agents are not counted."""
        scopes = [scope("top", name="boss"), scope("sub", name="mailer", parent="top")]
        calls = [call("pay", {}, 0, scope="top"), call("pay", {}, 10, scope="sub"), call("pay", {}, 20, scope="sub")]
        assert judged(limit(1), *calls, scopes=scopes, when=when(agent="mailer")) == [("violation", 2)]


class TestWindow:
    @pytest.mark.parametrize(("third", "expected"), [(59, [("violation", 2)]), (60, [])])
    def test_the_window_is_open_at_its_beginning(self, third: int, expected: list[object]) -> None:
        """(t - within, t]: what started exactly `within` ago is out of it."""
        calls = [call("pay", {}, start, start) for start in (0, 30, third)]
        assert judged(limit(2, within=60), *calls) == expected

    def test_windows_slide(self) -> None:
        """Old calls no longer count, new ones do."""
        calls = [call("pay", {}, start, start) for start in (0, 10, 100, 110, 120)]
        assert judged(limit(2, within=50), *calls) == [("violation", 4)]

    def test_a_call_without_a_start_is_possible_in_every_window(self) -> None:
        """The cause says that times are missing."""
        untimed = call("pay", {}, 0, start_ns=None, end_ns=None, span_id="u")
        document = scored(rule(limit(1, within=50)), run(untimed, call("pay", {}, 10)))
        assert {(each.kind, each.cause) for each in findings(document)} == {("inconclusive", "time_unknown")}


class TestBy:
    def test_values_are_counted_apart(self) -> None:
        """Three calls, two of them for one value."""
        calls = [call("pay", {"to": to}, 10 * number) for number, to in enumerate("aba")]
        assert judged(limit(1, by="to"), *calls) == [("violation", 2)]

    def test_missing_is_a_value_of_its_own(self) -> None:
        """So is null."""
        calls = [call("pay", arguments, 10 * number) for number, arguments in enumerate([{}, {"to": None}, {}, {"to": None}])]
        assert judged(limit(1, by="to"), *calls) == [("violation", 2), ("violation", 3)]

    def test_space_around_text_makes_no_other_value(self) -> None:
        """Counting accuses, so that it is lenient."""
        calls = [call("pay", {"to": to}, 10 * number) for number, to in enumerate(["a", "a "])]
        assert judged(limit(1, by="to"), *calls) == [("violation", 1)]

    def test_an_unknown_value_may_be_any(self) -> None:
        """Open where one value could be beyond, silent where none could."""
        calls = [call("pay", {"to": "a"}), call("pay", {"to": "b"}, 10), call("pay", NOT_CAPTURED, 20)]
        assert judged(limit(1, by="to"), *calls) == [("inconclusive", 2)]
        assert judged(limit(2, by="to"), *calls) == []

    def test_a_wildcard_counts_in_each_of_its_values(self) -> None:
        """One value beyond is enough."""
        calls = [call("pay", {"to": ["a", "b"]}), call("pay", {"to": ["b", "c"]}, 10)]
        assert judged(limit(1, by="to[*]"), *calls) == [("violation", 1)]


class TestSum:
    def test_the_call_that_goes_over_is_found(self) -> None:
        """Exactly the maximum is well; all after it that are over are found too."""
        assert judged(limit(500, sum="amount"), *paid(300, 200, 1, 1)) == [("violation", 2), ("violation", 3)]

    def test_decimals_are_exact(self) -> None:
        """0.1 + 0.2 is 0.3."""
        assert judged(limit("0.3", sum="amount"), *paid(0.1, 0.2)) == []

    def test_a_number_in_text_counts(self) -> None:
        """Text does not slip under a limit."""
        assert judged(limit(500, sum="amount"), *paid("300", "2.01e2")) == [("violation", 1)]

    def test_nothing_adds_nothing(self) -> None:
        """Missing and null."""
        assert judged(limit(0, sum="amount"), call("pay"), call("pay", {"amount": None}, 10)) == []

    def test_an_amount_that_is_no_number_is_open(self) -> None:
        """It may be any; so may one that was not captured."""
        assert judged(limit(500, sum="amount"), *paid("lots")) == [("inconclusive", 0)]
        assert judged(limit(500, sum="amount"), call("pay", NOT_CAPTURED)) == [("inconclusive", 0)]
        assert judged(limit(500, sum="amount"), *paid("lots", 501)) == [("inconclusive", 0), ("violation", 1)]

    def test_sums_by_value_in_a_window(self) -> None:
        """All three together."""
        calls = [
            call("pay", {"to": to, "amount": amount}, start)
            for start, to, amount in [(0, "a", 300), (10, "b", 300), (20, "a", 300), (99, "a", 300)]
        ]
        assert judged(limit(500, sum="amount", by="to", within=50), *calls) == [("violation", 2)]

    def test_the_largest_of_what_merged_spans_say_counts(self) -> None:
        """Where they disagree about the amount."""
        both = (variant("pay", {"amount": 1}), variant("pay", {"amount": 900}))
        assert judged(limit(500, sum="amount"), call("pay", {"amount": 1}, variants=both)) == [("violation", 0)]

    @pytest.mark.parametrize(
        ("value", "amount"),
        [
            (1, 1),
            (0.1, Fraction(1, 10)),
            ("1e2", 100),
            (True, None),
            ("0x10", None),
            (float("inf"), None),
            (float("nan"), None),
            ([], None),
            (None, 0),
        ],
    )
    def test_what_a_value_adds(self, value: object, amount: object) -> None:
        """Numbers, and text that is one by the grammar of JSON."""
        assert amount_of(value) == amount


class TestRepeats:
    TWICE = Repeats(call=pattern("search"), max=2)

    def test_the_same_call_again_and_again(self) -> None:
        """The same tool with the same arguments, in any order of keys."""
        calls = [
            call("search", arguments, 10 * number)
            for number, arguments in enumerate([{"q": 1, "n": 2}, {"n": 2, "q": 1.0}, {"q": 1, "n": 2}])
        ]
        assert judged(self.TWICE, *calls) == [("violation", 2)]

    def test_other_arguments_are_another_call(self) -> None:
        """Looking for three things is no repetition."""
        assert judged(self.TWICE, *[call("search", {"q": number}, 10 * number) for number in range(3)]) == []

    def test_other_tools_are_counted_apart(self) -> None:
        """With a pattern that fits several tools, or one tool on several servers."""
        every = Repeats(call=pattern("*"), max=1)
        assert judged(every, call("a", {"x": 1}), call("b", {"x": 1}, 10), call("a", {"x": 1}, 20)) == [("violation", 2)]
        assert judged(every, call("a", server="s"), call("a", {}, 10, server="r")) == []

    def test_unknown_arguments_are_open(self) -> None:
        """Only where there are enough calls of the tool to make a repetition."""
        calls = [call("search", NOT_CAPTURED, 10 * number) for number in range(3)]
        assert judged(self.TWICE, *calls) == [("inconclusive", 2)]
        assert judged(self.TWICE, *calls[:2]) == []
        assert judged(self.TWICE, call("search", {"q": 1}), call("search", unreadable("redacted"), 10), call("search", {"q": 1}, 20)) == [
            ("inconclusive", 2)
        ]

    def test_agents_are_apart_where_it_is_asked(self) -> None:
        """Two agents that search for the same do not repeat each other."""
        scopes = [scope("top", name="boss"), scope("a", name="x", parent="top"), scope("b", name="x", parent="top")]
        calls = [call("search", {"q": 1}, 0, scope="a"), call("search", {"q": 1}, 10, scope="b")]
        assert judged(Repeats(call=pattern("search"), max=1), *calls, scopes=scopes) == [("violation", 1)]
        assert judged(Repeats(call=pattern("search"), max=1, per="agent"), *calls, scopes=scopes) == []

    def test_a_call_of_an_unknown_agent_may_be_anyones(self) -> None:
        """It leaves the others' counts open, and its own."""
        scopes = [scope("top", "workflow"), scope("a", name="x", parent="top")]
        calls = [
            call("search", {"q": 1}, 0, scope="top"),
            call("search", {"q": 1}, 10, scope="a"),
            call("search", {"q": 1}, 20, scope="top"),
        ]
        document = scored(rule(Repeats(call=pattern("search"), max=1, per="agent")), run(*calls, scopes=scopes))
        assert [(each.kind, each.call, each.cause) for each in findings(document)] == [
            ("inconclusive", 1, "agent_unknown"),
            ("inconclusive", 2, "agent_unknown"),
        ]

    def test_a_whole_conversation(self) -> None:
        """With `per: conversation`, over its runs."""
        runs = [
            run(call("search", {"q": 1}, 10 * number, conversation="c", trace_id=str(number)), trace=str(number)) for number in range(3)
        ]
        document = scored(rule(Repeats(call=pattern("search"), max=2, per="conversation")), *runs)
        assert [len(each.findings) for each in document.runs] == [0, 0, 1]


class TestBound:
    """More calls than the engine keeps of a rule, fed one by one."""

    def test_what_is_fed_at_once_is_judged_exactly(self) -> None:
        """The bound is on what is kept, not on what is given."""
        calls = [call("pay", {"to": number % 50}, 10 * number) for number in range(100)]
        policy = Policy(rules=(rule(limit(1, by="to", within=100_000)),))
        document = score_runs(policy, [run(*calls)], bounds=Bounds(history=16))
        assert [(each.kind, each.call) for each in findings(document)] == [("violation", number) for number in range(50, 100)]

    def test_a_count_goes_on(self) -> None:
        """What is no longer kept is still counted, where there is no window."""
        calls = [call("pay", {}, 10 * number) for number in range(100)]
        document = fed_one_by_one(Policy(rules=(rule(limit(60)),)), run(*calls), bounds=Bounds(history=16))
        assert [each.call for each in findings(document) if each.kind == "violation"] == list(range(60, 100))

    def test_a_window_that_is_not_all_kept_is_open(self) -> None:
        """Whether the oldest are in the window cannot be told any more."""
        calls = [call("pay", {}, 10 * number) for number in range(100)]
        document = fed_one_by_one(Policy(rules=(rule(limit(60, within=100_000)),)), run(*calls), bounds=Bounds(history=16))
        assert {(each.kind, each.cause) for each in findings(document)} == {("inconclusive", "history_evicted")}

    def test_forgotten_values_leave_new_ones_open(self) -> None:
        """A value that comes back after its count was forgotten is not taken for a new one."""
        values = [*range(100), 0, 0]
        calls = [call("pay", {"to": value}, 10 * number) for number, value in enumerate(values)]
        document = fed_one_by_one(Policy(rules=(rule(limit(2, by="to")),)), run(*calls), bounds=Bounds(history=16))
        assert ("inconclusive", 101, "history_evicted") in [(each.kind, each.call, each.cause) for each in findings(document)]
