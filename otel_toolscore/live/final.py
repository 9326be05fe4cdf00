"""What a trace that is over comes to: its runs, scored as a file of its spans would be.

For use by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from otel_toolscore.engine import Engine, verdicts
from otel_toolscore.engine.memory import conversation_of
from otel_toolscore.model import ExpectationResult, Run, RunResult
from otel_toolscore.policy.records import Policy


class Closed(NamedTuple):
    """A conversation that is over."""

    result: RunResult
    """Of its last run, with what is asked of conversations."""
    expectations: tuple[ExpectationResult, ...]
    """These alone."""
    sampled: bool


class _Talk(NamedTuple):
    """A conversation that may go on."""

    last: RunResult
    sampled: bool
    touched: float


class FinalEngine:
    """Scores runs that are over, and remembers their conversations where the policy asks for these."""

    def __init__(self, policy: Policy, most: int) -> None:
        """`most`: how many conversations are remembered at once."""
        self._policy = policy
        self._most = most
        self._engine = Engine(policy)
        self._asked = frozenset(each.id for each in policy.expectations if each.per == "conversation")
        """Ids of the expectations about whole conversations."""
        self._talks: dict[str, _Talk] = {}
        """By conversation, the one that was quiet longest first."""

    @property
    def remembers(self) -> bool:
        """Whether a conversation is still to be judged."""
        return bool(self._talks)

    def score(self, runs: Sequence[Run], *, sampled: bool, now: float) -> list[RunResult]:
        """The runs of a trace, which are new."""
        self._engine.feed(runs)
        results = [self._engine.end_run(run.key) for run in runs]
        for result in results if self._asked else ():
            conversation = conversation_of(result.run)
            if conversation is not None:
                self._talks.pop(conversation, None)
                self._talks[conversation] = _Talk(result, sampled, now)
        return results

    def score_again(self, runs: Sequence[Run]) -> list[RunResult]:
        """Runs that were scored before, and of which more became known: the conversations remember them, so not with those."""
        engine = Engine(self._policy)
        for conversation in {conversation_of(run) for run in runs}:
            if conversation is not None:
                engine.miss_before(conversation)
        engine.feed(runs)
        return [engine.end_run(run.key) for run in runs]

    def close(self, quiet_since: float | None = None) -> Iterator[Closed]:
        """The conversations in which nothing happened since then (None: all), and those beyond the bound."""
        for conversation, talk in list(self._talks.items()):
            if len(self._talks) <= self._most and quiet_since is not None and talk.touched > quiet_since:
                return
            del self._talks[conversation]
            top = msgspec.structs.replace(talk.last.run.top, conversation=conversation)
            run = msgspec.structs.replace(talk.last.run, scopes=(top,), calls=())
            self._engine.feed([run])
            judged = self._engine.end_run(run.key, conversation_over=True).expectations
            of_conversation = tuple(each for each in judged if each.id in self._asked)
            if of_conversation:
                yield Closed(with_expectations(talk.last, of_conversation), of_conversation, talk.sampled)


def with_expectations(result: RunResult, more: Sequence[ExpectationResult]) -> RunResult:
    """The result with what further expectations came to."""
    if not more:
        return result
    verdict = verdicts.worst([result.verdict, *(each.verdict for each in more)])
    return msgspec.structs.replace(result, expectations=(*result.expectations, *more), verdict=verdict)
