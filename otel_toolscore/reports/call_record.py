"""A tool call as the record that `otel-toolscore calls` writes and the JSON result holds."""

from __future__ import annotations

import datetime as dt
from typing import Final

from otel_toolscore.model import ToolCall

VALUE_KEYS: Final = frozenset({"args", "args_text", "result", "error"})
"""Keys that hold what was passed to a tool or came back from it; they are left out where values are hidden."""

_NANOSECONDS: Final = 10**9


def record(call: ToolCall, *, values: bool) -> dict[str, object]:
    """The call's record; what is not known is null. Without `values`, the keys of `VALUE_KEYS` are left out."""
    arguments, result = call.arguments, call.result
    given: dict[str, object] = {
        "tool": call.tool,
        "server": call.server,
        "recorded_name": call.recorded_name,
        "args": arguments.value if arguments.state == "captured" else None,
        "args_state": arguments.state,
        "args_cause": arguments.cause,
        "args_text": arguments.text if arguments.state == "unreadable" else None,
        "result": result.value if result.state == "captured" else None,
        "result_state": result.state,
        "outcome": call.outcome,
        "error": call.error,
        "error_type": call.error_type,
        "id": call.id,
        "type": call.type,
        "agent": call.agent,
        "agent_path": list(call.agent_path),
        "conversation": call.conversation,
        "service": call.service,
        "start": timestamp(call.start_ns),
        "start_unix_nano": None if call.start_ns is None else str(call.start_ns),
        "duration": duration(call.start_ns, call.end_ns),
        "trace_id": call.trace_id,
        "span_id": call.span_id,
        "parent_span_id": call.parent_span_id,
        "merged": [{"span_id": span.span_id, "why": span.why} for span in call.merged],
        "dialect": call.dialect,
        "notes": list(call.notes),
    }
    return given if values else {key: value for key, value in given.items() if key not in VALUE_KEYS}


def timestamp(nanoseconds: int | None) -> str | None:
    """RFC 3339 in UTC with nanoseconds."""
    if nanoseconds is None:
        return None
    seconds, fraction = divmod(nanoseconds, _NANOSECONDS)
    return f"{dt.datetime.fromtimestamp(seconds, dt.timezone.utc):%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z"


def duration(start: int | None, end: int | None) -> float | None:
    """Seconds between two times in nanoseconds."""
    return None if start is None or end is None else (end - start) / _NANOSECONDS
