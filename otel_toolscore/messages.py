"""What models said and were told: the calls that they asked for and the answers that they saw, found again by call id."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from otel_toolscore.compare import canonical
from otel_toolscore.model import Evidence

Found: TypeAlias = Evidence | Literal["disagree"] | None


class AskedCall(msgspec.Struct, frozen=True, gc=False):
    """A call that a model asked for."""

    id: str
    tool: str
    arguments: Evidence


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What a model was told of a call."""

    id: str
    tool: str | None
    """None where the message does not name it."""
    result: Evidence
    failed: bool = False


class Messages(msgspec.Struct, frozen=True, gc=False):
    """The part of a span's messages that says something of calls, and the first thing that the user said."""

    calls: tuple[AskedCall, ...] = ()
    answers: tuple[Answer, ...] = ()
    user: str | None = None


class MessageIndex:
    """The messages of one trace by call id; what later messages repeat is kept once, and the order does not matter."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[object, AskedCall]] = {}
        self._answers: dict[str, dict[object, Answer]] = {}

    def add(self, messages: Messages) -> None:
        """Take in the messages of a span."""
        for call in messages.calls:
            self._calls.setdefault(call.id, {}).setdefault((call.tool, _key(call.arguments)), call)
        for answer in messages.answers:
            self._answers.setdefault(answer.id, {}).setdefault((answer.tool, _key(answer.result), answer.failed), answer)

    def calls(self, call_id: str) -> tuple[AskedCall, ...]:
        """The different calls that were asked for under this id, in no particular order."""
        return tuple(self._calls.get(call_id, {}).values())

    def answers(self, call_id: str) -> tuple[Answer, ...]:
        """The different answers that were given under this id, in no particular order."""
        return tuple(self._answers.get(call_id, {}).values())


def the_one(evidences: list[Evidence]) -> Found:
    """The captured value that all of them have; `disagree` where they have several, None where none is captured."""
    captured = [each for each in evidences if each.state == "captured"]
    if len(captured) > 1 and len({canonical(each.value) for each in captured}) > 1:
        return "disagree"
    return min(captured, key=repr, default=None)


def _key(evidence: Evidence) -> object:
    """Tells records apart that are equal but differ in how they are written."""
    return evidence.state, repr(evidence.value) if evidence.state == "captured" else evidence.text
