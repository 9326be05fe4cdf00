"""The engine as front doors use it: calls fed as they become known, scopes and runs that end."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest
from written import NOT_CAPTURED, call, pattern, rule, run, scope, when

from otel_toolscore.engine import Bounds, Engine, score_runs
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import MergedSpan, Run, ToolCall
from otel_toolscore.policy.records import Expectation, Policy
from otel_toolscore.rules.forbid import Forbid, Require
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter

KEY = "t:trace:t"
TWO_MAILS = rule(Limit(call=pattern("mail"), max=Fraction(2)), id="two")
NO_RM = rule(Forbid(pattern("rm")), id="no-rm")
VERIFIED = rule(Before(call=pattern("refund"), needs=pattern("verify")), id="verified")
NEVER = rule(NeverAfter(call=pattern("send"), after=pattern("read")), id="never")


def mail(start: int, end: int | None = None, **more: object) -> ToolCall:
    return call("mail", {}, start, end, **more)


class TestFeed:
    def test_a_call_is_judged_at_once(self) -> None:
        """What was found comes back with its run and its call; the call's index is known when the run ends."""
        engine = Engine(Policy(rules=(NO_RM,)))
        assert engine.feed([run(call("ls"))]) == ()
        (found,) = engine.feed([run(call("rm", {}, 10))])
        assert (found.run, found.finding.rule, found.finding.call, found.call and found.call.tool) == (KEY, "no-rm", None, "rm")
        assert [finding.call for finding in engine.end_run(KEY).findings] == [1]

    def test_histories_grow_call_by_call(self) -> None:
        """The third call is beyond the limit."""
        engine = Engine(Policy(rules=(TWO_MAILS,)))
        assert [len(engine.feed([run(mail(10 * number))])) for number in range(4)] == [0, 0, 1, 1]

    def test_a_call_that_ends_late_changes_who_is_beyond(self) -> None:
        """The one that started last is the third, though another ended after it."""
        engine = Engine(Policy(rules=(TWO_MAILS,)))
        assert engine.feed([run(mail(0, 100)), run(mail(20, 30))]) == ()
        (found,) = engine.feed([run(mail(10, 200))])
        assert found.finding.span_id == "s000020"

    def test_a_late_call_is_marked(self) -> None:
        """It should have come before calls that were judged already: it is judged by the sorted history, and says so."""
        engine = Engine(Policy(rules=(NEVER,)))
        assert engine.feed([run(call("send", {}, 100))]) == ()
        (found,) = engine.feed([run(call("read", {}, 0))])
        assert (found.finding.kind, found.finding.span_id) == ("violation", "s000100")
        result = engine.end_run(KEY)
        assert [each.notes for each in result.run.calls] == [("late",), ()]

    def test_an_overlapping_call_is_not_late(self) -> None:
        """Parallel calls end in any order."""
        engine = Engine(Policy(rules=(NEVER,)))
        engine.feed([run(call("send", {}, 10, 20))])
        engine.feed([run(call("read", {}, 0, 100))])
        assert [each.notes for each in engine.end_run(KEY).run.calls] == [(), ()]

    def test_a_late_finding_says_so(self) -> None:
        """In its explanation."""
        engine = Engine(Policy(rules=(VERIFIED,)))
        engine.feed([run(call("x", {}, 100))])
        (found,) = engine.feed([run(call("refund", {}, 0))])
        assert found.finding.explanation.endswith("(the call came late)")

    def test_a_published_violation_is_never_withdrawn(self) -> None:
        """The call that it needed comes too late."""
        engine = Engine(Policy(rules=(VERIFIED,)))
        (found,) = engine.feed([run(call("refund", {}, 100))])
        assert found.finding.kind == "violation"
        assert engine.feed([run(call("verify", {}, 0))]) == ()
        assert [finding.kind for finding in engine.end_run(KEY).findings] == ["violation"]

    def test_what_was_open_may_close(self) -> None:
        """An inconclusive finding is not there any more once its evidence came."""
        checked = rule(Before(call=pattern("refund"), needs=pattern("verify", {"deep": True})))
        engine = Engine(Policy(rules=(checked,)))
        (found,) = engine.feed([run(call("verify", NOT_CAPTURED), call("refund", {}, 100))])
        assert found.finding.kind == "inconclusive"
        engine.feed([run(call("verify", {"deep": True}, 50))])
        assert engine.end_run(KEY).findings == ()

    def test_what_was_open_may_become_a_violation(self) -> None:
        """And is then told as one."""
        engine = Engine(Policy(rules=(rule(NeverAfter(call=pattern("send"), after=pattern("read", {"path": "/x"}))),)))
        (open_,) = engine.feed([run(call("read", NOT_CAPTURED), call("send", {}, 100))])
        (closed,) = engine.feed([run(call("read", {"path": "/x"}, 50))])
        assert (open_.finding.kind, closed.finding.kind) == ("inconclusive", "violation")

    def test_what_is_fed_together_has_no_order(self) -> None:
        """The needed call may stand after the one that needs it."""
        engine = Engine(Policy(rules=(VERIFIED,)))
        assert engine.feed([run(call("refund", {}, 100), call("verify", {}, 0))]) == ()

    def test_a_call_takes_the_place_of_the_span_inside_it(self) -> None:
        """An outer span that comes later adds no second count, and what was published about the inner one stays."""
        policy = Policy(rules=(NO_RM, rule(Repeats(call=pattern("rm"), max=1), id="once")))
        engine = Engine(policy)
        inner = call("rm", {}, 2, 3, span_id="inner")
        assert [each.finding.rule for each in engine.feed([run(inner)])] == ["no-rm"]
        outer = call("rm", {}, 0, 9, span_id="outer", merged=(MergedSpan("inner", "the tool's own span"),))
        assert engine.feed([run(outer)]) == ()
        result = engine.end_run(KEY)
        assert [(each.span_id, each.notes) for each in result.run.calls] == [("outer", ())]
        assert [(each.rule, each.span_id) for each in result.findings] == [("no-rm", "outer")]

    def test_what_an_inner_span_was_found_for_stays_with_the_outer(self) -> None:
        """Even where the outer span would not have been found."""
        engine = Engine(Policy(rules=(NO_RM,)))
        engine.feed([run(call("rm", {}, 2, 3, span_id="inner"))])
        engine.feed([run(call("remove", {}, 0, 9, span_id="outer", merged=(MergedSpan("inner", ""),)))])
        assert [(each.rule, each.tool) for each in engine.end_run(KEY).findings] == [("no-rm", "remove")]

    def test_a_broken_run_breaks_the_conversation_that_it_turns_out_to_be_of(self) -> None:
        """What it lacks may be what another run of the conversation needs."""
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        engine = Engine(Policy(rules=(talk,)))
        engine.feed([run(mail(0, trace_id="1"), trace="1", complete=False)])
        engine.feed([run(scopes=[scope("trace:1", "trace", conversation="c")], trace="1")])
        (found,) = engine.feed([run(call("refund", {}, 10, trace_id="2", conversation="c"), trace="2")])
        assert (found.finding.kind, found.finding.cause) == ("inconclusive", "trace_incomplete")

    def test_the_conversation_may_become_known_later(self) -> None:
        """Calls that were remembered without it are counted in it from then on."""
        talk = rule(Limit(call=pattern("mail"), max=Fraction(1), per="conversation"))
        engine = Engine(Policy(rules=(talk,)))
        engine.feed([run(mail(0, trace_id="1"), trace="1")])
        top = scope("trace:1", "trace", conversation="c")
        assert engine.feed([run(scopes=[top], trace="1")]) == ()
        (found,) = engine.feed([run(mail(10, trace_id="2", conversation="c"), trace="2")])
        assert found.call is not None
        assert found.call.trace_id == "2"


