"""What several dialects say of one span, made one reading: field by field, conventions first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
    dialect = next((each.name for each, _ in found if each.name not in conventions), found[0][0].name)
    reading = Reading(
        role=role,
        dialect=dialect,
        why=why,
        conversation=next((part.conversation for part in parts if part.conversation is not None), None),
        messages=transcript.joined(*(part.messages for part in parts)),
        user_input=next((part.user_input for part in parts if part.user_input is not None), None),
        schemas={name: schema for part in reversed(parts) for name, schema in part.schemas.items()},
    )
    if role in ("agent", "workflow"):
        return _scope(reading, parts)
    return _tool(span, reading, parts) if role == "tool" else reading


def _role(parts: Sequence[Part]) -> tuple[Role, str]:
    dropped = next((part for part in parts if part.dropped), None)
    if dropped is not None:
        return "ignored", dropped.why or ""
    said = next((part.role for part in parts if part.role in _SAID), None)
    if said is not None:
        return said, ""
    ignored = next((part for part in parts if part.role == "ignored"), None)
    if ignored is not None:
        return "ignored", ignored.why or ""
    presumed = next((part.presumed for part in parts if part.presumed is not None), None)
    return (presumed, "") if presumed is not None else ("ignored", "no operation is recorded")


def _scope(reading: Reading, parts: Sequence[Part]) -> Reading:
    name = next((part.workflow for part in parts if part.workflow is not None), None) if reading.role == "workflow" else None
    name = name or next((part.agent for part in parts if part.agent is not None), None)
    name = name or next((part.guess for part in parts if part.guess is not None), None)
    return _with(reading, name=name)


def _tool(span: Span, reading: Reading, parts: Sequence[Part]) -> Reading:
    recorded = next((part.tool for part in parts if part.tool is not None), None)
    recorded = recorded or next((part.guess for part in parts if part.guess is not None), None)
    name = names.split(recorded) if recorded is not None else None
    server = next((part for part in parts if part.server is not None), None)
    mcp = next((part for part in parts if part.mcp_role is not None), None)
    result = _evidence([(part.result, part.unwrapped) for part in parts])
    outcome, error, error_type = _outcome(span, signs(span, result, mcp=mcp is not None), parts)
    return _with(
        reading,
        tool=name.tool if name is not None else None,
        server=(name.server if name is not None else None) or (server.server if server is not None else None),
        server_named_by=server.server_named_by if server is not None and (name is None or name.server is None) else "caller",
        recorded_name=recorded,
        call_id=next((part.call_id for part in parts if part.call_id is not None), None),
        type=next((part.type for part in parts if part.type is not None), None),
        arguments=_evidence([(part.arguments, part.unwrapped) for part in parts]),
        result=result,
        bare=next((part.bare for part in parts if part.bare is not None), None),
        outcome=outcome,
        error=error,
        error_type=error_type,
        agent=next((part.agent for part in parts if part.agent is not None), None),
        request_id=next((part.request_id for part in parts if part.request_id is not None), None),
        session=next((part.session for part in parts if part.session is not None), None),
        mcp_role=mcp.mcp_role if mcp is not None else None,
    )


def _evidence(given: Sequence[tuple[Evidence, bool]]) -> Evidence:
    """The emitter's own reading of a wrapper, else the first captured value, else the first that is there."""
    own = next((evidence for evidence, unwrapped in given if unwrapped and evidence.state != "not_captured"), None)
    if own is not None:
        return own
    captured = next((evidence for evidence, _ in given if evidence.state == "captured"), None)
    return captured or next((evidence for evidence, _ in given if evidence.state != "not_captured"), NOT_CAPTURED)


def _outcome(span: Span, left: Signs, parts: Sequence[Part]) -> tuple[Outcome, str | None, str | None]:
    own = next((part.outcome for part in parts if part.outcome is not None), None)
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
    error = left.error or next((part.error for part in parts if part.error is not None), None)
    return outcome, error, left.error_type or next((part.error_type for part in parts if part.error_type is not None), None)


def _with(reading: Reading, **changes: object) -> Reading:
    return Reading(**{name: getattr(reading, name) for name in reading.__struct_fields__} | changes)
