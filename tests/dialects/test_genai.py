"""The GenAI conventions, all versions."""

from __future__ import annotations

import json

import pytest
from span_records import agent, model, reading, span, tool

from otel_toolscore.dialects import read
from otel_toolscore.messages import Answer, AskedCall
from otel_toolscore.model import NOT_CAPTURED, Evidence

MESSAGES_IN = [
    {"role": "system", "parts": [{"type": "text", "content": "be kind"}]},
    {"role": "user", "parts": [{"type": "text", "content": "weather in Oslo?"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c-1", "name": "weather", "arguments": {"city": "Oslo"}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c-1", "response": {"temp": 4}}]},
]
MESSAGES_OUT = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c-2", "name": "mail", "arguments": '{"to": "ada"}'}]}]


def test_an_execute_tool_span() -> None:
    """Everything that the conventions name is read."""
    found = reading(
        tool(
            1,
            "weather",
            '{"city": "Oslo"}',
            also={
                "gen_ai.tool.call.id": "c-1",
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.result": '{"temp": 4}',
                "gen_ai.agent.name": "helper",
                "gen_ai.conversation.id": "talk",
            },
        )
    )
    assert (found.role, found.dialect, found.tool, found.recorded_name, found.server) == ("tool", "genai", "weather", "weather", None)
    assert (found.call_id, found.type, found.agent, found.conversation) == ("c-1", "function", "helper", "talk")
    assert found.arguments == Evidence("captured", {"city": "Oslo"})
    assert found.result == Evidence("captured", {"temp": 4})
    assert found.outcome == "ok"


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("execute_tool", "tool"),
        ("invoke_agent", "agent"),
        ("invoke_workflow", "workflow"),
        ("chat", "model"),
        ("generate_content", "model"),
        ("text_completion", "model"),
        ("create_agent", "ignored"),
        ("embeddings", "ignored"),
        ("retrieval", "ignored"),
        ("plan", "ignored"),
        ("something_new", "ignored"),
    ],
)
def test_roles(operation: str, role: str) -> None:
    """The operation tells what a span is; to create an agent is not to run it."""
    assert reading(span(1, {"gen_ai.operation.name": operation})).role == role


def test_names_from_the_span_for_want_of_an_attribute() -> None:
    """The span's name is asked only where no attribute says it."""
    assert reading(span(1, {"gen_ai.operation.name": "execute_tool"}, name="execute_tool send mail")).tool == "send mail"
    assert (
        reading(span(1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash"}, name="execute_tool bash git")).tool == "bash"
    )
    assert reading(span(1, {"gen_ai.operation.name": "invoke_agent"}, name="invoke_agent boss")).name == "boss"
    assert reading(span(1, {"gen_ai.operation.name": "invoke_agent"}, name="run it")).name is None
    assert reading(span(1, {"gen_ai.operation.name": "execute_tool"}, name="execute_tool")).tool is None


def test_workflow_names() -> None:
    """The workflow's own name, and since it was merged with the agent span the agent's."""
    both = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "triage", "gen_ai.agent.name": "boss"}
    assert reading(span(1, both)).name == "triage"
    assert reading(span(1, {"gen_ai.operation.name": "invoke_workflow", "gen_ai.agent.name": "triage"})).name == "triage"


def test_before_the_operation_was_named() -> None:
    """A tool's name or call id without an operation is a tool span, a requested model a model span."""
    assert reading(span(1, {"gen_ai.tool.name": "add"})).role == "tool"
    assert reading(span(1, {"gen_ai.tool.call.id": "c"}, name="execute_tool add")).tool == "add"
    assert reading(span(1, {"gen_ai.request.model": "m"})).role == "model"
    assert reading(span(1, {"gen_ai.conversation.id": "talk"})).role == "ignored"
    assert read(span(1, {"http.request.method": "GET"})) is None


def test_the_server_in_the_name() -> None:
    """mcp__SERVER__TOOL is taken apart, and the recorded name kept."""
    found = reading(tool(1, "mcp__github__delete_repo"))
    assert (found.tool, found.server, found.recorded_name) == ("delete_repo", "github", "mcp__github__delete_repo")


@pytest.mark.parametrize("placeholder", ["unknown", "", "<not specified>", "none"])
def test_placeholders_for_an_id(placeholder: str) -> None:
    """What stands for no id is no id."""
    assert reading(tool(1, also={"gen_ai.tool.call.id": placeholder})).call_id is None


@pytest.mark.parametrize("written", [MESSAGES_IN, json.dumps(MESSAGES_IN)])
def test_messages_on_the_span(written: object) -> None:
    """Calls, answers and the first user message are read from structured messages and from JSON text."""
    found = reading(model(1, also={"gen_ai.input.messages": written, "gen_ai.output.messages": json.dumps(MESSAGES_OUT)})).messages
    assert found.calls == (
        AskedCall("c-1", "weather", Evidence("captured", {"city": "Oslo"})),
        AskedCall("c-2", "mail", Evidence("captured", {"to": "ada"})),
    )
    assert found.answers == (Answer("c-1", None, Evidence("captured", {"temp": 4})),)
    assert found.user == "weather in Oslo?"


def test_messages_in_the_event_that_details_the_operation() -> None:
    """Content that was captured as an event counts like content on the span."""
    event = ("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": MESSAGES_IN, "gen_ai.output.messages": MESSAGES_OUT})
    assert [call.id for call in reading(model(1, events=[event])).messages.calls] == ["c-1", "c-2"]


