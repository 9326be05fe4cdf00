"""CrewAI's own tracing: the conventions, with a second span for a failure."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_PREFIX: Final = "crewai."
_FAILURE: Final = "tool failure"
_FAILED: Final = "crewai.tool.failure."


def read(span: Span) -> Part | None:
    """What CrewAI adds to the conventions."""
    if not any(key.startswith(_PREFIX) for key in span.attributes):
        return None
    if span.name == _FAILURE and span.attributes.get(semconv.OPERATION_NAME) == semconv.EXECUTE_TOOL:
        return Part(dropped=True, why="it repeats the failure of a tool call")
    if any(key.startswith(_FAILED) for key in span.attributes):
        # A tool that returned, and said that it failed.
        return Part(outcome="error", error=values.text(span.attributes.get(_FAILED + "message")))
    return Part()


CREWAI: Final = Dialect(
    name="crewai",
    title="CrewAI",
    scopes=("crewai.telemetry", "crewai"),
    needles=(_PREFIX,),
    recognised="as the GenAI conventions; tool failure, which repeats a call, is dropped",
    name_from="gen_ai.tool.name",
    id_from="none",
    arguments_from="gen_ai.tool.call.arguments",
    result_from="gen_ai.tool.call.result",
    error_from="error.type, status, exception event, crewai.tool.failure",
    left_out="arguments and results",
    hint="let its tracing record content",
    read=read,
)
