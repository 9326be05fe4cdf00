"""Langfuse: observations of type tool, agent and generation."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed, kind_of
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span


def _mark(span: Span) -> Outcome | None:
    return "error" if kind_of(span.attributes.get("langfuse.observation.level")) == "error" else None


LANGFUSE: Final = keyed(
    Keys(
        kind="langfuse.observation.type",
        roles={"tool": "tool", "agent": "agent", "generation": "model"},
        arguments=("langfuse.observation.input",),
        result=("langfuse.observation.output",),
        conversation=(semconv.SESSION_ID,),
        error=("langfuse.observation.status_message",),
        mark=_mark,
    ),
    name="langfuse",
    title="Langfuse",
    scopes=("langfuse-sdk",),
    recognised="langfuse.observation.type is tool, agent or generation (model)",
    error_from="langfuse.observation.level is ERROR, status, exception event",
    left_out="nothing",
    hint="pass input and output to the observation, and do not mask them",
)
