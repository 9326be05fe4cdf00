"""What the engine keeps of an open run, and of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from otel_toolscore.engine.plan import Plan
from otel_toolscore.engine.scopes import around
from otel_toolscore.model import Finding, Run, Scope, ToolCall
from otel_toolscore.rules.history import AgentUnits, Entry, OnHistory, Unit
from otel_toolscore.rules.judge import Answer, Place
from otel_toolscore.rules.pattern import Context
from otel_toolscore.rules.truth import Fit
from otel_toolscore.rules.when import agents_of, holds

CallKey: TypeAlias = tuple[str, str] | int
"""(trace id, span id), or a number where there is no span id."""

MAX_SURROUNDINGS: Final = 4_096
"""Surroundings of one run that are remembered; the agents that calls name come from outside."""

TRACE_INCOMPLETE: Final = "trace_incomplete"
CONVERSATION_INCOMPLETE: Final = "conversation_incomplete"
CONVERSATION_UNKNOWN: Final = "conversation_unknown"


def key_of(call: ToolCall, number: int) -> CallKey:
    """By which a call is known again; `number` where it has no span id."""
    return (call.trace_id, call.span_id) if call.span_id else number


class Surroundings:
    """The scopes around a call, and what holds there; the same for many calls."""

    def __init__(self, plan: Plan, scopes: tuple[Scope, ...], service: str | None, agents: tuple[str, ...]) -> None:
        self.scopes = scopes
        """Innermost first."""
        self.context: Context = plan.context_of(scopes[0] if scopes else None)
        self.agent = next((scope.id for scope in scopes if scope.kind == "agent"), f"named {agents[-1]}" if agents else None)
        """Which agent the calls are of: `id` of the nearest agent scope, else the name that the calls themselves record."""
        self._plan = plan
        self._service = service
        self._agents = agents
        self._fits: list[Fit | None] = [None] * len(plan.whens)
        self._applies: bool | None = True if plan.always_applies else None

    def fit(self, when: int) -> Fit:
        """Whether the condition (by its number in the plan) holds here."""
        fit = self._fits[when]
        if fit is None:
            fit = self._fits[when] = holds(self._plan.whens[when], self.scopes, service=self._service, agents=self._agents)
        return fit

    @property
    def a_rule_applies(self) -> bool:
        """Whether some rule's `when` holds here."""
        if self._applies is None:
            self._applies = any(self.fit(number).truth is True for number in range(1, len(self._plan.whens)))
        return self._applies


class KeptCall:
    """A call, with what was found about it."""

    __slots__ = ("answers", "call", "entries", "place", "surroundings")

    def __init__(self, call: ToolCall, place: Place, surroundings: Surroundings) -> None:
        self.call = call
        self.place = place
        self.surroundings = surroundings
        self.answers: dict[int, Answer] = {}
        """Of the rules on single calls, by the rule's index in the plan."""
        self.entries: dict[int, Entry] = {}
        """In the memory of the rules on histories, by the rule's index in the plan."""

    def found(self) -> Iterator[tuple[int, Answer]]:
        """The answers, by the rule's index in the plan."""
        yield from self.answers.items()
        for number, entry in self.entries.items():
            if entry.answer is not None:
                yield number, entry.answer


class History:
    """The memories of rules over one run or one conversation."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self.units: dict[int, Unit] = {}
        """By the rule's index in the plan."""
        self.last_start: int | None = None
        """The latest start among the calls that were judged."""

    def unit(self, number: int, judge: OnHistory) -> Unit:
        """The memory of the rule, whose index in the plan is `number`."""
        unit = self.units.get(number)
        if unit is None:
            unit = self.units[number] = Unit(judge.machine(self._bound), self._bound)
        return unit

    def comes_late(self, call: ToolCall) -> bool:
        """Whether a call that should come after this one was judged already."""
        return self.last_start is not None and call.end_ns is not None and call.end_ns <= self.last_start

    def judged_up_to(self, start: int | None) -> None:
        """Calls that start by then were judged."""
        if start is not None and (self.last_start is None or start > self.last_start):
            self.last_start = start


