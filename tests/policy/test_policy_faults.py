"""What is refused, and in which words: every fault at once, each with its place and what was expected."""

from __future__ import annotations

import pytest

from otel_toolscore.policy import PolicyError, loads


def refused(text: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        loads(text, "p.yaml")
    assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
    return [str(fault) for fault in caught.value.faults]


def refused_at_the_mark(marked: str) -> str:
    """The message of the one fault, which must be at the `§` of the text."""
    before, _, after = marked.partition("§")
    (fault,) = refused(before + after)
    place, _, message = fault.partition(": ")
    assert place == f"p.yaml:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    return message


CONSTRAINTS = "forbid, allow, require, before, never_after, limit, repeats or valid_arguments"
RULE_KEYS = f"id, severity, message, enforcement, when, except, labels, runbook, {CONSTRAINTS}"
CALL_KEYS = "tool, server, args, fields, allow_extra_fields, must, outcome, times, optional or reason"
POLICY_KEYS = "version, extends, runs, fail_on, tools, expectations, rules or spans"
PATTERN_KEYS = "tool, server, agent, args, any_arg, result, outcome or allow_extra_fields"
WHEN_KEYS = "agent, workflow, service, input or attributes"
WEIGHTS = "selection_accuracy, argument_f1, sequence_accuracy, redundant_rate or required_call_recall"

TEN_FAULTS = """\
version: 1
fail_on: fatal
tools:
  pay: {server: 5}
expectations:
  - id: e
    calls:
      - {tool: a, fields: {x: {ignore: yes}}}
      - {name: b}
rules:
  - id: a
    forbit: {tool: x}
  - id: a
    limit: {call: pay, max: -1, within: 5 minutes}
    runbook:
  - severity: high
    allow: [{tool: x, args: {'a[': 1}}]
"""


def test_ten_faults_are_told_at_once() -> None:
    """No fault hides another, and each says where it is and what was expected."""
    assert refused(TEN_FAULTS) == [
        "p.yaml:2:10: `fail_on`: expected low, medium, high or critical, found `fatal`",
        "p.yaml:4:17: `server`: expected the name of a server, found a number; put it in quotes if it is text",
        "p.yaml:8:40: `ignore`: expected `true` or `false`, found text",
        f"p.yaml:9:10: unknown key `name` in an expected call; did you mean `tool`? (expected {CALL_KEYS})",
        f"p.yaml:12:5: unknown key `forbit` in a rule; did you mean `forbid`? (expected {RULE_KEYS})",
        "p.yaml:13:9: duplicate `id` `a`: it stands at line 11 already",
        "p.yaml:14:29: `max`: expected a number, at least 0, found `-1`",
        "p.yaml:14:41: `within`: expected a duration such as `60s`, found `5 minutes`",
        "p.yaml:15:5: `runbook` is empty: give it a value (one line of text), or leave it out",
        "p.yaml:16:5: a rule needs `id`: an id such as `no-rm-rf`",
        "p.yaml:17:30: `args`: path `a[`: at offset 2: expected an index, `*` or a quoted name",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("rules: §5", "`rules`: expected a list of rules, found a number"),
        ("§rules:", "`rules` is empty: give it a value (a list of rules), or leave it out"),
        ("rules: §null", "`rules`: expected a list of rules, found null"),
        ("rules: [§x]", "`rules`: expected a rule (a mapping), found text"),
        ("§text", "`the policy`: expected a policy (a mapping), found text"),
        ("§[]", "a policy is a mapping; a bare list of calls is given with --expect or --forbid"),
        ("version: §9", "`version`: expected `1`, found `9`"),
        ("version: §'1'", "`version`: expected `1`, found text"),
        ("runs: §agents", "`runs`: expected agent or trace, found `agents`; did you mean `agent`?"),
        ("§gates: []", "`gates` is not supported yet"),
        ("§cases: []", "`cases` is not supported yet"),
        ("§Rules: []", f"unknown key `Rules` in a policy; did you mean `rules`? (expected {POLICY_KEYS})"),
        (
            "spans: [{match: {attributes: §{}}, call: {tool: a}}]",
            "`attributes` is empty: expected a mapping of attribute keys to values or matchers",
        ),
        ("rules: [§{id: r}]", f"a rule needs exactly one of {CONSTRAINTS}; it has none"),
        ("expectations: [§{id: e}]", "an expectation needs `calls`: a list of calls"),
        ("tools: {a: §null}", "`a`: expected a tool (a mapping), found null"),
        ("tools: {a: {parameters: §[1]}}", "`parameters`: expected a JSON Schema (a mapping), found a list"),
    ],
)
def test_faults_of_a_policy(text: str, fault: str) -> None:
    """What is wrong with the sections of a policy."""
    assert refused_at_the_mark(text) == fault


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("id: r, forbid: a, §require: b", f"a rule has exactly one of {CONSTRAINTS}; `forbid` stands in it already"),
        ("id: r, §flow: {call: a}", "`flow` is not supported yet"),
        ("id: r, §no_flow: {}", "`no_flow` is not supported yet"),
        ("id: r, §secrets: {in: args}", "`secrets` is not supported yet"),
        ("id: §'', forbid: a", "`id`: expected an id such as `no-rm-rf`, found ``"),
        ('id: §"a\\nb", forbid: a', "`id`: expected an id such as `no-rm-rf`, found `a\\nb`"),
        ("id: §5, forbid: a", "`id`: expected an id such as `no-rm-rf`, found a number; put it in quotes if it is text"),
        ("id: r, forbid: §[a]", "`forbid`: expected the name or glob of a tool, or a pattern (a mapping), found a list"),
        ("id: r, allow: §a", "`allow`: expected a list of patterns, found text"),
        ("id: r, forbid: §{}", "a pattern needs tool, server, agent, args, any_arg, result or outcome"),
        ("id: r, forbid: {tool: §[]}", "`tool` is an empty list: expected a list of names or globs (at least one)"),
        ("id: r, forbid: {tool: a, args: §[x]}", "`args`: expected a mapping of paths to values or matchers, found a list"),
        ("id: r, forbid: {tool: a, args: {§x: }}", "`x` is empty: give it a value (a value or a matcher), or leave it out"),
        ("id: r, forbid: {tool: a, outcome: §failed}", "`outcome`: expected ok, error, unknown or not_executed, found `failed`"),
        ("id: r, forbid: {tool: a, outcome: §any}", "`outcome`: expected ok, error, unknown or not_executed, found `any`"),
        ("id: r, forbid: a, severity: §High", "`severity`: expected low, medium, high or critical, found `High`; did you mean `high`?"),
        ("id: r, forbid: a, enforcement: §warn", "`enforcement`: expected enforce or shadow, found `warn`"),
        ("id: r, forbid: a, labels: {team: §5}", "`team`: expected text, found a number; put it in quotes if it is text"),
        ("id: r, forbid: a, except: [§{reason: x}]", "a waiver needs call or when"),
        ("id: r, forbid: a, except: [{call: b, until: §2027-02-30}]", "`until`: `2027-02-30` is not a day of the calendar"),
        ("id: r, forbid: a, except: [{call: b, until: §tomorrow}]", "`until`: expected a day such as `2027-01-31`, found `tomorrow`"),
        (
            "id: r, forbid: a, when: {§agents: b}",
            f"unknown key `agents` in a condition on scopes; did you mean `agent`? (expected {WHEN_KEYS})",
        ),
        ("id: r, limit: {call: a, §max: 2.5}", "`max`: expected a whole number of calls (a fraction only with `sum`)"),
        ("id: r, limit: §{call: a}", "`limit` needs `max`: a number, at least 0"),
        ("id: r, limit: {call: a, max: 1, within: §0s}", "`within`: expected a length of time above 0, in whole nanoseconds"),
        ("id: r, limit: {call: a, max: §.inf}", "`max`: expected a number, at least 0, found infinity or NaN"),
        ("id: r, limit: {call: a, max: §true}", "`max`: expected a number, at least 0, found true"),
        ("id: r, repeats: {call: a, max: §1.5}", "`max`: expected a whole number, at least 0, found `1.5`"),
        ("id: r, before: §{call: a}", "`before` needs `needs`: the name or glob of a tool, or a pattern (a mapping)"),
        ("id: r, before: {call: a, needs: b, same: §{}}", "`same` is empty: expected a mapping of paths of `call` to paths of `needs`"),
        ("id: r, before: {call: a, needs: b, same: {x: §'y['}}", "`x`: path `y[`: at offset 2: expected an index, `*` or a quoted name"),
        ("id: r, never_after: {call: a, after: b, per: §trace}", "`per`: expected run, agent or conversation, found `trace`"),
    ],
)
def test_faults_of_a_rule(rule: str, fault: str) -> None:
    """What is wrong with a rule, its waivers, conditions and constraints."""
    assert refused_at_the_mark(f"rules: [{{{rule}}}]") == fault


