"""The short forms: bare lists of forbidden and of expected calls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from otel_toolscore import matchers
from otel_toolscore.expected import AnyOf, ExpectedCall
from otel_toolscore.paths import Path
from otel_toolscore.policy import Expectation, PolicyError, Tool, load, load_expectations, load_forbidden
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule


def reading(**files: str) -> Callable[[str], bytes]:
    return lambda name: files[name.removesuffix(".yaml")].encode()


def test_a_list_of_forbidden_calls_is_rules() -> None:
    """Each item is a rule that forbids its pattern; its id has the position and the tool, its message the reason."""
    text = """\
- {tool: read_file, args: {path: {$contains: .ssh}}, reason: private keys}
- drop_*
- {tool: [a, b], outcome: ok}
- {any_arg: x}
"""
    rules = load_forbidden("f.yaml", read=reading(f=text))
    path_test = ((Path.parse("path"), matchers.Contains(".ssh")),)
    assert rules == (
        Rule(
            id="forbid-1-read_file",
            constraint=Forbid(Pattern(tool=("read_file",), args=path_test)),
            message="private keys",
            where="f.yaml:1:3",
        ),
        Rule(id="forbid-2-drop_", constraint=Forbid(Pattern(tool=("drop_*",))), where="f.yaml:2:3"),
        Rule(id="forbid-3-a-b", constraint=Forbid(Pattern(tool=("a", "b"), outcome=("ok",))), where="f.yaml:3:3"),
        Rule(id="forbid-4-any", constraint=Forbid(Pattern(any_arg=matchers.Eq("x"))), where="f.yaml:4:3"),
    )


@pytest.mark.parametrize("before", ["", "calls: "])
def test_a_list_of_expected_calls_is_an_expectation(before: str) -> None:
    """The list is one expectation for every run, in which any outcome will do and nothing tolerated is taken out of the metrics."""
    text = before + "[{tool: a, args: {x: 1}, reason: r}, {any_of: [{tool: b}]}]"
    (found,) = load_expectations("e.yaml", read=reading(e=text))
    calls = (ExpectedCall(name="a", arguments={"x": 1}), AnyOf(((ExpectedCall(name="b"),),)))
    assert found == Expectation(id="expected", calls=calls, tolerances=False, where="e.yaml:1:1")
    assert found.when is None
    assert found.include_subagents


def test_a_policy_gives_its_own() -> None:
    """In place of a list a policy may stand, of which the expectations or the rules are used."""
    text = "expectations: [{id: e, calls: [{tool: a}]}]\nrules: [{id: r, forbid: b}]"
    (expectation,) = load_expectations("p.yaml", read=reading(p=text))
    assert (expectation.id, expectation.calls) == ("e", (ExpectedCall(name="a", outcome="ok"),))
    assert expectation.tolerances
    (rule,) = load_forbidden("p.yaml", read=reading(p=text))
    assert rule.id == "r"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- {tool: a, arg: {}}", "f.yaml:1:13: unknown key `arg` in a forbidden call; did you mean `args`?"),
        ("- {reason: x}", "f.yaml:1:3: a forbidden call needs tool, server, agent, args, any_arg, result or outcome"),
        ("- [a]", "f.yaml:1:3: `the list`: expected the name or glob of a tool, or a forbidden call (a mapping), found a list"),
        ("- {tool: a, args: }", "f.yaml:1:13: `args` is empty"),
        ("text", "f.yaml:1:1: `the policy`: expected a policy (a mapping), found text"),
    ],
)
def test_faults_of_a_list_of_forbidden_calls(text: str, fault: str) -> None:
    """A list is read as strictly as a policy."""
    with pytest.raises(PolicyError) as caught:
        load_forbidden("f.yaml", read=reading(f=text))
    assert str(caught.value).startswith(fault)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- {name: a}", "e.yaml:1:4: unknown key `name` in an expected call; did you mean `tool`?"),
        ("- a", "e.yaml:1:3: `the list`: expected an expected call or `any_of` or `group`, found text"),
        ("calls: [{tool: a}]\norder: any", "e.yaml:2:1: unknown key `order` in a list of expected calls (expected calls)"),
    ],
)
def test_faults_of_a_list_of_expected_calls(text: str, fault: str) -> None:
    """A list is read as strictly as a policy."""
    with pytest.raises(PolicyError) as caught:
        load_expectations("e.yaml", read=reading(e=text))
    assert str(caught.value).startswith(fault)


def test_lists_are_added_to_a_policy() -> None:
    """`load` puts a policy and both lists together; the minimum score is for the expectations of the list."""
    files = reading(
        p="expectations: [{id: own, calls: []}]\nrules: [{id: r, forbid: z}]\ntools: {a: {server: s}}",
        e="[{tool: a}]",
        f="[b]",
    )
    policy = load(["p.yaml"], expect="e.yaml", forbid="f.yaml", min_score=Fraction(9, 10), read=files)
    assert [(found.id, found.min_score) for found in policy.expectations] == [("own", None), ("expected", Fraction(9, 10))]
    assert [rule.id for rule in policy.rules] == ["r", "forbid-1-b"]
    assert policy.tools == {"a": Tool(server="s")}
    assert policy.sources == ("p.yaml", "e.yaml", "f.yaml")
    assert policy.digest != load(["p.yaml"], read=files).digest


def test_nothing_is_replaced_by_a_list() -> None:
    """An id that the policy has already is not taken away by a list; the same file given twice counts once."""
    files = reading(p="expectations: [{id: expected, calls: []}]\nrules: [{id: forbid-1-b, forbid: z}]", e="[{tool: a}]", f="[b]")
    policy = load(["p.yaml"], expect="e.yaml", forbid="f.yaml", read=files)
    assert [found.id for found in policy.expectations] == ["expected", "expected-2"]
    assert [rule.id for rule in policy.rules] == ["forbid-1-b", "forbid-1-b-2"]
    assert [found.id for found in load(["p.yaml"], expect="p.yaml", read=files).expectations] == ["expected"]


def test_what_a_policy_in_place_of_a_list_says_of_tools_is_kept() -> None:
    """Its expectations mean the same as in its own place; the main policy's word on a tool comes first."""
    files = reading(p="tools: {a: {server: s}}", e="tools: {a: {server: other}, b: {server: t}}\nexpectations: [{id: e, calls: []}]")
    assert load(["p.yaml"], expect="e.yaml", read=files).tools == {"a": Tool(server="s"), "b": Tool(server="t")}


def test_faults_of_policy_and_lists_are_told_at_once() -> None:
    """A fault in one file hides none in another."""
    with pytest.raises(PolicyError) as caught:
        load(["p.yaml"], expect="e.yaml", forbid="f.yaml", read=reading(p="runs: x", e="[a]", f="[[]]"))
    assert [fault.file for fault in caught.value.faults] == ["p.yaml", "e.yaml", "f.yaml"]