class KeptConversation(History):
    """What is kept of a conversation across its runs."""

    def __init__(self, bound: int, *, partial: bool) -> None:
        super().__init__(bound)
        self.partial = partial
        """Whether earlier runs of it may be missing."""
        self.broken = False
        """Whether one of its runs is incomplete."""

    def gaps(self) -> tuple[str, ...]:
        """Causes for which earlier calls may be missing."""
        causes = []
        if self.broken:
            causes.append(TRACE_INCOMPLETE)
        if self.partial:
            causes.append(CONVERSATION_INCOMPLETE)
        return tuple(causes)


class KeptRun(History):
    """What is kept of a run."""

    def __init__(self, plan: Plan, key: str, trace_id: str, bound: int) -> None:
        super().__init__(bound)
        self._plan = plan
        self.key = key
        self.trace_id = trace_id
        self.scopes: dict[str, Scope] = {}
        self.calls: dict[CallKey, KeptCall] = {}
        self.agents: dict[int, AgentUnits] = {}
        self.schemas: dict[str, object] = {}
        self.complete = True
        self.gaps_noted = False
        """Whether the memories know that the run is incomplete."""
        self.merged_spans = 0
        self.conversation: str | None = None
        self.violations: dict[tuple[int, str], Finding] = {}
        """What was said of scopes and stays, by the rule's place in the policy and the scope's id."""
        self._surroundings: dict[object, Surroundings] = {}
        self._told: tuple[Scope, ...] = ()
        """The scopes that were last told: a front door tells the same ones again and again."""

    @property
    def top(self) -> Scope | None:
        """The run's topmost scope, as far as it is known."""
        return next(iter(self.scopes.values()), None)

    def learn(self, run: Run) -> None:
        """What is newly known of the run, its calls apart."""
        if run.scopes is not self._told:
            self._told = run.scopes
            if any(self.scopes.get(scope.id) != scope for scope in run.scopes):
                self.scopes = _with(self.scopes, run.scopes)
                self._surroundings.clear()
        if run.tool_schemas:
            self.schemas.update(run.tool_schemas)
        self.complete = self.complete and run.complete
        self.merged_spans = max(self.merged_spans, run.merged_spans)

    def surroundings(self, call: ToolCall) -> Surroundings:
        """The surroundings of a call of this run."""
        key = (call.scope, call.service, call.agent, call.agent_path)
        found = self._surroundings.get(key)
        if found is None:
            if len(self._surroundings) >= MAX_SURROUNDINGS:
                self._surroundings.clear()
            scopes = around(call.scope, self.scopes, self.top)
            found = self._surroundings[key] = Surroundings(self._plan, scopes, call.service, agents_of(call))
        return found

    def agent_units(self, number: int, judge: OnHistory) -> AgentUnits:
        """The rule's memory of this run, kept apart by agent."""
        units = self.agents.get(number)
        if units is None:
            units = self.agents[number] = AgentUnits(lambda: judge.machine(self._bound), self._bound)
        return units

    def gaps(self) -> tuple[str, ...]:
        """Causes for which earlier calls of the run may be missing."""
        return () if self.complete else (TRACE_INCOMPLETE,)

    def gaps_alone(self) -> tuple[str, ...]:
        """Causes for which earlier calls of the conversation may be missing, where the run has none on record."""
        return (*self.gaps(), CONVERSATION_UNKNOWN)

    def in_order(self) -> list[KeptCall]:
        """The calls, in their order."""
        return sorted(self.calls.values(), key=lambda kept: kept.place)

    def record(self, kept: Iterable[KeptCall]) -> Run:
        """The run as it is known by now, with these calls."""
        return Run(
            trace_id=self.trace_id,
            scopes=tuple(self.scopes.values()),
            calls=tuple(each.call for each in kept),
            complete=self.complete,
            tool_schemas=self.schemas,
            merged_spans=self.merged_spans,
        )


def _with(scopes: Mapping[str, Scope], newer: Iterable[Scope]) -> dict[str, Scope]:
    """The scopes, where `newer` ones replace and precede what was known; outer stay before inner."""
    merged = {scope.id: scope for scope in newer}
    return merged | {key: scope for key, scope in scopes.items() if key not in merged}
