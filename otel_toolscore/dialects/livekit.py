"""LiveKit Agents: function_tool spans."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.dialects.keyed import first_identifier, first_text
from otel_toolscore.spans import Span

_PREFIXES: Final = ("lk.function_tool.", "lk.pii.function_tool.")


def read(span: Span) -> Part | None:
    """A function that ran; newer versions mark what may be personal data in the key."""
    attributes = span.attributes
    if not any(key.startswith(_PREFIXES) for key in attributes):
        return None
    failed = next((attributes[key] for key in _keys("is_error") if key in attributes), None)
    return Part(
        role="tool",
        tool=first_text(attributes, _keys("name")),
        call_id=first_identifier(attributes, _keys("id")),
        arguments=values.arguments(next((attributes[key] for key in _keys("arguments") if key in attributes), None)),
        result=values.result(next((attributes[key] for key in _keys("output") if key in attributes), None)),
        outcome="error" if failed in (True, "true") else None,
    )


def _keys(name: str) -> tuple[str, ...]:
    return tuple(prefix + name for prefix in _PREFIXES)


LIVEKIT: Final = Dialect(
    name="livekit",
    title="LiveKit Agents",
    scopes=("livekit-agents",),
    needles=_PREFIXES,
    recognised="lk.function_tool attributes are there",
    name_from="lk.function_tool.name",
    id_from="lk.function_tool.id",
    arguments_from="lk.function_tool.arguments, else lk.pii.function_tool.arguments",
    result_from="lk.function_tool.output, else lk.pii.function_tool.output",
    error_from="lk.function_tool.is_error, status, exception event",
    left_out="nothing",
    hint="keep the lk.pii attributes in the pipeline",
    read=read,
)
