"""The engine: what becomes known of runs goes in, findings and verdicts come out.

    feed(runs)            calls, as they become known -> what is found at once
    end_scope(run, id)    an agent has answered -> its expectations and requirements
    end_run(run)          the run is over -> everything about it

A front door feeds as fast as it learns: a processor call by call, a file scorer a whole conversation at once. What is fed together
is first remembered and then judged, so that its order does not matter. The engine reads no clock and starts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from otel_toolscore.engine import verdicts
from otel_toolscore.engine.bounds import Bounds
from otel_toolscore.engine.coverage import Usage
from otel_toolscore.engine.expectations import Expectations, Scored
from otel_toolscore.engine.findings import LATE, Found, marked_late, on_call
from otel_toolscore.engine.histories import Histories
from otel_toolscore.engine.memory import Memory, conversation_of
from otel_toolscore.engine.plan import Plan, PlannedRule
from otel_toolscore.engine.requirements import judge_scopes
from otel_toolscore.engine.runs import KeptCall, KeptRun, key_of
from otel_toolscore.engine.view import View, view_of
from otel_toolscore.model import ExpectationResult, Finding, Run, RunResult, ToolCall, Verdict
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.judge import Situation, accusation, place
from otel_toolscore.rules.truth import NO, Fit
from otel_toolscore.rules.waivers import waives_call


class ScopeResult(NamedTuple):
    """What a scope comes to when it ends."""

    findings: tuple[Finding, ...]
    """Of the rules that are judged on the scope itself."""
    expectations: tuple[ExpectationResult, ...]
    verdict: Verdict


class Engine:
    """Judges calls, scopes and runs by one policy, as they become known. For use by one thread at a time."""

    def __init__(self, policy: Policy, bounds: Bounds | None = None) -> None:
        self.policy = policy
        self._bounds = bounds or Bounds()
        self._plan = Plan(policy)
        self._memory = Memory(self._plan, self._bounds)
        self._histories = Histories(self._plan, self._memory)
        self._expectations = Expectations(self._plan, self._bounds.calls)
        self._closed: list[RunResult] = []
        self._counted = 0
        self.usage = Usage(policy, self._bounds.tools)
        self.hits = self._memory.hits
        """How often a bound was hit, by its name."""

    def feed(self, runs: Iterable[Run]) -> tuple[Found, ...]:
        """What is newly known: of each run its scopes and schemas (repeated or not), and the calls that are new.

        A call that names a known one among its `merged` spans (or is known itself) takes its place, and what was published
        about that stays. Gives the findings that are new or have become violations, in the order of rules and calls.
        A finding's `call` is None until its run ends.
        """
        found: list[Found] = []
        fed = []
        for run in runs:
            kept = self._memory.open(run)
            fed.append((kept, run.calls))
            if kept.conversation is None:
                self._histories.join(kept, conversation_of(run))
            self._histories.note_gaps(kept)
            for call in run.calls:
                found += self._admit(kept, call)
        found += self._histories.settle()
        for kept, calls in fed:
            self._histories.judged(kept, calls)
        if self._memory.has_forgotten:
            for conversation in self._memory.take_forgotten():
                self._expectations.forget(conversation)
        for kept in self._memory.overflowing():
            kept.complete = False
            self._closed.append(self._end(kept, conversation_over=False))
        return tuple(found)

    def end_scope(self, run: str, scope: str) -> ScopeResult:
        """A scope of the open run (`Run.key`, `Scope.id`) has ended; KeyError where the run is not open."""
        view = view_of(self._memory.runs[run])
        judged = judge_scopes(self._plan, view, scope)
        scored = list(self._expectations.of_scope(view, scope))
        results = tuple(each.result for each in scored)
        of_rules = verdicts.of_findings(judged.findings, applied=judged.applied)
        return ScopeResult(tuple(judged.findings), results, verdicts.worst([of_rules, *(each.verdict for each in results)]))

    def end_run(self, run: str, *, complete: bool = True, conversation_over: bool = False) -> RunResult:
        """The open run (`Run.key`) has ended; KeyError where it is not open.

        `complete` False: something inside it was lost. `conversation_over`: nothing more of its conversation is to come, so
        that what looks at the whole conversation is judged too.
        """
        kept = self._memory.runs.pop(run)
        kept.complete = kept.complete and complete
        return self._end(kept, conversation_over=conversation_over)

    def take_closed(self) -> list[RunResult]:
        """The runs that were closed to keep the bounds, since this was last asked."""
        closed, self._closed = self._closed, []
        return closed

    def miss_before(self, conversation: str) -> None:
        """Earlier runs of the conversation may be missing: nothing that they would have to hold is a violation."""
        self._memory.conversation(conversation).partial = True

    def _end(self, kept: KeptRun, *, conversation_over: bool) -> RunResult:
        self._histories.note_gaps(kept)
        self._histories.settle()
        view = view_of(kept)
        judged = judge_scopes(self._plan, view)
        self.usage.rules |= judged.used
        conversation = self._histories.conversation(kept)
        partial = conversation is not None and conversation.partial
        of_run = self._expectations.of_run(view, conversation_over=conversation_over, partial=partial)
        scored = [*self._expectations.of_scope(view), *of_run]
        if conversation_over and kept.conversation is not None:
            self._memory.close_conversation(kept.conversation)
            self._expectations.forget(kept.conversation)
        return self._result(view, judged.findings, scored, applied=judged.applied)

    def _result(self, view: View, on_scopes: list[Finding], scored: list[Scored], *, applied: bool) -> RunResult:
        covered = {number for each in scored for number in each.covered}
        self.usage.expectations |= {each.expectation for each in scored}
        findings: list[Finding] = []
        call_verdicts: list[Verdict] = []
        for number, kept in enumerate(view.calls):
            self.usage.count(kept.call)
            own = [on_call(self._plan.rules[rule].rule, answer, kept.call, number) for rule, answer in sorted(kept.found())]
            findings += own
            asked = number in covered or view.surroundings[number].a_rule_applies
            call_verdicts.append(verdicts.of_findings(own, applied=asked))
        results = tuple(each.result for each in scored)
        of_scopes = verdicts.of_findings(on_scopes, applied=applied)
        return RunResult(
            run=view.run.record(view.calls),
            verdict=verdicts.worst([*call_verdicts, of_scopes, *(each.verdict for each in results)]),
            call_verdicts=tuple(call_verdicts),
            findings=(*findings, *on_scopes),
            expectations=results,
        )

    def _admit(self, kept: KeptRun, call: ToolCall) -> Iterator[Found]:
        """Judge a call by what needs only the call, and remember it for the rest."""
        replaced = self._histories.take_out(kept, call)
        if any(LATE in each.call.notes for each in replaced) if replaced else self._histories.comes_late(kept, call):
            call = marked_late(call)
        self._counted += 1
        surroundings = kept.surroundings(call)
        here = KeptCall(call, place(call, self._counted), surroundings)
        situation = Situation(kept.key, call, here.place, surroundings.scopes, surroundings.context, kept.schemas)
        said = {rule: answer for each in replaced for rule, answer in each.found() if answer.kind == "violation"} if replaced else {}
        for number in self._plan.concerned(call):
            planned = self._plan.rules[number]
            fit = self._accused(planned, situation, surroundings.fit(planned.when))
            if planned.on_history is not None:
                entry = planned.on_history.enter(situation, fit)
                if entry is not None:
                    entry.answer = said.pop(number, None)
                    here.entries[number] = entry
                    self._histories.put(kept, number, entry, surroundings.agent)
            elif planned.on_call is not None and number not in said:
                answer = planned.on_call.judge(situation, fit)
                if answer is not None:
                    here.answers[number] = answer
                    yield Found(kept.key, on_call(planned.rule, answer, call), call)
        here.answers.update(said)
        if len(kept.calls) < self._bounds.calls:
            kept.calls[key_of(call, self._counted)] = here
        else:
            self.hits["calls"] += 1
            kept.complete = False

    def _accused(self, planned: PlannedRule, situation: Situation, when: Fit) -> Fit:
        judge = planned.on_call or planned.on_history
        assert judge is not None
        fit = when if judge.accused is None else accusation(judge.accused, situation, when)
        if fit.truth is False:
            return fit
        self.usage.rules.add(planned.number)
        return NO if planned.rule.waivers and waives_call(planned.rule.waivers, situation) else fit
