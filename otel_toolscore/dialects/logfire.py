"""Logfire's own integrations: MCP requests, and function tools of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_MCP: Final = "MCP request: "
_MCP_SERVER: Final = "MCP server handle request: "
_FUNCTION: Final = "Function: "
_SCOPE: Final = "logfire"


def read(span: Span) -> Part | None:
    """An MCP request, or a function that ran."""
    for start in (_MCP, _MCP_SERVER):
        if span.name.startswith(start) and "request" in span.attributes:
            return _request(span, server=start == _MCP_SERVER)
    if span.name.startswith(_FUNCTION) and span.scope_name.startswith(_SCOPE):
        attributes = span.attributes
        return Part(
            role="tool",
            tool=values.text(attributes.get("name")) or values.text(span.name.removeprefix(_FUNCTION)),
            arguments=values.arguments(attributes.get("input")),
            result=values.result(attributes.get("output", attributes.get("response"))),
        )
    return None


def _request(span: Span, server: bool) -> Part:
    request = values.mapping(span.attributes.get("request"))
    inner = request.get("root", request)
    request = inner if isinstance(inner, dict) else request
    parameters = request.get("params")
    if request.get("method") != semconv.MCP_TOOLS_CALL or not isinstance(parameters, dict):
        return Part(dropped=True, why="this MCP request is not a tool call")
    return Part(
        role="tool",
        tool=values.text(parameters.get("name")),
        arguments=values.arguments(parameters.get("arguments")),
        result=values.result(span.attributes.get("response")),
        request_id=values.identifier(request.get("id")),
        mcp_role="server" if server else "client",
    )


LOGFIRE: Final = Dialect(
    name="logfire",
    title="Logfire",
    scopes=("logfire*",),
    needles=("name:" + _MCP, "name:" + _MCP_SERVER, "name:" + _FUNCTION),
    recognised="the span's name begins with MCP request: or Function:",
    name_from="params.name in request, else name",
    id_from="none",
    arguments_from="params.arguments in request, else input",
    result_from="response, else output",
    error_from="isError in response, exception event, status",
    left_out="nothing",
    hint="do not scrub request, response, input and output",
    read=read,
)
