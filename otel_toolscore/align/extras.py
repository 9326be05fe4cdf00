"""Which calls beyond the expected ones an expectation tolerates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Final, Literal, TypeAlias

from otel_toolscore.align.evidence import Calls
from otel_toolscore.model import Truth

Extra: TypeAlias = Literal["forbid", "allow", "retries"] | Sequence[Truth]
"""Extra calls: forbidden, allowed, allowed where they failed and a matched call of their tool follows; or for each call
whether it may be one (None: not known)."""

MOST_ANSWERS: Final = 16
"""Of the answers which failed calls of one start are left over, so many are tried."""


def _tool(calls: Calls, index: int) -> str:
    return calls.calls[index].tool


def _failed(calls: Calls, index: int) -> Truth:
    outcome = calls.calls[index].outcome
    return None if outcome == "unknown" else outcome == "error"


def may_be_left(extra: Extra, calls: Calls, *, complete: bool = True) -> Iterator[list[Truth]]:
    """For each call whether an alignment without any difference may leave it over; several answers may be possible.

    Retries: in such an alignment the last call of a tool is always matched, since nothing follows it that could excuse it.
    So every failed call before it may be left over. Where several calls of a tool share its last start, each of them that
    failed may be the matched one, unless one that did not fail has to be. Where calls may be missing, what follows is not known.
    """
    if not isinstance(extra, str):
        yield list(extra)
    elif extra != "retries":
        yield [extra == "allow"] * len(calls)
    else:
        failed = [_failed(calls, index) for index in range(len(calls))]
        last: dict[str, list[int]] = {}
        for index in sorted(range(len(calls)), key=lambda call: calls.ranks[call]):
            before = last.get(_tool(calls, index))
            if before is None or calls.ranks[before[0]] < calls.ranks[index]:
                last[_tool(calls, index)] = [index]
            else:
                before.append(index)
        open_ends = [end for end in last.values() if all(failed[index] is not False for index in end)]
        for kept in islice(product(*open_ends), MOST_ANSWERS):
            yield [(None if not complete and failed[index] else False) if index in kept else failed[index] for index in range(len(calls))]


def tolerated(extra: Extra, calls: Calls, left: Iterable[int], paired: Iterable[int], *, complete: bool = True) -> dict[int, Truth]:
    """For each call left over whether it is tolerated, given those that are paired."""
    if not isinstance(extra, str):
        return {index: extra[index] for index in left}
    if extra != "retries":
        return dict.fromkeys(left, extra == "allow")
    latest: dict[str, int] = {}
    for index in paired:
        latest[_tool(calls, index)] = max(calls.ranks[index], latest.get(_tool(calls, index), 0))
    found: dict[int, Truth] = {}
    for index in left:
        failed = _failed(calls, index)
        followed = latest.get(_tool(calls, index), -1) >= calls.ranks[index]
        found[index] = failed if followed else None if failed is not False and not complete else False
    return found
