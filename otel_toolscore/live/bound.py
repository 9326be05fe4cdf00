"""`expecting`: expectations that the code around a run names, whatever their `when` selects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from otel_toolscore.live.answers import scopes_within
from otel_toolscore.live.early import EarlyEngine
from otel_toolscore.model import ExpectationResult, Run, Scope
from otel_toolscore.policy.records import Policy


class BoundExpectations:
    """Scores single expectations on given scopes."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._engines: dict[str, EarlyEngine] = {}

    def results(self, run: Run, bound: Mapping[str, tuple[str, ...]], above: Mapping[str, str | None]) -> Iterator[ExpectationResult]:
        """For each span that `expecting` was around, what its expectations say of the topmost scopes that started in it.

        `bound`: span id -> expectation ids; `above`: span id -> the parent's, of every span that is known.
        """
        for span_id, names in bound.items():
            for scope in _topmost(run, span_id, above):
                part, numbers = _part(run, scope)
                for name in names:
                    (result,) = self._engine(name).scope(part, scope.id).expectations
                    yield msgspec.structs.replace(result, calls=tuple(numbers[number] for number in result.calls))

    def _engine(self, name: str) -> EarlyEngine:
        engine = self._engines.get(name)
        if engine is None:
            (named,) = (each for each in self._policy.expectations if each.id == name)
            alone = msgspec.structs.replace(named, when=None, per="scope", include_subagents=True)
            engine = EarlyEngine(msgspec.structs.replace(self._policy, rules=(), expectations=(alone,)))
            self._engines[name] = engine
        return engine


def _topmost(run: Run, span_id: str, above: Mapping[str, str | None]) -> list[Scope]:
    """The scopes at or below the span that have none of the kind around them; the one around the span where there are none."""
    inside = [scope for scope in run.scopes if scope.span_id is not None and span_id in _path(scope.span_id, above)]
    ids = {scope.id for scope in inside}
    topmost = [scope for scope in inside if scope.parent not in ids]
    if topmost:
        return topmost
    path = _path(span_id, above)
    around = [scope for scope in run.scopes if scope.span_id in path]
    if around:
        return [min(around, key=lambda scope: path.index(scope.span_id or ""))]
    return [run.top] if any(span_id in _path(call.span_id, above) for call in run.calls) else []


def _path(span_id: str, above: Mapping[str, str | None]) -> list[str]:
    """The span and those above it, innermost first."""
    path: list[str] = []
    at: str | None = span_id
    while at is not None and at not in path:
        path.append(at)
        at = above.get(at)
    return path


def _part(run: Run, scope: Scope) -> tuple[Run, list[int]]:
    """The scope as if it were a run, and the indices that its calls have in the run."""
    inside = scopes_within(run, scope)
    numbers = [number for number, call in enumerate(run.calls) if call.scope in inside]
    top = msgspec.structs.replace(scope, parent=None)
    below = tuple(each for each in run.scopes if each.id in inside and each.id != scope.id)
    return msgspec.structs.replace(run, scopes=(top, *below), calls=tuple(run.calls[number] for number in numbers)), numbers
