"""The formulas of the metrics, over one alignment (docs/metrics.md). All numbers are exact.

G are the expected calls as resolved, T the actual calls. With tolerances, tolerated extra calls leave T and what stands in
any order takes the order in which it was matched; without, both are as they were given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec
from rapidfuzz.distance import Levenshtein

from otel_toolscore.align import Alignment, Slot
from otel_toolscore.align.entries import countable
from otel_toolscore.align.places import actual_order, expected_order
from otel_toolscore.model import Metrics, Truth

ONE = Fraction(1)
ZERO = Fraction(0)


class ArgumentCounts(msgspec.Struct, frozen=True):
    """Top-level arguments over all pairs, with those of expected calls that have none."""

    equal: int
    expected: int
    actual: int
    open: bool
    """Whether arguments that count are not known: then the counts are of the others."""

    @property
    def precision(self) -> Fraction:
        """Share of the actual arguments that are expected and equal; 0 where there are none."""
        return _share(self.equal, self.actual)

    @property
    def recall(self) -> Fraction:
        """Share of the expected arguments that are there and equal; 0 where there are none."""
        return _share(self.equal, self.expected)

    @property
    def f1(self) -> Fraction:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.equal, self.expected + self.actual)


class Measures(msgspec.Struct, frozen=True):
    """What is counted of one alignment, and the metrics from it."""

    expected: int
    """|G|"""
    actual: int
    """|T|"""
    selected: int
    """Calls of T whose tool is expected."""
    arguments: ArgumentCounts
    precision: Fraction | None
    recall: Fraction | None
    """Precision and recall of the arguments, by the same conventions as `argument_f1`."""
    edit_distance: int
    """Levenshtein distance of the tool names of G and T."""
    redundant: int
    """Calls of T beyond the number that is expected of their tool."""
    met: int
    """Calls of G that have their own call with the outcome."""
    perhaps_met: int
    """Further ones of which that is not known."""
    metrics: Metrics


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else ZERO


def measure(alignment: Alignment, *, tolerances: bool = True) -> Measures:
    """Counts and metrics of the alignment; a metric that hangs on what is not known is None.

    With `tolerances`, a call that is certainly tolerated leaves T.
    """
    gone = {call for call, truth in alignment.extras.items() if tolerances and truth}
    given = [call for call in actual_order(alignment) if call not in gone]
    slots = expected_order(alignment, gone) if tolerances else range(len(alignment.slots))
    wanted = [alignment.slots[index].expected.name for index in slots]
    called, selected = _names(alignment, given)
    arguments = argument_counts(alignment)
    outcomes = Counter(_met(slot) for slot in alignment.slots)
    distance = Levenshtein.distance(*_numbered(wanted, called))
    beyond = Counter(called)
    beyond.subtract(wanted)
    redundant = sum(number for number in beyond.values() if number > 0)
    precision, recall, f1 = _argument_metrics(alignment, arguments, len(given))
    size = max(len(wanted), len(given))
    return Measures(
        expected=len(wanted),
        actual=len(given),
        selected=selected,
        arguments=arguments,
        precision=precision,
        recall=recall,
        edit_distance=distance,
        redundant=redundant,
        met=outcomes[True],
        perhaps_met=outcomes[None],
        metrics=Metrics(
            selection_accuracy=Fraction(selected, len(given)) if given else Fraction(not wanted),
            argument_f1=f1,
            sequence_accuracy=1 - Fraction(distance, size) if size else ONE,
            redundant_rate=_share(redundant, len(given)),
            required_call_recall=None if not wanted or outcomes[None] else Fraction(outcomes[True], len(wanted)),
        ),
    )


def _met(slot: Slot) -> Truth:
    if slot.judgement is None:
        return False
    return None if slot.judgement.met and "server" in slot.judgement.open else slot.judgement.met


def argument_counts(alignment: Alignment) -> ArgumentCounts:
    """Arguments over the pairs; expected calls without a call, or with one whose arguments are no object, count as missed."""
    equal = expected = actual = 0
    unknown = False
    for slot in alignment.slots:
        if slot.expected.arguments is None:
            continue
        judgement = slot.judgement
        if judgement is not None and judgement.comparison is not None:
            equal += judgement.comparison.equal
            expected += judgement.comparison.expected_count
            actual += judgement.comparison.actual_count
            unknown |= "attribute" in judgement.open
        elif judgement is not None and "arguments" in judgement.open:
            unknown = True
        else:
            expected += countable(slot.expected, tolerances=alignment.calls.tolerances)
    return ArgumentCounts(equal, expected, actual, unknown)


def _argument_metrics(
    alignment: Alignment, counts: ArgumentCounts, given: int
) -> tuple[Fraction, Fraction, Fraction] | tuple[None, None, None]:
    """Precision, recall and F1 with their conventions for what cannot be counted."""
    if counts.open:
        return None, None, None
    paired = any(slot.call is not None for slot in alignment.slots)
    if not counts.expected and not counts.actual and (paired or not (alignment.slots or given)):
        return ONE, ONE, ONE
    return counts.precision, counts.recall, counts.f1


def _names(alignment: Alignment, given: Sequence[int]) -> tuple[list[str | tuple[str, str | None]], int]:
    """The tool of each call: as it is expected, where it is, else its own name and server; and how many are expected."""
    paired: Mapping[int, str] = {slot.call: slot.expected.name for slot in alignment.slots if slot.call is not None}
    leaves = {slot.leaf: slot.expected.name for slot in alignment.slots}
    found: list[str | tuple[str, str | None]] = []
    expected = 0
    for call in given:
        name = paired.get(call)
        if name is None:
            name = next((name for leaf, name in leaves.items() if alignment.worths[leaf].candidates >> call & 1), None)
        expected += name is not None
        found.append(name if name is not None else (alignment.calls.calls[call].tool, alignment.calls.calls[call].server))
    return found, expected


def _numbered(*sequences: Sequence[object]) -> list[list[int]]:
    """The sequences with a number for each distinct member."""
    numbers: dict[object, int] = {}
    return [[numbers.setdefault(member, len(numbers)) for member in sequence] for sequence in sequences]
