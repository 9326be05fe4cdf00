"""MCP: the conventions, the python SDK, FastMCP, and gateways, as client and as server."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, McpRole, Part
from otel_toolscore.spans import CLIENT, SERVER, Span

_SENT: Final = "MCP send "
_CALL: Final = "tools/call "
_DELEGATE: Final = "delegate "
_FASTMCP: Final = "fastmcp"
_FASTMCP_SERVER: Final = "fastmcp.server.name"
_OLD_TOOL_NAME: Final = "mcp.tool.name"
_OLD_REQUEST_ID: Final = "mcp.request.id"
_SERVER_NAME: Final = "mcp.server.name"
_RPC_METHOD: Final = "rpc.method"


def read(span: Span) -> Part | None:
    """The call in an MCP request; every other method is dropped."""
    attributes = span.attributes
    method = attributes.get(semconv.MCP_METHOD)
    if method is None and attributes.get(semconv.RPC_SYSTEM) in ("mcp", "jsonrpc"):
        method = attributes.get(_RPC_METHOD, semconv.MCP_TOOLS_CALL if _target(span.name) is not None else None)
    if method is None and _OLD_TOOL_NAME in attributes:
        method = semconv.MCP_TOOLS_CALL
    if not isinstance(method, str):
        return None
    if method != semconv.MCP_TOOLS_CALL:
        return Part(dropped=True, why=f"the MCP method {method} is not a tool call")
    own_name, server = values.text(attributes.get(_FASTMCP_SERVER)), values.text(attributes.get(_SERVER_NAME))
    return Part(
        role="tool",
        tool=values.text(attributes.get(semconv.TOOL_NAME)) or values.text(attributes.get(_OLD_TOOL_NAME)),
        guess=_target(span.name),
        server=own_name or server,
        server_named_by="itself" if own_name is not None or span.kind == SERVER else "caller",
        request_id=values.identifier(attributes.get(semconv.JSONRPC_REQUEST_ID, attributes.get(_OLD_REQUEST_ID))),
        session=values.identifier(attributes.get(semconv.MCP_SESSION)),
        mcp_role=_role(span),
    )


def _role(span: Span) -> McpRole | None:
    """A server that hands the call on within its process records that with INTERNAL spans; other INTERNAL spans are a caller's
    `execute_tool` span that took the MCP attributes in."""
    if span.kind == SERVER:
        return "server"
    if span.kind == CLIENT or span.name.startswith(_SENT):
        return "client"
    return "delegate" if span.scope_name == _FASTMCP or _FASTMCP_SERVER in span.attributes else None


def _target(name: str) -> str | None:
    """The tool in `tools/call X`, `MCP send tools/call X` or `delegate X`."""
    name = name.strip().removeprefix(_SENT)
    for start in (_CALL, _DELEGATE):
        if name.startswith(start):
            return values.text(name[len(start) :])
    return None


MCP: Final = Dialect(
    name="mcp",
    title="MCP conventions, MCP Python SDK, FastMCP",
    scopes=("mcp-python-sdk", "fastmcp", "Experimental.ModelContextProtocol"),
    needles=("mcp.", "rpc.system"),
    recognised="mcp.method.name is tools/call, as CLIENT, SERVER or (delegates within a server) INTERNAL; every other method is ignored",
    name_from="gen_ai.tool.name, else the span's name after tools/call, MCP send tools/call or delegate",
    id_from="none (jsonrpc.request.id and mcp.session.id join spans that lost their parent link)",
    arguments_from="gen_ai.tool.call.arguments (never recorded by the Python SDK and FastMCP)",
    result_from="gen_ai.tool.call.result (never recorded by the Python SDK and FastMCP)",
    error_from="error.type, status, rpc.response.status_code, isError in the result",
    left_out="arguments and results",
    hint="instrument the agent that makes the calls too: its span around the MCP call, or the model's messages, carry the arguments",
    read=read,
)
