"""before and never_after."""

from __future__ import annotations

import pytest
from written import (
    NOT_CAPTURED,
    call,
    fed_one_by_one,
    findings,
    judged,
    pattern,
    rule,
    run,
    said,
    same,
    scope,
    scored,
    unreadable,
    variant,
    when,
)

from otel_toolscore.engine import Bounds, Engine
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.order import Before, NeverAfter

VERIFIED = Before(call=pattern("refund"), needs=pattern("verify"))
SAME_ORDER = Before(call=pattern("refund"), needs=pattern("verify"), same=same(order_id="order"))
ONCE = Before(call=pattern("refund"), needs=pattern("verify"), once=True)


def verify(start: int, order: object = "A-1", **more: object) -> object:
    return call("verify", {"order": order}, start, **more)


def refund(start: int, order: object = "A-1", **more: object) -> object:
    return call("refund", {"order_id": order}, start, **more)


class TestBefore:
    def test_an_earlier_call_admits(self) -> None:
        """Any number of later calls, where `once` is not asked."""
        assert judged(VERIFIED, verify(0), refund(10), refund(20)) == []

    def test_without_one_it_is_a_violation(self) -> None:
        """Each call that lacks it is found."""
        assert judged(VERIFIED, refund(0), verify(10), refund(20)) == [("violation", 0)]

    @pytest.mark.parametrize(("end", "expected"), [(10, []), (11, [("violation", 1)])])
    def test_earlier_means_ended_by_the_start(self, end: int, expected: list[object]) -> None:
        """A call that is still going on has not admitted yet; one that ends at the start has."""
        assert judged(VERIFIED, verify(0, end=end), refund(10)) == expected

    def test_two_instants_at_one_time_are_earlier_than_each_other(self) -> None:
        """By the clock each of them ended when the other started, whichever has the lower span id."""
        assert judged(VERIFIED, refund(10, end=10, span_id="a"), verify(10, end=10, span_id="b")) == []

    def test_a_call_does_not_admit_itself(self) -> None:
        """Not even one that took no time."""
        assert judged(Before(call=pattern("x"), needs=pattern("x")), call("x", {}, 10, 10)) == [("violation", 0)]

    @pytest.mark.parametrize(("outcome", "kind"), [("error", "violation"), ("not_executed", "violation"), ("unknown", "inconclusive")])
    def test_only_a_successful_call_admits(self, outcome: str, kind: str) -> None:
        """What failed or was not executed admits nothing; what may have failed leaves it open."""
        assert judged(VERIFIED, verify(0, outcome=outcome), refund(10)) == [(kind, 1)]

    def test_an_outcome_in_the_pattern_is_asked_instead(self) -> None:
        """A call that needs a failure can say so."""
        retry = Before(call=pattern("retry"), needs=pattern("pay", outcome="error"))
        assert judged(retry, call("pay", outcome="error"), call("retry", {}, 10)) == []
        assert judged(retry, call("pay"), call("retry", {}, 10)) == [("violation", 1)]

    def test_a_possible_call_is_inconclusive(self) -> None:
        """The cause is the one for which it is only possible."""
        checked = Before(call=pattern("refund"), needs=pattern("verify", {"deep": True}))
        (finding,) = findings(scored(rule(checked), run(call("verify", NOT_CAPTURED), refund(10))))
        assert (finding.kind, finding.cause) == ("inconclusive", "arguments_not_captured")

    def test_an_incomplete_trace_is_inconclusive(self) -> None:
        """The needed call may be among what is missing; where it is there, nothing is open."""
        document = scored(rule(VERIFIED), run(refund(10), complete=False))
        assert [(each.kind, each.cause) for each in findings(document)] == [("inconclusive", "trace_incomplete")]
        assert judged(VERIFIED, verify(0), refund(10), complete=False) == []

    def test_calls_without_times_are_inconclusive(self) -> None:
        """It is not known which came first."""
        untimed = call("verify", {}, 0, start_ns=None, end_ns=None, span_id="v")
        (finding,) = findings(scored(rule(VERIFIED), run(untimed, refund(10))))
        assert (finding.kind, finding.cause) == ("inconclusive", "time_unknown")

    def test_a_possible_call_that_needs_is_inconclusive(self) -> None:
        """Where it is not known whether the call is one that needs another."""
        big = Before(call=pattern("pay", {"amount": {"$gt": 100}}), needs=pattern("approve"))
        assert judged(big, call("pay", NOT_CAPTURED)) == [("inconclusive", 0)]
        assert judged(big, call("approve"), call("pay", NOT_CAPTURED, 10)) == []

    def test_the_needed_call_may_be_any_agents(self) -> None:
        """`when` says whose calls need another, not who makes the other."""
        scopes = [scope("top", name="boss"), scope("sub", name="mailer", parent="top")]
        calls = [verify(0, scope="top"), refund(10, scope="sub"), refund(20, scope="top")]
        assert judged(VERIFIED, *calls, scopes=scopes, when=when(agent="mailer")) == []

    def test_a_look_alike_does_not_admit(self) -> None:
        """The needed call excuses, so that its name is compared exactly; the other accuses."""
        assert judged(VERIFIED, call("Verify"), call("REFUND", {}, 10)) == [("violation", 1)]


