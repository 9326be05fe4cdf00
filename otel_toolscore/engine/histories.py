"""Which memory a call goes into: its run's, its agent's or its conversation's, for each rule with a history."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from otel_toolscore.engine.findings import Found, on_call
from otel_toolscore.engine.memory import Memory
from otel_toolscore.engine.plan import Plan
from otel_toolscore.engine.runs import KeptCall, KeptConversation, KeptRun
from otel_toolscore.model import ToolCall
from otel_toolscore.rules.history import AgentUnits, Entry, OnHistory, Unit


class _Touched(NamedTuple):
    """A memory that has something to judge, anew or again."""

    number: int
    unit: Unit | AgentUnits
    gaps: Callable[[], tuple[str, ...]]


class Histories:
    """The memories of all rules with a history, over all open runs."""

    def __init__(self, plan: Plan, memory: Memory) -> None:
        self._plan = plan
        self._memory = memory
        self._touched: dict[tuple[int, int], _Touched] = {}

    def join(self, run: KeptRun, conversation: str | None) -> None:
        """What is newly known of the run's conversation; calls that were remembered without it move there."""
        if conversation is None or run.conversation is not None:
            return
        run.conversation = conversation
        run.gaps_noted = False
        for kept in run.calls.values():
            for number, entry in kept.entries.items():
                judge = self._judge(number)
                if judge.per == "conversation":
                    run.units.pop(number, None)
                    self.put(run, number, entry, None)

    def put(self, run: KeptRun, number: int, entry: Entry, agent: str | None) -> None:
        """Remember a call for a rule (its index in the plan), to be judged at the next `settle`."""
        judge = self._judge(number)
        if judge.per == "agent":
            units = run.agent_units(number, judge)
            units.put(entry, agent)
            self._touch(number, units, run.gaps)
        elif judge.per == "run":
            unit = run.unit(number, judge)
            unit.put(entry)
            self._touch(number, unit, run.gaps)
        else:
            unit, gaps = self._unit(run, number, judge)
            unit.put(entry)
            self._touch(number, unit, gaps)

    def take_out(self, run: KeptRun, call: ToolCall) -> list[KeptCall]:
        """The known calls that this one takes the place of; they are remembered no longer."""
        if not call.span_id:
            return []
        if not call.merged and (call.trace_id, call.span_id) not in run.calls:
            return []
        keys = [(call.trace_id, call.span_id), *((call.trace_id, span.span_id) for span in call.merged)]
        replaced = [run.calls.pop(key) for key in keys if key in run.calls]
        for kept in replaced:
            for number, entry in kept.entries.items():
                self._drop(run, number, entry, kept.surroundings.agent)
        return replaced

    def note_gaps(self, run: KeptRun) -> None:
        """Where the run has become incomplete, all its memories judge again."""
        if run.complete or run.gaps_noted:
            return
        run.gaps_noted = True
        for number, unit in run.units.items():
            alone = self._judge(number).per == "conversation"
            self._touch(number, unit, run.gaps_alone if alone else run.gaps)
        for number, units in run.agents.items():
            self._touch(number, units, run.gaps)
        conversation = self.conversation(run)
        if conversation is not None:
            conversation.broken = True
            for number, unit in conversation.units.items():
                self._touch(number, unit, conversation.gaps)

    def settle(self) -> list[Found]:
        """Judge what is new; the findings that are new or other than before, in the order of rules and calls."""
        found: list[Found] = []
        touched = self._touched
        for key in sorted(touched) if len(touched) > 1 else touched:
            number, unit, gaps = touched[key]
            rule = self._plan.rules[number].rule
            changed = unit.settle(gaps())
            found += [Found(each.run, on_call(rule, each.answer, each.call), each.call) for each in changed if each.answer is not None]
        touched.clear()
        return found

    def comes_late(self, run: KeptRun, call: ToolCall) -> bool:
        """Whether a call that should come after this one was judged already."""
        conversation = self.conversation(run)
        return run.comes_late(call) or (conversation is not None and conversation.comes_late(call))

    def judged(self, run: KeptRun, calls: Iterable[ToolCall]) -> None:
        """The calls were judged: what should have come before them is late from now on."""
        start: int | None = None
        for call in calls:
            if call.start_ns is not None and (start is None or call.start_ns > start):
                start = call.start_ns
        run.judged_up_to(start)
        conversation = self.conversation(run)
        if conversation is not None:
            conversation.judged_up_to(start)

    def _drop(self, run: KeptRun, number: int, entry: Entry, agent: str | None) -> None:
        judge = self._judge(number)
        if judge.per == "agent":
            units = run.agent_units(number, judge)
            units.drop(entry, agent)
            self._touch(number, units, run.gaps)
        else:
            unit, gaps = self._unit(run, number, judge)
            unit.drop(entry)
            self._touch(number, unit, gaps)

    def _unit(self, run: KeptRun, number: int, judge: OnHistory) -> tuple[Unit, Callable[[], tuple[str, ...]]]:
        if judge.per == "run":
            return run.unit(number, judge), run.gaps
        conversation = self.conversation(run)
        if conversation is None:
            return run.unit(number, judge), run.gaps_alone
        return conversation.unit(number, judge), conversation.gaps

    def conversation(self, run: KeptRun) -> KeptConversation | None:
        """What is kept of the run's conversation, where the run has one on record and the policy asks for it."""
        if run.conversation is None or not (self._plan.has_conversation_rules or self._plan.has_conversation_expectations):
            return None
        return self._memory.conversation(run.conversation)

    def _judge(self, number: int) -> OnHistory:
        judge = self._plan.rules[number].on_history
        assert judge is not None
        return judge

    def _touch(self, number: int, unit: Unit | AgentUnits, gaps: Callable[[], tuple[str, ...]]) -> None:
        key = (number, id(unit))
        if key not in self._touched:
            self._touched[key] = _Touched(number, unit, gaps)
