"""forbid, allow, require: rules on single calls and on their absence."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from otel_toolscore.rules.judge import Answer, Situation, inconclusive, shown, violation
from otel_toolscore.rules.pattern import Pattern, examine
from otel_toolscore.rules.truth import Fit, some_holds, unknown


class Forbid(msgspec.Struct, frozen=True):
    """Violated when a call matches."""

    pattern: Pattern


class Allow(msgspec.Struct, frozen=True):
    """Violated when a call matches none."""

    patterns: tuple[Pattern, ...]


class Require(msgspec.Struct, frozen=True):
    """Violated when a selected scope (the run) ends without a match."""

    pattern: Pattern


class ForbidJudge:
    """An accused call is a violation."""

    def __init__(self, constraint: Forbid) -> None:
        self.accused: Pattern | None = constraint.pattern
        self.naming: tuple[Pattern, ...] | None = (constraint.pattern,)

    def judge(self, situation: Situation, fit: Fit) -> Answer | None:
        """Inconclusive where it is not known whether the pattern fits."""
        if fit.truth is False:
            return None
        what = f"the call of {shown(situation.call)} is one that the rule forbids"
        return violation(what, fit.path) if fit.truth else inconclusive(what, fit)


class AllowJudge:
    """A call that no pattern excuses is a violation."""

    accused: Pattern | None = None
    naming: tuple[Pattern, ...] | None = None

    def __init__(self, constraint: Allow) -> None:
        self._patterns = constraint.patterns

    def judge(self, situation: Situation, fit: Fit) -> Answer | None:
        """Inconclusive where no pattern certainly excuses the call and one may."""
        if fit.truth is False:
            return None
        allowed = some_holds(examine(pattern, situation.call, accuse=False, context=situation.context) for pattern in self._patterns)
        if allowed.truth is True:
            return None
        if allowed.truth is None:
            return inconclusive(f"the call of {shown(situation.call)} is allowed", allowed)
        if fit.truth is None:
            return inconclusive(f"the rule is asked about the call of {shown(situation.call)}, which it does not allow", fit)
        return violation(f"the call of {shown(situation.call)} is none of those that the rule allows")


def judge_require(constraint: Require, selected: Fit, calls: Iterable[Situation], *, complete: bool) -> tuple[Fit, Answer | None]:
    """Whether a scope that is, or may be, selected has a match among the calls in it; and the answer about the scope."""
    met = some_holds(examine(constraint.pattern, each.call, accuse=False, context=each.context) for each in calls)
    what = "a required call was made"
    if met.truth is True:
        answer = None
    elif met.truth is None:
        answer = inconclusive(what, met._replace(path=None))
    elif not complete:
        answer = inconclusive(what, unknown("trace_incomplete"))
    elif selected.truth is None:
        answer = inconclusive("the rule is asked about this scope, in which a required call is missing", selected)
    else:
        answer = violation("no call that the rule requires was made")
    return met, answer