@pytest.mark.parametrize(
    ("expectation", "fault"),
    [
        ("id: e, calls: [§[]]", "`calls`: expected an expected call or `any_of` or `group`, found a list"),
        ("id: e, calls: [§a]", "`calls`: expected an expected call or `any_of` or `group`, found text"),
        ("id: e, calls: [], min_score: §1.01", "`min_score`: expected a number from 0 to 1, found `1.01`"),
        ("id: e, calls: [], weights: {§f1: 1}", f"unknown key `f1` in `weights` (expected {WEIGHTS})"),
        (
            "id: e, calls: [], §weights: {selection_accuracy: 0, argument_f1: 0, sequence_accuracy: 0, redundant_rate: 0}",
            "`weights`: all of them are 0, so that nothing would be weighed",
        ),
        (
            "id: e, calls: [], extra_calls: §allowed",
            "`extra_calls`: expected forbid, allow or retries, found `allowed`; did you mean `allow`?",
        ),
        ("id: e, calls: [{tool: a, times: §0}]", "`times`: expected a whole number, at least 1, found `0`"),
        ("id: e, calls: [{tool: a, times: §{}}]", "`times` needs min or max"),
        ("id: e, calls: [{tool: a, times: {min: 3, §max: 2}}]", "`max`: 2 is below `min` (3)"),
        (
            "id: e, calls: [{tool: a, times: 2, §optional: true}]",
            "`optional`: `times` asks for at least one call; write `times: {min: 0, max: ...}` instead",
        ),
        ("id: e, calls: [{any_of: §[]}]", "`any_of` is an empty list: expected a list of calls, or lists of calls (at least one)"),
        ("id: e, calls: [{any_of: [{tool: a}], §tool: b}]", "unknown key `tool` in `any_of` (expected any_of)"),
        (
            "id: e, calls: [{tool: a, args: {§$any: true}}]",
            "`args`: `$any` stands where the name of an argument belongs: write NAME: {$any: ...}",
        ),
        ("id: e, calls: [{tool: a, fields: {x: {abs_tol: §-1}}}]", "`abs_tol`: expected a number, at least 0, found `-1`"),
    ],
)
def test_faults_of_an_expectation(expectation: str, fault: str) -> None:
    """What is wrong with an expectation and the calls in it."""
    assert refused_at_the_mark(f"expectations: [{{{expectation}}}]") == fault


