"""OpenInference, and what each of its instrumentations makes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from span_records import reading, span

from otel_toolscore.model import Evidence
from otel_toolscore.spans import Span

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}


def oi(kind: str, by: str = "openai_agents", name: str = "lookup", **attributes: object) -> Span:
    """A span of an OpenInference instrumentation; `_` in keys stands for `.`."""
    given = {key.replace("__", "."): value for key, value in attributes.items()}
    return span(1, {"openinference.span.kind": kind, **given}, name=name, scope=f"openinference.instrumentation.{by}")


def test_a_tool_span() -> None:
    """The input is the arguments, the schema a schema, the session the conversation."""
    found = reading(
        oi(
            "TOOL",
            tool__name="lookup",
            tool__parameters=json.dumps(SCHEMA),
            input__value='{"q": "a"}',
            input__mime_type="application/json",
            output__value="three",
            session__id="s-9",
        )
    )
    assert (found.role, found.dialect, found.tool, found.conversation) == ("tool", "openinference", "lookup", "s-9")
    assert (found.arguments.value, found.result.value) == ({"q": "a"}, "three")
    assert found.schemas == {"lookup": SCHEMA}


@pytest.mark.parametrize(
    ("kind", "role"),
    [("TOOL", "tool"), ("AGENT", "agent"), ("LLM", "model"), ("CHAIN", "ignored"), ("RETRIEVER", "ignored"), ("agent", "agent")],
)
def test_kinds(kind: str, role: str) -> None:
    """Three kinds say something; the others may still name the conversation."""
    found = reading(oi(kind, by="langchain", session__id="s"))
    assert (found.role, found.conversation) == (role, "s")


@pytest.mark.parametrize(
    ("by", "parameters", "arguments"),
    [
        ("agno", '{"a": 1}', Evidence("captured", {"a": 1})),
        ("google_adk", "{}", Evidence("captured", {})),
        ("openai_agents", "{}", Evidence("not_captured")),
        ("crewai", json.dumps(SCHEMA), Evidence("not_captured")),
        ("smolagents", '{"a": {"type": "integer", "description": "first"}}', Evidence("not_captured")),
        ("agno", json.dumps(SCHEMA), Evidence("not_captured")),
        ("crewai", '{"a": {"b": 1}}', Evidence("captured", {"a": {"b": 1}})),
    ],
)
def test_parameters_as_schema_or_arguments(by: str, parameters: str, arguments: Evidence) -> None:
    """tool.parameters is the arguments unless it looks like a schema; empty it is so only where the instrumentation writes arguments."""
    assert reading(oi("TOOL", by=by, tool__name="add", tool__parameters=parameters)).arguments == arguments


def test_the_input_goes_before_parameters() -> None:
    """Where both are there, the input is what the tool was given."""
    assert reading(oi("TOOL", by="agno", tool__parameters='{"a": 1}', input__value='{"a": 2}')).arguments.value == {"a": 2}


def test_langchain_writes_python() -> None:
    """An input that is no dictionary is written as `repr`."""
    assert reading(oi("TOOL", by="langchain", input__value="{'a': 1, 'b': None}")).arguments.value == {"a": 1, "b": None}


@pytest.mark.parametrize("recorded", ["Oslo", "42", "rm -rf /", "[1]"])
def test_langchain_drops_the_name_of_a_single_text(recorded: str) -> None:
    """What is left is an incomplete record of the call, not a wrong call."""
    found = reading(oi("TOOL", by="langchain", input__value=recorded))
    assert found.arguments == Evidence("unreadable", cause="truncated", text=recorded)
    assert found.bare == recorded
    assert reading(oi("TOOL", by="openai_agents", input__value=recorded)).arguments.cause == "malformed"


@pytest.mark.parametrize(
    "output",
    [
        '{"content": "3", "tool_call_id": "c1", "status": "success"}',
        '{"content": "3", "type": "tool", "tool_call_id": "c1"}',
        '{"output": {"content": "3", "tool_call_id": "c1"}}',
        '{"lc": 1, "id": ["schema", "messages", "ToolMessage"], "kwargs": {"content": "3", "tool_call_id": "c1"}}',
        "content='3' name='add' tool_call_id='c1'",
        '[{"content": "3", "tool_call_id": "c1"}]',
    ],
)
def test_tool_messages(output: str) -> None:
    """However a ToolMessage is written, its content is the result and its id the call's."""
    found = reading(oi("TOOL", by="langchain", output__value=output))
    assert (found.result.value, found.call_id, found.outcome) == (3, "c1", "ok")


def test_a_failed_tool_message() -> None:
    """Its status says that the call failed, whatever the span's status."""
    for output in (
        '{"content": "no such city", "tool_call_id": "c1", "status": "error"}',
        "content='no such city' tool_call_id='c1' status='error'",
    ):
        found = reading(oi("TOOL", by="langchain", output__value=output))
        assert (found.outcome, found.error, found.result.value) == ("error", "no such city", "no such city")


def test_a_result_that_only_begins_like_a_message() -> None:
    """Text without a call id is a text."""
    assert reading(oi("TOOL", by="langchain", output__value="content='3'")).result.value == "content='3'"


