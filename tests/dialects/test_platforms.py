"""Tracing platforms and frameworks that keep each thing under a key of its own."""

from __future__ import annotations

import pytest
from span_records import reading, span

from otel_toolscore.dialects import read

SPANS = {
    "langsmith": {
        "langsmith.span.kind": "tool",
        "gen_ai.prompt": '{"a": 1}',
        "gen_ai.completion": '{"output": "3"}',
        "langsmith.metadata.thread_id": "s",
    },
    "langfuse": {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": '{"a": 1}',
        "langfuse.observation.output": "3",
        "session.id": "s",
    },
    "mlflow": {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"a": 1}', "mlflow.spanOutputs": '"3"', "mlflow.trace.session": '"s"'},
    "haystack": {"haystack.tool.name": "add", "haystack.agent.step.tool.input": '{"a": 1}', "haystack.agent.step.tool.output": "3"},
    "mastra": {"mastra.span.type": "tool_call", "gen_ai.tool.input": '{"a": 1}', "gen_ai.tool.output": "3"},
    "livekit": {"lk.function_tool.name": "add", "lk.pii.function_tool.arguments": '{"a": 1}', "lk.function_tool.output": "3"},
    "genkit": {
        "genkit:metadata:subtype": "tool.v2",
        "genkit:name": "add",
        "genkit:input": '{"a": 1}',
        "genkit:output": "3",
        "genkit:sessionId": "s",
    },
    "spring_ai": {
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "add",
        "spring.ai.tool.call.arguments": '{"a": 1}',
        "spring.ai.tool.call.result": "3",
    },
    "dify": {
        "gen_ai.span.kind": "TOOL",
        "gen_ai.tool.name": "add",
        "gen_ai.tool.call.arguments": '{"a": 1}',
        "gen_ai.tool.call.result": "3",
    },
    "voltagent": {"span.type": "tool", "voltagent.label": "x", "input": '{"a": 1}', "output": "3", "conversation.id": "s"},
    "flue": {"flue.tool.name": "add", "flue.tool.call_id": "c", "flue.tool.arguments": '{"a": 1}', "flue.tool.result": "3"},
    "braintrust": {"braintrust.span_attributes": '{"type": "tool"}', "braintrust.input_json": '{"a": 1}', "braintrust.output_json": "3"},
    "agentops": {"agentops.span.kind": "tool", "tool.name": "add", "tool.parameters": '{"a": 1}', "tool.result": "3"},
    "laminar": {
        "lmnr.span.type": "TOOL",
        "lmnr.span.input": '{"a": 1}',
        "lmnr.span.output": "3",
        "lmnr.association.properties.session_id": "s",
    },
    "sentry": {"sentry.op": "gen_ai.execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.input": '{"a": 1}', "gen_ai.tool.output": "3"},
}


@pytest.mark.parametrize("dialect", SPANS)
def test_a_tool_span(dialect: str) -> None:
    """Name, arguments, result and conversation are where the platform keeps them."""
    found = reading(span(1, SPANS[dialect], name="add"))
    assert (found.dialect, found.role, found.tool, found.arguments.value) == (dialect, "tool", "add", {"a": 1})
    assert found.result.value in (3, "3")
    assert found.outcome == "ok"
    assert found.conversation in (None, "s")


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({"langfuse.observation.type": "agent"}, "agent"),
        ({"langfuse.observation.type": "generation"}, "model"),
        ({"langfuse.observation.type": "span"}, "ignored"),
        ({"mlflow.spanType": '"CHAT_MODEL"'}, "model"),
        ({"mlflow.spanType": '"AGENT"'}, "agent"),
        ({"langsmith.span.kind": "chain"}, "ignored"),
        ({"mastra.span.type": "workflow_run"}, "workflow"),
        ({"agentops.span.kind": "agent"}, "agent"),
        ({"braintrust.span_attributes": "not json"}, "ignored"),
        ({"lmnr.span.type": 5}, "ignored"),
    ],
)
def test_roles(attributes: dict[str, object], role: str) -> None:
    """A kind that is not in the table is neither a call nor a scope."""
    assert reading(span(1, attributes, name="add")).role == role


@pytest.mark.parametrize(
    ("attributes", "outcome", "error"),
    [
        ({**SPANS["langfuse"], "langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "no"}, "error", "no"),
        ({**SPANS["langfuse"], "langfuse.observation.level": "DEFAULT"}, "ok", None),
        ({**SPANS["haystack"], "haystack.tool.error": True}, "error", None),
        ({**SPANS["mastra"], "gen_ai.tool.success": False}, "error", None),
        ({**SPANS["livekit"], "lk.function_tool.is_error": True}, "error", None),
        ({**SPANS["agentops"], "tool.status": "failed"}, "error", None),
        (
            {**SPANS["langsmith"], "gen_ai.completion": '{"output": {"content": "no", "tool_call_id": "c", "status": "error"}}'},
            "error",
            "no",
        ),
    ],
)
def test_marks(attributes: dict[str, object], outcome: str, error: str | None) -> None:
    """The platform's own mark of a failure counts."""
    found = reading(span(1, attributes, name="add"))
    assert (found.outcome, found.error) == (outcome, error)


def test_inputs_as_text() -> None:
    """LangChain's older runs hold the `repr` of the arguments as the one input."""
    assert reading(span(1, {"langsmith.span.kind": "tool", "gen_ai.prompt": '{"input": "{\'a\': 1}"}'}, name="add")).arguments.value == {
        "a": 1
    }
    assert reading(span(1, {"langsmith.span.kind": "tool", "gen_ai.prompt": '{"input": "Oslo"}'}, name="add")).arguments.value == {
        "input": "Oslo"
    }


def test_decorated_functions() -> None:
    """Named arguments of a decorated function are the arguments."""
    found = reading(
        span(1, {"langfuse.observation.type": "tool", "langfuse.observation.input": '{"args": [], "kwargs": {"a": 1}}'}, name="add")
    )
    assert found.arguments.value == {"a": 1}


def test_absent_values_of_spring() -> None:
    """Micrometer writes `none` for what is not there."""
    given = {
        **SPANS["spring_ai"],
        "spring.ai.tool.call.arguments": "none",
        "spring.ai.tool.call.result": "none",
        "spring.ai.tool.call.id": "none",
    }
    found = reading(span(1, given, name="tool_call add"))
    assert (found.arguments.state, found.result.state, found.call_id) == ("not_captured", "not_captured", None)


def test_a_type_that_is_anybody_s() -> None:
    """span.type counts only where VoltAgent is known by its scope or attributes."""
    assert read(span(1, {"span.type": "tool", "input": "{}"})) is None
    assert reading(span(1, {"span.type": "tool", "input": "{}"}, scope="@voltagent/core")).role == "tool"
