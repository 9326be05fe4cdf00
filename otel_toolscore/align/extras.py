"""Which calls beyond the expected ones an expectation tolerates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from otel_toolscore.align.evidence import Calls
from otel_toolscore.model import Truth

Extra: TypeAlias = Literal["forbid", "allow", "retries"] | Sequence[Truth]
"""Extra calls: forbidden, allowed, allowed where they failed and a matched call of their tool follows; or for each call
whether it may be one (None: not known)."""


def _tool(calls: Calls, index: int) -> tuple[str, str | None]:
    return calls.calls[index].tool, calls.calls[index].server


def _failed(calls: Calls, index: int) -> Truth:
    outcome = calls.calls[index].outcome
    return None if outcome == "unknown" else outcome == "error"


def may_be_left(extra: Extra, calls: Calls) -> list[Truth]:
    """For each call whether an alignment without any difference may leave it over.

    Retries: in such an alignment the last call of a tool is always matched, since nothing follows it that could excuse it.
    So every failed call before it may be left over. Of calls that end a tool's calls at one start, one that did not fail
    counts as the last, else the last in the list.
    """
    if not isinstance(extra, str):
        return list(extra)
    if extra != "retries":
        return [extra == "allow"] * len(calls)
    last: dict[tuple[str, str | None], tuple[int, bool, int]] = {}
    for index in range(len(calls)):
        key = calls.ranks[index], _failed(calls, index) is False, index
        last[_tool(calls, index)] = max(last.get(_tool(calls, index), key), key)
    return [index != last[_tool(calls, index)][2] and _failed(calls, index) for index in range(len(calls))]


def tolerated(extra: Extra, calls: Calls, left: Iterable[int], paired: Iterable[int]) -> dict[int, Truth]:
    """For each call left over whether it is tolerated, given those that are paired."""
    if not isinstance(extra, str):
        return {index: extra[index] for index in left}
    if extra != "retries":
        return dict.fromkeys(left, extra == "allow")
    latest: dict[tuple[str, str | None], int] = {}
    for index in paired:
        latest[_tool(calls, index)] = max(calls.ranks[index], latest.get(_tool(calls, index), 0))
    return {index: _failed(calls, index) if latest.get(_tool(calls, index), -1) >= calls.ranks[index] else False for index in left}
