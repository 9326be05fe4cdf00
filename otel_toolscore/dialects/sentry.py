"""Sentry: the conventions under an operation of its own, with older names for content."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed

SENTRY: Final = keyed(
    Keys(
        kind="sentry.op",
        roles={"gen_ai.execute_tool": "tool", "gen_ai.invoke_agent": "agent", "gen_ai.chat": "model"},
        tool=(semconv.TOOL_NAME,),
        call_id=(semconv.TOOL_CALL_ID,),
        arguments=(semconv.TOOL_CALL_ARGUMENTS, "gen_ai.tool.input"),
        result=(semconv.TOOL_CALL_RESULT, "gen_ai.tool.output"),
        agent=(semconv.AGENT_NAME,),
        named_as_span=lambda name: name.removeprefix("execute_tool ").removeprefix("invoke_agent "),
    ),
    name="sentry",
    title="Sentry",
    recognised="sentry.op is gen_ai.execute_tool, gen_ai.invoke_agent or gen_ai.chat",
    left_out="arguments and results",
    hint="set send_default_pii=True (recordInputs and recordOutputs in JavaScript)",
)
