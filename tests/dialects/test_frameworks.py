"""Frameworks with spans of their own: Pydantic AI, ADK, Strands, Claude Code, Gemini CLI, and others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from span_records import reading, span, the_call, tool

from otel_toolscore.dialects import read
from otel_toolscore.model import NOT_CAPTURED, Evidence

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def test_pydantic_ai_version_2() -> None:
    """`running tool` is a tool span; the group around it is not."""
    found = reading(
        span(
            1,
            {
                "gen_ai.tool.name": "weather",
                "gen_ai.tool.call.id": "c1",
                "tool_arguments": '{"city":"Oslo"}',
                "tool_response": '"4 degrees"',
            },
            name="running tool",
            scope="pydantic-ai",
        )
    )
    assert (found.role, found.dialect, found.arguments.value, found.result.value) == ("tool", "pydantic_ai", {"city": "Oslo"}, "4 degrees")
    for name in ("running 1 tool", "running 2 tools", "running tools"):
        assert reading(span(1, {"tools": ["weather"]}, name=name, scope="pydantic-ai")).role == "ignored"
    assert reading(span(1, {"agent_name": "planner"}, name="agent run", scope="pydantic-ai")).name == "planner"


@pytest.mark.parametrize(
    ("also", "outcome"),
    [
        ({"pydantic_ai.tool.deferral.name": "ApprovalRequired"}, "not_executed"),
        ({"pydantic_ai.tool.retry.cause": "validation"}, "error"),
        ({"pydantic_ai.tool.failure_stage": "validation"}, "error"),
        ({"gen_ai.tool.call.result": "1 validation error\n\nFix the errors and try again."}, "error"),
        ({"gen_ai.tool.call.result": "fine"}, "ok"),
    ],
)
def test_pydantic_ai_outcomes(also: dict[str, Any], outcome: str) -> None:
    """Deferred calls were not executed; a retry that the tool asked for is an error."""
    assert reading(tool(1, also=also, scope="pydantic-ai")).outcome == outcome


def test_pydantic_ai_messages_and_schemas() -> None:
    """The agent's span has all messages, the model's the tools."""
    listed = [
        {"role": "user", "parts": [{"type": "text", "content": "hello"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Oslo"}}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "name": "weather", "result": "cold"}]},
    ]
    found = reading(span(1, {"gen_ai.operation.name": "invoke_agent", "pydantic_ai.all_messages": json.dumps(listed)}, scope="pydantic-ai"))
    assert (found.messages.user, [call.id for call in found.messages.calls]) == ("hello", ["c1"])
    assert found.messages.answers[0].tool == "weather"
    parameters = json.dumps({"function_tools": [{"name": "weather", "parameters_json_schema": SCHEMA}]})
    assert reading(span(1, {"model_request_parameters": parameters}, name="chat m", scope="pydantic-ai")).schemas == {"weather": SCHEMA}


def test_pydantic_ai_version_1_events() -> None:
    """Version 1 listed events in one attribute."""
    events = [
        {"event.name": "gen_ai.user.message", "role": "user", "content": "hello"},
        {"event.name": "gen_ai.tool.message", "id": "c1", "content": "cold", "name": "weather"},
        {
            "event.name": "gen_ai.choice",
            "message": {"role": "assistant", "tool_calls": [{"id": "c2", "function": {"name": "weather", "arguments": "{}"}}]},
        },
    ]
    found = reading(span(1, {"gen_ai.operation.name": "chat", "events": json.dumps(events)}, scope="pydantic-ai")).messages
    assert (found.user, [each.id for each in found.calls], [each.id for each in found.answers]) == ("hello", ["c2"], ["c1"])


def adk(**attributes: object) -> dict[str, object]:
    return {f"gcp.vertex.agent.{key}": value for key, value in attributes.items()}


def test_adk() -> None:
    """Legacy attributes are read; the span that repeats parallel calls is dropped."""
    found = reading(tool(1, also=adk(tool_call_args='{"a": 1}', tool_response='{"result": 1}'), scope="gcp.vertex.agent"))
    assert (found.dialect, found.arguments.value, found.result.value) == ("adk", {"a": 1}, {"result": 1})
    assert reading(tool(1, "(merged tools)", also=adk(tool_call_args="N/A"), scope="gcp.vertex.agent")).role == "ignored"


@pytest.mark.parametrize(
    ("recorded", "arguments"),
    [
        ({"tool_call_args": "{}", "tool_response": "{}"}, NOT_CAPTURED),
        ({"tool_call_args": "{}"}, NOT_CAPTURED),
        ({"tool_call_args": "{}", "tool_response": '{"result": 1}'}, Evidence("captured", {})),
        ({"tool_call_args": '{"a": 1}', "tool_response": "{}"}, Evidence("captured", {"a": 1})),
    ],
)
def test_adk_with_content_off(recorded: dict[str, object], arguments: Evidence) -> None:
    """Both values empty means that content is off; an answer shows that empty arguments are the arguments."""
    assert reading(tool(1, also=adk(**recorded), scope="gcp.vertex.agent")).arguments == arguments


def test_adk_model() -> None:
    """call_llm holds the model's request and response, with schemas that are JSON Schema."""
    request = {
        "contents": [
            {"role": "user", "parts": [{"text": "hello"}]},
            {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "add", "response": {"result": 3}}}]},
        ],
        "config": {
            "tools": [
                {
                    "function_declarations": [
                        {"name": "add", "parameters_json_schema": SCHEMA},
                        {"name": "mul", "parameters": {"type": "OBJECT"}},
                    ]
                }
            ]
        },
    }
    response = {"content": {"role": "model", "parts": [{"function_call": {"id": "c2", "name": "add", "args": {"a": 1}}}]}}
    found = reading(
        span(
            1,
            adk(llm_request=json.dumps(request), llm_response=json.dumps(response), session_id="s"),
            name="call_llm",
            scope="gcp.vertex.agent",
        )
    )
    assert (found.role, found.conversation, found.messages.user, found.schemas) == ("model", "s", "hello", {"add": SCHEMA})
    assert [(call.id, call.tool, call.arguments.value) for call in found.messages.calls] == [("c2", "add", {"a": 1})]
    assert [(answer.id, answer.tool, answer.result.value) for answer in found.messages.answers] == [("c1", "add", {"result": 3})]


