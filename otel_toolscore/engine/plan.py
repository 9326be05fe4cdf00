"""A policy, prepared for judging: what is worked out once at load and never again for a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from otel_toolscore.model import Scope
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.forbid import Require
from otel_toolscore.rules.history import OnHistory
from otel_toolscore.rules.index import RuleIndex
from otel_toolscore.rules.judge import OnCall
from otel_toolscore.rules.pattern import Context, Pattern, When
from otel_toolscore.rules.rule import Rule
from otel_toolscore.rules.table import RULES

_NOWHERE: Final = 0
"""The number of `when: None`, which always holds."""


class PlannedRule(NamedTuple):
    """A rule on calls and what judges by it, one of `on_call` and `on_history`."""

    number: int
    """Its place in the policy."""
    rule: Rule
    when: int
    """Into `Plan.whens`."""
    on_call: OnCall | None
    on_history: OnHistory | None

    @property
    def naming(self) -> tuple[Pattern, ...] | None:
        """The patterns by which a call can concern the rule; None: every call does."""
        if self.on_call is not None:
            return self.on_call.naming
        return None if self.on_history is None else self.on_history.naming


class Plan:
    """A policy as the engine uses it."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.whens: list[When | None] = [None]
        """Every condition on scopes that a rule has, each once."""
        self.rules: list[PlannedRule] = []
        """The rules on calls, in the order of the policy."""
        self.requirements: list[tuple[int, Rule, Require]] = []
        """The rules on scopes, with their places in the policy."""
        for number, rule in enumerate(policy.rules):
            if isinstance(rule.constraint, Require):
                self.requirements.append((number, rule, rule.constraint))
            else:
                self.rules.append(self._planned(number, rule))
        self.always_applies = any(rule.when is None for rule in policy.rules)
        """Whether some rule applies everywhere."""
        self.has_conversation_rules = any(each.on_history is not None and each.on_history.per == "conversation" for each in self.rules)
        self.has_conversation_expectations = any(each.per == "conversation" for each in policy.expectations)
        self.context = Context(
            servers={name: tool.server for name, tool in policy.tools.items() if tool.server is not None},
            parameters={name: tool.parameters for name, tool in policy.tools.items() if tool.parameters is not None},
        )
        self.concerned = RuleIndex([each.naming for each in self.rules]).rules
        """`concerned(call)`: into `rules`, those that the call can concern."""

    def context_of(self, scope: Scope | None) -> Context:
        """What patterns are judged by in the scope."""
        if scope is None or not scope.attributes:
            return self.context
        return Context(servers=self.context.servers, parameters=self.context.parameters, attributes=scope.attributes)

    def schemas(self, recorded: Mapping[str, object]) -> Mapping[str, object]:
        """JSON Schemas of arguments by tool name: the policy's, else those recorded on the trace."""
        return {**recorded, **self.context.parameters} if self.context.parameters else recorded

    def _planned(self, number: int, rule: Rule) -> PlannedRule:
        family = RULES[type(rule.constraint)]
        on_call = None if family.on_call is None else family.on_call(rule.constraint)
        on_history = None if family.on_history is None else family.on_history(rule.constraint)
        return PlannedRule(number, rule, self._when(rule.when), on_call, on_history)

    def _when(self, when: When | None) -> int:
        if when is None:
            return _NOWHERE
        self.whens.append(when)
        return len(self.whens) - 1
