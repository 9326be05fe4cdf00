"""CozeLoop: spans by type, with an input and an output."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed

COZE_LOOP: Final = keyed(
    Keys(
        kind="cozeloop.span_type",
        roles={"tool": "tool", "plugin": "tool", "function": "tool", "agent": "agent", "model": "model"},
        tool=(semconv.TOOL_NAME,),
        call_id=(semconv.TOOL_CALL_ID,),
        arguments=(semconv.TOOL_CALL_ARGUMENTS, "cozeloop.input"),
        result=(semconv.TOOL_CALL_RESULT, "cozeloop.output"),
        agent=(semconv.AGENT_NAME,),
        conversation=(semconv.SESSION_ID,),
        error=("error.message",),
    ),
    name="coze_loop",
    title="CozeLoop",
    recognised="cozeloop.span_type is tool, plugin or function (tool), agent or model",
    left_out="nothing",
    hint="record input and output on the span",
)
