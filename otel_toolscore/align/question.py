"""What an alignment is asked for, and the ways to answer it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import msgspec

from otel_toolscore.align.alignment import Alignment, Existence, slots_of
from otel_toolscore.align.assignment import Levels
from otel_toolscore.align.evidence import Calls
from otel_toolscore.align.extras import Extra, may_be_left, tolerated
from otel_toolscore.align.faultless import Faultless, GivenUpError, find
from otel_toolscore.align.optimum import Fits, optimum
from otel_toolscore.align.tree import Tree, grow, settled, without_order
from otel_toolscore.align.weights import Weights, weight_in
from otel_toolscore.align.worth import Worth, favourable, unfavourable, worth
from otel_toolscore.compare import canonical, has_matchers
from otel_toolscore.expected import ExpectedCall, Item
from otel_toolscore.model import Truth

_CERTAIN: Final[tuple[Truth, ...]] = (True,)
_POSSIBLE: Final[tuple[Truth, ...]] = (True, None)


class Question:
    """Which of the expected items is which of the calls?

    `complete`: whether all calls that were made are known.
    """

    def __init__(
        self, items: Sequence[Item], calls: Calls, *, order: str = "in_order", extra: Extra = "forbid", complete: bool = True
    ) -> None:
        self.calls = calls
        self.extra = extra
        self.complete = complete
        self.tree = grow(items, order)
        self.kinds, self.worths = _worths(self.tree, calls)
        most = max((len(leaf.arguments or ()) for leaf in self.tree.leaves), default=0)
        self.weights = Weights.over(len(calls), max(most, calls.most_arguments) + 1)
        self.left = list(may_be_left(extra, calls, complete=complete))
        """For each call whether it may be left over, in all the ways that are to be tried."""
        self.gave_up = False

    @property
    def open(self) -> bool:
        """Whether anything is not known that the answer may hang on, calls that are missing from the trace included."""
        return self.open_values or not self.complete

    @property
    def open_values(self) -> bool:
        """Whether anything of the calls is not known that the answer may hang on."""
        values = any(one.open or one.unsure or one.unknown or one.outcome_open for one in self.worths)
        return values or any(None in left for left in self.left) or bool(self.calls.by_outcome.get("unknown", 0))

    def nominal(self) -> Alignment:
        """The alignment.

        One without any difference, if there is one; else one that could be so for some completion of what is not known (in
        a trace that is not complete also with calls that are missing from it); else the best by: most pairs of the same
        tool, most equal arguments, fewest surplus arguments, outcomes met, fewest pairs out of order, fewest missing, earliest
        calls, first alternatives. What is not known counts as neither equal nor surplus.
        """
        found = self._faultless(self.tree, [self.weights.levels(one, one.full) for one in self.worths], _CERTAIN)
        if found is not None:
            return self._built(self.worths, found, "certain")
        if self.open:
            possible = [self.weights.levels(one, one.full | one.open) for one in self.worths]
            found = self._faultless(self.tree, possible, _POSSIBLE, optional=not self.complete)
            if found is not None:
                return self._built(self.worths, found, "possible")
        best = self._best(self.worths)
        if self.gave_up and best.has_no_fault():
            settled = best.bound == 0
            return msgspec.structs.replace(best, faultless="certain", exact=settled, bound=None if settled else best.bound)
        return best

    def if_all_is_well(self, *, surplus: bool) -> Alignment:
        """A best alignment if whatever is not known is as expected; with `surplus`, next to many arguments that are not.

        Best but for order and earliness, as is `if_all_is_ill`.
        """
        more = self.calls.most_arguments + 1 if surplus else 0
        worths = tuple(favourable(*pair, self.calls, more) for pair in zip(self.tree.leaves, self.worths, strict=True))
        return self._best(worths, ties=False)

    def if_all_is_ill(self) -> Alignment:
        """A best alignment if whatever is not known is not as expected."""
        return self._best(tuple(unfavourable(*pair, self.calls) for pair in zip(self.tree.leaves, self.worths, strict=True)), ties=False)

    def may_be_forgiven(self) -> bool:
        """Whether for some completion there is an alignment with no worse differences than in arguments and order.

        That is: without its `must` calls differing, without a missing call, an extra one or another outcome.
        """
        tree = Tree(without_order(self.tree.root), self.tree.leaves, self.tree.choices)
        fits = []
        for leaf, one in zip(self.tree.leaves, self.worths, strict=True):
            allowed = one.full | one.open
            if not leaf.must and leaf.min_times:
                allowed = one.candidates if leaf.outcome == "any" else one.candidates & (one.met | one.outcome_open)
            fits.append(self.weights.levels(one, allowed))
        gave_up, self.gave_up = self.gave_up, False
        found = self._faultless(tree, fits, _POSSIBLE, optional=not self.complete)
        unsettled, self.gave_up = self.gave_up, gave_up
        return found is not None or unsettled

    def _faultless(self, tree: Tree, fits: Sequence[Levels], truths: tuple[Truth, ...], *, optional: bool = False) -> Faultless | None:
        best: tuple[int, Faultless] | None = None
        for left in self.left:
            may_stay = sum(1 << index for index, truth in enumerate(left) if truth in truths)
            try:
                found = find(tree, fits, self.calls.ranks, may_stay, self.kinds.__getitem__, optional=optional)
            except GivenUpError:
                self.gave_up = True
                continue
            if found is not None:
                weight = sum(weight_in(fits[leaf], call) for leaf, calls in found.taken.items() for call in calls)
                if best is None or weight > best[0]:
                    best = weight, found
        return None if best is None else best[1]

    def _best(self, worths: tuple[Worth, ...], *, ties: bool = True) -> Alignment:
        full = [self.weights.levels(one, one.full | one.open) for one in worths]
        found = optimum(self.tree, Fits([self.weights.levels(one, one.candidates) for one in worths], full), self.calls.ranks, ties=ties)
        existence: Existence = "unsettled" if self.gave_up else "none"
        bound = found.gap // self.weights.equal + 1 if found.gap else 0
        return self._built(worths, Faultless(found.choices, found.taken, exact=not found.gap), existence, bound)

    def _built(self, worths: tuple[Worth, ...], found: Faultless, existence: Existence, bound: int = 0) -> Alignment:
        choices = settled(self.tree, found.choices)
        slots = slots_of(self.tree, choices, found.taken, self.calls)
        paired = [slot.call for slot in slots if slot.call is not None]
        rest = sorted(set(range(len(self.calls))).difference(paired))
        extras = tolerated(self.extra, self.calls, rest, paired, complete=self.complete)
        exact = found.exact and not self.gave_up
        return Alignment(self.calls, self.tree, choices, worths, slots, extras, existence, exact, None if exact else bound)


def align(items: Sequence[Item], calls: Calls, *, order: str = "in_order", extra: Extra = "forbid", complete: bool = True) -> Alignment:
    """The alignment of the expected items with the calls (see `Question.nominal`)."""
    return Question(items, calls, order=order, extra=extra, complete=complete).nominal()


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
