"""A group of tool spans made the record of one call: identity from the outermost, the rest filled from inner spans and messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from otel_toolscore.assembly.forest import Node
from otel_toolscore.assembly.merge import Group
from otel_toolscore.compare import canonical
from otel_toolscore.dialects.dialect import Reading
from otel_toolscore.dialects.names import same_tool, split
from otel_toolscore.dialects.outcome import failure_in
from otel_toolscore.messages import MessageIndex, the_one
from otel_toolscore.model import NOT_CAPTURED, Evidence, MergedSpan, Outcome, ToolCall, Variant


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where a call stands among the scopes."""

    scope: str | None = None
    agent: str | None = None
    agent_path: tuple[str, ...] = ()
    conversation: str | None = None
    notes: tuple[str, ...] = ()


def describe(group: Group, place: Place, messages: MessageIndex, schemas: Mapping[str, object]) -> ToolCall:
    """The call that the group's spans record, at its place.

    `messages` are those of the call's trace, `schemas` the recorded JSON Schemas of arguments by tool.
    """
    nodes = group.nodes
    readings = [_reading(node) for node in nodes]
    outermost = nodes[0]
    named = next((reading for reading in readings if reading.tool is not None), None)
    tool = named.tool if named is not None and named.tool is not None else outermost.name
    call_id: str | None = _known(readings, "call_id")
    notes = [*group.notes, *place.notes]
    if named is None:
        notes.append("unnamed_tool")
    filled = _Filled(tool, call_id, messages, notes)
    arguments = filled.arguments(_first(readings, "arguments"), readings, schemas)
    lasting = [reading for position, reading in enumerate(readings) if position not in group.superseded]
    result, failed = filled.result(_first(lasting, "result"))
    outcome, error, error_type = _outcome(lasting)
    told = failure_in(result, mcp=any(reading.mcp_role is not None for reading in lasting))
    if outcome == "ok" and (failed or told is not None):
        outcome, error = "error", told or (result.value if isinstance(result.value, str) else None)
    if any(node.dropped_attributes for node in nodes) and arguments.state == "not_captured":
        notes.append("attributes_dropped")
    recorded = named.recorded_name if named is not None else None
    named_agent: str | None = _known(readings, "agent")
    call = ToolCall(
        tool=tool,
        server=_known(readings, "server"),
        recorded_name=recorded if recorded != tool else None,
        arguments=arguments,
        result=result,
        outcome=outcome,
        error=error,
        error_type=error_type,
        id=call_id,
        type=_known(readings, "type"),
        agent=place.agent or named_agent,
        agent_path=place.agent_path if place.agent is not None or named_agent is None else (*place.agent_path, named_agent),
        conversation=place.conversation,
        service=outermost.service,
        start_ns=_known(nodes, "start_ns"),
        end_ns=_known(nodes, "end_ns"),
        trace_id=outermost.trace_id,
        span_id=outermost.span_id,
        parent_span_id=outermost.parent_id or None,
        merged=tuple(MergedSpan(node.span_id, why) for node, why in zip(nodes[1:], group.why, strict=True)),
        dialect=readings[0].dialect,
        notes=tuple(dict.fromkeys(notes)),
        scope=place.scope,
    )
    return msgspec.structs.replace(call, variants=_variants(call, readings)) if len(readings) > 1 else call


class _Filled:
    """What the spans lack, taken from elsewhere, with a note of where."""

    def __init__(self, tool: str, call_id: str | None, messages: MessageIndex, notes: list[str]) -> None:
        self._tool = tool
        self._call_id = call_id
        self._messages = messages
        self._notes = notes

    def arguments(self, found: Evidence, readings: Sequence[Reading], schemas: Mapping[str, object]) -> Evidence:
        if found.state == "captured":
            return found
        if self._call_id is not None:
            asked = [call.arguments for call in self._messages.calls(self._call_id) if self._is_same(call.tool)]
            told = self._settled(asked, "arguments_from_messages")
            if told is not None:
                return told
        bare: str | None = _known(readings, "bare")
        name = _only_parameter(schemas.get(self._tool)) if bare is not None else None
        if name is not None:
            self._notes.append("argument_named_by_schema")
            return Evidence("captured", {name: bare})
        return found

    def result(self, found: Evidence) -> tuple[Evidence, bool]:
        """The result, and whether the message that gave it says that the call failed."""
        if found.state == "captured" or self._call_id is None:
            return found, False
        asked = self._messages.calls(self._call_id)
        ours = not asked or any(self._is_same(call.tool) for call in asked)
        given = [
            answer
            for answer in self._messages.answers(self._call_id)
            if (ours if answer.tool is None else self._is_same(answer.tool)) and answer.result.state == "captured"
        ]
        told = self._settled([answer.result for answer in given], "result_from_messages")
        return (found, False) if told is None else (told, any(answer.failed for answer in given))

    def _settled(self, evidences: list[Evidence], note: str) -> Evidence | None:
        told = the_one(evidences)
        if told == "disagree":
            self._notes.append("messages_disagree")
            return None
        if told is not None:
            self._notes.append(note)
        return told

    def _is_same(self, name: str) -> bool:
        return same_tool(split(name).tool, self._tool)


def _known(records: Sequence[Reading] | Sequence[Node], field: str) -> Any:
    """The field of the first record that has one."""
    for record in records:
        value = getattr(record, field)
        if value is not None:
            return value
    return None


def _first(readings: Sequence[Reading], field: str) -> Evidence:
    """The first captured value, else what the first span that has any could not be read as."""
    found = NOT_CAPTURED
    for reading in readings:
        evidence: Evidence = getattr(reading, field)
        if evidence.state == "captured":
            return evidence
        if found.state == "not_captured":
            found = evidence
    return found


def _outcome(readings: Sequence[Reading]) -> tuple[Outcome, str | None, str | None]:
    """The worst that a span says, with what it says of it; a span without a sign says less than one that ended well."""
    failed = [reading for reading in readings if reading.outcome == "error"]
    held_back = [reading for reading in readings if reading.outcome == "not_executed"]
    cancelled = [reading for reading in readings if reading.outcome == "unknown" and reading.error_type is not None]
    for these in (failed, held_back, cancelled):
        if these:
            error = next((reading.error for reading in these if reading.error is not None), None)
            return these[0].outcome, error, next((reading.error_type for reading in these if reading.error_type is not None), None)
    return ("ok" if any(reading.outcome == "ok" for reading in readings) else "unknown"), None, None


def _only_parameter(schema: object) -> str | None:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return next(iter(properties)) if isinstance(properties, dict) and len(properties) == 1 else None


def _variants(call: ToolCall, readings: Sequence[Reading]) -> tuple[Variant, ...]:
    """How each span describes the call, the outermost first; empty where they all say the same.

    What a span does not record it has from the call: the arguments, the name, and the server unless another span that says the same
    otherwise knows it.
    """
    servers: dict[object, dict[str | None, Variant]] = {}
    for reading in readings:
        arguments = reading.arguments if reading.arguments.state == "captured" else call.arguments
        tool = reading.tool or call.tool
        recorded = (reading.recorded_name if reading.tool else None) or call.recorded_name or tool
        given = canonical(arguments.value) if arguments.state == "captured" else None
        variant = Variant(tool, reading.server or call.server, recorded, arguments)
        servers.setdefault((tool, given), {}).setdefault(reading.server, variant)
    made = [variant for described in servers.values() for server, variant in described.items() if server is not None or len(described) == 1]
    return tuple(made) if len(made) > 1 else ()


def _reading(node: Node) -> Reading:
    assert node.reading is not None
    return node.reading
