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


class _Seen(NamedTuple):
    """A call that an expectation sees."""

    kept: KeptCall
    surroundings: Surroundings
    number: int
    """Its index in its run."""


class _Earlier(NamedTuple):
    """What an expectation saw in the earlier runs of a conversation."""

    calls: list[_Seen]
    fits: list[Fit]
    complete: bool


_NOTHING_EARLIER: Final = _Earlier([], [], True)


class Expectations:
    """Scores the expectations of a policy, and remembers what those that look at whole conversations saw."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._earlier: dict[tuple[str, int], _Earlier] = {}

    def of_scope(self, view: View, only: str | None = None) -> Iterator[Scored]:
        """Of each scope that an expectation selects, or of the one with the id `only`."""
        for number, expectation in enumerate(self._plan.policy.expectations):
            if expectation.per != "scope":
                continue
            for each in selected(expectation.when, view.run.scopes):
                if only is None or each.scope.id == only:
                    seen = self._seen(expectation, view, [each])
                    yield self._scored(number, view, seen, [each.fit], scope=each.scope)

    def of_run(self, view: View, *, conversation_over: bool) -> Iterator[Scored]:
        """Of the run as a whole, and of its conversation, where that is over."""
        for number, expectation in enumerate(self._plan.policy.expectations):
            if expectation.per == "scope":
                continue
            chosen = selected(expectation.when, view.run.scopes)
            seen, fits = self._seen(expectation, view, chosen), [each.fit for each in chosen]
            if expectation.per == "run":
                if fits:
                    yield self._scored(number, view, seen, fits)
            else:
                yield from self._of_conversation(number, view, seen, fits, over=conversation_over)

    def forget(self, conversation: str) -> None:
        """The conversation goes on elsewhere, or was evicted."""
        for number in range(len(self._plan.policy.expectations)):
            self._earlier.pop((conversation, number), None)

    def _of_conversation(self, number: int, view: View, seen: list[_Seen], fits: list[Fit], *, over: bool) -> Iterator[Scored]:
        conversation = view.run.conversation
        if conversation is None:
            over, earlier = True, _NOTHING_EARLIER
        else:
            earlier = self._earlier.pop((conversation, number), _NOTHING_EARLIER)
        together = _Earlier([*earlier.calls, *seen], [*earlier.fits, *fits], earlier.complete and view.run.complete)
        if not over:
            assert conversation is not None
            elsewhere = [each._replace(number=ELSEWHERE) for each in together.calls]
            self._earlier[conversation, number] = together._replace(calls=elsewhere)
        elif together.fits:
            ordered = sorted(together.calls, key=lambda each: each.kept.place)
            yield self._scored(number, view, ordered, together.fits, complete=together.complete)

    @staticmethod
    def _seen(expectation: Expectation, view: View, chosen: Sequence[Selected]) -> list[_Seen]:
        """The calls of the scopes, in their order, each once."""
        inside = (view.inside.calls(each.scope, include_subagents=expectation.include_subagents) for each in chosen)
        numbers = sorted({number for numbers in inside for number in numbers})
        return [_Seen(view.calls[number], view.surroundings[number], number) for number in numbers]

    def _scored(
        self, number: int, view: View, seen: list[_Seen], fits: list[Fit], *, scope: Scope | None = None, complete: bool | None = None
    ) -> Scored:
        expectation = self._plan.policy.expectations[number]
        about = scope or view.run.top
        agent = about.name if about is not None and about.kind == "agent" else None
        span_id = about.span_id if about is not None else None
        doubt = next((fit for fit in fits if fit.truth is None), None)
        if doubt is not None:
            return Scored(_open(expectation, agent, span_id, doubt), number, ())
        result = score_calls(
            expectation.calls,
            [each.kept.call for each in seen],
            id=expectation.id,
            order=expectation.order,
            extra=self._extra(expectation, seen),
            min_score=expectation.min_score,
            strict=expectation.strict,
            weights=expectation.weights,
            complete=view.run.complete if complete is None else complete,
            tolerances=expectation.tolerances,
            schemas=self._plan.schemas(view.run.schemas),
            servers=self._plan.context.servers,
            agent=agent,
            span_id=span_id,
            indices=[each.number for each in seen],
            attributes=about.attributes if about is not None else {},
        )
        return Scored(result, number, tuple(each.number for each in seen if each.number != ELSEWHERE))

    @staticmethod
    def _extra(expectation: Expectation, seen: list[_Seen]) -> Literal["forbid", "allow", "retries"] | list[Truth]:
        """Which calls may be there beyond the expected ones."""
        if isinstance(expectation.extra_calls, str):
            return expectation.extra_calls
        patterns = expectation.extra_calls
        return [
            some_holds(examine(pattern, each.kept.call, accuse=False, context=each.surroundings.context) for pattern in patterns).truth
            for each in seen
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
