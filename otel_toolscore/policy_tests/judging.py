"""What a test comes to: the findings, and how they differ from those that it expects."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from otel_toolscore.engine import score_runs
from otel_toolscore.engine.verdicts import worst
from otel_toolscore.model import Document, Finding, FindingKind, Problem, Verdict
from otel_toolscore.policy.records import Policy
from otel_toolscore.policy.resolve import BUILT_IN_PREFIX
from otel_toolscore.policy_tests.made_runs import Made
from otel_toolscore.policy_tests.records import PolicyTest, Wanted
from otel_toolscore.rules.rule import Rule


class Result(NamedTuple):
    """What came out of one test."""

    differences: tuple[str, ...]
    """What is other than expected, without values; empty: the test passed."""
    fired: frozenset[str]
    """The rules that found a violation, by their places (`place_of`)."""


class _Found(NamedTuple):
    """A finding, with the call as the test counts it."""

    finding: Finding
    call: int | None


def unknown_ids(test: PolicyTest, policy: Policy) -> tuple[str, ...]:
    """What the test says of rules and expectations that the policy does not have."""
    rules, expectations = {rule.id for rule in policy.rules}, {each.id for each in policy.expectations}
    asked = [*(test.rules or ()), *(wanted.rule for wanted in (*test.violations, *test.inconclusive))]
    wrong = [f"the policy has no rule `{name}`" for name in dict.fromkeys(asked) if name not in rules]
    wrong += [f"the policy has no expectation `{name}`" for name in test.expectations if name not in expectations]
    if test.rules is not None:
        unlooked = [wanted.rule for wanted in (*test.violations, *test.inconclusive) if wanted.rule not in test.rules]
        wrong += [f"a finding of `{name}` is expected, which `rules` leaves out" for name in dict.fromkeys(unlooked)]
    return tuple(wrong)


def judge(test: PolicyTest, policy: Policy, runs: Sequence[Made], problems: Sequence[Problem] = ()) -> Result:
    """Score the runs with the policy and compare what is found with what the test expects."""
    document = score_runs(policy, [made.run for made in runs], problems=problems)
    found = list(_found(document, runs))
    places = {rule.id: place_of(rule) for rule in policy.rules}
    fired = frozenset(places[each.finding.rule] for each in found if each.finding.kind == "violation")
    looked_at = [each for each in found if test.rules is None or each.finding.rule in test.rules]
    differences = [*_of_kind("violation", test.violations, looked_at), *_of_kind("inconclusive", test.inconclusive, looked_at)]
    differences += _of_expectations(test, document)
    if test.verdict is not None and test.verdict != document.verdict:
        differences.append(f"the verdict is {document.verdict}, not {test.verdict}")
    return Result(tuple(differences), fired)


def place_of(rule: Rule) -> str:
    """Where the rule stands: the same for every policy that it is a part of."""
    return os.path.normpath(rule.where)


def uncovered(policy: Policy, fired: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that no test made find a violation (`fired`: by their places); those of built-in policies are left out."""
    seen = set(fired)
    return tuple(rule for rule in policy.rules if place_of(rule) not in seen and not rule.where.startswith(BUILT_IN_PREFIX))


def _found(document: Document, runs: Sequence[Made]) -> Iterator[_Found]:
    for result, made in zip(document.runs, runs, strict=True):
        for finding in result.findings:
            yield _Found(finding, None if finding.call is None else made.numbers[finding.call])


def _of_kind(kind: FindingKind, wanted: Sequence[Wanted], found: Sequence[_Found]) -> Iterator[str]:
    """What is missing and what is too much."""
    of_kind = [each for each in found if each.finding.kind == kind]
    pairs = _pairs(wanted, of_kind)
    for number, each in enumerate(wanted):
        if number not in pairs.values():
            yield f"no {_noun(kind)} of {each}"
    for number, other in enumerate(of_kind):
        if number not in pairs:
            call = "" if other.call is None else f", call {other.call}"
            tool = "" if other.finding.tool is None else f", tool {other.finding.tool}"
            yield f"unexpected {_noun(kind)} of {other.finding.rule}{tool}{call}: {other.finding.explanation}"


def _noun(kind: FindingKind) -> str:
    return "violation" if kind == "violation" else "inconclusive finding"


def _fits(wanted: Wanted, found: _Found) -> bool:
    return (
        wanted.rule == found.finding.rule
        and wanted.tool in (msgspec.UNSET, found.finding.tool)
        and wanted.call in (msgspec.UNSET, found.call)
    )


def _pairs(wanted: Sequence[Wanted], found: Sequence[_Found]) -> dict[int, int]:
    """Which expected finding (value) each finding (key) is taken for; as many as can be."""
    taken: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for candidate, other in enumerate(found):
            if candidate in tried or not _fits(wanted[number], other):
                continue
            tried.add(candidate)
            if candidate not in taken or place(taken[candidate], tried):
                taken[candidate] = number
                return True
        return False

    for number in range(len(wanted)):
        place(number, set())
    return taken


def _of_expectations(test: PolicyTest, document: Document) -> Iterator[str]:
    for name, verdict in test.expectations.items():
        results = [each for run in document.runs for each in run.expectations if each.id == name]
        came: Verdict = worst(each.verdict for each in results)
        if came != verdict:
            reasons = "; ".join(dict.fromkeys(reason for each in results for reason in each.reasons))
            yield f"the expectation {name} is {came}, not {verdict}" + (f": {reasons}" if reasons else "")
