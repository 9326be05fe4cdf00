"""A rule's answer, turned into a finding."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from otel_toolscore.model import Finding, Scope, ToolCall
from otel_toolscore.rules.judge import Answer
from otel_toolscore.rules.rule import Rule

LATE: Final = "late"
"""The note on a call that came after calls which it should have preceded were judged."""


class Found(NamedTuple):
    """A finding, where it was found."""

    run: str
    """`Run.key` of the run."""
    finding: Finding
    call: ToolCall | None
    """The call that it is about; None where it is about a scope."""


def on_call(rule: Rule, answer: Answer, call: ToolCall, number: int | None = None) -> Finding:
    """The finding about a call; `number` is the call's index in its run, once that is known."""
    late = LATE in call.notes
    return Finding(
        rule=rule.id,
        kind=answer.kind,
        severity=rule.severity,
        enforcement=rule.enforcement,
        message=rule.message,
        explanation=f"{answer.explanation} (the call came late)" if late else answer.explanation,
        cause=answer.cause,
        tool=call.tool,
        call=number,
        span_id=call.span_id,
        agent=call.agent,
        path=answer.path,
    )


def on_scope(rule: Rule, answer: Answer, scope: Scope) -> Finding:
    """The finding about a scope; it names no tool."""
    return Finding(
        rule=rule.id,
        kind=answer.kind,
        severity=rule.severity,
        enforcement=rule.enforcement,
        message=rule.message,
        explanation=answer.explanation,
        cause=answer.cause,
        span_id=scope.span_id,
        agent=scope.name if scope.kind == "agent" else None,
    )


def marked_late(call: ToolCall) -> ToolCall:
    """The call with the note that it came late."""
    return call if LATE in call.notes else msgspec.structs.replace(call, notes=(*call.notes, LATE))
