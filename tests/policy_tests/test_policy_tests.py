"""Unit tests of policies: how they are read, which runs their calls are, and how what is found is compared."""

from __future__ import annotations

import pytest

from otel_toolscore.model import Evidence
from otel_toolscore.policy import PolicyError, loads
from otel_toolscore.policy_tests import PolicyTest, Result, judge, load, runs_of, uncovered, unknown_ids
from otel_toolscore.policy_tests.records import FIRST_START_NS, Wanted

SECOND = 10**9


def read(text: str) -> PolicyTest:
    """The one test of a file with these keys of a test."""
    indented = "".join(f"    {line}\n" for line in text.strip().splitlines())
    return load("x_test.yaml", f"policy: p.yaml\ntests:\n  - name: t\n{indented}".encode()).tests[0]


def faults(text: str) -> list[str]:
    with pytest.raises(PolicyError) as error:
        load("x_test.yaml", text.encode())
    return [str(fault) for fault in error.value.faults]


def judged(test: str, rules: str) -> Result:
    given = read(test)
    return judge(given, loads(f"version: 1\nrules: {rules}"), runs_of(given))


def test_calls_are_as_spans_would_record_them() -> None:
    """Absent is not captured, text is the attribute's text, a null result is a result."""
    calls = read(
        """
calls:
  - {tool: mcp__bank__pay, args: {amount: 5}, result: null}
  - {tool: pay, args: '{"amount": 5, "amount": 6}'}
  - {tool: pay, args: '{"amount": 5', result: "[1]"}
  - {tool: pay, error: refused, args: {}}
"""
    ).calls
    assert [call.arguments.state for call in calls] == ["captured", "unreadable", "unreadable", "captured"]
    assert [call.arguments.cause for call in calls[1:3]] == ["duplicate_key", "truncated"]
    assert [call.result for call in calls] == [
        Evidence("captured", None),
        Evidence("not_captured"),
        Evidence("captured", [1]),
        Evidence("not_captured"),
    ]
    assert [call.outcome for call in calls] == ["ok", "ok", "ok", "error"]


def test_calls_follow_each_other_by_a_second_unless_they_say_when() -> None:
    """Starts are seconds, durations or dates; a call lasts half a second unless it says otherwise."""
    calls = read(
        """
calls:
  - {tool: a}
  - {tool: b, start: 2.5}
  - {tool: c, duration: 3s}
  - {tool: d, start: 5m}
  - {tool: e, start: 2026-01-02T01:00:00+01:00}
"""
    ).calls
    assert [call.start_ns - FIRST_START_NS for call in calls] == [0, 2_500_000_000, 3_500_000_000, 300 * SECOND, 86_400 * SECOND]
    assert [call.end_ns - call.start_ns for call in calls] == [500_000_000, 500_000_000, 3 * SECOND, 500_000_000, 500_000_000]


def test_a_test_is_one_run_unless_calls_are_of_others() -> None:
    """`run` and `conversation` tell runs apart; agents of calls are inside the test's."""
    made = runs_of(
        read(
            """
agent: boss
conversation: c
service: web
input: hello
attributes: {k: v}
complete: false
calls:
  - {tool: a, start: 5}
  - {tool: b, agent: helper, start: 1}
  - {tool: c, run: later}
  - {tool: d, conversation: other}
"""
        )
    )
    assert [each.numbers for each in made] == [(1, 0), (2,), (3,)]
    first = made[0].run
    assert [(scope.kind, scope.name, scope.input) for scope in first.scopes] == [("agent", "boss", "hello"), ("agent", "helper", None)]
    assert first.top.attributes == {"k": ("v",)}
    assert [(call.tool, call.agent, call.agent_path, call.service) for call in first.calls] == [
        ("b", "helper", ("boss", "helper"), "web"),
        ("a", "boss", ("boss",), "web"),
    ]
    assert [each.run.top.conversation for each in made] == ["c", "c", "other"]
    assert not any(each.run.complete for each in made)