def test_a_matcher_that_stands_too_high_is_refused() -> None:
    """A matcher in place of the arguments' paths would otherwise be an argument's name, and the rule would find nothing."""
    (found,) = refused("rules: [{id: r, forbid: {tool: a, args: {$contains: x}}}]")
    assert found == (
        "p.yaml:1:42: `args`: `$contains` stands where the path of a value belongs: write PATH: {$contains: ...}"
        " (a key that does begin with `$` is written ['$contains'])"
    )


def test_text_of_a_policy_cannot_write_on_the_terminal() -> None:
    """What is shown of a policy is on one line, bounded, with control characters escaped."""
    (found,) = refused('rules: [{id: r, forbid: a, severity: "\\e[31m\\n' + "x" * 500 + '"}]')
    assert "\x1b" not in found
    assert "\n" not in found
    assert len(found) < 200


def test_faults_come_in_the_order_of_the_file() -> None:
    """Faults are sorted by their place, whichever part of the loader found them."""
    found = refused("rules:\n  - {id: a, forbid: {tool: x, args: }}\n  - {id: b, forbid: y, forbid: z}\nversion: 2\n")
    assert [line.split(":")[1] for line in found] == ["2", "3", "4"]


def test_an_alias_that_is_used_twice_is_faulted_once() -> None:
    """The same place is told once, however often it is used."""
    found = refused("x-p: &p {tol: x}\nrules: [{id: a, forbid: *p}, {id: b, forbid: *p}]\n")
    assert found == [f"p.yaml:1:10: unknown key `tol` in a pattern; did you mean `tool`? (expected {PATTERN_KEYS})"]
