"""Verdicts of calls, runs and documents; why they are what they are; what was covered."""

from __future__ import annotations

import pytest
from written import NOT_CAPTURED, call, pattern, rule, run, scope, scored, when

from otel_toolscore.engine import score_runs
from otel_toolscore.engine.verdicts import of_findings, worst
from otel_toolscore.expected import AnyOf, ExpectedCall, Group
from otel_toolscore.model import Problem, Totals
from otel_toolscore.policy.records import Expectation, Policy
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.order import Before
from otel_toolscore.rules.rule import Waiver

NO_RM = Forbid(pattern("rm"))
BROKEN = Problem("cut", "traces.jsonl:3", "the line ends inside a value")


def test_the_worst() -> None:
    """fail, inconclusive, pass, unscored."""
    assert worst(["pass", "unscored", "fail", "inconclusive"]) == "fail"
    assert worst(["pass", "inconclusive", "unscored"]) == "inconclusive"
    assert worst(["unscored", "pass"]) == "pass"
    assert worst([]) == "unscored"


class TestCalls:
    def test_each_call_has_its_verdict(self) -> None:
        """A violation fails, an open finding leaves open, a rule that applies passes."""
        rules = rule(Forbid(pattern("sh", {"command": "rm"})))
        document = scored(rules, run(call("sh", {"command": "rm"}), call("sh", NOT_CAPTURED, 10), call("ls", {}, 20)))
        assert document.runs[0].call_verdicts == ("fail", "inconclusive", "pass")
        assert document.runs[0].verdict == "fail"

    def test_where_no_rule_applies_it_is_unscored(self) -> None:
        """A rule applies where its `when` certainly holds."""
        scopes = [scope("top", name="boss")]
        assert scored(rule(NO_RM, when=when(agent="intern")), run(call("ls", scope="top"), scopes=scopes)).runs[0].call_verdicts == (
            "unscored",
        )
        assert scored(rule(NO_RM, when=when(agent="boss")), run(call("ls", scope="top"), scopes=scopes)).runs[0].call_verdicts == ("pass",)
        assert scored(rule(NO_RM, when=when(agent="boss")), run(call("ls"))).runs[0].call_verdicts == ("unscored",)

    def test_a_shadow_rule_never_fails(self) -> None:
        """What it finds is reported and counted apart, open findings too; it applies like any other."""
        shadow = rule(Forbid(pattern("sh", {"command": "rm"})), enforcement="shadow")
        document = scored(shadow, run(call("sh", {"command": "rm"}), call("sh", NOT_CAPTURED, 10)))
        assert document.verdict == "pass"
        assert document.runs[0].call_verdicts == ("pass", "pass")
        assert [(each.kind, each.enforcement) for each in document.runs[0].findings] == [
            ("violation", "shadow"),
            ("inconclusive", "shadow"),
        ]
        assert (document.totals.violations, document.totals.shadow_violations, document.totals.inconclusive) == (0, 1, 0)

    def test_findings_decide(self) -> None:
        """Without any, it passes only if something applied."""
        assert of_findings([], applied=True) == "pass"
        assert of_findings([], applied=False) == "unscored"


class TestRuns:
    def test_a_scope_fails_its_run(self) -> None:
        """A required call that is missing."""
        document = scored(rule(Require(pattern("log"))), run(call("x")))
        assert (document.runs[0].verdict, document.runs[0].call_verdicts) == ("fail", ("pass",))

    def test_a_required_call_that_was_made_passes_a_run_without_others(self) -> None:
        """The requirement applied."""
        assert scored(rule(Require(pattern("log"))), run(call("log"))).verdict == "pass"

    def test_a_run_without_calls_is_judged_by_requirements_and_expectations_only(self) -> None:
        """Nothing that a rule on calls could say was seen."""
        assert scored(rule(NO_RM), run(scopes=[scope("x", name="x")])).runs[0].verdict == "unscored"
        nothing = Expectation(id="nothing", calls=())
        assert score_runs(Policy(expectations=(nothing,)), [run(scopes=[scope("x", name="x")])]).verdict == "pass"