class TestEnd:
    TOP = scope("top", name="boss", service="agents")
    SUB = scope("sub", name="helper", parent="top")

    def test_a_scope_that_ends_is_judged(self) -> None:
        """By what is required in it and expected of it."""
        expectation = Expectation(id="e", calls=(ExpectedCall("search"),), when=when(agent="helper"), include_subagents=False)
        logged = rule(Require(pattern("log")), id="logged", when=when(agent="helper"))
        engine = Engine(Policy(rules=(logged,), expectations=(expectation,)))
        engine.feed([run(call("search", scope="sub"), scopes=[self.TOP, self.SUB])])
        result = engine.end_scope("t:top", "sub")
        assert [(each.rule, each.span_id) for each in result.findings] == [("logged", "sub")]
        assert [(each.id, each.verdict, each.agent) for each in result.expectations] == [("e", "pass", "helper")]
        assert result.verdict == "fail"
        assert engine.end_scope("t:top", "top").verdict == "unscored"

    def test_what_was_said_of_a_scope_stays(self) -> None:
        """A required call that comes after the end of the scope does not unsay the violation."""
        engine = Engine(Policy(rules=(rule(Require(pattern("log")), when=when(agent="helper")),)))
        engine.feed([run(call("search", scope="sub"), scopes=[self.TOP, self.SUB])])
        assert len(engine.end_scope("t:top", "sub").findings) == 1
        engine.feed([run(call("log", {}, 50, scope="sub"), scopes=[self.TOP, self.SUB])])
        assert [finding.kind for finding in engine.end_run("t:top").findings] == ["violation"]

    def test_a_run_that_ends_incomplete(self) -> None:
        """What the end tells bears on what was open; a violation that was published before stays."""
        checked = rule(Require(pattern("log")))
        engine = Engine(Policy(rules=(checked, VERIFIED)))
        engine.feed([run(call("refund"))])
        result = engine.end_run(KEY, complete=False)
        assert [(each.kind, each.cause) for each in result.findings] == [("violation", None), ("inconclusive", "trace_incomplete")]
        assert not result.run.complete

    def test_a_run_that_is_not_open_is_an_error(self) -> None:
        """A front door that ends a run twice has a mistake."""
        engine = Engine(Policy())
        engine.feed([run(call("x"))])
        engine.end_run(KEY)
        with pytest.raises(KeyError):
            engine.end_run(KEY)
        with pytest.raises(KeyError):
            engine.end_scope(KEY, "trace:t")

    def test_call_by_call_is_as_all_at_once(self) -> None:
        """The result of a run does not depend on how it was fed."""
        calls = [call("refund"), mail(10), mail(20), mail(30), call("rm", {}, 40)]
        policy = Policy(rules=(NO_RM, TWO_MAILS, VERIFIED), expectations=(Expectation(id="e", calls=(ExpectedCall("rm"),)),))
        engine = Engine(policy)
        for one in calls:
            engine.feed([run(one)])
        assert engine.end_run(KEY) == score_runs(policy, [run(*calls)]).runs[0]


