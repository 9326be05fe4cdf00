"""Scopes, runs and conversations."""

from __future__ import annotations

from typing import Any

import pytest
from span_records import agent, calls, mcp, model, plain, runs, span, the_call, tool

from otel_toolscore.model import Run, Scope
from otel_toolscore.spans import Span


def workflow(number: int, name: str = "triage", **more: Any) -> Span:
    return span(number, {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": name, **more.pop("also", {})}, **more)


def kinds(run: Run) -> list[tuple[str, str | None, str]]:
    return [(scope.kind, scope.name, scope.id) for scope in run.scopes]


def shape(run: Run) -> dict[str, str | None]:
    """Scope id -> id of the scope around it; call span id -> its scope's id."""
    return {scope.id: scope.parent for scope in run.scopes} | {call.span_id: call.scope for call in run.calls}


# What is a scope, and what a run


def test_an_agent_with_its_calls() -> None:
    """The agent span is the run; the call names it."""
    (run,) = runs(plain(0, end=100), agent(1, parent=0, start=1, end=90), tool(2, parent=1, start=2, end=9))
    assert kinds(run) == [("agent", "support", "1")]
    assert run.top == Scope(id="1", kind="agent", name="support", span_id="1", service="agents", start_ns=1_000_000, end_ns=90_000_000)
    assert [(call.agent, call.agent_path, call.scope) for call in run.calls] == [("support", ("support",), "1")]
    assert run.key == "t:1"


def test_an_agent_without_calls_is_a_run() -> None:
    """It can be judged by what it did not do."""
    (run,) = runs(agent(1))
    assert (kinds(run), run.calls) == ([("agent", "support", "1")], ())


def test_nothing_to_judge() -> None:
    """A trace with neither agent span nor tool call has no run, workflow or not."""
    assert runs(plain(1), model(2, parent=1)) == ()
    assert runs(workflow(1), model(2, parent=1)) == ()
    assert runs() == ()


def test_scopes_nest() -> None:
    """Workflow around agent around tool around agent: one run, outer before inner, and the path from the outermost."""
    (run,) = runs(
        workflow(1, end=100),
        agent(2, "boss", parent=1, start=1, end=90),
        tool(3, "ask", parent=2, start=2, end=80),
        agent(4, "math", parent=3, start=3, end=70),
        tool(5, "add", parent=4, start=4, end=60),
    )
    assert kinds(run) == [("workflow", "triage", "1"), ("agent", "boss", "2"), ("agent", "math", "4")]
    assert shape(run) == {"1": None, "2": "1", "4": "2", "3": "2", "5": "4"}
    assert [(call.tool, call.agent, call.agent_path) for call in run.calls] == [
        ("ask", "boss", ("boss",)),
        ("add", "math", ("boss", "math")),
    ]


def test_agents_side_by_side_are_runs() -> None:
    """A request handler around two agents is no scope where no call lies outside them."""
    found = runs(plain(0, end=100), agent(1, "a", parent=0, start=1), agent(2, "b", parent=0, start=2), tool(3, parent=2, start=3))
    assert [run.top.name for run in found] == ["a", "b"]
    assert [len(run.calls) for run in found] == [0, 1]


def test_the_same_agent_twice() -> None:
    """An agent span of the same name below, with no tool or model span between, is the same scope."""
    (run,) = runs(
        agent(1, end=90), plain(2, parent=1, end=80), agent(3, parent=2, end=70), agent(4, parent=3, end=60), tool(5, parent=4, end=50)
    )
    assert kinds(run) == [("agent", "support", "1")]
    assert the_call(agent(1, end=90), agent(3, parent=1, end=70), tool(5, parent=3, end=50)).agent_path == ("support",)


@pytest.mark.parametrize("between", [tool, model])
def test_an_agent_that_calls_itself(between: Any) -> None:
    """With a tool or a model between, it is another invocation."""
    (run,) = runs(agent(1, end=90), between(2, parent=1, end=80), agent(3, parent=2, end=70), tool(4, "x", parent=3, end=60))
    assert [name for kind, name, _ in kinds(run) if kind == "agent"] == ["support", "support"]


def test_agents_that_do_not_say_their_name() -> None:
    """Two of them may be two; the call's agent is unknown, unless its own span names it."""
    (run,) = runs(agent(1, None, end=90), agent(2, None, parent=1, end=80), tool(3, parent=2, end=70))
    assert [scope.name for scope in run.scopes] == [None, None]
    assert (run.calls[0].agent, run.calls[0].agent_path) == (None, ())
    named = the_call(agent(1, None, end=90), tool(3, parent=1, end=70, also={"gen_ai.agent.name": "helper"}))
    assert (named.agent, named.agent_path) == ("helper", ("helper",))


def test_a_call_outside_the_agents() -> None:
    """The lowest span around the call and an agent span is a scope: a LangGraph root."""
    (run,) = runs(
        plain(0, end=100),
        plain(1, parent=0, end=90),
        agent(2, "a", parent=1, start=1, end=20),
        plain(3, parent=1, start=25, end=50),
        tool(4, parent=3, start=26, end=49),
        agent(5, "a", parent=1, start=55, end=90),
    )
    assert kinds(run) == [("enclosing", None, "1"), ("agent", "a", "2"), ("agent", "a", "5")]
    assert shape(run) == {"1": None, "2": "1", "5": "1", "4": "1"}
    assert (run.calls[0].agent, run.calls[0].agent_path) == (None, ())


def test_the_lowest_enclosing_span_for_each_call() -> None:
    """Two calls outside the agents may have two such spans, one inside the other."""
    (run,) = runs(
        plain(0, end=100),
        plain(1, parent=0, end=50),
        agent(2, parent=1, start=1, end=20),
        tool(3, "near", parent=1, start=21, end=30),
        tool(4, "far", parent=0, start=60, end=70),
    )
    assert shape(run) == {"0": None, "1": "0", "2": "1", "3": "1", "4": "0"}


def test_a_tool_around_an_agent() -> None:
    """A call that encloses an agent, below a handler: the handler is the run, the agent inside it."""
    (run,) = runs(plain(0, end=100), tool(1, "ask", parent=0, end=90), agent(2, parent=1, end=80), tool(3, "add", parent=2, end=70))
    assert shape(run) == {"0": None, "2": "0", "1": "0", "3": "2"}


def test_a_workflow_that_already_encloses() -> None:
    """The span that holds calls and agents together may be a workflow, which it then stays."""
    (run,) = runs(workflow(1, end=100), agent(2, parent=1, start=1, end=20), tool(3, parent=1, start=30, end=40))
    assert kinds(run) == [("workflow", "triage", "1"), ("agent", "support", "2")]


def test_without_agents_the_local_root() -> None:
    """The entry of the process is the run; a workflow inside is a scope of it."""
    (run,) = runs(plain(1, end=100), workflow(2, parent=1, end=90), tool(3, parent=2, end=80), tool(4, "b", parent=1, start=85, end=90))
    assert kinds(run) == [("enclosing", None, "1"), ("workflow", "triage", "2")]
    assert shape(run) == {"1": None, "2": "1", "3": "2", "4": "1"}


@pytest.mark.parametrize("more", [{"service": "backend"}, {"remote": True}])
def test_a_local_root_is_where_a_process_begins(more: dict[str, Any]) -> None:
    """What is above in another process is no part of the run."""
    (run,) = runs(plain(1, service="gateway", end=100), plain(2, parent=1, end=90, **more), tool(3, parent=2, end=80))
    assert run.top.id == "2"
    (whole,) = runs(plain(1, end=100), plain(2, parent=1, end=90), tool(3, parent=2, end=80))
    assert whole.top.id == "1"


def test_local_roots_inside_one_another_are_one_run() -> None:
    """A call in a process further down belongs to the run of the process above."""
    (run,) = runs(
        plain(1, end=100),
        tool(2, "a", parent=1, start=1, end=10),
        plain(3, parent=1, service="other", start=20, end=90),
        tool(4, "b", parent=3, service="other", start=30, end=40),
    )
    assert shape(run) == {"1": None, "2": "1", "4": "1"}


def test_calls_without_any_span_around_are_one_run_of_the_trace() -> None:
    """Parentless tool spans of a trace are together; two traces are two runs."""
    (one, two) = runs(tool(1, start=5, end=9), tool(2, start=1, end=3), tool(3, trace="u", start=7))
    assert (one.top.id, one.top.kind, one.top.span_id, one.top.service) == ("trace:t", "trace", None, "agents")
    assert ([call.span_id for call in one.calls], [call.span_id for call in two.calls]) == (["2", "1"], ["3"])
    assert (one.top.start_ns, one.top.end_ns) == (1_000_000, 9_000_000)


def test_a_parentless_tool_around_an_agent() -> None:
    """What is below it is below the trace's run too."""
    (run,) = runs(tool(1, "ask", end=90), agent(2, parent=1, end=80), tool(3, "add", parent=2, end=70))
    assert shape(run) == {"trace:t": None, "2": "trace:t", "1": "trace:t", "3": "2"}


# Calls whose parents are missing


def adrift(start: float = 20, end: float = 30, **more: Any) -> Span:
    return tool(9, "lost", parent=404, start=start, end=end, **more)


def test_a_call_adrift_joins_the_scope_that_contains_it() -> None:
    """The innermost scope of its trace and service, in time; the run is then incomplete."""
    (run,) = runs(agent(1, "boss", end=100), model(2, parent=1, end=90), agent(3, "math", parent=2, start=10, end=80), adrift())
    assert (run.calls[0].scope, run.calls[0].agent_path, run.calls[0].notes) == ("3", ("boss", "math"), ("parent_missing",))
    assert not run.complete


@pytest.mark.parametrize("more", [{"service": "other"}, {"trace": "u"}, {"start": 95, "end": 101}, {"start": None}, {"end": None}])
def test_a_call_adrift_that_no_scope_contains(more: dict[str, Any]) -> None:
    """Another service, trace or time: the trace's run."""
    found = runs(agent(1, end=100), adrift(**more))
    assert [(run.top.kind, len(run.calls)) for run in found if run.calls] == [("trace", 1)]
    assert [run.complete for run in found] == [not run.calls for run in found]


def test_a_call_adrift_between_two_scopes() -> None:
    """Two agents side by side may both have made it, so neither has."""
    found = runs(agent(1, "a", end=100), agent(2, "b", end=100), adrift())
    assert sorted((run.top.kind, len(run.calls)) for run in found) == [("agent", 0), ("agent", 0), ("trace", 1)]


def test_a_scope_around_and_one_beside() -> None:
    """The innermost is a scope that all others which contain the call are around."""
    found = runs(
        agent(1, "boss", end=100), model(2, parent=1), agent(3, "a", parent=2, start=5, end=90), agent(4, "b", start=6, end=80), adrift()
    )
    assert [run.top.kind for run in found if run.calls] == ["trace"]


def test_what_is_below_a_call_adrift_follows_it() -> None:
    """Its sub-agent and their calls are in the scope that it joined."""
    (run,) = runs(agent(1, end=100), adrift(), agent(10, "sub", parent=9, start=21, end=29), tool(11, "deep", parent=10, start=22, end=25))
    assert shape(run) == {"1": None, "10": "1", "9": "1", "11": "10"}


def test_calls_adrift_do_not_hold_each_other() -> None:
    """Two lost calls around agents of equal times end up in a run, not in a loop."""
    found = runs(
        *[adrift(), agent(10, "x", parent=9, start=20, end=30), tool(11, "in x", parent=10, start=20, end=30)],
        *[
            tool(19, "lost", parent=405, start=20, end=30),
            agent(20, "y", parent=19, start=20, end=30),
            tool(21, "in y", parent=20, start=20, end=30),
        ],
    )
    assert sum(len(run.calls) for run in found) == 4


def test_without_agents_what_encloses_is_the_run() -> None:
    """A process whose caller is not in the data still has its own entry around the calls."""
    (one, two) = runs(
        *[plain(1, parent=404, start=0, end=50), tool(2, "a", parent=1, start=1, end=5)],
        *[plain(3, parent=405, start=2, end=60), tool(4, "b", parent=3, start=3, end=6)],
    )
    assert ([call.tool for call in one.calls], [call.tool for call in two.calls]) == (["a"], ["b"])
    assert (one.complete, two.complete) == (True, True)


@pytest.mark.parametrize(("remote", "complete"), [(None, False), (False, False), (True, True)])
def test_complete(remote: bool | None, complete: bool) -> None:
    """A parent that is missing makes the run incomplete unless it is known to be in another process."""
    (run,) = runs(agent(1, end=100), adrift(remote=remote))
    assert run.complete is complete


def test_the_run_s_top_may_have_lost_its_parent() -> None:
    """Nothing is known to be missing inside."""
    (run,) = runs(agent(1, parent=404, end=100), tool(2, parent=1))
    assert run.complete


def test_cut_input() -> None:
    """Where spans may be lost, no run is complete."""
    assert [run.complete for run in runs(agent(1), tool(2, parent=1), cut=True)] == [False]


# One run a trace


def test_everything_of_a_trace_is_one_run() -> None:
    """With runs: trace, agents side by side and calls outside are one run; a single run stays what it was."""
    spans = [plain(0, end=100), agent(1, "a", parent=0, start=1), agent(2, "b", start=2), adrift(), tool(5, "p", start=7)]
    (run,) = runs(*spans, runs="trace")
    assert kinds(run) == [("trace", None, "trace:t"), ("agent", "a", "1"), ("agent", "b", "2")]
    assert {call.tool for call in run.calls} == {"lost", "p"}
    (single,) = runs(agent(1), tool(2, parent=1), runs="trace")
    assert single.top.kind == "agent"


# Conversations


def test_the_nearest_conversation() -> None:
    """The call's own, else the nearest above, else what its run's spans agree on; never the MCP session."""
    talk = {"gen_ai.conversation.id": "c-1"}
    assert the_call(agent(1, also=talk), tool(2, parent=1, also={"gen_ai.conversation.id": "c-2"})).conversation == "c-2"
    assert the_call(agent(1, also=talk), plain(3, parent=1), tool(2, parent=3)).conversation == "c-1"
    assert (
        the_call(plain(0), span(1, {"openinference.span.kind": "CHAIN", "session.id": "s"}, parent=0), tool(2, parent=1)).conversation
        == "s"
    )
    assert the_call(agent(1), model(2, parent=1, also=talk), tool(3, parent=1)).conversation == "c-1"
    assert the_call(agent(1), tool(3, parent=1), mcp(4, parent=3, also=talk)).conversation == "c-1"
    assert the_call(mcp(1, also={"mcp.session.id": "m"})).conversation is None
    assert the_call(span(0, {"session.id": "browser", "http.route": "/"}), agent(1, parent=0), tool(2, parent=1)).conversation is None


def test_a_run_of_several_conversations() -> None:
    """Where the spans do not agree, only what stands above counts."""
    (run,) = runs(
        agent(1),
        model(2, parent=1, also={"gen_ai.conversation.id": "a"}),
        model(3, parent=1, also={"gen_ai.conversation.id": "b"}),
        tool(4, parent=1),
    )
    assert (run.top.conversation, run.calls[0].conversation) == (None, None)


def test_the_conversation_of_a_scope() -> None:
    """Scopes inherit it like calls; an inner span of the same agent may know it."""
    (run,) = runs(agent(1), agent(2, parent=1, also={"gen_ai.conversation.id": "c"}), tool(3, parent=2), agent(4, "sub", parent=3))
    assert {scope.conversation for scope in run.scopes} == {"c"}


# What a scope knows


def said(text: str) -> dict[str, object]:
    return {"gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": text}]}]}


