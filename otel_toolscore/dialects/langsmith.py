"""LangSmith's OpenTelemetry export: runs with inputs and outputs."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed
from otel_toolscore.dialects.values import PYTHON

LANGSMITH: Final = keyed(
    Keys(
        kind="langsmith.span.kind",
        roles={"tool": "tool", "llm": "model"},
        tool=(semconv.TOOL_NAME, "langsmith.trace.name"),
        call_id=(semconv.TOOL_CALL_ID,),
        arguments=(semconv.TOOL_CALL_ARGUMENTS, "gen_ai.prompt"),
        result=(semconv.TOOL_CALL_RESULT, "gen_ai.completion"),
        # `langsmith.trace.session_id` is a project, not a conversation.
        conversation=tuple(f"langsmith.metadata.{key}" for key in ("thread_id", "session_id", "conversation_id")),
        style=PYTHON,
    ),
    name="langsmith",
    title="LangSmith",
    recognised="langsmith.span.kind is tool or llm",
    left_out="nothing",
    hint="unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS",
)
