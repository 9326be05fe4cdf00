"""The cases of tests/cases at the level of calls and runs, and small likenesses of real exports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from case_format import Case, load_cases
from span_records import runs, span, spans_of_case

from otel_toolscore.assemble import assemble
from otel_toolscore.model import ToolCall
from otel_toolscore.spans import CLIENT, Span

CASES = [case for case in load_cases() if case.file in ("normalise", "dialects") and "spans" in case.document.get("input", {})]


def record(call: ToolCall) -> dict[str, Any]:
    """The call by the names that cases use."""
    return {
        "tool": call.tool,
        "server": call.server,
        "recorded_name": call.recorded_name,
        "args": call.arguments.value,
        "args_state": call.arguments.state,
        "args_cause": call.arguments.cause,
        "args_text": call.arguments.text,
        "result": call.result.value,
        "outcome": call.outcome,
        "error": call.error,
        "error_type": call.error_type,
        "id": call.id,
        "agent": call.agent,
        "agent_path": list(call.agent_path),
        "conversation": call.conversation,
        "service": call.service,
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    """The calls are what the case says, and so is the number of runs."""
    expected = case.document["expect"]
    found = assemble(spans_of_case(case.document["input"])).runs
    calls = sorted((call for run in found for call in run.calls), key=lambda call: call.start_ns or 0)
    if "run_count" in expected:
        assert len(found) == expected["run_count"]
    if "calls" in expected:
        assert len(calls) == len(expected["calls"])
        assert [{key: record(call)[key] for key in want} for want, call in zip(expected["calls"], calls, strict=True)] == expected["calls"]


def test_langgraph_through_openinference() -> None:
    """The root chain holds the calls; a tool that was recorded as an agent stays what it was recorded as."""
    scope = "openinference.instrumentation.langchain"

    def made(number: int, kind: str, name: str, start: int, parent: int | None = 1, **attributes: object) -> Span:
        given = {"openinference.span.kind": kind, **{key.replace("__", "."): value for key, value in attributes.items()}}
        return span(number, given, name=name, parent=parent, start=start, end=start + 5 if parent else 99, scope=scope)

    (run,) = runs(
        made(1, "CHAIN", "LangGraph", 0, None, input__value='{"messages": [{"kwargs": {"content": "Which is warmer?", "type": "human"}}]}'),
        made(2, "AGENT", "hand_to_agent", 10, input__value="{'agent_name': 'research'}"),
        made(3, "LLM", "ChatModel", 20),
        made(
            4,
            "TOOL",
            "finish",
            30,
            tool__name="finish",
            input__value='{"answer": "Quito"}',
            output__value='{"content": "ok", "tool_call_id": "t2", "status": "success"}',
        ),
    )
    assert [(scope.kind, scope.name) for scope in run.scopes] == [("enclosing", None), ("agent", "hand_to_agent")]
    assert run.top.input == "Which is warmer?"
    assert [(call.tool, call.id, call.arguments.value, call.result.value, call.agent) for call in run.calls] == [
        ("finish", "t2", {"answer": "Quito"}, "ok", None)
    ]


def test_agents_as_tools_side_by_side() -> None:
    """A workflow holds agents that are siblings of the agent whose tool started them: one run, each call with its own agent."""
    scope = "opentelemetry.instrumentation.openai_agents"

    def agent(number: int, name: str, start: int, end: int) -> Span:
        given = {"traceloop.span.kind": "agent", "gen_ai.agent.name": name, "gen_ai.operation.name": "invoke_agent"}
        return span(number, given, parent=1, name=f"{name}.agent", start=start, end=end, scope=scope)

    def tool(number: int, parent: int, name: str, arguments: object, start: int, end: int) -> Span:
        given = {"traceloop.span.kind": "tool", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        given |= {"gen_ai.tool.call.arguments": json.dumps(arguments), "gen_ai.tool.call.result": "done"}
        return span(number, given, parent=parent, name=f"{name}.tool", start=start, end=end, scope=scope)

    (run,) = runs(
        span(1, {"traceloop.span.kind": "workflow", "traceloop.workflow.name": "Desk"}, name="Desk", end=99, scope=scope),
        agent(2, "lead", 1, 98),
        tool(3, 2, "ask_prices", {"query": "tea"}, 10, 40),
        agent(4, "prices", 11, 39),
        tool(5, 4, "price_of", {"item": "tea"}, 15, 20),
    )
    assert (run.top.kind, run.top.name) == ("workflow", "Desk")
    assert [(call.tool, call.arguments.value, call.agent, call.agent_path) for call in run.calls] == [
        ("ask_prices", {"query": "tea"}, "lead", ("lead",)),
        ("price_of", {"item": "tea"}, "prices", ("prices",)),
    ]


def test_sub_agents_of_the_claude_agent_sdk() -> None:
    """A tool starts a sub-agent whose span is below it; the session is inherited."""
    scope = "openinference.instrumentation.claude_agent_sdk"

    def made(number: int, parent: int | None, kind: str, name: str, **attributes: object) -> Span:
        given = {"openinference.span.kind": kind, **{key.replace("__", "."): value for key, value in attributes.items()}}
        return span(number, given, parent=parent, name=name, start=number, end=99 - number, scope=scope)

    (run,) = runs(
        made(1, None, "AGENT", "ClaudeAgentSDK.query", session__id="s-1", input__value="Count the files", input__mime_type="text/plain"),
        made(2, 1, "TOOL", "Agent", tool__name="Agent", tool__id="t1", input__value='{"prompt": "count"}', output__value='{"n": 1}'),
        made(3, 2, "AGENT", "ClaudeAgentSDK.Agent", agent__name="Agent"),
        made(4, 3, "TOOL", "Bash", tool__name="Bash", tool__id="t2", tool__parameters='{"command": "ls"}', output__value='{"stdout": "a"}'),
    )
    assert run.top.input == "Count the files"
    assert [(call.tool, call.id, call.arguments.value, call.agent, call.conversation) for call in run.calls] == [
        ("Agent", "t1", {"prompt": "count"}, None, "s-1"),
        ("Bash", "t2", {"command": "ls"}, "Agent", "s-1"),
    ]


def test_a_tool_below_a_model_span() -> None:
    """ADK runs tools inside the model's span, among requests that no dialect knows; schemas and input are the model client's."""
    adk = "gcp.vertex.agent"
    schema = {"type": "object", "properties": {"all": {"type": "string"}}}
    client = {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "list all",
        "llm.request.functions.0.name": "releases",
        "llm.request.functions.0.parameters": json.dumps(schema),
    }
    executed = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "releases",
        "gen_ai.tool.type": "MCPTool",
        "gcp.vertex.agent.tool_call_args": "{}",
        "gcp.vertex.agent.tool_response": '{"content": [{"type": "text", "text": "none"}], "isError": false}',
    }
    (run,) = runs(
        span(0, {"http.method": "POST"}, name="POST /", end=99),
        span(1, {}, parent=0, name="invocation", start=1, end=90, scope=adk),
        span(2, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helm"}, parent=1, start=2, end=80, scope=adk),
        span(
            3,
            {"gcp.vertex.agent.session_id": "ctx", "gcp.vertex.agent.llm_request": "{}"},
            parent=2,
            name="call_llm",
            start=3,
            end=70,
            scope=adk,
        ),
        span(4, client, parent=3, name="openai.chat", kind=CLIENT, start=4, end=20),
        span(5, executed, parent=3, name="execute_tool releases", start=30, end=60, scope=adk),
        span(6, {"http.method": "POST"}, parent=5, name="POST", kind=CLIENT, start=31, end=50),
    )
    (call,) = run.calls
    assert (call.tool, call.type, call.agent, call.conversation, call.arguments.value, call.outcome) == (
        "releases",
        "MCPTool",
        "helm",
        "ctx",
        {},
        "ok",
    )
    assert (run.top.input, run.tool_schemas) == ("list all", {"releases": schema})