class TestSame:
    def test_only_an_equal_value_admits(self) -> None:
        """The path of the call on the left, that of the needed call on the right."""
        assert judged(SAME_ORDER, verify(0), refund(10), refund(20, "A-2")) == [("violation", 2)]

    def test_values_are_compared_as_recorded(self) -> None:
        """5 is 5.0, and neither is "5"."""
        assert judged(SAME_ORDER, verify(0, 5), refund(10, 5.0), refund(20, "5"), refund(30, "5 ")) == [("violation", 2), ("violation", 3)]

    @pytest.mark.parametrize("arguments", [{}, {"order_id": None}])
    def test_a_missing_value_is_a_violation(self, arguments: dict[str, object]) -> None:
        """Missing never equals missing, null never null; an incomplete trace does not change that."""
        for needed in ({}, {"order": None}):
            calls = call("verify", needed), call("refund", arguments, 10)
            assert judged(SAME_ORDER, *calls) == [("violation", 1)]
            assert judged(SAME_ORDER, *calls, complete=False) == [("violation", 1)]

    def test_every_value_at_a_wildcard_needs_its_own(self) -> None:
        """One item that was not verified is enough."""
        each = Before(call=pattern("ship"), needs=pattern("verify"), same=same(**{"items[*].id": "order"}))
        ship = call("ship", {"items": [{"id": "A-1"}, {"id": "A-2"}]}, 20)
        assert judged(each, verify(0, "A-1"), verify(10, "A-2"), ship) == []
        assert judged(each, verify(0, "A-1"), ship) == [("violation", 1)]
        assert judged(each, verify(0, "A-1"), call("ship", {"items": [{"id": "A-1"}, {}]}, 20)) == [("violation", 1)]
        assert judged(each, verify(0, "A-1"), call("ship", {"items": []}, 20)) == [("violation", 1)]

    def test_one_needed_call_may_have_many_values(self) -> None:
        """A wildcard on its side offers each of its values."""
        batch = Before(call=pattern("refund"), needs=pattern("verify"), same=same(order_id="orders[*]"))
        calls = call("verify", {"orders": ["A-1", "A-2"]}), refund(10, "A-2"), refund(20, "A-3")
        assert judged(batch, *calls) == [("violation", 2)]

    def test_several_pairs_must_agree_in_one_call(self) -> None:
        """Equal values in two different calls are no match."""
        both = Before(call=pattern("refund"), needs=pattern("verify"), same=same(id="id", who="who"))
        calls = call("verify", {"id": 1, "who": "a"}), call("verify", {"id": 2, "who": "b"}, 10)
        assert judged(both, *calls, call("refund", {"id": 2, "who": "b"}, 20)) == []
        assert judged(both, *calls, call("refund", {"id": 1, "who": "b"}, 20)) == [("violation", 2)]

    def test_paths_through_one_list_belong_to_one_item(self) -> None:
        """Two wildcards on the same list are read item by item."""
        items = Before(call=pattern("ship"), needs=pattern("verify"), same=same(**{"items[*].id": "id", "items[*].n": "n"}))
        calls = call("verify", {"id": 1, "n": 5}), call("verify", {"id": 2, "n": 6}, 10)
        assert judged(items, *calls, call("ship", {"items": [{"id": 1, "n": 5}, {"id": 2, "n": 6}]}, 20)) == []
        assert judged(items, *calls, call("ship", {"items": [{"id": 1, "n": 6}, {"id": 2, "n": 5}]}, 20)) == [("violation", 2)]

    def test_unknown_values_are_inconclusive_where_there_is_a_call_at_all(self) -> None:
        """Without any earlier call that is needed, no value would do."""
        assert judged(SAME_ORDER, verify(0), call("refund", NOT_CAPTURED, 10)) == [("inconclusive", 1)]
        assert judged(SAME_ORDER, call("refund", NOT_CAPTURED, 10)) == [("violation", 0)]
        assert judged(SAME_ORDER, call("verify", unreadable("redacted")), refund(10)) == [("inconclusive", 1)]

    def test_every_variant_of_the_needed_call_has_the_value(self) -> None:
        """Where merged spans disagree about the value, it admits nothing."""
        both = (variant("verify", {"order": "A-1"}), variant("verify", {"order": "A-2"}))
        assert judged(SAME_ORDER, verify(0, variants=both), refund(10)) == [("violation", 1)]

    def test_the_values_of_every_variant_need_a_call(self) -> None:
        """Where merged spans disagree about what is refunded, both orders have to be verified."""
        both = (variant("refund", {"order_id": "A-1"}), variant("refund", {"order_id": "A-2"}))
        assert judged(SAME_ORDER, verify(0), refund(10, variants=both)) == [("violation", 1)]
        assert judged(SAME_ORDER, verify(0), verify(6, "A-2"), refund(20, variants=both)) == []


