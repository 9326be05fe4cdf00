"""Mastra: the conventions, and what it wrote before it followed them."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span


def _mark(span: Span) -> Outcome | None:
    return "error" if span.attributes.get("gen_ai.tool.success") in (False, "false") else None


def _named(name: str) -> str:
    return name.removeprefix("tool.execute ").removeprefix("execute_tool ")


MASTRA: Final = keyed(
    Keys(
        kind="mastra.span.type",
        roles={
            "tool_call": "tool",
            "mcp_tool_call": "tool",
            "agent_run": "agent",
            "workflow_run": "workflow",
            "model_generation": "model",
            "llm_generation": "model",
        },
        tool=(semconv.TOOL_NAME,),
        call_id=(semconv.TOOL_CALL_ID,),
        arguments=(semconv.TOOL_CALL_ARGUMENTS, "gen_ai.tool.input"),
        result=(semconv.TOOL_CALL_RESULT, "gen_ai.tool.output"),
        agent=(semconv.AGENT_NAME,),
        mark=_mark,
        named_as_span=_named,
    ),
    name="mastra",
    title="Mastra",
    scopes=("@mastra/*",),
    recognised="mastra.span.type is tool_call, mcp_tool_call, agent_run, workflow_run or model_generation",
    error_from="error.type, status, gen_ai.tool.success",
    left_out="nothing",
    hint="do not hide input and output in its span processors",
)
