"""Google ADK: execute_tool spans with legacy attributes beside the conventions'."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import transcript, values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.messages import Messages
from otel_toolscore.model import NOT_CAPTURED
from otel_toolscore.spans import Span

_SCOPE: Final = "gcp.vertex.agent"
_PREFIX: Final = "gcp.vertex.agent."
_ARGUMENTS: Final = "gcp.vertex.agent.tool_call_args"
_RESPONSE: Final = "gcp.vertex.agent.tool_response"
_REQUEST: Final = "gcp.vertex.agent.llm_request"
_ANSWER: Final = "gcp.vertex.agent.llm_response"
_SESSION: Final = "gcp.vertex.agent.session_id"
_MERGED: Final = ("(merged tools)", "(merged)")


def read(span: Span) -> Part | None:
    """The legacy attributes, what the model was sent and said, and what to leave out."""
    attributes = span.attributes
    if span.scope_name != _SCOPE and not any(key.startswith(_PREFIX) for key in attributes):
        return None
    if attributes.get(semconv.TOOL_NAME) in _MERGED or span.name == "execute_tool (merged)":
        return Part(dropped=True, why="it repeats tool calls that ran in parallel")
    arguments = values.arguments(attributes.get(_ARGUMENTS))
    result = values.result(attributes.get(_RESPONSE))
    if arguments.value == {} and result.value in ({}, None):
        # With content switched off, both are written as `{}`.
        arguments = result = NOT_CAPTURED
    request = values.mapping(attributes.get(_REQUEST))
    model = span.name.startswith("call_llm") or bool(request)
    return Part(
        role="model" if model and semconv.OPERATION_NAME not in attributes else None,
        presumed="agent" if span.name.startswith("agent_run") else None,
        guess=span.name[len("agent_run") :].strip().strip("[]") or None if span.name.startswith("agent_run") else None,
        arguments=arguments,
        result=result,
        conversation=values.identifier(attributes.get(_SESSION)),
        messages=_messages(request, attributes.get(_ANSWER)) if model else Messages(),
        schemas=_schemas(request),
    )


def _messages(request: dict[str, object], answer: object) -> Messages:
    content = values.mapping(answer).get("content")
    return transcript.messages(request.get("contents"), [content] if isinstance(content, dict) else None)


def _schemas(request: dict[str, object]) -> dict[str, object]:
    config = request.get("config")
    return transcript.schemas(config.get("tools")) if isinstance(config, dict) else {}


ADK: Final = Dialect(
    name="adk",
    title="Google ADK",
    scopes=(_SCOPE,),
    needles=(_PREFIX,),
    recognised="as the GenAI conventions; execute_tool (merged) is dropped; call_llm is a model span",
    name_from="gen_ai.tool.name",
    id_from="gen_ai.tool.call.id (`<not specified>` is none)",
    arguments_from="gen_ai.tool.call.arguments, else gcp.vertex.agent.tool_call_args",
    result_from="gen_ai.tool.call.result, else gcp.vertex.agent.tool_response",
    error_from="error.type, status",
    left_out="nothing with schema 1 (both values read `{}` where content is off); content with schema 2",
    hint="set ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true (schema 2: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY)",
    read=read,
)
