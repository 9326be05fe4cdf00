"""One pair of an expected and an actual call, judged."""

from __future__ import annotations

import json
from typing import Final, Literal, TypeAlias

import msgspec

from otel_toolscore.align.entries import asks_nothing, compared
from otel_toolscore.align.evidence import Calls, unusable
from otel_toolscore.align.worth import outcome_met, server_fits
from otel_toolscore.compare import ArgumentComparison
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import MISSING, Difference, ToolCall, Truth

Open: TypeAlias = Literal["arguments", "attribute", "outcome", "server"]
"""What about a pair is not known: the arguments, an attribute that they are compared with, the outcome, the server."""

OUTCOME: Final = "outcome"
"""The path of a difference in the outcome."""


class Judgement(msgspec.Struct, frozen=True):
    """How a call does as the expected one."""

    comparison: ArgumentComparison | None
    """None where the arguments are not asked for or were not captured."""
    differences: tuple[Difference, ...]
    open: tuple[Open, ...]
    met: Truth
    """Whether the outcome is the wanted one; where any will do, whether the call did not fail."""

    @property
    def arguments_differ(self) -> bool:
        """Whether there is a difference in the arguments."""
        return any(difference.path != OUTCOME for difference in self.differences)

    @property
    def outcome_differs(self) -> bool:
        """Whether there is a difference in the outcome."""
        return any(difference.path == OUTCOME for difference in self.differences)


def judge(expected: ExpectedCall, calls: Calls, index: int) -> Judgement:
    """Compares the call with the expected one."""
    call = calls.calls[index]
    comparison = compared(expected, calls, index)
    differences: tuple[Difference, ...] = ()
    unknown: list[Open] = []
    if comparison is not None:
        differences = comparison.differences
        if comparison.unknown:
            unknown.append("attribute")
    elif expected.arguments is not None:
        if unusable(call):
            differences = (Difference("$", expected.arguments, MISSING, _why_unusable(call)),)
        elif not asks_nothing(expected):
            unknown.append("arguments")
    met = outcome_met(expected.outcome, call.outcome)
    if expected.outcome != "any":
        if met is False:
            differences += (Difference(OUTCOME, expected.outcome, call.outcome, f"is {call.outcome} instead of {expected.outcome}"),)
        elif met is None:
            unknown.append("outcome")
    if server_fits(expected, calls, index) is None:
        unknown.append("server")
    return Judgement(comparison, differences, tuple(unknown), met)


def _why_unusable(call: ToolCall) -> str:
    if call.arguments.state == "captured":
        return "is not an object"
    try:
        json.loads(call.arguments.text or "")
    except (ValueError, RecursionError):
        return "is not valid JSON"
    return "is not an object"
