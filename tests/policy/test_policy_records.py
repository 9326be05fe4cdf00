"""What a sound policy becomes."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from otel_toolscore import matchers
from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Group
from otel_toolscore.paths import Path
from otel_toolscore.policy import Expectation, Policy, SpanMapping, Tool, attribute_keys, loads
from otel_toolscore.rules.arguments import ValidArguments
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.pattern import Pattern, When
from otel_toolscore.rules.rule import Rule, Waiver


def rule(text: str) -> Rule:
    (found,) = loads(f"rules: [{{id: r, {text}}}]").rules
    return found


def expectation(text: str) -> Expectation:
    (found,) = loads(f"expectations: [{{id: e, {text}}}]").expectations
    return found


def call(text: str) -> object:
    (found,) = expectation(f"calls: [{text}]").calls
    return found


def test_an_empty_policy() -> None:
    """What is not said has its default."""
    policy = loads("version: 1", "p.yaml")
    assert policy == Policy(sources=("p.yaml",), digest=policy.digest)


def test_sections() -> None:
    """Scalars, tools and span mappings."""
    policy = loads(
        """
version: 1
runs: trace
fail_on: high
x-owner: {anything: [goes]}
tools:
  pay: {server: bank, parameters: {type: object}, x-note: y}
  x-ray: {}
spans:
  - {match: {attributes: {acme.kind: tool}}, call: {tool: acme.tool, args: acme.input, result: acme.output, id: acme.id}}
