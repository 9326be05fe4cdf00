"""How a call ended, by the signs that any emitter may leave on a span."""

from __future__ import annotations

from typing import Final

import msgspec

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.model import Evidence, Outcome
from otel_toolscore.spans import STATUS_ERROR, Span

_CANCELLED: Final = frozenset(
    {"cancellederror", "cancelled", "canceled", "aborterror", "taskcanceledexception", "operationcanceledexception"}
    | {"cancellationexception", "canceledexception", "cancelledexception", "requestcancelled", "context canceled", "-32800"}
)
_HELD_BACK: Final = frozenset(
    {"calldeferred", "approvalrequired", "graphinterrupt", "nodeinterrupt", "toolapprovalrequired", "toolinputguardrailtripwiretriggered"}
)
"""Types with which a framework says that it has not run the tool: deferred, waiting for approval, stopped by a guard."""
_NOT_ERRORS: Final = frozenset({"", "0", "none", "null", "false"})

_RESPONSE_KEYS: Final = frozenset({"jsonrpc", "id", "error"})


class Signs(msgspec.Struct, frozen=True):
    """What a span says of how its call ended; `outcome` None where there is no sign."""

    outcome: Outcome | None = None
    error: str | None = None
    error_type: str | None = None


def signs(span: Span, result: Evidence, *, mcp: bool) -> Signs:
    """The signs that OpenTelemetry, JSON-RPC and MCP define."""
    thrown = next((event for event in reversed(span.events) if event.name == semconv.EXCEPTION), None)
    thrown_type = values.text(thrown.attributes.get(semconv.EXCEPTION_TYPE)) if thrown is not None else None
    declared = _named(span.attributes.get(semconv.ERROR_TYPE))
    error_type = declared or thrown_type
    kinds = {_last_name(each) for each in (declared, thrown_type) if each is not None}
    code = _rpc_code(span)
    failed = error_type is not None or thrown is not None or span.status == STATUS_ERROR or code is not None
    message = _message(span, thrown_message=values.text(thrown.attributes.get(semconv.EXCEPTION_MESSAGE)) if thrown is not None else None)
    if kinds & _HELD_BACK:
        return Signs("not_executed", message, error_type)
    if kinds & _CANCELLED or (code is not None and code in _CANCELLED):
        return Signs("unknown", message, error_type)
    told = failure_in(result, mcp=mcp)
    if failed or told is not None:
        return Signs("error", message or told or None, error_type or code)
    return Signs()


def failure_in(result: Evidence, *, mcp: bool) -> str | None:
    """The text of a result that says of itself that it is an error, empty where it has none; None of any other result.

    A JSON-RPC response has an `error` with a code in place of a result; an MCP CallToolResult has `isError` (`is_error` in Python
    objects) beside its `content`.
    """
    value = result.value
    if result.state != "captured" or not isinstance(value, dict):
        return None
    error = value.get("error")
    if isinstance(error, dict) and (mcp or "jsonrpc" in value) and value.keys() <= _RESPONSE_KEYS and type(error.get("code")) is int:
        return values.text(error.get("message")) or ""
    if value.get("isError") is not True and value.get("is_error") is not True:
        return None
    if not mcp and not ({"content", "structuredContent", "structured_content"} & value.keys()):
        return None
    return told(value.get("content"))


def told(content: object) -> str:
    """The text of content blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str))


def _message(span: Span, thrown_message: str | None) -> str | None:
    return (values.text(span.status_message) if span.status == STATUS_ERROR else None) or thrown_message


def _named(value: object) -> str | None:
    written = str(value) if isinstance(value, int) and not isinstance(value, bool) else values.text(value)
    return None if written is None or written.strip().lower() in _NOT_ERRORS else written


def _last_name(name: str) -> str:
    """`asyncio.exceptions.CancelledError` -> `cancellederror`."""
    return name.strip().rpartition(".")[2].lower()


def _rpc_code(span: Span) -> str | None:
    if semconv.MCP_METHOD not in span.attributes and span.attributes.get(semconv.RPC_SYSTEM) not in ("jsonrpc", "mcp"):
        return None
    for key in (semconv.RPC_STATUS_CODE, semconv.RPC_JSONRPC_ERROR_CODE):
        code = _named(span.attributes.get(key))
        if code is not None and code.upper() != "OK":
            return code
    return None
