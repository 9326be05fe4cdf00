"""Haystack: a span a tool step."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_NAME: Final = "haystack.tool.name"
_ERROR: Final = "haystack.tool.error"


def read(span: Span) -> Part | None:
    """A span that names a tool is a tool span."""
    attributes = span.attributes
    tool = values.text(attributes.get(_NAME))
    if tool is None:
        return None
    failed = attributes.get(_ERROR) in (True, "true")
    return Part(
        role="tool",
        tool=tool,
        arguments=values.arguments(attributes.get("haystack.agent.step.tool.input")),
        result=values.result(attributes.get("haystack.agent.step.tool.output")),
        outcome="error" if failed else None,
    )


HAYSTACK: Final = Dialect(
    name="haystack",
    title="Haystack",
    scopes=("haystack",),
    needles=(_NAME,),
    recognised="haystack.tool.name is there",
    name_from=_NAME,
    id_from="none",
    arguments_from="haystack.agent.step.tool.input",
    result_from="haystack.agent.step.tool.output",
    error_from="haystack.tool.error, status, exception event",
    left_out="arguments and results",
    hint="set HAYSTACK_CONTENT_TRACING_ENABLED=true",
    read=read,
)