class TestDocuments:
    @pytest.mark.parametrize(
        ("severity", "fail_on", "verdict"),
        [("low", "low", "fail"), ("low", "high", "pass"), ("high", "high", "fail"), ("critical", "high", "fail")],
    )
    def test_severity_decides_what_fails(self, severity: str, fail_on: str, verdict: str) -> None:
        """A violation below `fail_on` does not count, though the call it is about has failed."""
        document = scored(rule(NO_RM, severity=severity), run(call("rm")), fail_on=fail_on)
        assert document.verdict == verdict
        assert document.runs[0].verdict == "fail"

    def test_open_findings_below_do_not_count_either(self) -> None:
        """Severity decides for them too."""
        low = rule(Forbid(pattern("sh", {"command": "rm"})), severity="low")
        assert scored(low, run(call("sh", NOT_CAPTURED)), fail_on="high").verdict == "pass"
        assert scored(low, run(call("sh", NOT_CAPTURED))).verdict == "inconclusive"

    def test_an_expectation_that_fails_fails(self) -> None:
        """Whatever `fail_on` says."""
        policy = Policy(expectations=(Expectation(id="e", calls=(ExpectedCall("a"),)),), fail_on="critical")
        document = score_runs(policy, [run(call("b"))])
        assert document.verdict == "fail"
        assert "the expectation `e` was not met" in document.reasons

    def test_what_could_not_be_read_leaves_a_pass_open(self) -> None:
        """A violation stays one."""
        policy = Policy(rules=(rule(NO_RM),))
        assert score_runs(policy, [run(call("ls"))], problems=[BROKEN]).verdict == "inconclusive"
        assert score_runs(policy, [run(call("rm"))], problems=[BROKEN]).verdict == "fail"
        assert "could not be read" in score_runs(policy, [run(call("ls"))], problems=[BROKEN]).reasons[-1]

    def test_nothing_to_score(self) -> None:
        """The reason says what is missing, with a hint."""
        document = score_runs(Policy(rules=(rule(NO_RM),)), [], spans=7)
        assert (document.verdict, document.coverage.captured_share) == ("unscored", None)
        assert "no tool call and no agent was found in 7 spans" in document.reasons[0]
        assert "--explain" in document.reasons[0]

    def test_nothing_asked(self) -> None:
        """Calls that no rule and no expectation looks at."""
        document = scored(rule(NO_RM, when=when(service="other")), run(call("ls")))
        assert document.verdict == "unscored"
        assert "no rule and no expectation was asked about 1 tool call" in document.reasons[0]
        silent = scored(rule(NO_RM), run(scopes=[scope("x", name="x")]))
        assert "no tool call was found in 1 run" in silent.reasons[0]

    def test_reasons_of_open_verdicts_have_a_hint(self) -> None:
        """By cause, with how many findings it left open."""
        rules = rule(Forbid(pattern("sh", {"command": "rm"})))
        document = scored(rules, run(call("sh", NOT_CAPTURED), call("sh", NOT_CAPTURED, 10)))
        (reason,) = document.reasons
        assert reason.startswith("2 findings inconclusive: arguments_not_captured (the arguments were not captured); ")
        assert reason.endswith("switch on the capture of tool arguments in the agent's instrumentation")

    def test_reasons_of_failures_count(self) -> None:
        """By rule."""
        document = scored(rule(NO_RM, id="no-rm"), run(call("rm"), call("rm", {}, 10)))
        assert document.reasons == ("the rule `no-rm` was violated 2 times",)

    def test_totals(self) -> None:
        """Over all runs."""
        rules = [rule(NO_RM, id="a"), rule(Forbid(pattern("ls")), id="b", enforcement="shadow")]
        runs = [run(call("rm", trace_id="1"), call("ls", {}, 10, trace_id="1"), trace="1", merged_spans=2), run(trace="2")]
        document = score_runs(Policy(rules=tuple(rules)), runs, spans=9, tool_spans=4)
        assert document.totals == Totals(spans=9, tool_spans=4, calls=2, runs=2, violations=1, shadow_violations=1, merged_spans=2)

    def test_runs_keep_their_order(self) -> None:
        """Whichever conversations they belong to."""
        runs = [run(call("ls", trace_id=trace, conversation=talk), trace=trace) for trace, talk in [("1", "c"), ("2", None), ("3", "c")]]
        assert [each.run.trace_id for each in scored(rule(NO_RM), *runs).runs] == ["1", "2", "3"]


class TestCoverage:
    def test_a_rule_is_used_where_its_pattern_fits(self) -> None:
        """Or may fit; where `when` is false it does not."""
        rules = [
            rule(NO_RM, id="fits"),
            rule(Forbid(pattern("sh", {"x": 1})), id="may"),
            rule(Forbid(pattern("dd")), id="never"),
            rule(NO_RM, id="elsewhere", when=when(service="other")),
            rule(NO_RM, id="excused", waivers=(Waiver(),)),
            rule(Before(call=pattern("refund"), needs=pattern("rm")), id="needs"),
        ]
        document = scored(rules, run(call("rm"), call("sh", NOT_CAPTURED, 10)))
        assert document.coverage.unused_rules == ("never", "elsewhere", "needs")

    def test_allow_and_require(self) -> None:
        """`allow` is used where a call falls under it, `require` where its pattern fitted."""
        rules = [
            rule(Allow((pattern("x"),)), id="allow"),
            rule(Require(pattern("log")), id="require"),
            rule(Require(pattern("rm")), id="made"),
        ]
        assert scored(rules, run(call("rm"))).coverage.unused_rules == ("require",)
        assert scored([rule(Allow((pattern("x"),)), id="allow", when=when(service="o"))], run(call("rm"))).coverage.unused_rules == (
            "allow",
        )

    def test_tools_that_nothing_names(self) -> None:
        """A `*` alone names no tool; patterns and expectations do, inside alternatives and groups too."""
        items = (AnyOf(((ExpectedCall("a"),), (Group((ExpectedCall("b"),)),))), ExpectedCall("c"))
        policy = Policy(
            rules=(rule(Forbid(pattern("get_*"))), rule(Forbid(pattern("*", any_arg="x")), id="all")),
            expectations=(Expectation(id="e", calls=items, extra_calls=(pattern("log"),)),),
        )
        tools = ["a", "b", "c", "log", "get_user", "GET_USER", "drop", "mcp"]
        document = score_runs(policy, [run(*[call(tool, {}, 10 * number) for number, tool in enumerate(tools)])])
        assert document.coverage.uncovered_tools == ("drop", "mcp")

    def test_the_share_of_captured_arguments(self) -> None:
        """Of all calls."""
        document = scored(rule(NO_RM), run(call("a"), call("b", NOT_CAPTURED, 10), call("c", {}, 20), call("d", {}, 30)))
        assert document.coverage.captured_share == 0.75