class TestOnce:
    def test_each_admits_one(self) -> None:
        """The second call finds it used up."""
        assert judged(ONCE, verify(0), refund(10), refund(20)) == [("violation", 2)]
        assert judged(ONCE, verify(0), verify(6), refund(20), refund(30)) == []

    def test_a_violation_uses_nothing_up(self) -> None:
        """A call that was not admitted leaves what comes after it to others."""
        assert judged(ONCE, refund(0), verify(10), refund(20)) == [("violation", 0)]

    def test_values_are_used_up_apart(self) -> None:
        """With `same`, only calls of the same value take from each other."""
        once = Before(call=pattern("refund"), needs=pattern("verify"), same=same(order_id="order"), once=True)
        assert judged(once, verify(0), verify(6, "A-2"), refund(20), refund(30, "A-2"), refund(40)) == [("violation", 4)]

    def test_a_possible_call_is_inconclusive(self) -> None:
        """It may admit the one or the other."""
        once = Before(call=pattern("refund"), needs=pattern("verify", {"deep": True}), once=True)
        assert judged(once, call("verify", NOT_CAPTURED), refund(10)) == [("inconclusive", 1)]

    def test_what_a_possible_call_may_have_used_is_open(self) -> None:
        """The cause is the one for which it is only possible that it was used."""
        big = Before(call=pattern("pay", {"amount": {"$gt": 100}}), needs=pattern("approve"), once=True)
        paid = [call("approve"), call("pay", NOT_CAPTURED, 10), call("pay", {"amount": 500}, 20)]
        (finding,) = findings(scored(rule(big), run(*paid)))
        assert (finding.kind, finding.call, finding.cause) == ("inconclusive", 2, "arguments_not_captured")

    def test_more_calls_than_are_kept(self) -> None:
        """What was admitted needs no memory: the answers stay exact."""
        calls = [each for start in range(0, 4000, 20) for each in (verify(start), refund(start + 10))]
        given = run(*calls, refund(5000), refund(5010))
        document = fed_one_by_one(Policy(rules=(rule(ONCE),)), given, bounds=Bounds(history=20))
        assert said(document) == [("violation", 400), ("violation", 401)]

    def test_more_calls_than_are_kept_and_not_used(self) -> None:
        """What might have admitted a call, and is forgotten, leaves it open: neither excused nor accused."""
        given = run(*[verify(10 * number) for number in range(100)], *[refund(5000 + 10 * number) for number in range(100)])
        assert said(scored(rule(ONCE), given)) == []
        document = fed_one_by_one(Policy(rules=(rule(ONCE),)), given, bounds=Bounds(history=20))
        assert {(each.kind, each.cause) for each in findings(document)} == {("inconclusive", "history_evicted")}
        assert 80 <= len(findings(document)) < 100

    def test_a_late_call_changes_who_was_admitted(self) -> None:
        """The sorted history decides, and what was said before stays."""
        engine = Engine(Policy(rules=(rule(ONCE),)))
        first = engine.feed([run(verify(0), refund(20), refund(30))])
        assert [(each.finding.kind, each.finding.span_id) for each in first] == [("violation", "s000030")]
        late = engine.feed([run(refund(10))])
        assert [(each.finding.kind, each.finding.span_id) for each in late] == [("violation", "s000020")]
        result = engine.end_run("t:trace:t")
        assert [(each.kind, each.span_id) for each in result.findings] == [("violation", "s000020"), ("violation", "s000030")]