@pytest.mark.parametrize(("status", "outcome"), [("success", "ok"), ("error", "error"), (None, "unknown")])
def test_strands(status: str | None, outcome: str) -> None:
    """It leaves a status on every call that ends, so a call without one is unknown."""
    also = {} if status is None else {"gen_ai.tool.status": status}
    found = reading(tool(1, also={**also, "session.id": "s"}, scope="strands.telemetry.tracer"))
    assert (found.outcome, found.conversation, found.dialect) == (outcome, "s", "strands")


def claude(number: int, name: str, parent: int | None = None, **attributes: object) -> Any:
    return span(number, attributes, name=f"claude_code.{name}", parent=parent, start=number, end=20 - number)


@pytest.mark.parametrize(
    ("below", "outcome"),
    [
        ([], "unknown"),
        ([("tool.execution", {"success": "true"})], "ok"),
        ([("tool.execution", {"success": False, "error": "no such file"})], "error"),
        ([("tool.blocked_on_user", {"decision": "accept"}), ("tool.execution", {"success": True})], "ok"),
        ([("tool.blocked_on_user", {"decision": "reject"})], "not_executed"),
    ],
)
def test_claude_code(below: list[tuple[str, dict[str, object]]], outcome: str) -> None:
    """What is below the tool's span tells how the call ended; a call that was rejected was not executed."""
    spans = [claude(1, "tool", tool_name="mcp__files__read", tool_use_id="t1", tool_input='{"path": "a"}')]
    spans += [claude(2 + place, name, parent=1, **attributes) for place, (name, attributes) in enumerate(below)]
    call = the_call(*spans)
    assert (call.tool, call.server, call.id, call.arguments.value, call.outcome) == ("read", "files", "t1", {"path": "a"}, outcome)


def test_claude_code_parts_of_arguments() -> None:
    """A command on its own is a part of the arguments: it can be searched, and does not pass for all of them."""
    found = reading(claude(1, "tool", tool_name="Bash", full_command="rm -rf /")).arguments
    assert found == Evidence("unreadable", cause="truncated", text='{"command": "rm -rf /"}')
    assert reading(claude(1, "tool", tool_name="Bash", full_command="<REDACTED>")).arguments == NOT_CAPTURED
    assert reading(claude(1, "interaction")).role == "agent"
    assert reading(claude(1, "llm_request")).role == "model"
    assert reading(claude(1, "hook")).role == "ignored"


@pytest.mark.parametrize(("status", "outcome"), [("success", "ok"), ("error", "error"), ("cancelled", "unknown"), (None, "unknown")])
def test_gemini_cli(status: str | None, outcome: str) -> None:
    """The call and its answer are in the messages; the span's status says nothing."""
    attributes = {
        "gen_ai.operation.name": "tool_call",
        "gen_ai.tool.name": "read_file",
        "gen_ai.tool.call_id": "c1",
        "gen_ai.input.messages": '{"callId": "c1", "name": "read_file", "args": {"path": "a"}}',
        "gen_ai.output.messages": json.dumps({"response": {"n": 1}, **({} if status is None else {"status": status})}),
    }
    found = reading(span(1, attributes, name="tool_call"))
    assert (found.role, found.tool, found.call_id, found.arguments.value, found.result.value) == (
        "tool",
        "read_file",
        "c1",
        {"path": "a"},
        {"n": 1},
    )
    assert (found.outcome, found.dialect) == (outcome, "gemini_cli")
    assert reading(span(1, {"gen_ai.operation.name": "schedule_tool_calls"})).role == "ignored"


