"""What judging a call needs and gives: the call in its surroundings, and a rule's answer about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol, TypeAlias

from otel_toolscore.model import FindingKind, Scope, ToolCall
from otel_toolscore.rules.causes import phrase
from otel_toolscore.rules.pattern import Context, Pattern, examine
from otel_toolscore.rules.truth import NO, Fit, all_hold

MAX_NAME: Final = 80
"""Longer names are cut where an explanation shows them."""


Place: TypeAlias = tuple[bool, int, bool, int, str, str, int]


class Situation(NamedTuple):
    """One call where it happened."""

    run: str
    """The key of its run."""
    call: ToolCall
    place: Place
    around: tuple[Scope, ...]
    """The scopes around it, innermost first."""
    context: Context
    schemas: Mapping[str, object] = {}
    """JSON Schemas of arguments that the trace recorded, by tool name."""


def place(call: ToolCall, number: int) -> Place:
    """Where a call stands in the order of calls: by (start, end, span id); one without times after those that have them.

    `number` keeps apart what nothing else does: no two calls have the same place.
    """
    start, end = call.start_ns, call.end_ns
    return (start is None, start or 0, end is None, end or 0, call.span_id, call.trace_id, number)


class Answer(NamedTuple):
    """What a rule says of a call or a scope. The explanation holds no argument or result value."""

    kind: FindingKind
    explanation: str
    cause: str | None = None
    path: str | None = None


class OnCall(Protocol):
    """A rule that needs nothing but the call."""

    accused: Pattern | None
    """What makes the rule look at a call; None: it looks at every call that `when` leaves to it."""
    naming: tuple[Pattern, ...] | None
    """The patterns by which a call can concern the rule; None: every call does."""

    def judge(self, situation: Situation, fit: Fit) -> Answer | None:
        """`fit` says whether `when` holds and the call is accused, and no waiver excuses it."""


def violation(explanation: str, path: str | None = None) -> Answer:
    """What the rule forbids has happened."""
    return Answer("violation", explanation, None, path)


def inconclusive(what: str, fit: Fit) -> Answer:
    """`what` completes `it is not known whether ...`."""
    return Answer("inconclusive", f"it is not known whether {what}: {phrase(fit.cause)}", fit.cause, fit.path)


def shown(call: ToolCall) -> str:
    """The tool's name, as an explanation shows it."""
    return f"`{cut(call.tool)}`"


def cut(name: str) -> str:
    """A name from outside, at most MAX_NAME characters of it."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 3]}..."


def accusation(pattern: Pattern, situation: Situation, when: Fit) -> Fit:
    """Whether a rule with this pattern, whose `when` is as given, accuses the call."""
    if when.truth is False:
        return NO
    fit = examine(pattern, situation.call, accuse=True, context=situation.context)
    if fit.truth is False or when.truth is True:
        return fit
    return all_hold((when, fit))
