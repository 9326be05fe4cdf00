"""Between which scores the unknowns leave the composite, and whether they can change which call is paired with which."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from otel_toolscore.align import Alignment, Question
from otel_toolscore.align.tree import leaves_below
from otel_toolscore.metrics import Assumption, measure
from otel_toolscore.score.composite import composite

Bounds = tuple[Fraction, Fraction]


def score_bounds(question: Question, nominal: Alignment, weights: Mapping[str, Fraction], *, tolerances: bool) -> Bounds | None:
    """The lowest and highest score that completions of the unknowns can have; None where no completion changes it.

    Every completion is aligned anew, so three alignments are measured: the nominal one, the best one if all that is not
    known is as expected, and the best one if nothing of it is. Arguments that are not known may hold any number of
    arguments that nobody expected, unless further ones are allowed: wherever such a call may be paired, the infimum of
    argument_f1 is 0.
    """
    unseen = not question.complete and any(slot.call is None for slot in nominal.slots)
    if not (question.open_values or unseen):
        return None
    aligned = [nominal]
    if nominal.faultless != "certain":
        aligned.append(question.if_all_is_ill())
        if nominal.faultless != "possible":
            aligned.append(question.if_all_is_well())
    unbounded = any(
        slot.judgement is not None and "arguments" in slot.judgement.open and not slot.expected.allow_extra_fields
        for alignment in aligned
        for slot in alignment.slots
    )
    scores: list[Fraction] = []
    for alignment in aligned:
        for assuming in _ASSUMPTIONS:
            measured = measure(alignment, tolerances=tolerances, assuming=assuming, unseen=unseen and assuming == "well").metrics
            if unbounded and assuming == "ill":
                measured = msgspec.structs.replace(measured, argument_f1=Fraction(0))
            found = composite(measured, weights)
            if found is not None:
                scores.append(found)
    if not scores:
        return None
    low, high = min(scores), max(scores)
    nothing_open = composite(measure(nominal, tolerances=tolerances).metrics, weights) == low == high
    return None if nothing_open and not unbounded else (low, high)


_ASSUMPTIONS: tuple[Assumption, ...] = ("well", "ill")


def is_steady(question: Question, nominal: Alignment) -> bool:
    """Whether no completion of the unknowns can bring, or take away, a missing call, an extra one or another outcome.

    So it is where every call that something is not known of can only be paired with expected calls that are alike in all
    but their arguments, each exactly once and by no choice, and where all calls of those are paired: then the same calls
    are paired in every completion, and the same outcomes are met.
    """
    if any(truth is None for truth in nominal.extras.values()):
        return False
    tree, worths = question.tree, question.worths
    chosen = {leaf for choice in tree.choices for leaf in leaves_below(choice)}
    paired = sum(1 << slot.call for slot in nominal.slots if slot.call is not None)
    for group in _connected(question):
        if not any(worths[leaf].open | worths[leaf].unknown | worths[leaf].unsure for leaf in group):
            continue
        leaves = [tree.leaves[leaf] for leaf in group]
        alike = len({leaf.outcome for leaf in leaves}) == 1 and not any(leaf.must for leaf in leaves)
        once = not chosen.intersection(group) and all(leaf.min_times == leaf.max_times == 1 for leaf in leaves)
        known = not any(worths[leaf].unsure | worths[leaf].outcome_open for leaf in group)
        if not (alike and once and known) or any(worths[leaf].candidates & ~paired for leaf in group):
            return False
    return True


def _connected(question: Question) -> list[list[int]]:
    """Leaves in groups that no call connects."""
    groups: list[tuple[int, list[int]]] = []
    for leaf, worth in enumerate(question.worths):
        calls, members = worth.candidates, [leaf]
        apart = []
        for others, group in groups:
            if others & calls:
                calls |= others
                members = group + members
            else:
                apart.append((others, group))
        groups = [*apart, (calls, members)]
    return [members for _, members in groups]
