"""Which rules, expectations and calls touched each other."""

from __future__ import annotations

from collections.abc import Iterator

from otel_toolscore.expected import ExpectedCall, Group, Item
from otel_toolscore.model import Coverage, ToolCall
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.index import names_of
from otel_toolscore.rules.names import ANY_NAME, Names
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Constraint


class Usage:
    """What was used so far; grows as runs are judged."""

    def __init__(self, policy: Policy, max_tools: int) -> None:
        self.rules: set[int] = set()
        """Places in the policy of the rules whose pattern fitted a call, or may have."""
        self.expectations: set[int] = set()
        """Places in the policy of the expectations that selected a scope, or may have."""
        self.uncovered: dict[str, None] = {}
        """Tools that nothing in the policy names, in the order in which they came."""
        self.hits = 0
        """How often a tool was left out of `uncovered` because of its bound."""
        self._policy = policy
        self._max_tools = max_tools
        self._named = Names(tuple(dict.fromkeys(_named(policy))))
        self._covered: set[tuple[str, ...]] = set()
        self._calls = 0
        self._captured = 0

    def count(self, call: ToolCall) -> None:
        """A call, whatever was found about it."""
        self._calls += 1
        self._captured += call.arguments.state == "captured"
        names = tuple(names_of(call))
        if names in self._covered or call.tool in self.uncovered:
            return
        if any(map(self._named.fit_folded, names)):
            if len(self._covered) < self._max_tools:
                self._covered.add(names)
        elif len(self.uncovered) < self._max_tools:
            self.uncovered[call.tool] = None
        else:
            self.hits += 1

    def never_selected(self) -> list[str]:
        """Ids of the required expectations that selected nothing."""
        return [
            expectation.id
            for number, expectation in enumerate(self._policy.expectations)
            if expectation.required and number not in self.expectations
        ]

    def coverage(self) -> Coverage:
        """What was never touched."""
        rules, expectations = self._policy.rules, self._policy.expectations
        return Coverage(
            unused_rules=tuple(rule.id for number, rule in enumerate(rules) if number not in self.rules),
            unused_expectations=tuple(each.id for number, each in enumerate(expectations) if number not in self.expectations),
            uncovered_tools=tuple(sorted(self.uncovered)),
            captured_share=self._captured / self._calls if self._calls else None,
        )


def _named(policy: Policy) -> Iterator[str]:
    """The names and globs of tools that the policy has. A `*` alone names no tool."""
    for rule in policy.rules:
        for pattern in _patterns(rule.constraint):
            yield from (name for name in pattern.tool or () if name != ANY_NAME)
    for expectation in policy.expectations:
        for item in expectation.calls:
            yield from _expected(item)
        if not isinstance(expectation.extra_calls, str):
            for pattern in expectation.extra_calls:
                yield from (name for name in pattern.tool or () if name != ANY_NAME)


def _patterns(constraint: Constraint) -> tuple[Pattern, ...]:
    if isinstance(constraint, Forbid | Require):
        return (constraint.pattern,)
    if isinstance(constraint, Allow):
        return constraint.patterns
    if isinstance(constraint, Before):
        return (constraint.call, constraint.needs)
    if isinstance(constraint, NeverAfter):
        return (constraint.call, constraint.after)
    return (constraint.call,)


def _expected(item: Item) -> Iterator[str]:
    if isinstance(item, ExpectedCall):
        yield item.name
    elif isinstance(item, Group):
        for inner in item.items:
            yield from _expected(inner)
    else:
        for alternative in item.alternatives:
            for inner in alternative:
                yield from _expected(inner)
