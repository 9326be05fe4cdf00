"""The one alignment of an expectation with the calls that were made; metrics, verdict and reasons all fold over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from otel_toolscore.align.chains import out_of_order
from otel_toolscore.align.evidence import Calls
from otel_toolscore.align.judgement import Judgement, judge
from otel_toolscore.align.tree import Choices, Tree, lay_out
from otel_toolscore.align.worth import Worth
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import Difference, Match, Pair, Truth

Existence: TypeAlias = Literal["certain", "possible", "none", "unsettled"]


class Slot(msgspec.Struct, frozen=True):
    """One expected call of the resolved expectation."""

    expected: ExpectedCall
    leaf: int
    call: int | None
    """The actual call that is it; None: missing."""
    judgement: Judgement | None
    """How that call does; None where it is missing."""
    out_of_order: bool


class Alignment(msgspec.Struct, frozen=True):
    """Which expected call is which actual call. Calls are indices into `calls`, slots indices into `slots`."""

    calls: Calls
    tree: Tree
    choices: Choices
    worths: tuple[Worth, ...]
    """For each leaf of the tree."""
    slots: tuple[Slot, ...]
    """The expectation as resolved: optional calls that were made, repetitions as often as made (or missing), one
    alternative of each choice; in the order in which they are written."""
    extras: Mapping[int, Truth]
    """Calls that nothing expects, in the list's order: whether they are tolerated, None where that is not known."""
    faultless: Existence
    """Whether there is an alignment without any difference: this one; this one, if what is not known allows it; none; or
    the search for one was given up."""
    exact: bool
    """Whether it is proven that no other has more pairs, more equal arguments, fewer surplus ones or more outcomes met (and,
    where this one has differences, that none is without any). The order is best too, in small alignments and wherever no
    pair is out of order; in large ones that have some, fewer might be (see `ties`)."""
    bound: int | None
    """Where it is not exact: at most so many more arguments could be equal in a better one."""

    def has_no_fault(self) -> bool:
        """Whether it certainly has no difference at all."""
        judgements = [slot.judgement for slot in self.slots]
        sound = all(one is not None and not one.differences and not one.open for one in judgements)
        return sound and not any(slot.out_of_order for slot in self.slots) and all(self.extras.values())

    def pairs(self) -> tuple[Pair, ...]:
        """The rows of a report: slots, then extra calls."""
        found = [Pair(index, slot.call, _match(slot), _differences(slot), _unknown(slot)) for index, slot in enumerate(self.slots)]
        found += [Pair(None, call, "extra", (), truth is None) for call, truth in self.extras.items()]
        return tuple(found)


def _match(slot: Slot) -> Match:
    if slot.judgement is None:
        return "missing"
    if slot.judgement.differences:
        return "mismatched"
    return "out_of_order" if slot.out_of_order else "matched"


def _differences(slot: Slot) -> tuple[Difference, ...]:
    return slot.judgement.differences if slot.judgement is not None else ()


def _unknown(slot: Slot) -> bool:
    return slot.judgement is not None and bool(slot.judgement.open)


def slots_of(tree: Tree, choices: Choices, taken: Mapping[int, Sequence[int]], calls: Calls) -> tuple[Slot, ...]:
    """The resolved expectation with the calls that its leaves take."""
    layout = lay_out(tree.root, choices)
    rows: list[tuple[int, int, int | None]] = []
    for number, unit in enumerate(layout.units):
        leaf = unit.options[0 if unit.choice is None else choices[unit.choice]]
        made = sorted(taken.get(leaf, ()), key=lambda call: (calls.ranks[call], call))
        missing = unit.least - len(made)
        rows.extend((number, leaf, call) for call in (*made, *[None] * missing))
    paired = [index for index, row in enumerate(rows) if row[2] is not None]
    crossed = out_of_order(layout, [(number, calls.ranks[call]) for number, _, call in rows if call is not None])
    late = {paired[index] for index in crossed}
    return tuple(
        Slot(
            tree.leaves[leaf],
            leaf,
            call,
            judge(tree.leaves[leaf], calls, call) if call is not None else None,
            index in late,
        )
        for index, (_, leaf, call) in enumerate(rows)
    )
