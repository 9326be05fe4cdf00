"""How a call ended, by the signs that any emitter may leave."""

from __future__ import annotations

from typing import Any

import pytest
from span_records import reading, tool

from otel_toolscore.spans import STATUS_OK


@pytest.mark.parametrize(
    ("more", "outcome", "error", "error_type"),
    [
        ({}, "ok", None, None),
        ({"also": {"error.type": "PaymentError"}, "error": "card declined"}, "error", "card declined", "PaymentError"),
        ({"also": {"error.type": "500"}}, "error", None, "500"),
        ({"error": True}, "error", None, None),
        ({"error": "broken"}, "error", "broken", None),
        ({"events": [("exception", {"exception.type": "ValueError", "exception.message": "bad id"})]}, "error", "bad id", "ValueError"),
        ({"error": True, "events": [("exception", {"exception.message": "bad id"})]}, "error", "bad id", None),
        (
            {"events": [("exception", {"exception.type": "A"}), ("exception", {"exception.type": "B", "exception.message": "last"})]},
            "error",
            "last",
            "B",
        ),
        ({"also": {"error.type": ""}}, "ok", None, None),
        ({"events": [("retrying", {"exception.type": "ValueError"})]}, "ok", None, None),
        (
            {"error": True, "events": [("exception", {"exception.type": "asyncio.exceptions.CancelledError"})]},
            "unknown",
            None,
            "asyncio.exceptions.CancelledError",
        ),
        (
            {"also": {"error.type": "System.Threading.Tasks.TaskCanceledException"}, "error": True},
            "unknown",
            None,
            "System.Threading.Tasks.TaskCanceledException",
        ),
        ({"also": {"error.type": "context canceled"}}, "unknown", None, "context canceled"),
        (
            {"error": True, "events": [("exception", {"exception.type": "langgraph.errors.GraphInterrupt"})]},
            "not_executed",
            None,
            "langgraph.errors.GraphInterrupt",
        ),
        (
            {"events": [("exception", {"exception.type": "pydantic_ai.exceptions.ApprovalRequired"})]},
            "not_executed",
            None,
            "pydantic_ai.exceptions.ApprovalRequired",
        ),
        ({"end": None}, "unknown", None, None),
        ({"end": None, "error": "broken"}, "error", "broken", None),
        ({"start": None, "end": None}, "ok", None, None),
    ],
)
def test_signs(more: dict[str, Any], outcome: str, error: str | None, error_type: str | None) -> None:
    """error.type, status and exception are errors; cancelled and unended calls are unknown; deferred ones not executed."""
    found = reading(tool(1, **more))
    assert (found.outcome, found.error, found.error_type) == (outcome, error, error_type)


def test_a_text_about_errors_is_no_error() -> None:
    """Only structure counts, never words in a result."""
    assert reading(tool(1, also={"gen_ai.tool.call.result": "an error was avoided"})).outcome == "ok"
    assert reading(tool(1, also={"gen_ai.tool.call.result": '{"error": "none"}'})).outcome == "ok"


def test_is_error_outside_mcp_needs_the_shape_of_a_result() -> None:
    """A tool may answer with a field of that name; an MCP result has content beside it."""
    assert reading(tool(1, also={"gen_ai.tool.call.result": '{"isError": true}'})).outcome == "ok"
    assert reading(tool(1, also={"gen_ai.tool.call.result": '{"isError": true, "content": "gone"}'})).outcome == "error"


def test_an_ok_status_does_not_hide_an_exception() -> None:
    """An exception event is an error whatever else the span says."""
    made = tool(1, events=[("exception", {"exception.type": "E"})])
    assert reading(type(made)(**{name: getattr(made, name) for name in made.__struct_fields__} | {"status": STATUS_OK})).outcome == "error"
