"""What each actual call would be worth to an expected call, for all calls at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from otel_toolscore.align.entries import Counts, by_arguments, countable
from otel_toolscore.align.evidence import Calls
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import Truth

FAILED: Final = frozenset({"error"})


class Worth(msgspec.Struct, frozen=True):
    """What actual calls are worth to one expected call; sets of calls are bitsets."""

    candidates: int
    """Calls of its tool (and not known to be of another server)."""
    classes: Mapping[Counts, int]
    """The candidates by their equal and surplus arguments; what is not known counts as neither."""
    met: int
    """Calls that have the outcome (where any will do: that did not fail)."""
    full: int
    """Candidates without any difference."""
    open: int
    """Candidates of which it is not known whether they have one."""
    outcome_open: int
    """Candidates of which it is not known whether they have the outcome that is asked for."""
    unsure: int
    """Candidates of which the server is not known, though it is asked for."""
    unknown: int
    """Candidates of which the arguments are not known, though they are asked for."""


def outcome_met(wanted: str, actual: str) -> Truth:
    """Whether the outcome is the wanted one, None where it is not known; where any will do, whether the call did not fail."""
    if wanted == actual:
        return True
    if actual == "unknown":
        return None
    return wanted == "any" and actual not in FAILED


def server_fits(expected: ExpectedCall, calls: Calls, index: int) -> Truth:
    """Whether the call is of the right server.

    A server that the expectation itself names has to be known; one that the policy gives the tool contradicts only a
    known other.
    """
    wanted = expected.server or calls.servers.get(expected.name)
    known = calls.servers_of(index)
    if wanted is None or wanted in known:
        return True
    if known:
        return False
    return None if expected.server is not None else True


def worth(expected: ExpectedCall, calls: Calls) -> Worth:
    """What all calls are worth to the expected call."""
    candidates, unsure = _of_the_tool(expected, calls)
    met = open_outcome = 0
    for outcome, mask in calls.by_outcome.items():
        truth = outcome_met(expected.outcome, outcome)
        met |= mask if truth else 0
        open_outcome |= mask if truth is None else 0
    sound = candidates
    if expected.outcome == "any":
        open_outcome = 0
    else:
        sound &= met
    if expected.arguments is None:
        classes, full, open_arguments, unknown = {(0, 0): candidates}, candidates, 0, 0
    else:
        classes, full, open_arguments, unknown = by_arguments(expected, expected.arguments, calls, candidates)
    possible = (full | open_arguments | unknown) & (sound | candidates & open_outcome)
    full &= sound & ~unsure
    return Worth(candidates, classes, met, full, possible & ~full, candidates & open_outcome, unsure, unknown)


def _of_the_tool(expected: ExpectedCall, calls: Calls) -> tuple[int, int]:
    """Calls of the tool that are not known to be of another server, and those of which the server is not known."""
    key = expected.name, expected.server
    known = calls.of_tools.get(key)
    if known is None:
        fits = [(server_fits(expected, calls, index), 1 << index) for index in calls.named(expected.name)]
        candidates = sum(bit for truth, bit in fits if truth is not False)
        known = calls.of_tools[key] = candidates, sum(bit for truth, bit in fits if truth is None)
    return known


def favourable(expected: ExpectedCall, found: Worth, calls: Calls, surplus: int) -> Worth:
    """The worth if arguments that are not known are the expected ones, with so many further ones where those are not allowed."""
    counts = countable(expected, tolerances=calls.tolerances), 0 if expected.allow_extra_fields else surplus
    return msgspec.structs.replace(found, classes=_moved(found, counts), met=found.met | found.outcome_open)


def unfavourable(expected: ExpectedCall, found: Worth, calls: Calls) -> Worth:
    """The worth if what is not known is not as expected: calls of other servers, with surplus arguments only, that failed."""
    surplus = 0 if expected.allow_extra_fields else calls.most_arguments + 1
    candidates = found.candidates & ~found.unsure
    classes = {counts: mask & candidates for counts, mask in _moved(found, (0, surplus)).items()}
    return msgspec.structs.replace(found, candidates=candidates, classes=classes, open=0)


def _moved(found: Worth, counts: Counts) -> dict[Counts, int]:
    """The classes with calls of unknown arguments in the one of these counts."""
    classes = {key: mask & ~found.unknown for key, mask in found.classes.items()}
    classes[counts] = classes.get(counts, 0) | found.unknown
    return classes
