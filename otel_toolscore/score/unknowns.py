"""What the unknowns of an alignment leave open: the composite's bounds, and whether a completion can change what is paired.

Every completion of the unknowns is aligned anew. What of the alignment is then the same is found group by group: expected
calls that no call connects cannot take each other's calls, so a group of which everything is known stays as it is.
Bounds are never too narrow: where a completion may change which calls are paired, a metric that hangs on it may be anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from otel_toolscore.align import Alignment, Question
from otel_toolscore.align.assignment import bits
from otel_toolscore.align.entries import countable
from otel_toolscore.align.evidence import arguments_of, unusable
from otel_toolscore.align.optimum import names_decide
from otel_toolscore.align.tree import Choice, Leaf, Node, Parallel, leaves_below, may_fill
from otel_toolscore.metrics import Measures

Bounds = tuple[Fraction, Fraction]

ZERO, ONE = Fraction(0), Fraction(1)
ANYTHING: Bounds = (ZERO, ONE)


class Unknowns:
    """What is not known of the calls of an alignment, and what hangs on it."""

    def __init__(self, question: Question, nominal: Alignment, measures: Measures) -> None:
        self.question = question
        self.nominal = nominal
        self.measures = measures
        self.tolerances = question.calls.tolerances
        self._unknown_outcomes = question.calls.by_outcome.get("unknown", 0)
        self.groups = [group for group in connected(question) if any(self._values_open(leaf) for leaf in group)]
        """Groups of leaves (see `connected`) with calls of which something is not known."""
        self.paired = sum(1 << slot.call for slot in nominal.slots if slot.call is not None)

    def _values_open(self, leaf: int) -> bool:
        worth = self.question.worths[leaf]
        values = worth.open | worth.unsure | worth.unknown | worth.outcome_open | self._unknown_outcomes
        return bool(values & reach(self.question, leaf))

    def _candidates(self, group: Sequence[int]) -> int:
        found = 0
        for leaf in group:
            found |= reach(self.question, leaf)
        return found

    @property
    def unseen(self) -> bool:
        """Whether a missing call may be one that was made and is not in the trace."""
        return not self.question.complete and any(slot.call is None for slot in self.nominal.slots)

    @property
    def any(self) -> bool:
        """Whether anything is not known that the score or the verdict may hang on."""
        return bool(self.groups) or None in self.nominal.extras.values() or self.unseen

    @cached_property
    def slots_settled(self) -> bool:
        """Whether the resolved expectation is the same in every completion, and how many calls each group has paired."""
        tree, nominal = self.question.tree, self.nominal
        chosen = {leaf for choice in tree.choices for leaf in leaves_below(choice)}
        for group in self.groups:
            leaves = [tree.leaves[leaf] for leaf in group]
            if any(leaf.min_times != leaf.max_times for leaf in leaves) or any(self.question.worths[leaf].unsure for leaf in group):
                return False
            if chosen.intersection(group):
                filled = all(slot.call is not None for slot in nominal.slots if slot.leaf in group)
                if not filled or not self._choices_settled(group):
                    return False
        return True

    def _choices_settled(self, group: Sequence[int]) -> bool:
        """Whether the names of the calls decide the choices of which the group's leaves are part.

        Where some completion has no difference, its alternative counts even if another has more pairs: then only one
        alternative may have enough calls at all.
        """
        tree = self.question.tree
        candidates = [worth.candidates for worth in self.question.worths]
        if self.nominal.faultless != "none":
            for choice in tree.choices:
                if not set(group).isdisjoint(leaves_below(choice)):
                    fit = [place for place, part in enumerate(choice.alternatives) if may_fill(part, candidates)]
                    if fit != [self.nominal.choices[choice.index]]:
                        return False
        return names_decide(tree, candidates, len(self.nominal.calls))

    @cached_property
    def calls_settled(self) -> bool:
        """Whether the same calls are paired in every completion, and the same left over."""
        left_open = any(self._candidates(group) & ~self.paired for group in self.groups)
        return self.slots_settled and not left_open and None not in self.nominal.extras.values()

    @cached_property
    def faults_settled(self) -> bool:
        """Whether every completion has the same missing and extra calls and the same other outcomes, and `must` calls as they are."""
        for group in self.groups:
            leaves = [self.question.tree.leaves[leaf] for leaf in group]
            if len({leaf.outcome for leaf in leaves}) > 1 or any(leaf.must for leaf in leaves):
                return False
            if any(self.question.worths[leaf].outcome_open for leaf in group):
                return False
        return self.calls_settled

    def bounds(self, weights: Mapping[str, Fraction]) -> Bounds | None:
        """The lowest and the highest score of all completions; None where nothing is unknown, or no metric has a weight."""
        if not self.any:
            return None
        ranges = {**self._names(), "argument_f1": self._argument_f1(), "required_call_recall": self._recall()}
        low = high = total = ZERO
        for name, weight in weights.items():
            found = ranges[name]
            if found is not None:
                worst, best = (1 - found[1], 1 - found[0]) if name == "redundant_rate" else found
                low, high, total = low + weight * worst, high + weight * best, total + weight
        if not total:
            return None
        faultless = self.tolerances and self.nominal.faultless in ("possible", "unsettled")
        return low / total, ONE if faultless or self.unseen else high / total

    def _names(self) -> dict[str, Bounds | None]:
        """Bounds of the metrics of names."""
        metrics = self.measures.metrics
        found: dict[str, Bounds | None] = {
            name: _exactly(getattr(metrics, name)) for name in ("selection_accuracy", "sequence_accuracy", "redundant_rate")
        }
        all_stay = not self.tolerances or self.question.extra == "forbid"
        if self.calls_settled or (self.slots_settled and all_stay):
            return found if self._order_settled() else {**found, "sequence_accuracy": ANYTHING}
        if self.slots_settled and self.question.extra == "allow":
            return {**found, "sequence_accuracy": ANYTHING}
        return dict.fromkeys(found, ANYTHING)

    def _order_settled(self) -> bool:
        """Whether the names of both sides stand in the same order, whichever call of a group is which expected one."""
        if all(len(group) == 1 for group in self.groups) and self.calls_settled:
            return True
        ranks = self.question.calls.ranks
        if len(set(ranks)) < len(ranks):
            return False
        root = self.question.tree.root
        return not self.tolerances or _is_group(root) or not _has_group(root)

    def _recall(self) -> Bounds | None:
        measures = self.measures
        if not measures.expected:
            return None if self.slots_settled else ANYTHING
        alike = all(len({self.question.tree.leaves[leaf].outcome for leaf in group}) == 1 for group in self.groups)
        if not (self.slots_settled and alike) or any(self._candidates(group) & ~self.paired for group in self.groups):
            return ANYTHING
        return Fraction(measures.met, measures.expected), Fraction(measures.met + measures.perhaps_met, measures.expected)

    # Arguments

    def _argument_f1(self) -> Bounds:
        metrics, question = self.measures.metrics, self.question
        if not self.slots_settled:
            return ANYTHING
        if not self.groups and metrics.argument_f1 is not None:
            return metrics.argument_f1, metrics.argument_f1
        if self._attribute_open():
            return ANYTHING
        if self.nominal.faultless == "certain":
            return ONE, ONE
        ill, well = question.if_all_is_ill(), question.if_all_is_well(surplus=False)
        least, most = equal_arguments(ill), equal_arguments(well)
        expected = self._expected_arguments()
        fewest, greatest = self._actual_arguments()
        unbounded = self._unbounded([self.nominal, ill, question.if_all_is_well(surplus=True)])
        low = ZERO if unbounded else _f1(least, expected, greatest)
        return low, min(ONE, _f1(most, expected, max(most, fewest + max(0, most - least))))

    def _attribute_open(self) -> bool:
        """Whether arguments are compared with what is not known."""
        if any(slot.judgement is not None and "attribute" in slot.judgement.open for slot in self.nominal.slots):
            return True
        worths = [self.question.worths[leaf] for leaf in self._leaves()]
        return any(one.open & ~(one.unknown | one.outcome_open | one.unsure) for one in worths)

    def _leaves(self) -> list[int]:
        return [leaf for group in self.groups for leaf in group]

    def _unbounded(self, alignments: Sequence[Alignment]) -> bool:
        """Whether a paired call may have any number of arguments that nobody expected."""
        return any(
            slot.judgement is not None and "arguments" in slot.judgement.open and not slot.expected.allow_extra_fields
            for alignment in alignments
            for slot in alignment.slots
        )

    def _expected_arguments(self) -> int:
        found = 0
        for slot in self.nominal.slots:
            comparison = slot.judgement.comparison if slot.judgement is not None else None
            found += comparison.expected_count if comparison is not None else countable(slot.expected, tolerances=self.tolerances)
        return found

    def _actual_arguments(self) -> tuple[int, int]:
        """The fewest and the most actual arguments that count; of calls that are not known as many as they are expected to have."""
        settled = 0
        inside = set(self._leaves())
        for slot in self.nominal.slots:
            if slot.leaf not in inside and slot.judgement is not None and slot.judgement.comparison is not None:
                settled += slot.judgement.comparison.actual_count
        fewest = most = settled
        for group in self.groups:
            pairs = sum(slot.call is not None for slot in self.nominal.slots if slot.leaf in group)
            low, high = self._of_group(group, pairs)
            fewest, most = fewest + low, most + high
        return fewest, most

    def _of_group(self, group: Sequence[int], pairs: int) -> tuple[int, int]:
        calls = self.question.calls
        leaves = [self.question.tree.leaves[leaf] for leaf in group]
        unknown = 0
        for leaf in group:
            unknown |= self.question.worths[leaf].unknown
        plain = all(
            leaf.arguments is not None and not leaf.field_rules and not leaf.allow_extra_fields and calls.schema_of(leaf.name) is None
            for leaf in leaves
        )
        alone = {slot.call: slot.judgement for slot in self.nominal.slots if slot.leaf in group} if len(group) == 1 else {}
        low: list[int] = []
        high: list[int] = []
        members = list(bits(self._candidates(group)))
        countables = max(countable(leaf, tolerances=self.tolerances) for leaf in leaves)
        for index in members:
            judgement = alone.get(index)
            size = sum(map(len, arguments_of(calls.calls[index])))
            if unknown >> index & 1:
                high.append(countables)
            elif judgement is not None and judgement.comparison is not None:
                low.append(judgement.comparison.actual_count)
                high.append(judgement.comparison.actual_count)
            else:
                low.append(size if plain and not unusable(calls.calls[index]) else 0)
                high.append(size)
        known = max(0, pairs - (len(members) - len(low)))
        return sum(sorted(low)[:known]), sum(sorted(high, reverse=True)[:pairs])


def _exactly(value: Fraction | None) -> Bounds | None:
    return None if value is None else (value, value)


def _f1(equal: int, expected: int, actual: int) -> Fraction:
    return Fraction(2 * equal, expected + actual) if expected + actual else ONE


def equal_arguments(alignment: Alignment) -> int:
    """Equal arguments of all pairs, as the alignment's own worths have them."""
    found = 0
    for slot in alignment.slots:
        if slot.call is not None:
            classes = alignment.worths[slot.leaf].classes
            found += next(equal for (equal, _), mask in classes.items() if mask >> slot.call & 1)
    return found


def reach(question: Question, leaf: int) -> int:
    """Calls that the leaf may take in some completion: of its tool, or, where it has no minimum, only full matches."""
    worth = question.worths[leaf]
    return worth.candidates if question.tree.leaves[leaf].min_times else worth.full | worth.open


def connected(question: Question) -> list[list[int]]:
    """Leaves in groups that no call connects."""
    by_calls: dict[int, list[int]] = {}
    for leaf in range(len(question.worths)):
        by_calls.setdefault(reach(question, leaf), []).append(leaf)
    groups: list[tuple[int, list[int]]] = []
    for calls, members in by_calls.items():
        apart = []
        for others, group in groups:
            if others & calls:
                calls |= others
                members.extend(group)
            else:
                apart.append((others, group))
        groups = [*apart, (calls, members)]
    return [sorted(members) for _, members in groups]


def _is_group(root: Node) -> bool:
    parts = root.parts if isinstance(root, Parallel) else ()
    return bool(parts) and all(isinstance(part, Leaf) for part in parts)


def _has_group(node: Node) -> bool:
    if isinstance(node, Leaf):
        return False
    return isinstance(node, Parallel) or any(map(_has_group, node.alternatives if isinstance(node, Choice) else node.parts))
