"""GitHub Copilot: the conventions, and the MCP server of a tool beside them."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span

_PREFIX: Final = "github.copilot."
_SERVER: Final = "github.copilot.tool.parameters.mcp_server_name"
_SCOPES: Final = ("copilot_chat", "copilot-chat", "github.copilot")


def read(span: Span) -> Part | None:
    """What Copilot adds to the conventions."""
    attributes = span.attributes
    if span.scope_name not in _SCOPES and not any(key.startswith(_PREFIX) for key in attributes):
        return None
    if attributes.get(semconv.OPERATION_NAME) == "execute_hook":
        return Part(dropped=True, why="a hook is not a tool call")
    return Part(server=values.text(attributes.get(_SERVER)))


COPILOT: Final = Dialect(
    name="copilot",
    title="GitHub Copilot",
    scopes=_SCOPES,
    needles=(_PREFIX,),
    recognised="as the GenAI conventions; execute_hook is dropped",
    name_from="gen_ai.tool.name; the server from github.copilot.tool.parameters.mcp_server_name",
    id_from="gen_ai.tool.call.id",
    arguments_from="gen_ai.tool.call.arguments",
    result_from="gen_ai.tool.call.result",
    error_from="error.type, status",
    left_out="arguments and results",
    hint="set COPILOT_OTEL_CAPTURE_CONTENT=true",
    read=read,
)
