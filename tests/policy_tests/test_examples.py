"""Every example policy has unit tests, which pass, and in which each of its rules is silent, violated and, where it can be, open."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import in_process

from otel_toolscore.policy import load as load_policy
from otel_toolscore.policy_tests import PolicyTestFile, load

FOLDER = Path(__file__).parents[2] / "examples" / "policies"
POLICIES = sorted(path for path in FOLDER.glob("*.yaml") if not path.name.endswith("_test.yaml"))

ALWAYS_KNOWN = {
    "no-shutdown": "only the name of the tool is asked",
    "one-answer": "only the name of the tool is asked",
    "queries-a-minute": "only names and times are asked",
    "payments-an-hour": "an outcome that is not known counts as a payment",
    "polling": "only names and times are asked",
    "run-budget": "every call counts",
    "org-tool-budget": "every call counts",
    "bounded-reading": "only the name of the tool is asked",
    "look-alike-server": "a tool without a server is none of a server",
}
"""Rules that no call leaves open, and why."""


def file_of(policy: Path) -> PolicyTestFile:
    path = policy.with_name(f"{policy.stem}_test.yaml")
    return load(path.name, path.read_bytes())


def own_rules(policy: Path) -> set[str]:
    return {rule.id for rule in load_policy([policy]).rules if rule.where.startswith(str(policy))}


def test_there_are_policies_for_the_usual_purposes() -> None:
    """Eight purposes that teams have, each with a policy of its own."""
    purposes = {
        *("destructive-shell", "read-only-agent", "support-refunds", "recipients"),
        *("spending-limits", "loops", "mcp-servers", "schema-conformance"),
    }
    assert purposes <= {path.stem for path in POLICIES}


@pytest.mark.parametrize("policy", POLICIES, ids=lambda path: path.stem)
def test_the_tests_pass_and_leave_nothing_uncovered(policy: Path) -> None:
    """`otel-toolscore test` ends with 0 and without a warning."""
    done = in_process(["test", str(policy.with_name(f"{policy.stem}_test.yaml"))])
    assert done.code == 0, done.out
    assert "uncovered" not in done.err


@pytest.mark.parametrize("policy", POLICIES, ids=lambda path: path.stem)
def test_each_rule_is_violated_silent_and_open_in_some_test(policy: Path) -> None:
    """The three answers that a rule can give are each shown."""
    tests = file_of(policy).tests
    rules = own_rules(policy)
    violated = {wanted.rule for test in tests for wanted in test.violations}
    open_ = {wanted.rule for test in tests for wanted in test.inconclusive}
    silent = {
        rule
        for test in tests
        for rule in rules
        if (test.rules is None or rule in test.rules)
        and len({w.call for w in (*test.violations, *test.inconclusive) if w.rule == rule}) < len(test.calls)
    }
    assert rules - violated == set()
    assert rules - silent == set()
    assert rules - open_ == rules & set(ALWAYS_KNOWN)


def test_what_is_always_known_is_said_of_rules_that_there_are() -> None:
    """The list of rules that cannot be open names no others."""
    assert set(ALWAYS_KNOWN) <= {rule for policy in POLICIES for rule in own_rules(policy)}
