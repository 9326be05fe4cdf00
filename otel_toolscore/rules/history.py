"""Rules with a memory: what they remember of the calls of a run, an agent or a conversation, and when they judge.

Calls come in any order. Each is put into the memory of the rules that it concerns; then `settle` judges the calls that are new,
and again those judged earlier that a late call bears on. A violation, once said, stays.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Final, Literal, Protocol, TypeAlias

from otel_toolscore.rules.judge import Answer, Situation
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.truth import Fit

Per: TypeAlias = Literal["run", "agent", "conversation"]
"""What a history spans."""

AGENT_UNKNOWN: Final = "agent_unknown"
HISTORY_EVICTED: Final = "history_evicted"
TIME_UNKNOWN: Final = "time_unknown"


class Entry:
    """A call in the memory of a rule."""

    __slots__ = ("answer", "call", "end", "fit", "place", "run", "start")

    def __init__(self, situation: Situation, fit: Fit) -> None:
        self.run = situation.run
        self.call = situation.call
        self.fit = fit
        """Whether the rule accuses the call."""
        self.place = situation.place
        self.start = situation.call.start_ns
        self.end = situation.call.end_ns
        self.answer: Answer | None = None


class Machine(Protocol):
    """The memory of one rule in one unit."""

    lost: bool
    """Whether something that would count is no longer remembered."""

    def put(self, entry: Entry, doubt: str | None, /) -> None:
        """Remember a call. `doubt` is the cause for which it may not belong here: for others it is only a possible one."""

    def drop(self, entry: Entry, /) -> None:
        """Forget a call that was put."""

    def judge(self, entry: Entry, gaps: tuple[str, ...], /) -> Answer | None:
        """The answer about an accused call that was put; `gaps` are causes for which calls before it may be missing."""

    def trim(self) -> None:
        """Forget what is beyond the bound, now that everything was judged."""


class OnHistory(Protocol):
    """A rule that needs the calls before."""

    accused: Pattern
    naming: tuple[Pattern, ...] | None
    per: Per

    def enter(self, situation: Situation, fit: Fit) -> Entry | None:
        """The call as the rule remembers it; None where it does not concern the rule."""

    def machine(self, bound: int, /) -> Machine:
        """An empty memory, of at most about `bound` calls."""


_BY_PLACE: Final = attrgetter("place")


class Unit:
    """A rule's memory of one run, agent or conversation, with the calls that it judges there."""

    def __init__(self, machine: Machine, bound: int) -> None:
        self._machine = machine
        self._bound = bound
        self._accused: list[Entry] = []
        self._reach: int | None = None
        self._all = False
        self._gaps: tuple[str, ...] = ()

    def put(self, entry: Entry, *, doubt: str | None = None, judged_here: bool = True) -> None:
        """Remember a call, and judge it at the next `settle` where the rule accuses it."""
        self._machine.put(entry, doubt)
        self._reaches(entry)
        if judged_here and entry.fit.truth is not False:
            bisect.insort(self._accused, entry, key=_BY_PLACE)

    def drop(self, entry: Entry) -> None:
        """Forget a call."""
        self._machine.drop(entry)
        self._reaches(entry)
        at = bisect.bisect_left(self._accused, entry.place, key=_BY_PLACE)
        if at < len(self._accused) and self._accused[at] is entry:
            del self._accused[at]

    def settle(self, gaps: tuple[str, ...] = ()) -> Iterator[Entry]:
        """Judge what is new and what it bears on; gives the entries whose answer changed, in the order of their calls."""
        if gaps != self._gaps:
            self._gaps, self._all = gaps, True
        causes = (*gaps, HISTORY_EVICTED) if self._machine.lost else gaps
        for entry in self._to_judge():
            if entry.answer is not None and entry.answer.kind == "violation":
                continue
            before, entry.answer = entry.answer, self._machine.judge(entry, causes)
            if entry.answer != before:
                yield entry
        self._reach, self._all = None, False
        self._machine.trim()
        if len(self._accused) > self._bound:
            del self._accused[: len(self._accused) - self._bound + self._bound // 8]

    def _reaches(self, entry: Entry) -> None:
        """A call bears on those that start with it or later; one without a start, on all."""
        if entry.start is None:
            self._all = True
        elif self._reach is None or entry.start < self._reach:
            self._reach = entry.start

    def _to_judge(self) -> list[Entry]:
        if self._all:
            return self._accused[:]
        if self._reach is None:
            return []
        reach = self._reach
        at = bisect.bisect_left(self._accused, (False, reach), key=_BY_PLACE)
        return self._accused[at:]


class AgentUnits:
    """A rule's memory of one run, kept apart by the nearest agent.

    A call whose agent is not known may be any agent's: it is a possible call in the memory of each, and in its own eyes every
    other call is only a possible one of its agent.
    """

    def __init__(self, new_machine: Callable[[], Machine], bound: int) -> None:
        self._new_machine = new_machine
        self._bound = bound
        self._units: dict[str | None, Unit] = {}
        self._members: dict[str | None, deque[Entry]] = {}
        self._touched: dict[str | None, Unit] = {}
        self._gaps: tuple[str, ...] = ()

    def put(self, entry: Entry, agent: str | None) -> None:
        """Remember a call of the agent scope `agent` (None: not known)."""
        own = self._units.get(agent)
        if own is None:
            own = self._open(agent)
        doubt = AGENT_UNKNOWN if agent is None else None
        own.put(entry, doubt=doubt)
        self._members[agent].append(entry)
        for other, unit in self._concerned(agent):
            if other != agent:
                unit.put(entry, doubt=AGENT_UNKNOWN, judged_here=False)

    def drop(self, entry: Entry, agent: str | None) -> None:
        """Forget a call."""
        for _, unit in self._concerned(agent):
            unit.drop(entry)
        members = self._members.get(agent)
        if members is not None and entry in members:
            members.remove(entry)

    def settle(self, gaps: tuple[str, ...] = ()) -> Iterator[Entry]:
        """As `Unit.settle`, for every agent."""
        touched = self._touched if gaps == self._gaps else self._units
        self._touched, self._gaps = {}, gaps
        for unit in touched.values():
            yield from unit.settle(gaps)

    def _concerned(self, agent: str | None) -> Iterator[tuple[str | None, Unit]]:
        """The units in which a call of the agent counts; each is judged at the next `settle`."""
        if agent is not None and None not in self._units:
            units: dict[str | None, Unit] = {agent: self._units[agent]}
        else:
            units = {other: unit for other, unit in self._units.items() if None in (agent, other) or other == agent}
        self._touched.update(units)
        yield from units.items()

    def _open(self, agent: str | None) -> Unit:
        unit = self._units[agent] = Unit(self._new_machine(), self._bound)
        self._members[agent] = deque(maxlen=self._bound)
        for other, members in self._members.items():
            if other != agent and None in (other, agent):
                for entry in members:
                    unit.put(entry, doubt=AGENT_UNKNOWN, judged_here=False)
        return unit
