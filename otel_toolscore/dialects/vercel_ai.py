"""Vercel AI SDK up to version 6; version 7 follows the conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_toolscore.dialects import transcript, values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.dialects.keyed import first_identifier
from otel_toolscore.messages import Messages
from otel_toolscore.spans import Span

_OPERATION: Final = "ai.operationId"
_TOOL_CALL: Final = "ai.toolCall"
_MODEL_ENDINGS: Final = (".doGenerate", ".doStream")
_CONVERSATION: Final = tuple(f"ai.telemetry.metadata.{key}" for key in ("sessionId", "conversationId", "threadId", "chatId"))


def read(span: Span) -> Part | None:
    """A tool call, or a call of a model; the span around both carries what the user said."""
    attributes = span.attributes
    operation = attributes.get(_OPERATION)
    if not isinstance(operation, str):
        return None
    conversation = first_identifier(attributes, _CONVERSATION)
    if operation != _TOOL_CALL:
        model = operation.endswith(_MODEL_ENDINGS)
        return Part(
            role="model" if model else "ignored",
            why=None if model else "its operation is another",
            conversation=conversation,
            messages=_messages(attributes) if model else Messages(),
            user_input=transcript.user_text(attributes.get("ai.prompt")),
            schemas=transcript.schemas(attributes["ai.prompt.tools"]) if "ai.prompt.tools" in attributes else {},
        )
    return Part(
        role="tool",
        tool=values.text(attributes.get("ai.toolCall.name")),
        call_id=values.identifier(attributes.get("ai.toolCall.id")),
        arguments=values.arguments(attributes.get("ai.toolCall.args")),
        result=values.result(attributes.get("ai.toolCall.result")),
        conversation=conversation,
    )


def _messages(attributes: Mapping[str, object]) -> Messages:
    asked = values.structure(attributes.get("ai.response.toolCalls"))
    blocks = [{"type": "tool-call", **each} for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    return transcript.messages(attributes.get("ai.prompt.messages"), [{"role": "assistant", "content": blocks}] if blocks else None)


VERCEL_AI: Final = Dialect(
    name="vercel_ai",
    title="Vercel AI SDK",
    scopes=("ai",),
    needles=(_OPERATION,),
    recognised="ai.operationId is ai.toolCall (tool), or ends in doGenerate or doStream (model)",
    name_from="ai.toolCall.name",
    id_from="ai.toolCall.id",
    arguments_from="ai.toolCall.args",
    result_from="ai.toolCall.result",
    error_from="status, exception event",
    left_out="nothing",
    hint="set experimental_telemetry.recordInputs and recordOutputs to true, the default",
    read=read,
)
