"""What several dialects say of one span, made one reading: field by field, conventions first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from otel_toolscore.dialects import names, transcript
from otel_toolscore.dialects.dialect import Dialect, Part, Reading, Role
from otel_toolscore.dialects.outcome import Signs, signs
from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome
from otel_toolscore.spans import Span

_SAID: Final = frozenset({"tool", "agent", "workflow", "model"})


def fold(span: Span, found: Sequence[tuple[Dialect, Part]], conventions: frozenset[str]) -> Reading:
    """The reading that the parts, in order of preference, make together."""
    parts = [part for _, part in found]
    role, why = _role(parts)
    reading = Reading(
        role=role,
        dialect=next((each.name for each, _ in found if each.name not in conventions), found[0][0].name),
        why=why,
        conversation=_first(parts, "conversation"),
        messages=parts[0].messages if len(parts) == 1 else transcript.joined(*(part.messages for part in parts)),
        user_input=_first(parts, "user_input"),
        schemas=parts[0].schemas if len(parts) == 1 else {name: each for part in reversed(parts) for name, each in part.schemas.items()},
    )
    if role in ("agent", "workflow"):
        name = (_first(parts, "workflow") if role == "workflow" else None) or _first(parts, "agent") or _first(parts, "guess")
        return msgspec.structs.replace(reading, name=name)
    return _tool(span, reading, parts) if role == "tool" else reading


def _role(parts: Sequence[Part]) -> tuple[Role, str]:
    ignored: Part | None = None
    said: Role | None = None
    presumed: Role | None = None
    for part in parts:
        if part.dropped:
            return "ignored", part.why or ""
        if part.role in _SAID:
            said = said or part.role
        elif part.role == "ignored":
            ignored = ignored or part
        presumed = presumed or part.presumed
    if said is not None:
        return said, ""
    if ignored is not None:
        return "ignored", ignored.why or ""
    return (presumed, "") if presumed is not None else ("ignored", "no operation is recorded")


def _tool(span: Span, reading: Reading, parts: Sequence[Part]) -> Reading:
    recorded: str | None = _first(parts, "tool") or _first(parts, "guess")
    tool, server = names.split(recorded) if recorded is not None else (None, None)
    named = next((part for part in parts if part.server is not None), None) if server is None else None
    mcp_role = _first(parts, "mcp_role")
    result = _evidence(parts, "result")
    outcome, error, error_type = _outcome(span, signs(span, result, mcp=mcp_role is not None), parts)
    return msgspec.structs.replace(
        reading,
        tool=tool,
        server=server if named is None else named.server,
        server_named_by="caller" if named is None else named.server_named_by,
        recorded_name=recorded,
        call_id=_first(parts, "call_id"),
        type=_first(parts, "type"),
        arguments=_evidence(parts, "arguments"),
        result=result,
        bare=_first(parts, "bare"),
        outcome=outcome,
        error=error,
        error_type=error_type,
        agent=_first(parts, "agent"),
        request_id=_first(parts, "request_id"),
        session=_first(parts, "session"),
        mcp_role=mcp_role,
    )


def _first(parts: Sequence[Part], field: str) -> Any:
    """The first part's value of a field, of those that have one."""
    for part in parts:
        value = getattr(part, field)
        if value is not None:
            return value
    return None


def _evidence(parts: Sequence[Part], field: str) -> Evidence:
    """The emitter's own reading of a wrapper, else the first captured value, else the first that is there."""
    given: list[Evidence] = []
    for part in parts:
        evidence: Evidence = getattr(part, field)
        if evidence.state != "not_captured":
            if part.unwrapped:
                return evidence
            given.append(evidence)
    for evidence in given:
        if evidence.state == "captured":
            return evidence
    return given[0] if given else NOT_CAPTURED


def _outcome(span: Span, left: Signs, parts: Sequence[Part]) -> tuple[Outcome, str | None, str | None]:
    own: Outcome | None = _first(parts, "outcome")
    outcome: Outcome
    if "not_executed" in (own, left.outcome):
        outcome = "not_executed"
    elif left.outcome == "unknown":
        outcome = "unknown"
    elif "error" in (own, left.outcome):
        outcome = "error"
    elif own is not None:
        outcome = own
    else:
        outcome = "unknown" if span.end_ns is None and span.start_ns is not None else "ok"
    if outcome == "ok":
        return outcome, None, None
    return outcome, left.error or _first(parts, "error"), left.error_type or _first(parts, "error_type")
