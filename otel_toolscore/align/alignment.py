"""The one alignment of an expectation with the calls that were made; metrics, verdict and reasons all fold over it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from otel_toolscore.align.assignment import Levels
from otel_toolscore.align.chains import out_of_order
from otel_toolscore.align.evidence import Calls
from otel_toolscore.align.extras import Extra, may_be_left, tolerated
from otel_toolscore.align.faultless import Faultless, GivenUpError, find
from otel_toolscore.align.judgement import Judgement, judge
from otel_toolscore.align.optimum import Fits, optimum
from otel_toolscore.align.tree import Choices, Tree, grow, lay_out, settled
from otel_toolscore.align.weights import Weights
from otel_toolscore.align.worth import Worth, worth
from otel_toolscore.compare import canonical, has_matchers
from otel_toolscore.expected import ExpectedCall, Item
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
    """Whether this alignment is proven the best."""
    bound: int | None
    """Where a better one may exist: at most so many more arguments could be equal in it. None where no better one can."""

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


def align(items: Sequence[Item], calls: Calls, *, order: str = "in_order", extra: Extra = "forbid", complete: bool = True) -> Alignment:
    """The alignment of the expected items with the calls.

    One without any difference, if there is one; else one that could be so for some completion of what is not known (in a
    trace that is not complete also with calls that are missing from it); else the best by: most pairs of the same tool,
    most equal arguments, fewest surplus arguments, outcomes met, fewest pairs out of order, earliest calls, first
    alternatives. What is not known counts as neither equal nor surplus.
    """
    tree = grow(items, order)
    kinds, worths = _worths(tree, calls)
    weights = Weights.over(calls)
    ranks = calls.ranks
    left = may_be_left(extra, calls)
    certain, possible = ([weights.levels(one, one.full | (one.open if open_ else 0)) for one in worths] for open_ in (False, True))
    gave_up = False

    def faultless(fits: Sequence[Levels], truths: tuple[Truth, ...], *, optional: bool = False) -> Faultless | None:
        nonlocal gave_up
        try:
            return find(tree, fits, ranks, _those(left, truths), kinds.__getitem__, optional=optional)
        except GivenUpError:
            gave_up = True
            return None

    found, existence = faultless(certain, (True,)), _CERTAIN
    if found is None and (not complete or None in left or any(one.open for one in worths)):
        found, existence = faultless(possible, (True, None), optional=not complete), _POSSIBLE
    if found is not None:
        choices, taken, exact, bound = found.choices, found.taken, found.exact and not gave_up, None
    else:
        existence = "unsettled" if gave_up else "none"
        best = optimum(tree, Fits([weights.levels(one, one.candidates) for one in worths], possible), ranks)
        choices, taken, exact = best.choices, best.taken, best.exact and not gave_up
        bound = best.gap // weights.equal + 1 if best.gap else None
    slots = _slots(tree, settled(tree, choices), taken, calls)
    paired = [slot.call for slot in slots if slot.call is not None]
    rest = sorted(set(range(len(calls))).difference(paired))
    return Alignment(calls, tree, settled(tree, choices), worths, slots, tolerated(extra, calls, rest, paired), existence, exact, bound)


_CERTAIN: Final[Existence] = "certain"
_POSSIBLE: Final[Existence] = "possible"


def _those(left: Sequence[Truth], truths: tuple[Truth, ...]) -> int:
    """Calls that may be left over with one of these answers."""
    return sum(1 << index for index, truth in enumerate(left) if truth in truths)


def _worths(tree: Tree, calls: Calls) -> tuple[list[int], tuple[Worth, ...]]:
    """For each leaf what calls are worth to it, and a number that leaves which ask for the same share."""
    known: dict[Hashable, int] = {}
    found: list[Worth] = []
    kinds: list[int] = []
    for leaf in tree.leaves:
        key = _meaning(leaf, calls.strict)
        if key not in known:
            known[key] = len(found)
            found.append(worth(leaf, calls))
        kinds.append(known[key])
    return kinds, tuple(found[kind] for kind in kinds)


def _meaning(leaf: ExpectedCall, strict: bool) -> Hashable:
    """What of an expected call decides what calls are worth to it."""
    arguments: Hashable = None
    if leaf.arguments is not None:
        plain = not leaf.field_rules and not has_matchers(leaf.arguments)
        arguments = (canonical(leaf.arguments, strict),) if plain else (id(leaf.arguments), id(leaf.field_rules))
    return leaf.name, leaf.server, leaf.outcome, leaf.allow_extra_fields, arguments


def _slots(tree: Tree, choices: Choices, taken: Mapping[int, Sequence[int]], calls: Calls) -> tuple[Slot, ...]:
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