class TestBounds:
    def test_the_run_without_news_for_longest_is_closed(self) -> None:
        """As incomplete; its result can be taken once."""
        engine = Engine(Policy(rules=(NO_RM,)), Bounds(runs=1))
        engine.feed([run(call("rm", trace_id="1"), trace="1")])
        engine.feed([run(call("rm", {}, 10, trace_id="2"), trace="2")])
        (closed,) = engine.take_closed()
        assert (closed.run.trace_id, closed.run.complete, len(closed.findings)) == ("1", False, 1)
        assert engine.take_closed() == []
        assert engine.hits == {"runs": 1}

    def test_calls_beyond_the_bound_are_judged_and_not_kept(self) -> None:
        """The run is then incomplete."""
        engine = Engine(Policy(rules=(NO_RM,)), Bounds(calls=1))
        engine.feed([run(call("ls"))])
        assert len(engine.feed([run(call("rm", {}, 10))])) == 1
        result = engine.end_run(KEY)
        assert (len(result.run.calls), result.run.complete, engine.hits["calls"]) == (1, False, 1)

    def test_a_conversation_that_was_forgotten_is_incomplete(self) -> None:
        """What it needs may have been in the part that is forgotten."""
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        engine = Engine(Policy(rules=(talk,)), Bounds(conversations=1))
        for number, conversation in enumerate("ab"):
            engine.feed([run(call("verify", trace_id=str(number), conversation=conversation), trace=str(number))])
        (found,) = engine.feed([run(call("refund", {}, 50, trace_id="3", conversation="a"), trace="3")])
        assert (found.finding.kind, found.finding.cause) == ("inconclusive", "conversation_incomplete")
        (other,) = engine.feed([run(call("refund", {}, 50, trace_id="4", conversation="new"), trace="4")])
        assert other.finding.kind == "violation"

    def test_more_forgotten_conversations_than_can_be_told(self) -> None:
        """Then any that is new may be one of them."""
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        engine = Engine(Policy(rules=(talk,)), Bounds(conversations=1, forgotten=1))
        for number, conversation in enumerate("abc"):
            engine.feed([run(call("verify", trace_id=str(number), conversation=conversation), trace=str(number))])
        (found,) = engine.feed([run(call("refund", {}, 50, trace_id="4", conversation="new"), trace="4")])
        assert found.finding.cause == "conversation_incomplete"

    def test_a_front_door_can_say_that_a_part_is_missing(self) -> None:
        """It knows where it came in."""
        talk = rule(Before(call=pattern("refund"), needs=pattern("verify"), per="conversation"))
        engine = Engine(Policy(rules=(talk,)))
        engine.miss_before("c")
        (found,) = engine.feed([run(call("refund", conversation="c"))])
        assert found.finding.cause == "conversation_incomplete"

    def test_what_is_given_as_a_whole_is_never_too_much(self) -> None:
        """Bounds are for what grows; a file is there."""
        runs = [run(call("ls", trace_id=str(number)), trace=str(number)) for number in range(5)]
        document = score_runs(Policy(rules=(NO_RM,)), runs, bounds=Bounds(runs=1, calls=1))
        assert [result.verdict for result in document.runs] == ["pass"] * 5


def test_scopes_that_become_known_later() -> None:
    """An outer scope that comes after its inner ones is still the outer one."""
    inner = scope("sub", name="helper", parent="top")
    engine = Engine(Policy(rules=(NO_RM,)))
    first = Run(trace_id="t", scopes=(scope("top", name=None), inner), calls=(call("ls", scope="sub"),))
    engine.feed([first])
    engine.feed([msgspec.structs.replace(first, scopes=(scope("top", name="boss"),), calls=())])
    result = engine.end_run("t:top")
    assert [each.name for each in result.run.scopes] == ["boss", "helper"]
