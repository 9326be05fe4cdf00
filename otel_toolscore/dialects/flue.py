"""Flue: tool spans with attributes of their own."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_NAME: Final = "flue.tool.name"


def read(span: Span) -> Part | None:
    """A span that names a tool is a tool span."""
    attributes = span.attributes
    tool = values.text(attributes.get(_NAME))
    if tool is None:
        return None
    return Part(
        role="tool",
        tool=tool,
        call_id=values.identifier(attributes.get("flue.tool.call_id")),
        arguments=values.arguments(attributes.get("flue.tool.arguments")),
        result=values.result(attributes.get("flue.tool.result")),
    )


FLUE: Final = Dialect(
    name="flue",
    title="Flue",
    needles=(_NAME,),
    recognised="flue.tool.name is there",
    name_from=_NAME,
    id_from="flue.tool.call_id",
    arguments_from="flue.tool.arguments",
    result_from="flue.tool.result",
    error_from="status, exception event",
    left_out="nothing",
    hint="let it record content",
    read=read,
)
