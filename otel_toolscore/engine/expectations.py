"""Expectations: which scopes each one selects, which of their calls it sees, and how those are scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from otel_toolscore.engine.plan import Plan
from otel_toolscore.engine.runs import KeptCall, Surroundings
from otel_toolscore.engine.scopes import Selected, selected
from otel_toolscore.engine.view import View
from otel_toolscore.model import ExpectationResult, Metrics, Scope, Truth
from otel_toolscore.policy.records import Expectation
from otel_toolscore.rules.causes import phrase
from otel_toolscore.rules.pattern import examine
from otel_toolscore.rules.truth import Fit, some_holds
from otel_toolscore.score import score_calls

NO_METRICS: Final = Metrics(
    selection_accuracy=None, argument_f1=None, sequence_accuracy=None, redundant_rate=None, required_call_recall=None
)
ELSEWHERE: Final = -1
"""In `ExpectationResult.calls`: a call of an earlier run of the conversation."""


class Scored(NamedTuple):
    """A result, and what it was about."""

    result: ExpectationResult
    expectation: int
    """Its place in the policy."""
    covered: tuple[int, ...]
    """The calls of the run that it certainly applies to."""


class _SeenCall(NamedTuple):
    """A call that an expectation sees."""

    kept: KeptCall
    surroundings: Surroundings
    number: int
    """Its index in its run."""


class _Seen(NamedTuple):
    """What an expectation sees."""

    calls: list[_SeenCall]
    selected: bool = False
    """Whether a scope was selected, or may be."""
    doubt: Fit | None = None
    """Why it is not certain that the scopes are selected."""
    complete: bool = True
    """Whether these are all calls that were made there."""

    def plus(self, other: _Seen) -> _Seen:
        """Both together."""
        calls, doubt = [*self.calls, *other.calls], self.doubt or other.doubt
        return _Seen(calls, self.selected or other.selected, doubt, self.complete and other.complete)

    def from_elsewhere(self, most: int) -> _Seen:
        """The same for a later run, with at most so many calls."""
        calls = [each._replace(number=ELSEWHERE) for each in self.calls[:most]]
        return self._replace(calls=calls, complete=self.complete and len(calls) == len(self.calls))


class Expectations:
    """Scores the expectations of a policy, and remembers what those that look at whole conversations saw."""

    def __init__(self, plan: Plan, max_calls: int) -> None:
        """`max_calls`: how many calls of one conversation are remembered for an expectation."""
        self._plan = plan
        self._max_calls = max_calls
        self._earlier: dict[tuple[str, int], _Seen] = {}

    def of_scope(self, view: View, only: str | None = None) -> Iterator[Scored]:
        """Of each scope that an expectation selects, or of the one with the id `only`."""
        for number, expectation in enumerate(self._plan.policy.expectations):
            if expectation.per != "scope":
                continue
            for each in selected(expectation.when, view.run.scopes):
                if only is None or each.scope.id == only:
                    yield self._scored(number, view, _seen(expectation, view, [each]), each.scope)

    def of_run(self, view: View, *, conversation_over: bool, partial: bool = False) -> Iterator[Scored]:
        """Of the run as a whole, and of its conversation, where that is over; `partial`: earlier runs of it may be missing."""
        for number, expectation in enumerate(self._plan.policy.expectations):
            if expectation.per == "scope":
                continue
            seen = _seen(expectation, view, selected(expectation.when, view.run.scopes))
            conversation = view.run.conversation
            if expectation.per == "conversation" and conversation is not None:
                seen = self._earlier.pop((conversation, number), _Seen([])).plus(seen._replace(complete=seen.complete and not partial))
                if not conversation_over:
                    self._earlier[conversation, number] = seen.from_elsewhere(self._max_calls)
                    continue
            if seen.selected:
                yield self._scored(number, view, seen, None)

    def forget(self, conversation: str) -> None:
        """Nothing more of the conversation is to come, or it was evicted."""
        for number in range(len(self._plan.policy.expectations)):
            self._earlier.pop((conversation, number), None)

    def _scored(self, number: int, view: View, seen: _Seen, scope: Scope | None) -> Scored:
        expectation = self._plan.policy.expectations[number]
        about = scope or view.run.top
        agent = about.name if about is not None and about.kind == "agent" else None
        span_id = about.span_id if about is not None else None
        if seen.doubt is not None:
            return Scored(_open(expectation, agent, span_id, seen.doubt), number, ())
        calls = sorted(seen.calls, key=lambda each: each.kept.place)
        result = score_calls(
            expectation.calls,
            [each.kept.call for each in calls],
            id=expectation.id,
            order=expectation.order,
            extra=_extra(expectation, calls),
            min_score=expectation.min_score,
            strict=expectation.strict,
            tolerances=expectation.tolerances,
            weights=expectation.weights,
            complete=seen.complete,
            schemas=self._plan.schemas(view.run.schemas),
            servers=self._plan.context.servers,
            agent=agent,
            span_id=span_id,
            indices=[each.number for each in calls],
            attributes=about.attributes if about is not None else {},
        )
        return Scored(result, number, tuple(each.number for each in calls if each.number != ELSEWHERE))


def _seen(expectation: Expectation, view: View, chosen: Sequence[Selected]) -> _Seen:
    """The calls of the scopes, each once."""
    inside = (view.inside.calls(each.scope, include_subagents=expectation.include_subagents) for each in chosen)
    numbers = sorted({number for numbers in inside for number in numbers})
    return _Seen(
        [_SeenCall(view.calls[number], view.surroundings[number], number) for number in numbers],
        bool(chosen),
        next((each.fit for each in chosen if each.fit.truth is None), None),
        view.run.complete,
    )


def _extra(expectation: Expectation, calls: Sequence[_SeenCall]) -> Literal["forbid", "allow", "retries"] | list[Truth]:
    """Which calls may be there beyond the expected ones."""
    allowed = expectation.extra_calls
    if isinstance(allowed, str):
        return allowed
    return [
        some_holds(examine(pattern, each.kept.call, accuse=False, context=each.surroundings.context) for pattern in allowed).truth
        for each in calls
    ]


def _open(expectation: Expectation, agent: str | None, span_id: str | None, doubt: Fit) -> ExpectationResult:
    """The result where it is not known whether the expectation is meant for what it may have selected."""
    return ExpectationResult(
        id=expectation.id,
        agent=agent,
        span_id=span_id,
        verdict="inconclusive",
        score=None,
        grade=None,
        metrics=NO_METRICS,
        reasons=(f"it is not known whether the expectation is asked here: {phrase(doubt.cause)}",),
    )