def test_the_first_user_message() -> None:
    """On the agent's span, else of its first model span; a handler has its first inner scope's, an agent not its sub-agent's."""
    (run,) = runs(agent(1, also=said("mine"), end=90), model(2, parent=1, also=said("later")))
    assert run.top.input == "mine"
    (run,) = runs(agent(1, end=90), model(3, parent=1, start=5, also=said("second")), model(2, parent=1, start=2, also=said("first")))
    assert run.top.input == "first"
    (run,) = runs(agent(1, end=90), tool(2, parent=1), agent(3, "sub", parent=2, also=said("do this")))
    assert [scope.input for scope in run.scopes] == [None, "do this"]
    (run,) = runs(workflow(1, end=90), agent(3, parent=1, start=5, also=said("b")), agent(2, "a", parent=1, start=2, also=said("a")))
    assert [scope.input for scope in run.scopes] == ["a", "a", "b"]
    (run,) = runs(agent(1, end=90), model(2, parent=1))
    assert run.top.input is None


def test_attributes_that_were_asked_for() -> None:
    """On the scope's span and those above, nearest first, then of the resource; nothing that was not asked for."""
    spans = [
        plain(0, end=100),
        span(1, {"team": "outer", "env": 1, "other": 1}, parent=0, end=90),
        agent(2, parent=1, also={"team": "inner"}, end=80, resource={"team": "resource", "region": "eu"}),
        tool(3, parent=2, also={"team": "tool"}, end=70),
    ]
    (run,) = runs(*spans, attributes=frozenset({"team", "env", "region", "absent"}))
    assert run.top.attributes == {"team": ("inner", "outer", "resource"), "env": (1,), "region": ("eu",)}
    assert runs(*spans)[0].top.attributes == {}


