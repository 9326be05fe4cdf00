"""Dify, and others that put a span's kind beside the conventions' attributes."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed

DIFY: Final = keyed(
    Keys(
        kind="gen_ai.span.kind",
        roles={"tool": "tool", "agent": "agent", "llm": "model"},
        tool=(semconv.TOOL_NAME,),
        call_id=(semconv.TOOL_CALL_ID,),
        arguments=(semconv.TOOL_CALL_ARGUMENTS,),
        result=(semconv.TOOL_CALL_RESULT,),
        agent=(semconv.AGENT_NAME,),
        conversation=("gen_ai.session.id",),
    ),
    name="dify",
    title="Dify",
    recognised="gen_ai.span.kind is TOOL, AGENT or LLM",
    left_out="nothing",
    hint="let its tracing record inputs and outputs",
)
