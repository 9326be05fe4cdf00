"""The runs and conversations that the engine keeps, within its bounds."""

from __future__ import annotations

from collections import Counter, OrderedDict

from otel_toolscore.engine.bounds import Bounds
from otel_toolscore.engine.plan import Plan
from otel_toolscore.engine.runs import KeptConversation, KeptRun
from otel_toolscore.model import Run


class Memory:
    """What is kept, the longest untouched first."""

    def __init__(self, plan: Plan, bounds: Bounds) -> None:
        self._plan = plan
        self._bounds = bounds
        self.runs: OrderedDict[str, KeptRun] = OrderedDict()
        self.hits: Counter[str] = Counter()
        """How often a bound was hit, by its name."""
        self._closed_early: OrderedDict[str, None] = OrderedDict()
        """Runs that were closed to keep the bound: what still comes of them is a part of a run."""
        self._conversations: OrderedDict[str, KeptConversation] = OrderedDict()
        self._forgotten: OrderedDict[str, None] = OrderedDict()
        self._any_may_be_forgotten = False
        self._newly_forgotten: list[str] = []

    def open(self, run: Run) -> KeptRun:
        """The run that this one is a part of."""
        key = run.key
        kept = self.runs.get(key)
        if kept is None:
            kept = self.runs[key] = KeptRun(self._plan, key, run.trace_id, self._bounds.history)
            kept.complete = key not in self._closed_early
        else:
            self.runs.move_to_end(key)
        kept.learn(run)
        return kept

    def overflowing(self) -> list[KeptRun]:
        """The runs beyond the bound; they are kept no longer."""
        over: list[KeptRun] = []
        while len(self.runs) > self._bounds.runs:
            key, kept = self.runs.popitem(last=False)
            self.hits["runs"] += 1
            over.append(kept)
            self._closed_early[key] = None
            if len(self._closed_early) > self._bounds.forgotten:
                self._closed_early.popitem(last=False)
        return over

    def conversation(self, name: str) -> KeptConversation:
        """The conversation, which is new, known or was forgotten."""
        kept = self._conversations.get(name)
        if kept is not None:
            self._conversations.move_to_end(name)
            return kept
        partial = name in self._forgotten or self._any_may_be_forgotten
        kept = self._conversations[name] = KeptConversation(self._bounds.history, partial=partial)
        while len(self._conversations) > self._bounds.conversations:
            forgotten, _ = self._conversations.popitem(last=False)
            self.hits["conversations"] += 1
            self._newly_forgotten.append(forgotten)
            self._forgotten[forgotten] = None
            if len(self._forgotten) > self._bounds.forgotten:
                self._forgotten.popitem(last=False)
                self.hits["forgotten"] += 1
                self._any_may_be_forgotten = True
        return kept

    @property
    def has_forgotten(self) -> bool:
        """Whether conversations were forgotten since this was last asked."""
        return bool(self._newly_forgotten)

    def take_forgotten(self) -> list[str]:
        """The conversations that were forgotten since this was last asked."""
        forgotten, self._newly_forgotten = self._newly_forgotten, []
        return forgotten

    def close_conversation(self, name: str) -> None:
        """The conversation is over."""
        self._conversations.pop(name, None)


def conversation_of(run: Run) -> str | None:
    """The conversation that a run is part of: its top's, else that of any of its scopes or calls."""
    for scope in run.scopes:
        if scope.conversation is not None:
            return scope.conversation
    for call in run.calls:
        if call.conversation is not None:
            return call.conversation
    return None
