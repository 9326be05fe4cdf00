"""Gemini CLI: tool_call spans that hold the call and its answer as messages."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span

_CALL_ID: Final = "gen_ai.tool.call_id"
_OUTCOMES: Final[dict[str, Outcome]] = {"success": "ok", "error": "error", "cancelled": "unknown"}


def read(span: Span) -> Part | None:
    """The call in gen_ai.input.messages, the answer in gen_ai.output.messages."""
    attributes = span.attributes
    operation = attributes.get(semconv.OPERATION_NAME)
    if operation == "schedule_tool_calls":
        return Part(dropped=True, why="it holds several tool spans together")
    if operation == "llm_call":
        return Part(role="model")
    if operation != "tool_call":
        return None
    call = values.mapping(attributes.get(semconv.INPUT_MESSAGES))
    answer = values.mapping(attributes.get(semconv.OUTPUT_MESSAGES))
    status = answer.get("status")
    given = call.get("args") if call else None
    return Part(
        role="tool",
        tool=values.text(call.get("name")),
        call_id=values.identifier(attributes.get(_CALL_ID)) or values.identifier(call.get("callId")),
        arguments=values.arguments(given) if call else values.arguments(attributes.get(semconv.INPUT_MESSAGES)),
        result=values.result(answer.get("response")) if answer else values.result(attributes.get(semconv.OUTPUT_MESSAGES)),
        # The status is inside the answer; a span without one does not say how the call ended.
        outcome=_OUTCOMES.get(status, "unknown") if isinstance(status, str) else "unknown",
        error=values.text(answer.get("error")),
    )


GEMINI_CLI: Final = Dialect(
    name="gemini_cli",
    title="Gemini CLI",
    scopes=("gemini-cli",),
    needles=(_CALL_ID, semconv.OPERATION_NAME),
    recognised="gen_ai.operation.name is tool_call (tool) or llm_call (model); schedule_tool_calls is dropped",
    name_from="gen_ai.tool.name, else name in gen_ai.input.messages",
    id_from="gen_ai.tool.call_id, else callId in gen_ai.input.messages",
    arguments_from="args in gen_ai.input.messages",
    result_from="response in gen_ai.output.messages",
    error_from="status in gen_ai.output.messages",
    left_out="nothing; long values are cut",
    hint="set telemetry.logPrompts to true, the default",
    read=read,
)
