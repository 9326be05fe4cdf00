"""Laminar: spans with a type."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects.keyed import Keys, keyed

LAMINAR: Final = keyed(
    Keys(
        kind="lmnr.span.type",
        roles={"tool": "tool", "llm": "model"},
        arguments=("lmnr.span.input",),
        result=("lmnr.span.output",),
        conversation=("lmnr.association.properties.session_id",),
    ),
    name="laminar",
    title="Laminar",
    scopes=("lmnr*",),
    recognised="lmnr.span.type is TOOL or LLM",
    left_out="nothing",
    hint="do not set ignore_input or ignore_output on the span",
)