def test_messages_as_events() -> None:
    """Up to version 1.36 each message was an event."""
    found = reading(
        model(
            1,
            events=[
                ("gen_ai.user.message", {"content": "hello"}),
                ("gen_ai.assistant.message", {"tool_calls": '[{"id": "c-1", "function": {"name": "add", "arguments": "{\\"a\\": 1}"}}]'}),
                ("gen_ai.tool.message", {"gen_ai.event.content": '{"id": "c-1", "content": "3"}'}),
                (
                    "gen_ai.choice",
                    {"message": '{"role": "assistant", "tool_calls": [{"id": "c-2", "function": {"name": "mul", "arguments": "{}"}}]}'},
                ),
            ],
        )
    ).messages
    assert found.user == "hello"
    assert [(call.id, call.tool, call.arguments.value) for call in found.calls] == [("c-1", "add", {"a": 1}), ("c-2", "mul", {})]
    assert [(answer.id, answer.result.value) for answer in found.answers] == [("c-1", 3)]


def test_older_answers() -> None:
    """The answer was once called result."""
    old = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c-1", "result": "ok"}]}]
    assert reading(model(1, also={"gen_ai.input.messages": old})).messages.answers == (Answer("c-1", None, Evidence("captured", "ok")),)


def test_content_of_a_tool_span_as_events() -> None:
    """On a tool span the tool message is what the tool was given, the choice what it gave."""
    found = reading(
        tool(
            1,
            events=[
                ("gen_ai.tool.message", {"role": "tool", "content": '{"q": "a"}', "id": "t-1"}),
                ("gen_ai.choice", {"message": '[{"text": "three"}]', "id": "t-1"}),
            ],
        )
    )
    assert (found.arguments.value, found.result.value) == ({"q": "a"}, "three")
    structured = reading(tool(1, events=[("gen_ai.choice", {"message": [{"json": {"n": 1}}]})]))
    assert (structured.arguments, structured.result.value) == (NOT_CAPTURED, {"n": 1})
    several = reading(tool(1, events=[("gen_ai.choice", {"message": [{"text": "a"}, {"text": "b"}]})]))
    assert several.result.value == [{"text": "a"}, {"text": "b"}]


def test_content_of_a_tool_span_as_details() -> None:
    """A tool span may carry its call and answer as messages."""
    asked = [{"role": "tool", "parts": [{"type": "tool_call", "id": "c", "name": "search", "arguments": {"q": "a"}}]}]
    answered = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": [1]}]}]
    event = ("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": asked, "gen_ai.output.messages": answered})
    found = reading(tool(1, "search", events=[event]))
    assert (found.arguments.value, found.result.value) == ({"q": "a"}, [1])


def test_an_attribute_goes_before_an_event() -> None:
    """Events fill only what attributes lack."""
    found = reading(tool(1, "search", '{"q": "attribute"}', events=[("gen_ai.tool.message", {"content": '{"q": "event"}'})]))
    assert found.arguments.value == {"q": "attribute"}


def test_tool_definitions() -> None:
    """Schemas come flat, inside `function`, and not at all where only names are recorded."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    definitions = [
        {"type": "function", "name": "a", "parameters": schema},
        {"type": "function", "function": {"name": "b", "parameters": schema}},
        {"type": "function", "name": "c"},
        {"name": "d", "input_schema": schema},
        {"name": "e", "parameters": {"type": "OBJECT"}},
        "junk",
    ]
    for written in (definitions, json.dumps(definitions)):
        assert reading(agent(1, also={"gen_ai.tool.definitions": written})).schemas == {"a": schema, "b": schema, "d": schema}


@pytest.mark.parametrize("absurd", [None, 5, [], {}, "", "x", True, [None], {"a": None}])
def test_absurd_attributes(absurd: object) -> None:
    """Whatever stands under the conventions' names, reading gives an answer."""
    keys = ["gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]
    keys += ["gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions", "gen_ai.agent.name", "gen_ai.conversation.id"]
    for operation in ("execute_tool", "chat", "invoke_agent", absurd):
        reading(
            span(1, {**dict.fromkeys(keys, absurd), "gen_ai.operation.name": operation}, events=[("gen_ai.choice", {"message": absurd})])
        )
