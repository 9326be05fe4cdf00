"""What is wrong with an alignment, and what was let pass, for a person. No text holds a value of an argument or a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from otel_toolscore.align import Alignment, Extra, Slot
from otel_toolscore.align.judgement import OUTCOME
from otel_toolscore.model import Difference

MOST: Final = 100
"""Different reasons that are told; of further ones the number."""

_OPEN_ARGUMENTS: Final = {
    "truncated": "arguments were truncated",
    "redacted": "arguments were redacted",
    "duplicate_key": "arguments have a key twice, which parsers read in different ways",
}


def told(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines in their order, equal ones once with their number, no more than `MOST`."""
    counted = Counter(lines)
    found = [line if times == 1 else f"{line} ({times} times)" for line, times in counted.items()]
    return tuple(found) if len(found) <= MOST else (*found[:MOST], f"and {len(found) - MOST} more")


def missing(alignment: Alignment, *, complete: bool) -> Iterator[str]:
    """Expected calls without a call."""
    how = "was not called" if complete else "was not seen to be called, and the trace is incomplete"
    return (f"{slot.expected.name} {how}" for slot in alignment.slots if slot.judgement is None)


def extra_calls(alignment: Alignment) -> Iterator[str]:
    """Calls that nothing expects and nothing tolerates, or of which that is not known."""
    for call, truth in alignment.extras.items():
        if truth is not True:
            name = alignment.calls.calls[call].tool
            yield f"{name} was called and not expected" + ("" if truth is False else ", and whether it is tolerated is not known")


def argument_differences(alignment: Alignment, *, must: bool) -> Iterator[str]:
    """Differences in the arguments, of calls that must be right or of the others."""
    for slot in alignment.slots:
        if slot.judgement is not None and slot.expected.must == must:
            yield from (_difference(slot, one) for one in slot.judgement.differences if one.path != OUTCOME)


def _difference(slot: Slot, difference: Difference) -> str:
    if difference.path == "$":
        return f"{slot.expected.name}: the arguments {difference.why.replace('is ', 'are ', 1)}"
    return f"{slot.expected.name}: {difference.path} {difference.why}"


def outcome_differences(alignment: Alignment) -> Iterator[str]:
    """Calls with another outcome than the wanted one."""
    for slot in alignment.slots:
        if slot.judgement is not None:
            yield from (f"{slot.expected.name}: the outcome {one.why}" for one in slot.judgement.differences if one.path == OUTCOME)


def order_differences(alignment: Alignment, *, must: bool) -> Iterator[str]:
    """Calls out of order, of those that must be right or of the others."""
    return (f"{slot.expected.name} was called out of order" for slot in alignment.slots if slot.out_of_order and slot.expected.must == must)


def unknowns(alignment: Alignment) -> Iterator[str]:
    """What is not known of paired calls."""
    for slot in alignment.slots:
        if slot.judgement is None or slot.call is None:
            continue
        name = slot.expected.name
        for kind in slot.judgement.open:
            if kind == "arguments":
                evidence = alignment.calls.calls[slot.call].arguments
                yield f"{name}: {_OPEN_ARGUMENTS.get(evidence.cause or '', 'arguments were not captured')}"
            elif kind == "attribute" and slot.judgement.comparison is not None:
                yield from (f"{name}: it is not known whether {path} fits" for path in slot.judgement.comparison.unknown)
            else:
                yield f"{name}: the {kind} is not known"


def tolerances(alignment: Alignment, extra: Extra) -> Iterator[str]:
    """What the expectation's own tolerances let pass."""
    why = {"allow": "extra calls are allowed", "retries": "it failed and was called again"}
    how = why.get(extra, "") if isinstance(extra, str) else "it is among the extra calls that are allowed"
    for call, truth in alignment.extras.items():
        if truth:
            yield f"{alignment.calls.calls[call].tool} was called and not expected: {how}"
    for slot in alignment.slots:
        if slot.judgement is not None and slot.judgement.comparison is not None:
            yield from (f"{slot.expected.name}: {text}" for text in slot.judgement.comparison.tolerated)


def number(value: Fraction) -> str:
    """The number as a decimal."""
    return f"{float(value):.6g}"
