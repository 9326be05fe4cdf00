"""The short forms: a bare list of calls, forbidden where rules are asked for and expected where expectations are."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final, TypeVar

import msgspec

from otel_toolscore.policy.grammar.expectations import SEQUENCE
from otel_toolscore.policy.grammar.kinds import REFUSED, Either, ListOf, Reading, Text
from otel_toolscore.policy.grammar.patterns import PATTERN_KEYS, PATTERN_SHAPE, named_pattern
from otel_toolscore.policy.grammar.policies import Layer
from otel_toolscore.policy.grammar.shapes import Given, Key, Shape
from otel_toolscore.policy.nodes import ListNode, MapNode, Node
from otel_toolscore.policy.records import Expectation, Policy
from otel_toolscore.policy.resolve import layer_of, merged
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule

Entry = TypeVar("Entry", Expectation, Rule)

EXPECTED_ID: Final = "expected"
"""`id` of the expectation that a bare list is."""


class Forbidden(msgspec.Struct, frozen=True):
    """One item of a list of forbidden calls."""

    pattern: Pattern
    reason: str | None = None


def build_forbidden(given: Given) -> Forbidden:
    """An item with its reason."""
    asked = {name: value for name, value in given.values.items() if name != "reason"}
    return Forbidden(Pattern(**asked), given.get("reason"))


FORBIDDEN: Final = Shape(
    name="forbidden",
    title="a forbidden call",
    meaning="A call that must not be made: a pattern, and why.",
    keys=(*PATTERN_KEYS, Key("reason", Text(), "What is wrong with it, for people.", also=("message", "why", "description"))),
    build=build_forbidden,
    at_least_one=PATTERN_SHAPE.at_least_one,
)

NAMED: Final = Text("the name or glob of a tool", parse=lambda text: Forbidden(named_pattern(text)))
FORBIDDEN_LIST: Final = ListOf(Either((NAMED, FORBIDDEN)), "forbidden calls")

EXPECTED_CALLS: Final = Shape(
    name="expected_calls",
    title="a list of expected calls",
    meaning="The calls that each run should make.",
    keys=(Key("calls", SEQUENCE, "The calls.", required=True),),
    build=lambda given: given.get("calls"),
)


def forbidden_layer(root: Node, reading: Reading) -> Any:
    """The rules of a bare list of forbidden calls, else of a policy; REFUSED after a fault."""
    if not isinstance(root, ListNode):
        return layer_of(root, reading)
    items = FORBIDDEN_LIST.read(root, "the list", reading)
    if items is REFUSED:
        return REFUSED
    places = [reading.faults.where(node) for node in root.items]
    return Layer(rules=tuple(rule_of(number, item, where) for number, (item, where) in enumerate(zip(items, places, strict=True), 1)))


def rule_of(number: int, item: Forbidden, where: str) -> Rule:
    """The rule that a forbidden call is; its id has the position in the list and the tool."""
    tool = "-".join(item.pattern.tool or ("any",))
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", tool).strip("-")[:60] or "any"
    return Rule(id=f"forbid-{number}-{name}", constraint=Forbid(item.pattern), message=item.reason, where=where)


def expected_layer(root: Node, reading: Reading) -> Any:
    """The expectation of a bare list of expected calls or of `{calls: [...]}`, else those of a policy; REFUSED after a fault."""
    lenient = Reading(reading.faults, outcome="any")
    if isinstance(root, ListNode):
        calls = SEQUENCE.read(root, "the list", lenient)
    elif isinstance(root, MapNode) and root.get("calls") is not None:
        calls = EXPECTED_CALLS.read(root, "the list", lenient)
    else:
        return layer_of(root, reading)
    if calls is REFUSED:
        return REFUSED
    where = reading.faults.where(root)
    return Layer(expectations=(Expectation(id=EXPECTED_ID, calls=calls, tolerances=False, where=where),))


def with_min_score(policy: Policy, min_score: Fraction | None) -> Policy:
    """The policy with a minimum score for all of its expectations; unchanged without one."""
    if min_score is None:
        return policy
    expectations = tuple(msgspec.structs.replace(expectation, min_score=min_score) for expectation in policy.expectations)
    return msgspec.structs.replace(policy, expectations=expectations)


def joined(policy: Policy, *, expected: Policy, forbidden: Policy) -> Policy:
    """A policy with the expectations of one more and the rules of another; with what these say of tools, where the policy is silent."""
    return msgspec.structs.replace(
        policy,
        tools=merged(pair for each in (expected, forbidden, policy) for pair in each.tools.items()),
        expectations=with_more(policy.expectations, expected.expectations),
        rules=with_more(policy.rules, forbidden.rules),
        sources=tuple(dict.fromkeys((*policy.sources, *expected.sources, *forbidden.sources))),
        warnings=tuple(dict.fromkeys((*policy.warnings, *expected.warnings, *forbidden.warnings))),
    )


def with_more(entries: tuple[Entry, ...], more: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Entries and more of them. The same one (by its place) stays one; another of the same id gets an id of its own."""
    by_id = {entry.id: entry for entry in entries}
    for entry in more:
        name, number = entry.id, 2
        while name in by_id and by_id[name].where != entry.where:
            name, number = f"{entry.id}-{number}", number + 1
        by_id[name] = msgspec.structs.replace(entry, id=name)
    return tuple(by_id.values())
