"""MCP spans that lost their parent link: the two ends of one request, found by session, request id and tool.

Where the caller's context did not reach the server, the server's span is a top, often of a trace of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from otel_toolscore.assembly.forest import Node
from otel_toolscore.assembly.merge import Group
from otel_toolscore.dialects.dialect import McpRole
from otel_toolscore.dialects.names import same_tool

WHY: Final = "the other end of the same request: equal session, request id and tool, overlapping in time, the parent link lost"

_Request = tuple[str, str]


def rejoin(groups: Sequence[Group], lost: Sequence[bool]) -> dict[int, int]:
    """For each server group that belongs to a client's: position of the server's group -> position of the client's.

    `lost[i]` tells that the outermost span of `groups[i]` has no parent in the data. A server span that fits several clients fits
    none.
    """
    callers: dict[_Request, list[int]] = {}
    for position, group in enumerate(groups):
        request = _request(group, "client")
        if request is not None:
            callers.setdefault(request, []).append(position)
    found: dict[int, int] = {}
    for position, group in enumerate(groups):
        if not lost[position] or group.nodes[0].reading is None or group.nodes[0].reading.mcp_role != "server":
            continue
        request = _request(group, "server")
        fitting = [caller for caller in callers.get(request, ()) if _fit(groups[caller], group)] if request is not None else []
        if len(fitting) == 1 and fitting[0] != position:
            found[position] = fitting[0]
    return found


def joined(client: Group, server: Group) -> Group:
    """The client's group with the server's spans after its own."""
    offset = len(client.nodes)
    return Group(
        nodes=client.nodes + server.nodes,
        why=(*client.why, WHY, *server.why),
        superseded=client.superseded | {position + offset for position in server.superseded},
        notes=tuple(sorted({*client.notes, *server.notes})),
        apart=client.apart,
    )


def _request(group: Group, role: McpRole) -> _Request | None:
    readings = [node.reading for node in group.nodes if node.reading is not None and node.reading.mcp_role == role]
    session = next((reading.session for reading in readings if reading.session is not None), None)
    request = next((reading.request_id for reading in readings if reading.request_id is not None), None)
    return (session, request) if session is not None and request is not None else None


def _fit(client: Group, server: Group) -> bool:
    asked, ran = _tool(client, "client"), _tool(server, "server")
    if asked is None or ran is None or not same_tool(asked, ran):
        return False
    sending = [node for node in client.nodes if node.reading is not None and node.reading.mcp_role == "client"]
    return any(_overlap(node, server.nodes[0]) for node in sending)


def _tool(group: Group, role: McpRole) -> str | None:
    return next(
        (node.reading.tool for node in group.nodes if node.reading is not None and node.reading.mcp_role == role and node.reading.tool),
        None,
    )


def _overlap(one: Node, other: Node) -> bool:
    if one.start_ns is None or one.end_ns is None or other.start_ns is None or other.end_ns is None:
        return False
    return one.start_ns <= other.end_ns and other.start_ns <= one.end_ns
