"""Which scopes an expectation selects, and which calls it sees."""

from __future__ import annotations

from typing import Any

from written import call, pattern, run, scope, when

from otel_toolscore.engine import Engine, score_runs
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import Document, ExpectationResult, Run
from otel_toolscore.policy.records import Expectation, Policy

BOSS = scope("top", name="boss", service="agents")
MATH = scope("math", name="math", parent="top")
OTHER = scope("other", name="math", parent="top")
CALLS = (call("ask", scope="top"), call("multiply", {}, 10, scope="math"))
RUN = run(*CALLS, scopes=[BOSS, MATH])


def expectation(*tools: str, id: str = "e", **more: Any) -> Expectation:  # noqa: A002
    selecting = more.get("when")
    more.setdefault("include_subagents", selecting is None or selecting.agent is None)
    return Expectation(id=id, calls=tuple(ExpectedCall(tool) for tool in tools), **more)


def document(*expectations: Expectation, runs: tuple[Run, ...] = (RUN,)) -> Document:
    return score_runs(Policy(expectations=expectations), runs)


def results(*expectations: Expectation, runs: tuple[Run, ...] = (RUN,)) -> list[ExpectationResult]:
    return [result for each in document(*expectations, runs=runs).runs for result in each.expectations]


def test_the_whole_run() -> None:
    """Without `when`, the top is selected and all calls are seen."""
    (result,) = results(expectation("ask", "multiply"))
    assert (result.verdict, result.agent, result.span_id, result.calls) == ("pass", "boss", "top", (0, 1))


def test_an_agents_own_calls() -> None:
    """An expectation for an agent sees those of no sub-agent; the index of a call is that in its run."""
    assert [(each.agent, each.calls) for each in results(expectation("ask", when=when(agent="boss")))] == [("boss", (0,))]
    assert [(each.agent, each.calls) for each in results(expectation("multiply", when=when(agent="math")))] == [("math", (1,))]


def test_with_its_sub_agents() -> None:
    """Where that is asked."""
    (result,) = results(expectation("ask", "multiply", when=when(agent="boss"), include_subagents=True))
    assert result.verdict == "pass"


def test_without_sub_agents_for_a_run() -> None:
    """The top's own calls."""
    (result,) = results(expectation("ask", include_subagents=False))
    assert result.verdict == "pass"


def test_every_scope_has_its_own_result() -> None:
    """Two scopes of one agent are two results; together they are one per run."""
    two = run(*CALLS, call("multiply", {}, 20, scope="other"), scopes=[BOSS, MATH, OTHER])
    assert [each.span_id for each in results(expectation("multiply", when=when(agent="math")), runs=(two,))] == ["math", "other"]
    (together,) = results(expectation("multiply", "multiply", when=when(agent="math"), per="run"), runs=(two,))
    assert (together.verdict, together.calls) == ("pass", (1, 2))


def test_a_scope_that_may_be_selected_is_inconclusive() -> None:
    """It is never silently passed over: an agent without a name, an input that was not captured."""
    nameless = run(call("ask", scope="x"), scopes=[scope("x")])
    (unnamed,) = results(expectation("ask", when=when(agent="boss")), runs=(nameless,))
    assert (unnamed.verdict, unnamed.score, unnamed.metrics.selection_accuracy) == ("inconclusive", None, None)
    assert "agent is not recorded" in unnamed.reasons[0]
    (silent,) = results(expectation("ask", when=when(input={"$contains": "refund"})))
    assert silent.verdict == "inconclusive"
    assert "message was not captured" in silent.reasons[0]


def test_nothing_selected() -> None:
    """No result, and it is told as unused; where it is required, the verdict is open."""
    whole = document(expectation("ask", when=when(agent="ghost")))
    assert (whole.verdict, whole.coverage.unused_expectations) == ("unscored", ("e",))
    asked = document(expectation("ask", when=when(agent="ghost"), required=True), expectation("ask", "multiply", id="other"))
    assert asked.verdict == "inconclusive"
    assert "the expectation `e` is required" in asked.reasons[0]
    assert document(expectation("ask", "multiply", required=True)).verdict == "pass"


def test_a_conversation() -> None:
    """All its runs together, told with the last; calls of earlier runs have no index in it."""
    first = run(call("ask", trace_id="1", conversation="c"), trace="1")
    second = run(call("answer", {}, 50, trace_id="2", conversation="c"), trace="2")
    whole = document(expectation("ask", "answer", per="conversation"), runs=(first, second))
    assert [len(each.expectations) for each in whole.runs] == [0, 1]
    assert (whole.runs[1].expectations[0].verdict, whole.runs[1].expectations[0].calls) == ("pass", (-1, 0))


def test_a_run_without_a_conversation_is_its_own() -> None:
    """Each is judged alone."""
    runs = tuple(run(call("ask", trace_id=str(number)), trace=str(number)) for number in range(2))
    assert [each.verdict for each in results(expectation("ask", per="conversation"), runs=runs)] == ["pass", "pass"]


def test_a_conversation_of_which_a_part_was_missed() -> None:
    """A call that is missing may have been made there."""
    engine = Engine(Policy(expectations=(expectation("ask", "answer", per="conversation"),)))
    engine.miss_before("c")
    engine.feed([run(call("answer", conversation="c"))])
    (result,) = engine.end_run("t:trace:t", conversation_over=True).expectations
    assert result.verdict == "inconclusive"


def test_listed_extra_calls_excuse() -> None:
    """Exactly: a look-alike is not what was listed."""
    allowed = expectation("ask", extra_calls=(pattern("log_*"),))
    logged = run(call("ask"), call("log_note", {}, 10))
    assert [each.verdict for each in results(allowed, runs=(logged,))] == ["pass"]
    loud = run(call("ask"), call("LOG_note", {}, 10))
    assert [each.verdict for each in results(allowed, runs=(loud,))] == ["fail"]


def test_an_incomplete_run_leaves_missing_calls_open() -> None:
    """They may have been made."""
    (result,) = results(expectation("ask", "answer"), runs=(run(call("ask"), complete=False),))
    assert result.verdict == "inconclusive"


def test_a_call_that_is_seen_is_scored() -> None:
    """An expectation that is asked about a call makes it pass, where no finding says otherwise."""
    (result,) = document(expectation("ask", when=when(agent="boss"))).runs
    assert result.call_verdicts == ("pass", "unscored")
