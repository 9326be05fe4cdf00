"""`require`: what is judged when a scope ends."""

from __future__ import annotations

from typing import NamedTuple

from otel_toolscore.engine.findings import on_scope
from otel_toolscore.engine.plan import Plan
from otel_toolscore.engine.scopes import around, selected
from otel_toolscore.engine.view import View
from otel_toolscore.model import Finding, Scope
from otel_toolscore.rules.forbid import judge_require
from otel_toolscore.rules.judge import Situation
from otel_toolscore.rules.waivers import waives_scope


class Judged(NamedTuple):
    """What the requirements came to on the scopes that they select."""

    findings: list[Finding]
    applied: bool
    """Whether one of them certainly selected a scope."""
    used: set[int]
    """Places in the policy of those whose pattern fitted some call."""


def judge_scopes(plan: Plan, view: View, only: str | None = None) -> Judged:
    """Judge every scope that a requirement selects, or the one with the id `only`. A violation, once said, stays."""
    judged = Judged([], False, set())
    for place, rule, constraint in plan.requirements:
        for scope, fit in selected(rule.when, view.run.scopes):
            if only is not None and scope.id != only:
                continue
            judged = judged._replace(applied=judged.applied or fit.truth is True)
            met, answer = judge_require(constraint, fit, _situations(view, scope), complete=view.run.complete)
            if met.truth is not False:
                judged.used.add(place)
            said = view.run.violations.get((place, scope.id))
            if said is not None:
                judged.findings.append(said)
            elif answer is not None and not waives_scope(rule.waivers, scope, around(scope.parent, view.run.scopes, None)):
                finding = on_scope(rule, answer, scope)
                judged.findings.append(finding)
                if finding.kind == "violation":
                    view.run.violations[place, scope.id] = finding
    return judged


def _situations(view: View, scope: Scope) -> list[Situation]:
    found = []
    for number in view.inside.calls(scope):
        kept, surroundings = view.calls[number], view.surroundings[number]
        found.append(Situation(view.run.key, kept.call, kept.place, surroundings.scopes, surroundings.context, view.run.schemas))
    return found
