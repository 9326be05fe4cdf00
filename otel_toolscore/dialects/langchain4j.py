"""LangChain4j on Quarkus: the conventions, on spans that are named after its tools."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_TOOLS: Final = "langchain4j.tools."
_SCOPES: Final = ("io.quarkus.opentelemetry", "io.quarkiverse.langchain4j*")


def read(span: Span) -> Part | None:
    """The tool that the span is named after; of its other spans what the conventions say."""
    if span.name.startswith(_TOOLS):
        return Part(role="tool", guess=values.text(span.name.removeprefix(_TOOLS)))
    by_scope = span.scope_name == _SCOPES[0] or span.scope_name.startswith(_SCOPES[1][:-1])
    return Part() if by_scope and any(key.startswith("gen_ai.") for key in span.attributes) else None


LANGCHAIN4J: Final = Dialect(
    name="langchain4j",
    title="LangChain4j on Quarkus",
    scopes=_SCOPES,
    needles=("name:" + _TOOLS,),
    recognised="the span's name begins with langchain4j.tools. (tool); else as the GenAI conventions, by the instrumentation scope",
    name_from="gen_ai.tool.name, else the span's name",
    id_from="gen_ai.tool.call.id",
    arguments_from="gen_ai.tool.call.arguments",
    result_from="gen_ai.tool.call.result",
    error_from="exception event, error.type, status",
    left_out="arguments and results",
    hint="set quarkus.langchain4j.tracing.include-tool-arguments=true and quarkus.langchain4j.tracing.include-tool-result=true",
    read=read,
)