def test_without_an_agent_none_is_recorded() -> None:
    """The run of calls without an agent is that of a trace without agent spans."""
    (made,) = runs_of(read("calls: [{tool: a}]"))
    assert [(scope.kind, scope.name) for scope in made.run.scopes] == [("trace", None)]
    assert made.run.calls[0].agent is None
    (made,) = runs_of(read("calls: [{tool: a, agent: x}]"))
    assert [(scope.kind, scope.name) for scope in made.run.scopes] == [("agent", "x")]
    (made,) = runs_of(read("workflow: w\ncalls: [{tool: a, agent: x}]"))
    assert [(scope.kind, scope.name) for scope in made.run.scopes] == [("workflow", "w"), ("agent", "x")]


def test_no_calls_are_a_run_without_calls() -> None:
    """What `require` and expectations say of an agent that does nothing can be tested."""
    assert judged("calls: []\nexpect: {violations: [[logged, null]], verdict: fail}", "[{id: logged, require: log}]").differences == ()


@pytest.mark.parametrize(
    ("expect", "differences"),
    [
        ("{violations: [no-a]}", ["unexpected violation of no-a, tool a, call 2: the call of `a` is one that the rule forbids"]),
        ("{violations: [no-a, [no-a, a]]}", []),
        ("{violations: [[no-a, 0], [no-a, a, 2]]}", []),
        ("{violations: [[no-a, a], [no-a, a, 0]]}", []),
        ("{violations: [[no-a, 0], [no-a, 1]]}", ["no violation of no-a, call 1", "unexpected violation of no-a, tool a, call 2: ..."]),
        ("{violations: [no-a, no-a], verdict: pass}", ["the verdict is fail, not pass"]),
        ("{inconclusive: [no-a], violations: [no-a, no-a]}", ["no inconclusive finding of no-a"]),
    ],
)
def test_every_finding_is_expected_once(expect: str, differences: list[str]) -> None:
    """A finding too many, one too few and another verdict are each told; what is not said of a finding is not asked."""
    found = judged(f"calls: [{{tool: a}}, {{tool: b}}, {{tool: a}}]\nexpect: {expect}", "[{id: no-a, forbid: a}]").differences
    assert len(found) == len(differences)
    assert all(one.startswith(other.removesuffix("...")) for one, other in zip(found, differences, strict=True))


def test_without_expect_nothing_may_be_found() -> None:
    """A test that expects nothing fails where something is found."""
    assert len(judged("calls: [{tool: a}]", "[{id: no-a, forbid: a}]").differences) == 1
    assert judged("calls: [{tool: b}]", "[{id: no-a, forbid: a}]").differences == ()


def test_only_some_rules_are_looked_at() -> None:
    """With `rules`, findings of others do not count, and cannot be expected."""
    rules = "[{id: no-a, forbid: a}, {id: one, limit: {max: 0}}]"
    assert judged("rules: [no-a]\ncalls: [{tool: a}]\nexpect: {violations: [no-a]}", rules).differences == ()
    test = read("rules: [no-a]\ncalls: [{tool: a}]\nexpect: {violations: [one]}")
    assert unknown_ids(test, loads(f"version: 1\nrules: {rules}")) == ("a finding of `one` is expected, which `rules` leaves out",)


def test_expectations_are_told_by_their_worst_verdict() -> None:
    """An expectation that was selected nowhere is unscored; the difference comes with the reasons."""
    policy = loads("version: 1\nexpectations: [{id: e, calls: [{tool: a}]}, {id: f, when: {agent: x}, calls: []}]")
    test = read("agent: y\ncalls: [{tool: b}]\nexpect: {expectations: {e: pass, f: unscored}}")
    (difference,) = judge(test, policy, runs_of(test)).differences
    assert difference.startswith("the expectation e is fail, not pass: ")
    assert "`a`" in difference or " a " in difference


def test_unknown_rules_and_expectations_are_told() -> None:
    """A test about a rule that the policy lacks is broken, not failed."""
    test = read("calls: [{tool: a}]\nexpect: {violations: [no-b, no-b], expectations: {e: pass}}")
    assert unknown_ids(test, loads("version: 1\nrules: [{id: no-a, forbid: a}]")) == (
        "the policy has no rule `no-b`",
        "the policy has no expectation `e`",
    )


