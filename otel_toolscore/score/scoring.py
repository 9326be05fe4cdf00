"""The verdict on calls, from their alignment with what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from otel_toolscore.align import Alignment, Calls, Extra, Question
from otel_toolscore.compare import NO_ATTRIBUTES, Attributes
from otel_toolscore.expected import Item
from otel_toolscore.metrics import Measures, measure
from otel_toolscore.model import ExpectationResult, ToolCall, Verdict
from otel_toolscore.score import reasons
from otel_toolscore.score.composite import composite, grade, merged
from otel_toolscore.score.unknowns import Bounds, Unknowns

_NOTHING: Mapping[str, str] = {}
_NOTHING_WEIGHED: Mapping[str, float | Fraction] = {}


def score_calls(
    items: Sequence[Item],
    calls: Sequence[ToolCall],
    *,
    id: str,  # noqa: A002
    order: str = "in_order",
    extra: Extra = "forbid",
    min_score: float | Fraction | None = None,
    strict: bool = False,
    weights: Mapping[str, float | Fraction] | None = None,
    complete: bool = True,
    tolerances: bool = True,
    schemas: Mapping[str, object] = _NOTHING,
    servers: Mapping[str, str] = _NOTHING,
    agent: str | None = None,
    span_id: str | None = None,
    indices: Sequence[int] | None = None,
    attributes: Attributes = NO_ATTRIBUTES,
) -> ExpectationResult:
    """How the calls do against the expected items.

    `calls` in time (see `align.evidence.ranks`); `extra`: what becomes of calls beyond the expected ones; `min_score`: the
    composite from which differences in arguments and order are forgiven (None: never); `complete`: whether all calls that
    were made are known; `tolerances`: whether what the expectation tolerates is taken out before the metrics; `schemas`
    and `servers` by tool; `indices`: of the calls in their run; `attributes`: of the scope, for `$attr`.

    The verdict is `pass` if every completion of what is not known passes, `fail` if none does, else `inconclusive`.
    ValueError where the weights are no weights.
    """
    made = Calls(calls, strict=strict, tolerances=tolerances, schemas=schemas, servers=servers, attributes=attributes)
    question = Question(items, made, order=order, extra=extra, complete=complete)
    found = score_question(question, id=id, min_score=min_score, weights=weights or {})
    return msgspec.structs.replace(
        found.result, agent=agent, span_id=span_id, calls=tuple(range(len(calls)) if indices is None else indices)
    )


class Scored(NamedTuple):
    """A result with what it folds over."""

    result: ExpectationResult
    alignment: Alignment
    measures: Measures


def score_question(
    question: Question,
    *,
    id: str,  # noqa: A002
    min_score: float | Fraction | None = None,
    weights: Mapping[str, float | Fraction] = _NOTHING_WEIGHED,
) -> Scored:
    """As `score_calls`, with the alignment and all that is counted of it, for those who tell more than the result does."""
    tolerances = question.calls.tolerances
    shares = merged(weights)
    alignment = question.nominal()
    measures = measure(alignment, tolerances=tolerances)
    score = composite(measures.metrics, shares)
    unknowns = Unknowns(question, alignment, measures)
    bounds = unknowns.bounds(shares)
    if bounds == (score, score):
        bounds = None
    judged = _Judged(question, alignment, unknowns, None if min_score is None else Fraction(str(min_score)), score, bounds)
    verdict = judged.verdict()
    result = ExpectationResult(
        id=id,
        verdict=verdict,
        score=score,
        score_bounds=bounds,
        grade=None if verdict == "inconclusive" or score is None else grade(score),
        metrics=measures.metrics,
        reasons=reasons.told(judged.wrong(verdict)),
        tolerated=reasons.told(judged.let_pass(verdict)),
        alignment=alignment.pairs(),
        calls=tuple(range(len(question.calls))),
        expected_tools=tuple(slot.expected.name for slot in alignment.slots),
        exact=alignment.exact,
        bound=alignment.bound,
    )
    return Scored(result, alignment, measures)


class _Judged(msgspec.Struct, frozen=True):
    """What the verdict and its reasons fold over."""

    question: Question
    alignment: Alignment
    unknowns: Unknowns
    minimum: Fraction | None
    score: Fraction | None
    bounds: Bounds | None

    def verdict(self) -> Verdict:
        existence = self.alignment.faultless
        if existence == "certain":
            return "pass"
        if self.minimum is None:
            return "fail" if existence == "none" else "inconclusive"
        if not self.unknowns.any:
            if self._unforgivable() or (self.score is not None and self.score < self.minimum):
                return "fail" if existence == "none" else "inconclusive"
            return "pass" if self.score is not None else "inconclusive"
        low, high = self.bounds if self.bounds is not None else (self.score, self.score)
        settled = self.unknowns.faults_settled
        if existence == "none":
            hopeless = self._unforgivable() if settled else not self.question.may_be_forgiven()
            if hopeless or (high is not None and high < self.minimum):
                return "fail"
        reached = low is not None and low >= self.minimum
        return "pass" if settled and reached and not self._lacking() and not self._unforgivable() else "inconclusive"

    def _lacking(self) -> bool:
        return any(slot.call is None for slot in self.alignment.slots)

    def _unforgivable(self) -> bool:
        """Whether there is a difference that no score forgives."""
        alignment = self.alignment
        return (
            (self.question.complete and self._lacking())
            or False in alignment.extras.values()
            or next(reasons.outcome_differences(alignment), None) is not None
            or next(reasons.argument_differences(alignment, must=True), None) is not None
            or next(reasons.order_differences(alignment, must=True), None) is not None
        )

    def _forgiven(self) -> bool:
        """Whether the score forgives differences in arguments and order."""
        low = self.bounds[0] if self.bounds is not None else self.score
        return self.minimum is not None and low is not None and low >= self.minimum

    def wrong(self, verdict: Verdict) -> Iterator[str]:
        """What is wrong, in the order in which a person would mend it."""
        alignment = self.alignment
        forgiven = self._forgiven()
        yield from reasons.missing(alignment, complete=self.question.complete)
        yield from reasons.extra_calls(alignment)
        yield from reasons.argument_differences(alignment, must=True)
        if not forgiven:
            yield from reasons.argument_differences(alignment, must=False)
        yield from reasons.outcome_differences(alignment)
        yield from reasons.order_differences(alignment, must=True)
        if not forgiven:
            yield from reasons.order_differences(alignment, must=False)
        if verdict != "pass":
            yield from reasons.unknowns(alignment)
            yield from self._about_score()
        if alignment.faultless == "unsettled":
            yield "whether the calls can be aligned without a difference was not settled within the bounds of the search"

    def _about_score(self) -> Iterator[str]:
        if self.minimum is None or self._forgiven():
            return
        if self.bounds is not None and self.bounds[0] < self.bounds[1]:
            low, high = map(reasons.number, self.bounds)
            yield f"the score is between {low} and {high}, the minimum {reasons.number(self.minimum)}"
        elif self.score is not None:
            yield f"the score {reasons.number(self.score)} is below the minimum {reasons.number(self.minimum)}"
        else:
            yield "there is no metric from which the score could be computed"

    def let_pass(self, verdict: Verdict) -> Iterator[str]:
        """What the expectation's tolerances and its minimum score let pass."""
        alignment = self.alignment
        yield from reasons.tolerances(alignment, self.question.extra)
        if self._forgiven():
            soft = [
                *reasons.argument_differences(alignment, must=False),
                *reasons.order_differences(alignment, must=False),
                *(reasons.unknowns(alignment) if verdict == "pass" else ()),
            ]
            yield from soft
            if soft and self.minimum is not None and self.score is not None:
                yield f"the score {reasons.number(self.score)} reaches the minimum {reasons.number(self.minimum)}"
