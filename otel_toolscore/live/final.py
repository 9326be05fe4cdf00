"""What a trace that is over comes to: its runs, scored as a file of its spans would be.

For use by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from otel_toolscore.engine import Engine, verdicts
from otel_toolscore.engine.memory import conversation_of
from otel_toolscore.model import ExpectationResult, Run, RunResult
from otel_toolscore.policy.records import Policy

MOST_RUNS: Final = 1000
"""Runs of one conversation that are remembered; of a longer one it is not known what came before."""


class Closed(NamedTuple):
    """A conversation that is over."""

    result: RunResult
    """Of its last run, with what is asked of conversations."""
    expectations: tuple[ExpectationResult, ...]
    """These alone."""
    sampled: bool


class Talk:
    """A conversation that may go on: its runs as they are known."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs: dict[str, Run] = {}
        self.partial = False
        """Whether its first runs are not remembered any more."""
        self.changed = False
        """Whether more became known of a run after it was scored."""
        self.sampled = True
        self.touched = 0.0

    def learn(self, run: Run, *, sampled: bool, now: float) -> None:
        """A run of the conversation is over, or more became known of it."""
        self.changed = self.changed or run.key in self.runs
        self.runs[run.key] = run
        self.sampled = sampled
        self.touched = now
        while len(self.runs) > MOST_RUNS:
            del self.runs[next(iter(self.runs))]
            self.partial = True

    def forget(self, runs: Iterable[str]) -> None:
        """These (`Run.key`) turned out to be other runs, or to belong elsewhere."""
        for key in runs:
            del self.runs[key]
            self.changed = True

    def score(self, policy: Policy, *, over: bool) -> dict[str, RunResult]:
        """All its runs, scored together."""
        engine = Engine(policy)
        if self.partial:
            engine.miss_before(self.name)
        runs = sorted(self.runs.values(), key=lambda run: (run.top.start_ns is None, run.top.start_ns or 0, run.trace_id, run.top.id))
        engine.feed(runs)
        return {run.key: engine.end_run(run.key, conversation_over=over and run is runs[-1]) for run in runs}


class FinalEngine:
    """Scores runs that are over, and remembers their conversations where the policy asks for these."""

    def __init__(self, policy: Policy, most: int) -> None:
        """`most`: how many conversations are remembered at once."""
        self._policy = policy
        self._most = most
        self._engine = Engine(policy)
        self._asked = frozenset(each.id for each in policy.expectations if each.per == "conversation")
        """Ids of the expectations about whole conversations."""
        self._remembers = bool(self._asked) or any(getattr(rule.constraint, "per", None) == "conversation" for rule in policy.rules)
        self._talks: dict[str, Talk] = {}
        """By name, the one that was quiet longest first."""

    @property
    def waits(self) -> bool:
        """Whether a conversation is still to be judged."""
        return bool(self._talks)

    def score(self, runs: Sequence[Run], *, again: bool, sampled: bool, now: float) -> list[RunResult]:
        """The runs of a trace; `again` where they were scored before and more became known of them."""
        if again and self._remembers:
            self._forget(runs)
        talks = [self._learn(run, sampled=sampled, now=now) for run in runs] if self._remembers else []
        if any(talk is not None and talk.changed for talk in talks):
            together = [talk.score(self._policy, over=False) if talk is not None else {} for talk in talks]
            alone = Engine(self._policy)
            alone.feed(runs)
            return [found.get(run.key) or alone.end_run(run.key) for run, found in zip(runs, together, strict=True)]
        engine = Engine(self._policy) if again else self._engine
        engine.feed(runs)
        return [engine.end_run(run.key) for run in runs]

    def close(self, quiet_since: float | None = None) -> Iterator[Closed]:
        """The conversations in which nothing happened since then (None: all), and those beyond the bound."""
        for talk in list(self._talks.values()):
            if len(self._talks) <= self._most and quiet_since is not None and talk.touched > quiet_since:
                return
            del self._talks[talk.name]
            if not self._asked:
                continue
            for result in talk.score(self._policy, over=True).values():
                found = tuple(each for each in result.expectations if each.id in self._asked)
                if found:
                    yield Closed(result, found, talk.sampled)

    def _forget(self, runs: Sequence[Run]) -> None:
        """What is remembered of the traces of runs that are scored again, as far as it is not what they are now."""
        traces = {run.trace_id for run in runs}
        homes = {(run.key, conversation_of(run)) for run in runs}
        for talk in list(self._talks.values()):
            talk.forget([key for key, run in talk.runs.items() if run.trace_id in traces and (key, talk.name) not in homes])
            if not talk.runs:
                del self._talks[talk.name]

    def _learn(self, run: Run, *, sampled: bool, now: float) -> Talk | None:
        name = conversation_of(run)
        if name is None:
            return None
        talk = self._talks.pop(name, None) or Talk(name)
        self._talks[name] = talk
        talk.learn(run, sampled=sampled, now=now)
        return talk


def with_expectations(result: RunResult, more: Sequence[ExpectationResult]) -> RunResult:
    """The result with what further expectations came to."""
    if not more:
        return result
    verdict = verdicts.worst([result.verdict, *(each.verdict for each in more)])
    return msgspec.structs.replace(result, expectations=(*result.expectations, *more), verdict=verdict)