class TestNeverAfter:
    SILENT = NeverAfter(call=pattern("send"), after=pattern("read_secret"))

    def test_after_it_is_a_violation(self) -> None:
        """Every call after it, and none before."""
        calls = call("send"), call("read_secret", {}, 10), call("send", {}, 20), call("send", {}, 30)
        assert judged(self.SILENT, *calls) == [("violation", 2), ("violation", 3)]

    def test_without_it_all_is_well(self) -> None:
        """The call alone is not forbidden."""
        assert judged(self.SILENT, call("send"), call("read_public", {}, 10)) == []

    def test_an_overlapping_call_is_not_after(self) -> None:
        """It had not ended when the other started."""
        assert judged(self.SILENT, call("read_secret", {}, 0, 15), call("send", {}, 10)) == []

    def test_a_failed_call_counts(self) -> None:
        """Accusing asks for no success."""
        assert judged(self.SILENT, call("read_secret", outcome="error"), call("send", {}, 10)) == [("violation", 1)]

    def test_a_possible_call_is_inconclusive(self) -> None:
        """On either side."""
        rules = NeverAfter(call=pattern("send", {"to": {"$contains": "@"}}), after=pattern("read", {"path": "/secret"}))
        assert judged(rules, call("read", NOT_CAPTURED), call("send", {"to": "a@b"}, 10)) == [("inconclusive", 1)]
        assert judged(rules, call("read", {"path": "/secret"}), call("send", NOT_CAPTURED, 10)) == [("inconclusive", 1)]

    def test_not_after_itself(self) -> None:
        """A call that is both may be made once."""
        twice = NeverAfter(call=pattern("deploy"), after=pattern("deploy"))
        assert judged(twice, call("deploy", {}, 10, 10)) == []
        assert judged(twice, call("deploy"), call("deploy", {}, 10)) == [("violation", 1)]

    def test_an_incomplete_trace_accuses_nobody(self) -> None:
        """What is missing is no reason to doubt what is there."""
        assert judged(self.SILENT, call("send"), complete=False) == []

    def test_a_look_alike_counts(self) -> None:
        """Both patterns accuse."""
        assert judged(self.SILENT, call("READ_SECRET"), call("Send", {}, 10)) == [("violation", 1)]


class TestPer:
    def test_a_run_does_not_see_other_turns(self) -> None:
        """Unless the rule asks for the conversation."""
        first = run(call("verify", conversation="c", trace_id="1"), trace="1")
        second = run(call("refund", {}, 10, conversation="c", trace_id="2"), trace="2")
        rules = [rule(VERIFIED, id="turn"), rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"), id="talk")]
        assert [finding.rule for finding in findings(scored(rules, first, second))] == ["turn"]
        assert [finding.rule for finding in findings(scored(rules, second, first))] == ["turn"]

    def test_conversations_are_apart(self) -> None:
        """A call of another conversation admits nothing."""
        first = run(call("verify", conversation="c", trace_id="1"), trace="1")
        second = run(call("refund", {}, 10, conversation="d", trace_id="2"), trace="2")
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        assert [finding.kind for finding in findings(scored(talk, first, second))] == ["violation"]

    def test_a_conversation_that_is_not_recorded_is_inconclusive(self) -> None:
        """An earlier turn that cannot be told from others may have the needed call."""
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        assert [each.cause for each in findings(scored(talk, run(call("refund"))))] == ["conversation_unknown"]

    def test_a_broken_turn_leaves_the_conversation_open(self) -> None:
        """The needed call may have been made where the trace of another turn is missing."""
        first = run(call("x", conversation="c", trace_id="1"), trace="1", complete=False)
        second = run(call("refund", {}, 10, conversation="c", trace_id="2"), trace="2")
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        assert [each.cause for each in findings(scored(talk, first, second))] == ["trace_incomplete"]

    def test_agents_are_apart(self) -> None:
        """With `per: agent`, only calls of the nearest agent scope count."""
        scopes = [scope("top", name="boss"), scope("a", name="helper", parent="top"), scope("b", name="helper", parent="top")]
        alone = Before(call=pattern("refund"), needs=pattern("verify"), per="agent")
        assert judged(alone, verify(0, scope="a"), refund(10, scope="a"), scopes=scopes) == []
        assert judged(alone, verify(0, scope="a"), refund(10, scope="b"), scopes=scopes) == [("violation", 1)]

    def test_an_agent_that_only_the_calls_name(self) -> None:
        """Where no agent span is around them, calls of one name are of one agent."""
        alone = Before(call=pattern("refund"), needs=pattern("verify"), per="agent")
        assert judged(alone, verify(0, agent="a"), refund(10, agent="a")) == []
        assert judged(alone, verify(0, agent="a"), refund(10, agent="b")) == [("violation", 1)]

    def test_an_unknown_agent_is_inconclusive(self) -> None:
        """Calls outside every agent may be of one agent or of several."""
        alone = Before(call=pattern("refund"), needs=pattern("verify"), per="agent")
        (finding,) = findings(scored(rule(alone), run(verify(0), refund(10))))
        assert (finding.kind, finding.cause) == ("inconclusive", "agent_unknown")
        assert judged(alone, refund(10)) == [("violation", 0)]
