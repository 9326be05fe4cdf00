"""The runs that the calls of a test are: scopes as the test describes them, and in them the calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from otel_toolscore.dialects.names import split
from otel_toolscore.model import Run, Scope, ToolCall
from otel_toolscore.policy_tests.records import GivenCall, PolicyTest


class Made(NamedTuple):
    """A run, and which calls of the test its calls are."""

    run: Run
    numbers: tuple[int, ...]
    """For each call of the run, its index in the test."""


def runs_of(test: PolicyTest) -> list[Made]:
    """The runs in the order of their first calls; one without calls where the test has none.

    Calls of different conversations, or with different `run`, are of different runs. Around the calls of a run are the test's
    workflow and agent; a call that names another agent was made by a sub-agent of that.
    """
    together: dict[tuple[str | None, str | None], list[int]] = {}
    for number, call in enumerate(test.calls):
        together.setdefault((call.run, call.conversation or test.conversation), []).append(number)
    if not together:
        together[None, test.conversation] = []
    return [_made(test, trace, conversation, numbers) for trace, ((_, conversation), numbers) in enumerate(together.items(), 1)]


def _made(test: PolicyTest, trace: int, conversation: str | None, numbers: Sequence[int]) -> Made:
    trace_id = f"{trace:032x}"
    calls = [test.calls[number] for number in numbers]
    scopes = _scopes(test, trace_id, conversation, calls)
    ordered = sorted(numbers, key=lambda number: (test.calls[number].start_ns, test.calls[number].end_ns, number))
    made = tuple(_call(test, test.calls[number], number, trace_id, conversation, scopes) for number in ordered)
    return Made(Run(trace_id=trace_id, scopes=tuple(scopes), calls=made, complete=test.complete), tuple(ordered))


def _scopes(test: PolicyTest, trace_id: str, conversation: str | None, calls: Sequence[GivenCall]) -> list[Scope]:
    """Outer before inner: the workflow, the test's agent, and the agents that calls name."""
    agents = list(dict.fromkeys(call.agent for call in calls if call.agent is not None and call.agent != test.agent))
    around: list[tuple[str, str | None]] = [("workflow", test.workflow)] if test.workflow is not None else []
    if test.agent is not None:
        around.append(("agent", test.agent))
    elif len(agents) == 1 and not around and all(call.agent is not None for call in calls):
        around.append(("agent", agents.pop()))
    starts = [call.start_ns for call in calls]
    times = {"start_ns": min(starts, default=None), "end_ns": max((call.end_ns for call in calls), default=None)}
    told = {"service": test.service, "conversation": conversation, "attributes": {key: (value,) for key, value in test.attributes.items()}}
    scopes: list[Scope] = []
    for kind, name in around or [("trace", None)]:
        identity = f"{trace_id[-8:]}{len(scopes):08x}"
        span_id = None if kind == "trace" else identity
        own = {"id": f"trace:{trace_id}" if kind == "trace" else identity, "span_id": span_id, "parent": scopes[-1].id if scopes else None}
        scopes.append(Scope(kind=kind, name=name, input=test.input, **own, **told, **times))  # type: ignore[arg-type]
    inner = scopes[-1].id
    for name in agents:
        identity = f"{trace_id[-8:]}{len(scopes):08x}"
        scopes.append(Scope(id=identity, kind="agent", name=name, parent=inner, span_id=identity, **told, **times))  # type: ignore[arg-type]
    return scopes


def _call(test: PolicyTest, given: GivenCall, number: int, trace_id: str, conversation: str | None, scopes: Sequence[Scope]) -> ToolCall:
    name = split(given.tool)
    agent = given.agent or test.agent
    scope = next((scope for scope in reversed(scopes) if scope.kind == "agent" and scope.name == agent), None)
    if scope is None:
        scope = next(scope for scope in reversed(scopes) if scope.kind != "agent")
    path = [each.name for each in scopes if each.kind == "agent" and each.name in (test.agent, agent) and each.name is not None]
    return ToolCall(
        tool=name.tool,
        server=given.server or name.server,
        recorded_name=given.tool if given.tool != name.tool else None,
        arguments=given.arguments,
        result=given.result,
        outcome=given.outcome,
        error=given.error,
        agent=agent,
        agent_path=tuple(path),
        conversation=conversation,
        service=given.service or test.service,
        start_ns=given.start_ns,
        end_ns=given.end_ns,
        trace_id=trace_id,
        span_id=f"{number + 1:016x}",
        parent_span_id=scope.span_id,
        dialect="policy_test",
        scope=scope.id,
    )
