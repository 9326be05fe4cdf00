"""Genkit: actions of subtype tool and model."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects.keyed import Keys, keyed

GENKIT: Final = keyed(
    Keys(
        kind="genkit:metadata:subtype",
        roles={"tool": "tool", "tool.v2": "tool", "model": "model"},
        tool=("genkit:name",),
        arguments=("genkit:input",),
        result=("genkit:output",),
        conversation=("genkit:sessionId",),
    ),
    name="genkit",
    title="Genkit",
    scopes=("genkit-tracer",),
    recognised="genkit:metadata:subtype is tool, tool.v2 or model",
    left_out="nothing",
    hint="let it record inputs and outputs",
)
