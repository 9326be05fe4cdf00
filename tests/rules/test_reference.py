"""The engine against the brute-force reference, on policies and traces drawn at random."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import drawn
import msgspec
import reference
import written
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_toolscore.engine import Bounds, Engine, score_runs
from otel_toolscore.model import Document, Run, ToolCall
from otel_toolscore.paths import Path
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.causes import CAUSES
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.rule import Rule


def found(document: Document) -> set[reference.Said]:
    return {
        (number, finding.rule, finding.call if finding.call is not None else finding.span_id or "", finding.kind)
        for number, run in enumerate(document.runs)
        for finding in run.findings
    }


@given(drawn.policies(), drawn.traces())
@settings(max_examples=120)
def test_offline_findings_are_those_of_the_reference(policy: Policy, runs: list[Run]) -> None:
    """On any policy and any traces, the engine says of each call and scope what the reference says."""
    assert found(score_runs(policy, runs)) == reference.Judge(policy, runs).said()


@given(drawn.policies(), drawn.traces(timed=True, instant=False))
@settings(max_examples=60)
def test_calls_fed_as_they_end_give_the_same_findings(policy: Policy, runs: list[Run]) -> None:
    """A processor that learns of each call when it ends finds, in the end, what a file scorer finds."""
    assert found(written.fed_one_by_one(policy, *runs)) == found(score_runs(policy, runs))


@given(drawn.policies(), drawn.traces(), st.data())
@settings(max_examples=40)
def test_any_order_of_feeding_gives_every_violation(policy: Policy, runs: list[Run], data: st.DataObject) -> None:
    """Calls that come in any order, one by one, never lose a violation; one that was said too early stays."""
    everything = [(run, call) for run in runs for call in run.calls]
    engine = Engine(policy)
    engine.feed([written.run(scopes=run.scopes, trace=run.trace_id, complete=run.complete) for run in runs])
    said = set()
    for run, call in data.draw(st.permutations(everything)):
        said |= {
            (each.finding.rule, each.finding.span_id)
            for each in engine.feed([written.run(call, scopes=run.scopes, trace=run.trace_id)])
            if each.finding.kind == "violation"
        }
    results = [engine.end_run(run.key) for run in runs]
    ended = {(finding.rule, finding.span_id) for result in results for finding in result.findings if finding.kind == "violation"}
    offline = {(finding.rule, finding.span_id) for finding in written.findings(score_runs(policy, runs)) if finding.kind == "violation"}
    assert said <= ended
    assert offline <= ended


@given(drawn.policies(), drawn.runs("t"))
@settings(max_examples=50)
def test_a_call_that_is_fed_anew_leaves_no_trace_of_what_it_was(policy: Policy, run: Run) -> None:
    """Rules with a history see a call that was replaced only as it is in the end."""
    drafts = [written.call("a", {"x": 1}, 0, span_id=call.span_id, trace_id=call.trace_id, scope=call.scope) for call in run.calls]
    with_drafts = written.run(*drafts, *run.calls, scopes=run.scopes, trace=run.trace_id, complete=run.complete)
    remembering = [rule for rule in policy.rules if hasattr(rule.constraint, "per")]
    policy = Policy(rules=tuple(remembering), tools=policy.tools)
    assert found(score_runs(policy, [with_drafts])) == found(score_runs(policy, [run]))


@given(drawn.policies(), drawn.traces(), drawn.rules(99))
@settings(max_examples=50)
def test_a_further_rule_never_turns_fail_into_pass(policy: Policy, runs: list[Run], further: Rule) -> None:
    """Rules only ever add: no verdict of a document or a run gets better."""
    more = Policy(rules=(*policy.rules, further), tools=policy.tools)
    before, after = score_runs(policy, runs), score_runs(more, runs)
    badness = {"unscored": 0, "pass": 0, "inconclusive": 1, "fail": 2}
    assert badness[after.verdict] >= badness[before.verdict]
    for old, new in zip(before.runs, after.runs, strict=True):
        assert badness[new.verdict] >= badness[old.verdict]


@given(drawn.policies(), drawn.traces(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_unrelated_runs_do_not_touch_each_other(policy: Policy, runs: list[Run], random: Random) -> None:
    """The order in which runs are given changes nothing that is found in any of them."""
    shuffled = list(runs)
    random.shuffle(shuffled)
    plain = {result.run.key: (result.findings, result.verdict) for result in score_runs(policy, runs).runs}
    other = {result.run.key: (result.findings, result.verdict) for result in score_runs(policy, shuffled).runs}
    assert plain == other


@given(drawn.policies(), drawn.traces(timed=True, instant=False), st.integers(1, 3))
@settings(max_examples=60)
def test_a_memory_that_is_too_small_accuses_and_excuses_nobody(policy: Policy, runs: list[Run], history: int) -> None:
    """With less kept than is needed, findings become inconclusive: none is a violation that was none, and none is gone."""
    exact = found(score_runs(policy, runs))
    small = found(written.fed_one_by_one(policy, *runs, bounds=Bounds(history=history)))
    violations = {said for said in small if said[3] == "violation"}
    assert violations <= exact
    assert {said[:3] for said in exact} <= {said[:3] for said in small}


SECRET = "s3cr3t"
SECRETIVE = {"x": SECRET, "y": [SECRET, {"z": f"to {SECRET}"}], SECRET: 1}


@given(drawn.policies(), drawn.runs("t"))
@settings(max_examples=60)
def test_findings_hold_no_value_and_every_cause_is_known(policy: Policy, run: Run) -> None:
    """No argument shows in what is told, and what is open has a cause that the table explains."""
    schemas = {name: {"type": "object", "properties": {"x": {"enum": [1]}}} for name in "abc"}
    calls = [msgspec.structs.replace(call, arguments=written.captured(SECRETIVE), variants=()) for call in run.calls]
    document = score_runs(policy, [msgspec.structs.replace(run, calls=(*run.calls, *calls), tool_schemas=schemas)])
    for finding in written.findings(document):
        assert SECRET not in f"{finding.explanation} {finding.cause} {finding.path}"
        assert (finding.cause in CAUSES) if finding.kind == "inconclusive" else finding.cause is None


def test_many_runs_side_by_side() -> None:
    """A seeded stream of calls of many runs, mixed, is judged as each run alone, and keeps no more than its bound."""
    random = Random(20261130)
    policy = Policy(
        rules=(
            written.rule(Limit(call=written.pattern("pay"), max=Fraction(3), by=Path.parse("to")), id="limit"),
            written.rule(Repeats(call=written.pattern("*"), max=2), id="repeats"),
            written.rule(Before(call=written.pattern("refund"), needs=written.pattern("verify"), same=written.same(id="id")), id="before"),
            written.rule(NeverAfter(call=written.pattern("send"), after=written.pattern("read")), id="never"),
        )
    )
    engine = Engine(policy)
    made: dict[str, list[ToolCall]] = {f"{number:03}": [] for number in range(100)}
    for step in range(5000):
        trace = random.choice(list(made))
        tool = random.choice(["pay", "refund", "verify", "send", "read"])
        arguments = {"to": random.randrange(3), "id": random.randrange(4)}
        made[trace].append(written.call(tool, arguments, 10 * step, trace_id=trace, span_id=f"{step:06}"))
        engine.feed([written.run(made[trace][-1], trace=trace)])
    for trace, calls in made.items():
        alone = score_runs(policy, [written.run(*calls, trace=trace)]).runs[0]
        assert engine.end_run(alone.run.key) == alone
