"""Traceloop: entities, and the wrappers around what goes in and out."""

from __future__ import annotations

import json

import pytest
from span_records import reading, span

from otel_toolscore.model import Evidence
from otel_toolscore.spans import Span


def entity(kind: str, by: str = "langchain", name: str = "add.tool", **attributes: object) -> Span:
    given = {key.replace("__", "."): value for key, value in attributes.items()}
    return span(1, {"traceloop.span.kind": kind, **given}, name=name, scope=f"opentelemetry.instrumentation.{by}")


@pytest.mark.parametrize(
    ("kind", "role", "name"), [("agent", "agent", "boss"), ("workflow", "workflow", "boss"), ("task", "ignored", None)]
)
def test_scopes(kind: str, role: str, name: str | None) -> None:
    """Agents and workflows are named by the entity; a task is neither."""
    found = reading(entity(kind, traceloop__entity__name="boss", traceloop__association__properties__session_id="s-1"))
    assert (found.role, found.name, found.conversation) == (role, name, "s-1")


def test_langchain() -> None:
    """Inputs, call id, content and status are inside."""
    found = reading(
        entity(
            "tool",
            traceloop__entity__name="add",
            traceloop__entity__input=json.dumps(
                {"input_str": "{'a': 1}", "tags": [], "metadata": {}, "inputs": {"a": 1}, "kwargs": {"tool_call_id": "c1"}}
            ),
            traceloop__entity__output=json.dumps(
                {"output": {"lc": 1, "kwargs": {"content": "gone", "tool_call_id": "c1", "status": "error"}}, "kwargs": {}}
            ),
        )
    )
    assert (found.tool, found.call_id, found.arguments.value, found.result.value) == ("add", "c1", {"a": 1}, "gone")
    assert (found.outcome, found.error, found.dialect) == ("error", "gone", "traceloop")


@pytest.mark.parametrize(
    ("recorded", "arguments"),
    [
        ('{"input_str": "{\'a\': 1}"}', Evidence("captured", {"a": 1})),
        ('{"input_str": "Oslo", "inputs": null}', Evidence("unreadable", cause="truncated", text="Oslo")),
        ('{"args": [], "kwargs": {"a": 1}}', Evidence("captured", {"a": 1})),
        ('{"args": [1], "kwargs": {"b": 2}}', Evidence("unreadable", cause="truncated", text='{"args": [1], "kwargs": {"b": 2}}')),
        ('{"tool_name": "add", "arguments": {"a": 1}}', Evidence("captured", {"a": 1})),
        ('{"a": 1}', Evidence("captured", {"a": 1})),
        ('{"arguments": {"a": 1}}', Evidence("captured", {"arguments": {"a": 1}})),
        ("{'a': 1}", Evidence("captured", {"a": 1})),
        ('{"input_str": "{\'a\': 1', Evidence("unreadable", cause="truncated", text='{"input_str": "{\'a\': 1')),
    ],
)
@pytest.mark.parametrize("key", ["traceloop__entity__input", "gen_ai__tool__call__arguments"])
def test_wrappers(key: str, recorded: str, arguments: Evidence) -> None:
    """Each wrapper is taken off, under Traceloop's own attribute and under the conventions'."""
    assert reading(entity("tool", traceloop__entity__name="add", **{key: recorded})).arguments == arguments


def test_the_conventions_complete_what_was_cut() -> None:
    """A cut input does not hide arguments that the conventions' attribute has whole."""
    found = reading(
        entity("tool", traceloop__entity__input='{"inputs": {"a"', gen_ai__tool__call__arguments='{"inputs": {"a": 1}, "kwargs": {}}')
    )
    assert found.arguments.value == {"a": 1}


def test_names() -> None:
    """The conventions' name, what the input says, the entity, or the span without its suffix."""
    assert reading(entity("tool", gen_ai__tool__name="a", traceloop__entity__name="b")).tool == "a"
    assert (
        reading(entity("tool", by="mcp", traceloop__entity__name="x", traceloop__entity__input='{"tool_name": "b", "arguments": {}}')).tool
        == "b"
    )
    assert reading(entity("tool", traceloop__entity__name="c")).tool == "c"
    assert reading(entity("tool", name="d.tool")).tool == "d"
    assert (
        reading(
            entity("tool", by="llamaindex", name="FunctionTool.tool", traceloop__entity__name="FunctionTool", gen_ai__tool__name="e")
        ).tool
        == "e"
    )


def test_a_status_of_its_own() -> None:
    """gen_ai.task.status tells a failure that the span's status does not."""
    assert reading(entity("tool", gen_ai__task__status="failure")).outcome == "error"
    assert reading(entity("tool", gen_ai__task__status="success")).outcome == "ok"


def test_numbered_prompts() -> None:
    """Older model spans number prompts, completions and functions."""
    schema = {"type": "object", "properties": {}}
    found = reading(
        span(
            1,
            {
                "llm.request.type": "chat",
                "gen_ai.prompt.0.role": "system",
                "gen_ai.prompt.0.content": "be kind",
                "gen_ai.prompt.1.role": "user",
                "gen_ai.prompt.1.content": "hello",
                "gen_ai.prompt.2.role": "tool",
                "gen_ai.prompt.2.tool_call_id": "c1",
                "gen_ai.prompt.2.content": "done",
                "gen_ai.completion.0.tool_calls.0.id": "c2",
                "gen_ai.completion.0.tool_calls.0.name": "add",
                "gen_ai.completion.0.tool_calls.0.arguments": '{"a": 1}',
                "llm.request.functions.0.name": "add",
                "llm.request.functions.0.parameters": json.dumps(schema),
            },
            scope="opentelemetry.instrumentation.openai.v1",
        )
    )
    assert (found.role, found.messages.user, found.schemas) == ("model", "hello", {"add": schema})
    assert [(call.id, call.tool, call.arguments.value) for call in found.messages.calls] == [("c2", "add", {"a": 1})]
    assert [(answer.id, answer.result.value) for answer in found.messages.answers] == [("c1", "done")]
