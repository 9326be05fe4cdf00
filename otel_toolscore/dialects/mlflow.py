"""MLflow tracing: every value is JSON text, names too."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed

MLFLOW: Final = keyed(
    Keys(
        kind="mlflow.spanType",
        roles={"tool": "tool", "agent": "agent", "llm": "model", "chat_model": "model"},
        tool=(semconv.TOOL_NAME,),
        arguments=("mlflow.spanInputs",),
        result=("mlflow.spanOutputs",),
        conversation=("mlflow.trace.session", semconv.SESSION_ID),
    ),
    name="mlflow",
    title="MLflow",
    recognised="mlflow.spanType is TOOL, AGENT, LLM or CHAT_MODEL",
    left_out="nothing",
    hint="pass inputs and outputs to the span",
)
