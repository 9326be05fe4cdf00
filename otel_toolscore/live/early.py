"""What can be said of a call or a scope while its trace goes on.

It is said to the span, which ends now; nothing of it is published. What is published comes from the whole trace, later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from otel_toolscore.engine import Engine, verdicts
from otel_toolscore.engine.findings import on_call
from otel_toolscore.engine.requirements import judge_scopes
from otel_toolscore.engine.runs import KeptCall, KeptRun, Surroundings
from otel_toolscore.engine.scopes import Inside, selected
from otel_toolscore.engine.view import view_of
from otel_toolscore.identity_cache import IdentityCache
from otel_toolscore.model import ExpectationResult, Finding, Run, Scope, ToolCall, Verdict
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.arguments import ValidArguments
from otel_toolscore.rules.forbid import Allow, Forbid
from otel_toolscore.rules.judge import place
from otel_toolscore.rules.pattern import Pattern, When
from otel_toolscore.rules.rule import Rule


class EarlyScope(NamedTuple):
    """A scope that ends inside a trace that goes on."""

    findings: tuple[Finding, ...]
    expectations: tuple[ExpectationResult, ...]
    verdict: Verdict
    """Of these findings and expectations; what was found about the calls inside is not in it."""


class EarlyEngine(Engine):
    """An engine that is fed what is known of a run, and forgets the run when the whole of it is judged elsewhere."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._covered: IdentityCache[bool] = IdentityCache()
        self._asks_input = any(
            when is not None and when.input is not None
            for rule in policy.rules
            for when in (rule.when, *(waiver.when for waiver in rule.waivers))
        )
        self._asks_schemas = any(isinstance(rule.constraint, ValidArguments) for rule in policy.rules)

    def call(self, run: Run, call: ToolCall) -> tuple[list[Finding], Verdict]:
        """What is found about the call, given the calls of the run before it, and its verdict."""
        self.feed([msgspec.structs.replace(run, calls=(call,))])
        kept = self._memory.runs[run.key]
        known = kept.calls.get((call.trace_id, call.span_id))
        if known is None:
            return [], "unscored"
        findings = [on_call(self._plan.rules[number].rule, answer, call) for number, answer in sorted(known.found())]
        return findings, verdicts.of_findings(findings, applied=bool(findings) or self._applies(kept, known.surroundings))

    def scope(self, run: Run, scope: str) -> EarlyScope:
        """What the requirements and expectations say of a scope (`Scope.id`) of the run, by these calls."""
        kept = KeptRun(self._plan, run.key, run.trace_id, self._bounds.history)
        kept.learn(run)
        for number, call in enumerate(run.calls):
            kept.calls[number] = KeptCall(call, place(call, number), kept.surroundings(call))
        view = view_of(kept)
        judged = judge_scopes(self._plan, view, scope)
        scored = list(self._expectations.of_scope(view, scope))
        if scope == run.top.id:
            scored += (each for each in self._expectations.of_run(view, conversation_over=False))
        results = tuple(each.result for each in scored)
        of_rules = verdicts.of_findings(judged.findings, applied=judged.applied)
        return EarlyScope(tuple(judged.findings), results, verdicts.worst([of_rules, *(each.verdict for each in results)]))

    def stands(self, runs: Sequence[Run], fed: set[str]) -> bool:
        """Whether what was found call by call is what these runs, which are over, would give: then they may be ended here.

        `fed` are the runs that calls were put into. Nothing may have become known since that a rule could have asked about, and no
        conversation be looked at as a whole.
        """
        if self._plan.has_conversation_rules or self._plan.has_conversation_expectations or fed != {run.key for run in runs}:
            return False
        if not all(self._is_known(run) for run in runs):
            return False
        self.feed([msgspec.structs.replace(run, calls=()) for run in runs])
        return True

    def _is_known(self, run: Run) -> bool:
        kept = self._memory.runs.get(run.key)
        if kept is None or len(kept.calls) != len(run.calls) or not run.complete:
            return False
        if self._asks_schemas and kept.schemas != run.tool_schemas:
            return False
        scopes = {scope.id: self._asked_of(scope) for scope in run.scopes}
        if any(scopes.get(scope_id) != self._asked_of(scope) for scope_id, scope in kept.scopes.items()):
            return False
        return all((known := kept.calls.get((call.trace_id, call.span_id))) is not None and known.call == call for call in run.calls)

    def _asked_of(self, scope: Scope) -> tuple[object, ...]:
        """What rules can ask of a scope."""
        return (scope.kind, scope.name, scope.parent, scope.service, scope.attributes, scope.input if self._asks_input else None)

    def forget(self, run: str) -> None:
        """The run (`Run.key`) needs no memory any more."""
        self._memory.runs.pop(run, None)

    def _applies(self, run: KeptRun, surroundings: Surroundings) -> bool:
        """Whether a rule or an expectation is asked about calls in these surroundings, as far as they are known."""
        return surroundings.a_rule_applies or self._covered.get(surroundings, lambda: self._is_covered(run, surroundings))

    def _is_covered(self, run: KeptRun, surroundings: Surroundings) -> bool:
        inside = Inside([surroundings.scopes])
        return any(
            each.fit.truth is True and inside.calls(each.scope, include_subagents=expectation.include_subagents)
            for expectation in self.policy.expectations
            for each in selected(expectation.when, run.scopes)
        )


def settled_at_once(rule: Rule) -> bool:
    """Whether a violation of the rule depends on nothing but what one span of the call says.

    Whatever is learnt later of the call (an outer span, its agent, its result) then leaves the violation a violation: accusing needs
    one span that fits, excusing needs all.
    """
    constraint = rule.constraint
    if isinstance(constraint, Forbid):
        patterns: tuple[Pattern, ...] = (constraint.pattern,)
    elif isinstance(constraint, Allow):
        patterns = constraint.patterns
    else:
        return False
    return (
        all(pattern.agent is None and pattern.result is None and pattern.outcome is None for pattern in patterns)
        and _needs_no_scope(rule.when)
        and all(waiver.call is None and _needs_no_scope(waiver.when) for waiver in rule.waivers)
    )


def _needs_no_scope(when: When | None) -> bool:
    return when is None or (when.agent is None and when.workflow is None and when.input is None and not when.attributes)