def test_gemini_cli_cut_messages() -> None:
    """Long values are cut with a mark."""
    attributes = {
        "gen_ai.operation.name": "tool_call",
        "gen_ai.tool.name": "f",
        "gen_ai.tool.call_id": "c",
        "gen_ai.input.messages": '{"args": {"path": "aa...[TRUNCATED]',
    }
    assert reading(span(1, attributes)).arguments.cause == "truncated"


def test_copilot() -> None:
    """The MCP server is named beside the conventions; hooks are not calls."""
    assert reading(tool(1, also={"github.copilot.tool.parameters.mcp_server_name": "github"}, scope="copilot_chat")).server == "github"
    assert reading(span(1, {"gen_ai.operation.name": "execute_hook"}, scope="copilot_chat")).role == "ignored"


def test_vercel_ai() -> None:
    """ai.toolCall is a tool span; the model's span has the messages."""
    found = reading(
        span(
            1,
            {
                "ai.operationId": "ai.toolCall",
                "ai.toolCall.name": "add",
                "ai.toolCall.id": "c1",
                "ai.toolCall.args": '{"a": 1}',
                "ai.toolCall.result": "1",
            },
            scope="ai",
        )
    )
    assert (found.role, found.dialect, found.tool, found.call_id, found.arguments.value, found.result.value) == (
        "tool",
        "vercel_ai",
        "add",
        "c1",
        {"a": 1},
        1,
    )
    asked = {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json.dumps(
            [
                {"role": "user", "content": [{"type": "text", "text": "hello"}]},
                {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c0", "toolName": "add", "output": 3}]},
            ]
        ),
        "ai.response.toolCalls": '[{"toolCallId": "c1", "toolName": "add", "input": {"a": 1}}]',
        "ai.prompt.tools": [json.dumps({"type": "function", "name": "add", "inputSchema": SCHEMA})],
        "ai.telemetry.metadata.sessionId": "s",
    }
    model = reading(span(1, asked, scope="ai"))
    assert (model.role, model.conversation, model.messages.user, model.schemas) == ("model", "s", "hello", {"add": SCHEMA})
    assert [(call.id, call.arguments.value) for call in model.messages.calls] == [("c1", {"a": 1})]
    assert [(answer.id, answer.result.value) for answer in model.messages.answers] == [("c0", 3)]
    assert reading(span(1, {"ai.operationId": "ai.generateText"}, scope="ai")).role == "ignored"


def test_logfire() -> None:
    """An MCP request holds the call, its response the result."""
    request = {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}, "id": 3}
    attributes = {
        "request": json.dumps(request),
        "response": '{"content": [{"type": "text", "text": "no"}], "isError": true}',
        "rpc.system": "jsonrpc",
    }
    found = reading(span(1, attributes, name="MCP request: tools/call add", scope="logfire.mcp"))
    assert (found.tool, found.arguments.value, found.mcp_role, found.request_id) == ("add", {"a": 1}, "client", "3")
    assert (found.outcome, found.error) == ("error", "no")
    assert reading(span(1, {"request": '{"method": "tools/list"}'}, name="MCP request: tools/list", scope="logfire.mcp")).role == "ignored"
    assert reading(
        span(1, {"name": "add", "input": {"a": 1}, "output": "1"}, name="Function: add", scope="logfire.openai_agents")
    ).arguments.value == {"a": 1}
    assert read(span(1, {"name": "add"}, name="Function: add", scope="other")) is None


def test_crewai_and_anthropic() -> None:
    """What they add to the conventions."""
    assert reading(tool(1, also={"crewai.tool.from_cache": False})).dialect == "crewai"
    assert (
        reading(
            span(
                1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a", "crewai.tool.failure.type": "x"}, name="tool failure"
            )
        ).role
        == "ignored"
    )
    found = reading(tool(1, also={"anthropic.tool_result.content": '[{"type": "text", "text": "1"}]', "anthropic.session.id": "s"}))
    assert (found.result.value, found.conversation) == (1, "s")


@pytest.mark.parametrize(
    "scope", ["agent_framework", "autogen-core", "Microsoft.SemanticKernel.Diagnostics", "Experimental.Microsoft.Extensions.AI"]
)
def test_frameworks_that_follow_the_conventions(scope: str) -> None:
    """They are known by their scope, so that the hint is theirs."""
    found = reading(tool(1, args="None", also={"gen_ai.tool.call.id": "unknown"}, scope=scope))
    assert found.dialect not in ("genai", "mcp")
    assert (found.arguments, found.call_id) == (NOT_CAPTURED, None)
    assert read(span(1, {"http.route": "/"}, scope=scope)) is None
