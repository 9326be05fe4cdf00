"""Which tool spans describe one call.

`merge` is a function of node records and works on any part of a trace that holds whole tool subtrees: one outermost tool span with
what is below it, up to the next agent or model span, is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from otel_toolscore.assembly.forest import NONE, Forest, Node
from otel_toolscore.compare import canonical, equal
from otel_toolscore.dialects.dialect import Reading
from otel_toolscore.dialects.names import same_tool
from otel_toolscore.model import NOT_CAPTURED, Evidence
from otel_toolscore.spans import CLIENT, INTERNAL, UNSPECIFIED

FAN_OUT: Final = "fan_out"
RETRY: Final = "transport_retry"

CLOCK_GRAIN_NS: Final = 2_000
"""By how much a span may stick out of the one around it: formats that keep a start and a duration in microseconds round both."""


class Group(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The tool spans that describe one call."""

    nodes: tuple[Node, ...]
    """Outermost first."""
    why: tuple[str, ...] = ()
    """For each node but the first, why it describes the same call."""
    superseded: frozenset[int] = frozenset()
    """Positions of nodes of earlier attempts of a transport retry."""
    notes: tuple[str, ...] = ()
    apart: str = ""
    """Why the call is not the same as the tool span around it; empty where there is none."""


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """The groups of a forest, and where in the forest their nodes are."""

    groups: tuple[Group, ...]
    roots: tuple[int, ...]
    """For each group the index of its outermost node."""


class _Chain(msgspec.Struct, frozen=True, gc=False):
    """What the spans from a call's outermost down to one of them say together."""

    tool: str | None
    call_id: str | None
    caller_server: str | None
    own_server: str | None
    local: Evidence
    """Arguments captured by the spans of one process that nest directly."""


def merge(forest: Forest) -> Merged:
    """The calls that the tool spans of the forest describe, in the order of their outermost spans."""
    tools = [index for index in forest.order if forest.role(index) == "tool"]
    around = forest.inherited(NONE, lambda index, above: _around(forest, index, above))
    outer = {index: _outer_tool(forest, around, index) for index in tools}
    apart = _apart(forest, tools, outer)
    notes, earlier = _branches(forest, tools, outer, apart)
    root: dict[int, int] = {}
    superseded: set[int] = set()
    members: dict[int, list[int]] = {}
    for index in tools:
        same = outer[index] != NONE and index not in apart
        root[index] = root[outer[index]] if same else index
        if index in earlier or (same and outer[index] in superseded):
            superseded.add(index)
        members.setdefault(root[index], []).append(index)
    groups = []
    for first in sorted(members):
        inside = members[first]
        if len(inside) == 1 and first not in notes:
            groups.append(Group(nodes=(forest.nodes[first],), apart=apart.get(first, "")))
            continue
        groups.append(
            Group(
                nodes=tuple(forest.nodes[index] for index in inside),
                why=tuple(
                    _why(forest.nodes[outer[index]], forest.nodes[index], RETRY in notes.get(outer[index], ())) for index in inside[1:]
                ),
                superseded=frozenset(position for position, index in enumerate(inside) if index in superseded),
                notes=tuple(sorted({note for index in inside for note in notes.get(index, ())})),
                apart=apart.get(first, ""),
            )
        )
    return Merged(groups=tuple(groups), roots=tuple(sorted(members)))


def _around(forest: Forest, index: int, above: int) -> int:
    """The nearest tool span from this one up, with no agent or model span between."""
    role = forest.role(index)
    if role == "tool":
        return index
    return NONE if role in ("agent", "model") else above


def _outer_tool(forest: Forest, around: Sequence[int], index: int) -> int:
    parent = forest.parent[index]
    return around[parent] if parent != NONE else NONE


def _apart(forest: Forest, tools: Sequence[int], outer: dict[int, int]) -> dict[int, str]:
    """The tool spans below another that are calls of their own, and why."""
    chains: dict[int, _Chain] = {}
    apart: dict[int, str] = {}
    for index in tools:
        reading = _reading(forest.nodes[index])
        above = outer[index]
        if above != NONE:
            reason = _difference(forest.nodes[above], chains[above], forest.nodes[index], reading)
            if reason is None:
                local = _in_process(forest.nodes[above], forest.nodes[index])
                chains[index] = _extended(chains[above], reading, local)
                continue
            apart[index] = reason
        chains[index] = _extended(_Chain(None, None, None, None, NOT_CAPTURED), reading, local=True)
    return apart


def _extended(chain: _Chain, reading: Reading, local: bool) -> _Chain:
    own = reading.server if reading.server_named_by == "itself" else None
    caller = reading.server if reading.server_named_by == "caller" else None
    delegated = reading.mcp_role == "delegate"
    kept = chain.local if local and chain.local.state == "captured" else reading.arguments
    return _Chain(
        tool=reading.tool or chain.tool,
        call_id=chain.call_id or reading.call_id,
        caller_server=chain.caller_server or caller,
        # A server that mounts another hands the call on under the other's name.
        own_server=own if delegated else chain.own_server or own,
        local=kept,
    )


