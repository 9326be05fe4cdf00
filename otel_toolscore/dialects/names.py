"""The server in a tool's recorded name, and whether two recorded names mean the same tool."""

from __future__ import annotations

from typing import Final, NamedTuple

_MCP: Final = "mcp__"
_BETWEEN: Final = "__"
_JOINTS: Final = frozenset("_.-/:")


class ToolName(NamedTuple):
    """A tool's bare name and the server that its recorded name says."""

    tool: str
    server: str | None


def split(recorded: str) -> ToolName:
    """`mcp__SERVER__TOOL` is server SERVER, tool TOOL; any other name is the tool's own."""
    if recorded.startswith(_MCP):
        server, between, tool = recorded[len(_MCP) :].partition(_BETWEEN)
        if server and between and tool:
            return ToolName(tool, server)
    return ToolName(recorded, None)


def same_tool(one: str, other: str) -> bool:
    """Whether the bare names are equal, or one is the other after a prefix that ends in `_`, `.`, `-`, `/` or `:`."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(longer) == len(shorter):
        return one == other
    return bool(shorter) and longer.endswith(shorter) and longer[-len(shorter) - 1] in _JOINTS
