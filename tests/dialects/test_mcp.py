"""MCP conventions, the python SDK and FastMCP."""

from __future__ import annotations

import pytest
from span_records import mcp, reading, span

from otel_toolscore.spans import CLIENT, INTERNAL, SERVER


def test_client_and_server() -> None:
    """The two ends of a request are told by the span's kind; the session is the connection's."""
    also = {"jsonrpc.request.id": 4, "mcp.session.id": "s-1"}
    for made, role in ((mcp(1, also=also), "client"), (mcp(1, also=also, server=True), "server")):
        found = reading(made)
        assert (found.role, found.tool, found.mcp_role, found.request_id, found.session) == ("tool", "search", role, "4", "s-1")
        assert found.conversation is None


@pytest.mark.parametrize("method", ["initialize", "tools/list", "prompts/get", "resources/read", "notifications/cancelled"])
def test_other_methods(method: str) -> None:
    """Only tools/call is a tool call, even where a tool is named."""
    assert reading(span(1, {"mcp.method.name": method, "gen_ai.tool.name": "x"}, kind=CLIENT)).role == "ignored"


def test_the_python_sdk_names_the_tool_in_the_span_only() -> None:
    """`MCP send tools/call X` is the client's span of X."""
    found = reading(span(1, {"mcp.method.name": "tools/call"}, name="MCP send tools/call add", kind=CLIENT, scope="mcp-python-sdk"))
    assert (found.tool, found.mcp_role) == ("add", "client")


def test_fastmcp() -> None:
    """A server names itself; what it hands on within its process are delegates, not callers."""
    own = {"mcp.method.name": "tools/call", "fastmcp.server.name": "files", "gen_ai.tool.name": "read_file"}
    served = reading(span(1, own, kind=SERVER, scope="fastmcp"))
    assert (served.server, served.server_named_by, served.mcp_role) == ("files", "itself", "server")
    handed = reading(span(2, {"mcp.method.name": "tools/call"}, name="delegate get_forecast", kind=INTERNAL, scope="fastmcp"))
    assert (handed.tool, handed.mcp_role) == ("get_forecast", "delegate")


def test_an_execute_tool_span_that_took_the_attributes_in() -> None:
    """An INTERNAL span with MCP attributes is the caller's own span."""
    both = {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add"}
    assert reading(span(1, both)).mcp_role is None


def test_json_rpc_without_the_mcp_attributes() -> None:
    """rpc.system mcp with the method, or with tools/call in the span's name."""
    assert reading(span(1, {"rpc.system": "mcp"}, name="tools/call add", kind=CLIENT)).tool == "add"
    assert reading(span(1, {"rpc.system": "jsonrpc", "rpc.method": "tools/list"}, kind=CLIENT)).role == "ignored"
    assert reading(span(1, {"mcp.tool.name": "add", "mcp.request.id": "7"}, kind=SERVER)).request_id == "7"


@pytest.mark.parametrize(
    ("result", "outcome", "error"),
    [
        ('{"isError": true, "content": [{"type": "text", "text": "no such file"}, {"type": "image"}]}', "error", "no such file"),
        ('{"isError": true}', "error", None),
        ('{"is_error": true, "content": []}', "error", None),
        ('{"isError": false, "content": [{"type": "text", "text": "fine"}]}', "ok", None),
        ('{"isError": "true"}', "ok", None),
    ],
)
def test_a_result_that_is_an_error(result: str, outcome: str, error: str | None) -> None:
    """A result with isError is an error, in its own words."""
    found = reading(mcp(1, also={"gen_ai.tool.call.result": result}))
    assert (found.outcome, found.error) == (outcome, error)


@pytest.mark.parametrize("code", ["-32602", -32602, "404"])
def test_a_json_rpc_error_code(code: object) -> None:
    """The caller's fault is an error of the call, although the server's span has no ERROR status."""
    found = reading(mcp(1, server=True, also={"rpc.response.status_code": code}))
    assert (found.outcome, found.error_type) == ("error", str(code))


@pytest.mark.parametrize("code", ["OK", "0", 0, ""])
def test_no_error_code(code: object) -> None:
    """What says that all is well is no error code."""
    assert reading(mcp(1, also={"rpc.response.status_code": code})).outcome == "ok"