def _difference(outer: Node, chain: _Chain, inner: Node, reading: Reading) -> str | None:
    """Why the inner span describes another call; None where it describes the same."""
    if chain.tool is not None and reading.tool is not None and not same_tool(chain.tool, reading.tool):
        return "another tool"
    if _known_and_different(chain.call_id, reading.call_id):
        return "another call id"
    if reading.mcp_role != "delegate":
        known = chain.own_server if reading.server_named_by == "itself" else chain.caller_server
        if _known_and_different(known, reading.server):
            return "another server"
    if _in_process(outer, inner):
        if not _within(outer, inner):
            return "it does not lie within the time of the span around it"
        if _different_values(chain.local, reading.arguments):
            return "other arguments"
    return None


def _in_process(outer: Node, inner: Node) -> bool:
    """Whether both spans are a caller's own records of running a tool, rather than the two ends of a request."""
    local = (INTERNAL, UNSPECIFIED)
    if outer.kind in local and inner.kind in local:
        return True
    return outer.kind == inner.kind == CLIENT and _reading(outer).mcp_role is None and _reading(inner).mcp_role is None


def _within(outer: Node, inner: Node) -> bool:
    """Whether nothing that is known of the times speaks against it."""
    begins = outer.start_ns is None or inner.start_ns is None or inner.start_ns >= outer.start_ns - CLOCK_GRAIN_NS
    ends = outer.end_ns is None or inner.end_ns is None or inner.end_ns <= outer.end_ns + CLOCK_GRAIN_NS
    started = outer.end_ns is None or inner.start_ns is None or inner.start_ns <= outer.end_ns
    return begins and ends and started


def _branches(forest: Forest, tools: Sequence[int], outer: dict[int, int], apart: dict[int, str]) -> tuple[dict[int, set[str]], set[int]]:
    """Where a call has several inner branches: the notes of the spans concerned, and the attempts that a later one replaced.

    Branches that are calls of their own are added to `apart`.
    """
    below: dict[int, list[int]] = {}
    for index in tools:
        if outer[index] != NONE and index not in apart:
            below.setdefault(outer[index], []).append(index)
    notes: dict[int, set[str]] = {}
    earlier: set[int] = set()
    arguments: dict[int, Evidence] = {}
    for index in reversed(tools):
        branches = sorted(below.get(index, ()))
        if len(branches) > 1:
            if _is_retry(forest, branches, arguments):
                notes.setdefault(index, set()).add(RETRY)
                earlier.update(branches[:-1])
            else:
                for each in (index, *branches):
                    notes.setdefault(each, set()).add(FAN_OUT)
                apart.update(dict.fromkeys(branches, "one of several branches, which are calls of their own"))
                branches = []
        given = [_reading(forest.nodes[index]).arguments, *(arguments[branch] for branch in branches)]
        arguments[index] = next((each for each in given if each.state == "captured"), NOT_CAPTURED)
    return notes, earlier


def _is_retry(forest: Forest, branches: Sequence[int], arguments: dict[int, Evidence]) -> bool:
    """Whether the branches, in order of their starts, are one request sent again."""
    readings = [_reading(forest.nodes[branch]) for branch in branches]
    for known in ("call_id", "server"):
        if len({value for reading in readings if (value := getattr(reading, known)) is not None}) > 1:
            return False
    names = [reading.tool for reading in readings if reading.tool is not None]
    if not all(same_tool(names[0], name) for name in names[1:]):
        return False
    ends_before = all(_ended_before(forest.nodes[one], forest.nodes[other]) for one, other in pairwise(branches))
    given = {canonical(arguments[branch].value) for branch in branches if arguments[branch].state == "captured"}
    return ends_before and len(given) <= 1


def _ended_before(one: Node, other: Node) -> bool:
    return one.end_ns is not None and other.start_ns is not None and one.end_ns <= other.start_ns


def _why(outer: Node, inner: Node, attempt: bool) -> str:
    role = _reading(inner).mcp_role
    if attempt:
        return "an attempt of the same request: no overlap, equal arguments"
    if role == "client":
        return "the MCP client's span of the call around it"
    if role == "server":
        return "the MCP server's span of the call around it"
    if role == "delegate":
        return "the MCP server hands the call on"
    if _in_process(outer, inner):
        return "the same tool within the time of the span around it, with no agent or model span between"
    return "the same tool below, with no agent or model span between"


def _reading(node: Node) -> Reading:
    assert node.reading is not None
    return node.reading


def _known_and_different(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _different_values(one: Evidence, other: Evidence) -> bool:
    return one.state == other.state == "captured" and not equal(one.value, other.value)
