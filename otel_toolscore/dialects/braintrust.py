"""Braintrust: a span's kind inside JSON."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects.keyed import Keys, keyed

BRAINTRUST: Final = keyed(
    Keys(
        kind="braintrust.span_attributes",
        roles={"tool": "tool", "llm": "model"},
        arguments=("braintrust.input_json", "braintrust.input"),
        result=("braintrust.output_json", "braintrust.output"),
    ),
    name="braintrust",
    title="Braintrust",
    recognised="type in braintrust.span_attributes is tool or llm",
    left_out="nothing",
    hint="log input and output on the span",
)