def test_rules_that_nothing_fired_are_uncovered() -> None:
    """An inconclusive finding does not cover a rule; built-in rules are not the user's to test."""
    policy = loads(
        "version: 1\nextends: [toolscore:recommended]\nrules: [{id: no-a, forbid: {tool: a, args: {x: 1}}}, {id: no-b, forbid: b}]"
    )
    test = read("calls: [{tool: a}, {tool: b}]")
    fired = judge(test, policy, runs_of(test)).fired
    assert [rule.id for rule in uncovered(policy, fired)] == ["no-a"]


def test_every_fault_is_told_with_its_place() -> None:
    """Unknown keys, wrong values and what cannot stand together, all at once, as the loader of policies does."""
    text = """policy: p.yaml
tests:
  - name: one
    calls: [{tool: a, arguments: {}}, {args: 5, tool: b, outcome: fine}]
    expect: {violations: [[r, 2]], verdict: failed}
  - name: one
    trace: t.json
    agent: a
    expect: {violations: [[r, a, b]], findings: []}
  - name: two
    calls: [{tool: a, error: x, outcome: ok, start: soon}]
    trace: t.json
  - {name: three}
"""
    assert [fault.partition(" (expected")[0].partition(", or [rule")[0] for fault in faults(text)] == [
        "x_test.yaml:4:23: unknown key `arguments` in a call; did you mean `args`?",
        "x_test.yaml:4:46: `args`: expected a mapping of arguments to values, or the text that was recorded, found a number",
        "x_test.yaml:4:67: `outcome`: expected ok, error, unknown or not_executed, found `fine`",
        "x_test.yaml:5:45: `verdict`: expected pass, fail, inconclusive or unscored, found `failed`; did you mean `fail`?",
        "x_test.yaml:6:11: duplicate `name` `one`: it stands at line 3 already",
        "x_test.yaml:8:5: `agent` goes with `calls`; a trace says so itself",
        "x_test.yaml:9:27: `violations`: expected a rule",
        "x_test.yaml:9:39: unknown key `findings` in `expect`; did you mean `violations`?",
        "x_test.yaml:11:33: `outcome`: a call with an `error` has the outcome `error`",
        "x_test.yaml:11:53: `start`: expected a time after the first call's or a date such as `90s`, found `soon`",
        "x_test.yaml:12:5: a test has exactly one of calls or trace; `calls` stands in it already",
        "x_test.yaml:13:5: a test needs exactly one of calls or trace; it has none",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "x_test.yaml:1:1: the file is empty; expected `policy` and `tests`"),
        ("tests: []", "x_test.yaml:1:1: a file of policy tests needs `policy`"),
        (
            "policy: p\ntests:\n  - name: t\n    calls: [{tool: a}]\n    expect: {violations: [[r, 1]]}",
            "there is no call 1: the calls are 0 to 0",
        ),
        ("policy: p\ntests:\n  - name: t\n    calls: [{tool: a, start: 2026-13-01}]", "`start`: `2026-13-01` is not a date and time"),
        ("policy: p\ntests: [{name: t, calls: [], expect: {violations: [[]]}}]", "`violations`: expected a rule"),
        ("policy: p\ntests: [{name: t, calls: [], expect: {violations: [{rule: r}]}}]", "`violations`: expected a rule"),
    ],
)
def test_what_is_no_file_of_tests_is_refused(text: str, fault: str) -> None:
    """An empty file, a missing policy, an index without a call, a day that is none."""
    assert any(fault in found for found in faults(text))


def test_an_expected_finding_says_what_it_asks() -> None:
    """As it is shown where it was not found."""
    assert str(Wanted(rule="r")) == "r"
    assert str(Wanted(rule="r", tool=None)) == "r, no tool"
    assert str(Wanted(rule="r", tool="a", call=3)) == "r, tool a, call 3"
