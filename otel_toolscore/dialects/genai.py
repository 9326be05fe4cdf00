"""The GenAI semantic conventions, all versions: what every emitter that follows them writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import transcript, values
from otel_toolscore.dialects.dialect import Dialect, Part, Role
from otel_toolscore.messages import Messages
from otel_toolscore.model import NOT_CAPTURED, Evidence
from otel_toolscore.spans import Span

_ROLES: Final[Mapping[str, Role]] = {
    semconv.EXECUTE_TOOL: "tool",
    semconv.INVOKE_AGENT: "agent",
    semconv.INVOKE_WORKFLOW: "workflow",
    **dict.fromkeys(semconv.MODEL_OPERATIONS, "model"),
    **dict.fromkeys(("create_agent", "embeddings", "retrieval", "plan", "create_memory", "search_memory", "update_memory"), "ignored"),
    **dict.fromkeys(("delete_memory", "create_memory_store", "delete_memory_store"), "ignored"),
}
_MESSAGE_EVENTS: Final[Mapping[str, str]] = {
    semconv.EVENT_SYSTEM_MESSAGE: "system",
    semconv.EVENT_USER_MESSAGE: "user",
    semconv.EVENT_ASSISTANT_MESSAGE: "assistant",
    semconv.EVENT_TOOL_MESSAGE: "tool",
    semconv.EVENT_CHOICE: "assistant",
}
_EVENT_CONTENT: Final = "gen_ai.event.content"


def read(span: Span) -> Part | None:
    """What the conventions' attributes and events say."""
    attributes = span.attributes
    if not any(key.startswith("gen_ai.") for key in attributes):
        return None
    operation = attributes.get(semconv.OPERATION_NAME)
    role = _ROLES.get(operation) if isinstance(operation, str) else None
    presumed = _presumed(attributes) if operation is None else None
    tool = values.text(attributes.get(semconv.TOOL_NAME))
    arguments = values.arguments(attributes.get(semconv.TOOL_CALL_ARGUMENTS))
    result = values.result(attributes.get(semconv.TOOL_CALL_RESULT))
    messages = _details(span)
    call_id = values.identifier(attributes.get(semconv.TOOL_CALL_ID))
    if "tool" in (role, presumed):
        if arguments == NOT_CAPTURED:
            arguments = _asked(messages, tool) or _arguments_event(span)
        if result == NOT_CAPTURED:
            result = _answered(messages) or _result_event(span)
        messages = Messages()
    elif span.events:
        messages = transcript.joined(messages, _events(span))
    return Part(
        role=role,
        presumed=presumed,
        why=f"its operation is {operation}" if role == "ignored" else None,
        tool=tool,
        guess=_guess(span.name),
        call_id=call_id,
        type=values.text(attributes.get(semconv.TOOL_TYPE)),
        arguments=arguments,
        result=result,
        agent=values.text(attributes.get(semconv.AGENT_NAME)),
        workflow=values.text(attributes.get(semconv.WORKFLOW_NAME)),
        conversation=values.identifier(attributes.get(semconv.CONVERSATION_ID)),
        messages=messages,
        schemas=transcript.schemas(attributes[semconv.TOOL_DEFINITIONS]) if semconv.TOOL_DEFINITIONS in attributes else {},
    )


def _details(span: Span) -> Messages:
    """The messages on the span itself, or in the event that details the operation."""
    places = [span.attributes, *(event.attributes for event in span.events if event.name == semconv.EVENT_OPERATION_DETAILS)]
    return transcript.joined(
        *(
            transcript.messages(place.get(semconv.INPUT_MESSAGES), place.get(semconv.OUTPUT_MESSAGES))
            for place in places
            if semconv.INPUT_MESSAGES in place or semconv.OUTPUT_MESSAGES in place
        )
    )


def _events(span: Span) -> Messages:
    """The messages that are an event each."""
    told = [{"role": _MESSAGE_EVENTS[each.name], **_fields(each.attributes)} for each in span.events if each.name in _MESSAGE_EVENTS]
    return transcript.messages(told) if told else Messages()


def _event_content(span: Span, name: str, key: str) -> object:
    """The content of the last event of that name; None where there is none."""
    for event in reversed(span.events):
        if event.name == name:
            return _fields(event.attributes).get(key)
    return None


def _fields(attributes: Mapping[str, object]) -> dict[str, object]:
    return {**attributes, **values.mapping(attributes.get(_EVENT_CONTENT))}


def _presumed(attributes: Mapping[str, object]) -> Role | None:
    """Spans from before `gen_ai.operation.name` was everywhere."""
    if semconv.TOOL_NAME in attributes or semconv.TOOL_CALL_ID in attributes:
        return "tool"
    return "model" if semconv.REQUEST_MODEL in attributes else None


def _guess(name: str) -> str | None:
    first, _, rest = name.strip().partition(" ")
    return values.text(rest) if first in (semconv.EXECUTE_TOOL, semconv.INVOKE_AGENT, semconv.INVOKE_WORKFLOW) else None


def _asked(messages: Messages, tool: str | None) -> Evidence | None:
    asked = [call for call in messages.calls if tool is None or call.tool == tool]
    return asked[0].arguments if len(asked) == 1 else None


def _answered(messages: Messages) -> Evidence | None:
    return messages.answers[0].result if len(messages.answers) == 1 else None


def _arguments_event(span: Span) -> Evidence:
    """On a tool span, the tool message is what the tool was given."""
    found = values.arguments(_event_content(span, semconv.EVENT_TOOL_MESSAGE, "content"))
    return found if found.state == "captured" or found.cause != "malformed" else NOT_CAPTURED


def _result_event(span: Span) -> Evidence:
    """On a tool span, the choice is what the tool gave; a single block of text or JSON is what is in it."""
    message = _event_content(span, semconv.EVENT_CHOICE, "message")
    blocks = values.structure(message)
    if isinstance(blocks, list) and len(blocks) == 1 and isinstance(blocks[0], dict):
        block = blocks[0]
        if block.keys() == {"json"}:
            return values.result(block["json"])
        if block.keys() <= {"type", "text"} and isinstance(block.get("text"), str):
            return values.result(block["text"])
    return values.result(message)


GENAI: Final = Dialect(
    name="genai",
    title="OpenTelemetry GenAI conventions",
    needles=("gen_ai.",),
    recognised="gen_ai.operation.name is execute_tool (tool), invoke_agent (agent), invoke_workflow (workflow), chat, generate_content,"
    " text_completion or fetch_response (model); without it, gen_ai.tool.name or gen_ai.tool.call.id (tool), gen_ai.request.model (model)",
    name_from="gen_ai.tool.name, else the span's name after execute_tool",
    id_from="gen_ai.tool.call.id",
    arguments_from="gen_ai.tool.call.arguments, else the event gen_ai.client.inference.operation.details or gen_ai.tool.message",
    result_from="gen_ai.tool.call.result, else the event gen_ai.client.inference.operation.details or gen_ai.choice",
    error_from="error.type, status, exception event",
    left_out="arguments and results",
    hint="set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (and OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"
    " for instrumentations that still ask for it)",
    read=read,
)
