"""The objective of an alignment as one integer."""

from __future__ import annotations

import msgspec

from otel_toolscore.align.assignment import Levels
from otel_toolscore.align.worth import Worth


class Weights(msgspec.Struct, frozen=True):
    """Weights that put the counts of an alignment in their order: no sum of lesser counts reaches one of a greater."""

    pair: int
    equal: int
    surplus: int

    @classmethod
    def over(cls, pairs: int, arguments: int) -> Weights:
        """For alignments of up to so many pairs, each with up to so many arguments that are equal or surplus."""
        surplus = pairs + 1
        total = pairs * arguments + 1
        return cls(surplus * total * total, surplus * total, surplus)

    def of(self, equal: int, surplus: int, met: bool) -> int:
        """What a pair adds."""
        return self.pair + equal * self.equal - surplus * self.surplus + met

    def levels(self, worth: Worth, mask: int) -> Levels:
        """What the calls in `mask` are worth to an expected call, heaviest first."""
        found: dict[int, int] = {}
        for (equal, surplus), members in worth.classes.items():
            members &= mask
            for met, part in ((True, members & worth.met), (False, members & ~worth.met)):
                if part:
                    weight = self.of(equal, surplus, met)
                    found[weight] = found.get(weight, 0) | part
        return tuple(sorted(found.items(), reverse=True))


def heaviest(options: tuple[Levels, ...]) -> Levels:
    """What calls are worth to the best of several expected calls."""
    if len(options) == 1:
        return options[0]
    return tuple(sorted((level for levels in options for level in levels), key=lambda level: -level[0]))


def weight_in(levels: Levels, call: int) -> int:
    """What the call is worth; 0 where it cannot be taken."""
    return next((weight for weight, mask in levels if mask >> call & 1), 0)


def union(levels: Levels) -> int:
    """All calls that can be taken."""
    found = 0
    for _, mask in levels:
        found |= mask
    return found