""",
    )
    assert (policy.version, policy.runs, policy.fail_on) == (1, "trace", "high")
    assert policy.tools == {"pay": Tool(server="bank", parameters={"type": "object"}), "x-ray": Tool()}
    attributes = (("acme.kind", matchers.Eq("tool")),)
    assert policy.spans == (SpanMapping(attributes=attributes, tool="acme.tool", args="acme.input", result="acme.output", id="acme.id"),)


def test_a_rule_in_full() -> None:
    """Every key of a rule arrives in its record."""
    found = rule(
        "severity: critical, message: m, enforcement: shadow, when: {agent: a, workflow: [b, c*], service: s, input: {$contains: x},"
        " attributes: {k: 5}}, except: [{call: t, when: {agent: z}, until: 2027-01-31, reason: PAY-812}], labels: {team: pay},"
        " runbook: https://r.example, forbid: t, x-note: ignored",
    )
    assert found == Rule(
        id="r",
        constraint=Forbid(Pattern(tool=("t",))),
        severity="critical",
        message="m",
        enforcement="shadow",
        when=When(
            agent=("a",),
            workflow=("b", "c*"),
            service=("s",),
            input=matchers.Contains("x"),
            attributes=(("k", matchers.Eq(5)),),
        ),
        waivers=(Waiver(call=Pattern(tool=("t",)), when=When(agent=("z",)), until=dt.date(2027, 1, 31), reason="PAY-812"),),
        labels={"team": "pay"},
        runbook="https://r.example",
        where="policy:1:9",
    )


def test_a_pattern_in_full() -> None:
    """Every key of a pattern arrives in its record; absent and empty arguments differ."""
    found = rule(
        "forbid: {tool: [a, 'b*'], server: s, agent: z, args: {'x.y[*]': {$gt: 5, $lt: 9}, z: null}, any_arg: {$contains: k},"
        " result: {ok: true}, outcome: [ok, error], allow_extra_fields: false}",
    ).constraint
    assert found == Forbid(
        Pattern(
            tool=("a", "b*"),
            server=("s",),
            agent=("z",),
            args=(
                (Path.parse("x.y[*]"), matchers.AllOf(matchers.Gt(5), matchers.Lt(9))),
                (Path.parse("z"), matchers.Eq(None)),
            ),
            any_arg=matchers.Contains("k"),
            result=((Path.parse("ok"), matchers.Eq(True)),),
            outcome=("ok", "error"),
            allow_extra_fields=False,
        )
    )
    assert rule("forbid: {tool: a, args: {}}").constraint == Forbid(Pattern(tool=("a",), args=()))
    assert rule("forbid: {tool: a}").constraint == Forbid(Pattern(tool=("a",), args=None))


def test_a_result_is_a_matcher_or_paths() -> None:
    """A mapping without operators is paths; everything else is about the result as a whole."""
    assert rule("forbid: {tool: a, result: {$contains: x}}").constraint == Forbid(Pattern(tool=("a",), result=matchers.Contains("x")))
    assert rule("forbid: {tool: a, result: done}").constraint == Forbid(Pattern(tool=("a",), result=matchers.Eq("done")))


def test_constraints() -> None:
    """Each constraint becomes its record."""
    a, b = Pattern(tool=("a",)), Pattern(tool=("b",))
    x, y = Path.parse("x"), Path.parse("y")
    assert rule("allow: [a, {tool: b}]").constraint == Allow((a, b))
    assert rule("allow: []").constraint == Allow(())
    assert rule("require: a").constraint == Require(a)
    assert rule("before: {call: a, needs: b, same: {x: y}, once: true, per: agent}").constraint == Before(
        call=a, needs=b, same=((x, y),), once=True, per="agent"
    )
    assert rule("never_after: {call: a, after: b, per: conversation}").constraint == NeverAfter(call=a, after=b, per="conversation")
    assert rule("limit: {call: a, max: 2}").constraint == Limit(call=a, max=Fraction(2))
    assert rule("limit: {call: a, max: 0.1, within: 60s, by: x, sum: y}").constraint == Limit(
        call=a, max=Fraction(1, 10), within_ns=60 * 10**9, by=x, sum=y
    )
    assert rule("limit: {max: 9}").constraint == Limit(call=Pattern(), max=Fraction(9))
    assert rule("repeats: {max: 3}").constraint == Repeats(call=Pattern(), max=3)
    assert rule("valid_arguments: {}").constraint == ValidArguments(call=Pattern())


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("500ms", 500 * 10**6), ("60s", 60 * 10**9), ("1.5h", 5400 * 10**9), ("5m", 300 * 10**9), ("2d", 172_800 * 10**9)],
)
def test_durations(text: str, nanoseconds: int) -> None:
    """A duration is a number and a unit."""
    found = rule(f"limit: {{max: 1, within: {text}}}").constraint
    assert isinstance(found, Limit)
    assert found.within_ns == nanoseconds


def test_an_expectation_in_full() -> None:
    """Every key of an expectation arrives in its record."""
    found = expectation(
        "when: {workflow: w}, include_subagents: false, per: run, order: any, extra_calls: retries, min_score: 0.9, required: true,"
        " strict: true, weights: {argument_f1: 0.55}, calls: []",
    )
    assert found == Expectation(
        id="e",
        calls=(),
        when=When(workflow=("w",)),
        include_subagents=False,
        per="run",
        order="any",
        extra_calls="retries",
        min_score=Fraction(9, 10),
        required=True,
        strict=True,
        weights={"argument_f1": Fraction(55, 100)},
        where="policy:1:16",
    )
    assert found.tolerances


def test_subagents_count_unless_an_agent_is_named() -> None:
    """`include_subagents` is false by default with `when.agent`, and true otherwise."""
    assert expectation("calls: []").include_subagents
    assert expectation("calls: [], when: {workflow: w}").include_subagents
    assert not expectation("calls: [], when: {agent: a}").include_subagents
    assert expectation("calls: [], when: {agent: a}, include_subagents: true").include_subagents


def test_extra_calls_may_be_patterns() -> None:
    """What is allowed besides may be a word or a list of patterns."""
    assert expectation("calls: [], extra_calls: allow").extra_calls == "allow"
    assert expectation("calls: [], extra_calls: ['get_*', {tool: b}]").extra_calls == (Pattern(tool=("get_*",)), Pattern(tool=("b",)))


def test_an_expected_call_in_full() -> None:
    """Every key of an expected call arrives in its record; literals stay as they are and matchers stand in them."""
    found = call(
        "{tool: a, server: s, args: {n: 5, t: NO, deep: [{$gt: 1}, {x: {$any: true}}], $filter: q}, fields: {'items[*].id':"
        " {case_insensitive: true, order_independent_list: true, numeric: true, abs_tol: 0.01, rel_tol: 1e-3, ignore: true,"
        " default: null}},"
        " allow_extra_fields: true, must: true, outcome: any, times: {min: 0, max: 3}, reason: why}",
    )
    assert found == ExpectedCall(
        name="a",
        arguments={"n": 5, "t": "NO", "deep": [matchers.Gt(1), {"x": matchers.ANY}], "$filter": "q"},
        field_rules={
            "items[*].id": FieldRule(
                case_insensitive=True,
                order_independent_list=True,
                numeric=True,
                abs_tol=Fraction(1, 100),
                rel_tol=Fraction(1, 1000),
                ignore=True,
                default=None,
            )
        },
        allow_extra_fields=True,
        server="s",
        outcome="any",
        min_times=0,
        max_times=3,
        must=True,
    )


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("{tool: a}", (1, 1)),
        ("{tool: a, times: 2}", (2, 2)),
        ("{tool: a, times: {min: 2}}", (2, None)),
        ("{tool: a, times: {max: 3}}", (1, 3)),
        ("{tool: a, optional: true}", (0, 1)),
        ("{tool: a, optional: true, times: {min: 0, max: 4}}", (0, 4)),
        ("{tool: a, optional: false, times: 2}", (2, 2)),
    ],
)
def test_how_often(text: str, times: tuple[int, int | None]) -> None:
    """`times` and `optional` say how often."""
    found = call(text)
    assert isinstance(found, ExpectedCall)
    assert (found.min_times, found.max_times) == times


def test_the_outcome_of_a_policy_is_ok() -> None:
    """In a policy an expected call has to succeed, unless it says otherwise."""
    found = call("{tool: a}")
    assert isinstance(found, ExpectedCall)
    assert found.outcome == "ok"


def test_alternatives_and_groups() -> None:
    """Alternatives are calls or lists of calls; groups and alternatives nest."""
    a, b, c = (ExpectedCall(name=name, outcome="ok") for name in "abc")
    assert call("{any_of: [{tool: a}, [{tool: b}, {tool: c}]]}") == AnyOf(((a,), (b, c)))
    assert call("{group: [{tool: a}, {any_of: [{tool: b}, {tool: c}]}]}") == Group((a, AnyOf(((b,), (c,)))))


def test_attribute_keys_are_all_that_is_asked_for() -> None:
    """Keys of `when.attributes` of rules, waivers and expectations, and of `$attr` at any depth; not those of `spans`."""
    policy = loads(
        """
expectations:
  - {id: e, when: {attributes: {one: 1}}, calls: [{tool: a, args: {x: [{$attr: two}], y: {$literal: {$attr: none}}}}]}
rules:
  - {id: r, forbid: {tool: a, args: {x: {$not: {$attr: three}}}}, except: [{when: {attributes: {four: 4}}}]}
  - {id: s, when: {attributes: {five: {$exists: true}}}, allow: [{any_arg: {$any_of: [{$attr: six}]}}]}
spans: [{match: {attributes: {seven: 7}}, call: {tool: t}}]
""",
    )
    assert attribute_keys(policy) == {"one", "two", "three", "four", "five", "six"}
