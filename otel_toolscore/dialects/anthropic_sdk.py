"""The Anthropic SDK's own spans: the conventions, with the result under a name of its own."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects import transcript, values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_PREFIX: Final = "anthropic."
_RESULT: Final = "anthropic.tool_result.content"
_SESSION: Final = "anthropic.session.id"


def read(span: Span) -> Part | None:
    """What the SDK adds to the conventions."""
    attributes = span.attributes
    if not any(key.startswith(_PREFIX) for key in attributes):
        return None
    result = values.structure(attributes.get(_RESULT))
    return Part(
        result=transcript.answered(result) if isinstance(result, list) else values.result(attributes.get(_RESULT)),
        conversation=values.identifier(attributes.get(_SESSION)),
    )


ANTHROPIC_SDK: Final = Dialect(
    name="anthropic_sdk",
    title="Anthropic SDK",
    scopes=("anthropic",),
    needles=(_PREFIX,),
    recognised="as the GenAI conventions",
    name_from="gen_ai.tool.name",
    id_from="gen_ai.tool.call.id",
    arguments_from="gen_ai.tool.call.arguments",
    result_from="anthropic.tool_result.content",
    error_from="error.type, status",
    left_out="arguments and results",
    hint="let its tracing record content",
    read=read,
)