def test_an_attribute_repeated_on_the_way_up() -> None:
    """Baggage that is copied to each span is one value; 1 and true are two."""
    (run,) = runs(
        *[span(0, {"k": "a"}, end=100), span(1, {"k": "b"}, parent=0, end=95), span(2, {"k": True}, parent=1, end=92)],
        *[agent(3, parent=2, also={"k": 1}, end=90), agent(4, parent=3, also={"k": "a"}, end=80)],
        attributes=frozenset({"k"}),
    )
    assert run.top.attributes == {"k": ("a", 1, True, "b")}


def test_attributes_of_a_trace_s_run() -> None:
    """It has no span: what all its calls' spans agree on, and their resource."""
    (run,) = runs(
        tool(1, also={"case": "x", "n": 1}), tool(2, also={"case": "x", "n": 2}), attributes=frozenset({"case", "n", "service.name"})
    )
    assert run.top.attributes == {"case": ("x",), "service.name": ("agents",)}


def test_schemas_of_a_run() -> None:
    """What the run's own spans record of a tool goes before the rest of the trace; what they dispute is nothing."""

    def defined(**tools: object) -> dict[str, object]:
        return {"gen_ai.tool.definitions": [{"name": name, "parameters": schema} for name, schema in tools.items()]}

    number, text = {"type": "object", "properties": {"n": {}}}, {"type": "object", "properties": {"t": {}}}
    one, two = runs(
        agent(1, "a", start=1, also=defined(x=number, mine=number)),
        agent(2, "b", start=2, also=defined(x=text, y=number)),
        model(3, parent=2, also=defined(y=text, z=text)),
    )
    assert one.tool_schemas == {"x": number, "mine": number, "z": text}
    assert two.tool_schemas == {"x": text, "mine": number, "z": text}


# Order


def test_calls_are_ordered() -> None:
    """By start, end and span id; what has no time comes last. Runs by start, trace and id."""
    spans = [tool("d", start=None), tool("b", start=1, end=5), tool("c", start=1, end=5), tool("a", start=1, end=9), tool("e", start=0)]
    (run,) = runs(agent(1, end=99), *[span_below(each, "1") for each in spans])
    assert [call.span_id for call in run.calls] == ["e", "b", "c", "a", "d"]
    assert [run.trace_id for run in runs(agent(1, trace="b", start=5), agent(1, trace="a", start=5), agent(1, trace="c", start=1))] == [
        "c",
        "a",
        "b",
    ]


def span_below(made: Span, parent: str) -> Span:
    return Span(**{name: getattr(made, name) for name in made.__struct_fields__} | {"parent_id": parent})


def test_merged_spans_are_counted() -> None:
    """Each further span of a call counts."""
    (run,) = runs(agent(1), tool(2, parent=1), mcp(3, parent=2), mcp(4, parent=3, server=True), tool(5, "x", parent=1))
    assert (run.merged_spans, len(calls(agent(1), tool(2, parent=1), mcp(3, parent=2)))) == (2, 1)