def test_a_function_response() -> None:
    """Google's function response holds the id, the name and the response."""
    found = reading(oi("TOOL", by="google_adk", output__value='{"id": "c1", "name": "add", "response": {"result": 3}}'))
    assert (found.call_id, found.result.value) == ("c1", {"result": 3})


@pytest.mark.parametrize("key", ["tool__id", "tool_call__id", "tool__call_id"])
def test_call_ids(key: str) -> None:
    """The id has several names."""
    given: dict[str, Any] = {key: "c1"}
    assert reading(oi("TOOL", **given)).call_id == "c1"


@pytest.mark.parametrize(
    ("wrapped", "arguments"),
    [
        ('{"args": [1], "kwargs": {}, "sanitize_inputs_outputs": false}', {"q": 1}),
        ('{"args": [], "kwargs": {"n": 2}, "sanitize_inputs_outputs": false}', {"n": 2}),
        ('{"args": ["a"], "kwargs": {"n": 2}}', {"q": "a", "n": 2}),
    ],
)
def test_smolagents(wrapped: str, arguments: object) -> None:
    """Positional arguments are named by the tool's parameters."""
    parameters = json.dumps({name: {"type": "string"} for name in ("q", "n")})
    assert (
        reading(oi("TOOL", by="smolagents", tool__name="f", tool__parameters=parameters, input__value=wrapped)).arguments.value == arguments
    )


def test_smolagents_without_names() -> None:
    """More positional arguments than names: the record is incomplete."""
    wrapped = '{"args": [1, 2], "kwargs": {}, "sanitize_inputs_outputs": false}'
    found = reading(oi("TOOL", by="smolagents", tool__name="f", input__value=wrapped)).arguments
    assert (found.state, found.cause) == ("unreadable", "truncated")


@pytest.mark.parametrize(
    ("by", "name", "tool"),
    [("crewai", "search.run", "search"), ("autogen_agentchat", "boss.search", "search"), ("langchain", "search", "search")],
)
def test_a_tool_named_by_its_span(by: str, name: str, tool: str) -> None:
    """Without tool.name, what the instrumentation adds to the span's name is taken off."""
    assert reading(oi("TOOL", by=by, name=name)).tool == tool


def test_agents() -> None:
    """An agent's name, its node, or its span's name."""
    assert reading(oi("AGENT", by="agno", name="a.run", agent__name="support")).name == "support"
    assert reading(oi("AGENT", graph__node__id="coordinator")).name == "coordinator"
    assert reading(oi("AGENT", by="langchain", name="agent")).name == "agent"
    assert reading(oi("AGENT", by="claude_agent_sdk", name="ClaudeAgentSDK.query")).name is None
    assert reading(oi("AGENT", by="claude_agent_sdk", name="ClaudeAgentSDK.Agent", agent__name="Agent")).name == "Agent"


def test_the_root_of_the_openai_agents_sdk() -> None:
    """It stands for the trace, so it is a workflow; agents have a node."""
    found = reading(oi("AGENT", name="Agent workflow"))
    assert (found.role, found.name) == ("workflow", "Agent workflow")


@pytest.mark.parametrize(
    ("value", "mime", "said"),
    [
        ("hello", "text/plain", "hello"),
        ("hello", None, "hello"),
        ('{"messages": [{"kwargs": {"content": "hello", "type": "human"}}]}', None, "hello"),
        ('{"messages": [["human", "x"], {"type": "human", "content": "hello"}]}', None, "hello"),
        ('{"input": "hello"}', "application/json", "hello"),
        ('[{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "input_text", "text": "hello"}]}]', None, "hello"),
        ('{"other": 1}', None, None),
    ],
)
def test_what_the_user_said(value: str, mime: str | None, said: str | None) -> None:
    """The input of an agent's span is text, messages, or an object with either."""
    more: dict[str, Any] = {} if mime is None else {"input__mime_type": mime}
    assert reading(oi("AGENT", graph__node__id="a", input__value=value, **more)).user_input == said


def test_messages_of_a_model() -> None:
    """Flattened keys are put together in the order of their numbers."""
    attributes: dict[str, object] = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "hello",
        "llm.input_messages.10.message.role": "tool",
        "llm.input_messages.10.message.tool_call_id": "c1",
        "llm.input_messages.10.message.content": "4",
        "llm.input_messages.2.message.role": "assistant",
        "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "add",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
        "llm.output_messages.0.message.tool_calls.1.tool_call.id": "c3",
        "llm.output_messages.0.message.tool_calls.1.tool_call.function.name": "mul",
        "llm.output_messages.0.message.tool_calls.1.tool_call.function.arguments": '{"b": 2}',
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c2",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "mul",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"b": 1}',
        "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": {"name": "add", "parameters": SCHEMA}}),
        "llm.tools.1.tool.json_schema": json.dumps({"name": "mul", "parameters": SCHEMA}),
    }
    found = reading(oi("LLM", **{key.replace(".", "__"): value for key, value in attributes.items()}))
    assert [(call.id, call.tool, call.arguments.value) for call in found.messages.calls] == [
        ("c1", "add", {"a": 1}),
        ("c2", "mul", {"b": 1}),
        ("c3", "mul", {"b": 2}),
    ]
    assert [(answer.id, answer.result.value) for answer in found.messages.answers] == [("c1", 4)]
    assert found.messages.user == "hello"
    assert found.schemas == {"add": SCHEMA, "mul": SCHEMA}
