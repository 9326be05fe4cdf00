"""Rules for single fields, and which of them holds where."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeAlias

import msgspec

from otel_toolscore.identity_cache import IdentityCache
from otel_toolscore.model import MISSING
from otel_toolscore.paths import Path, Step

Pending: TypeAlias = tuple[tuple[Step, ...], int, "FieldRule"]
"""A rule for a place further down: the steps of its path, how many of them are taken, the rule."""


class FieldRule(msgspec.Struct, frozen=True, kw_only=True):
    """How the field at a path is compared.

    On a list or object, `case_insensitive`, `numeric` and the tolerances hold for everything below it, up to where a
    rule for a longer path takes their place; the others are about the field itself. ValueError where a tolerance is not
    a finite number of at least 0.
    """

    order_independent_list: bool = False
    """The items may stand in any order (each still as often as expected)."""
    case_insensitive: bool = False
    """Text is compared after case folding."""
    numeric: bool = False
    """Text that is a JSON number counts as the number."""
    abs_tol: int | float | Fraction = 0
    rel_tol: int | float | Fraction = 0
    """Numbers are equal where |actual - expected| <= max(abs_tol, rel_tol * |expected|)."""
    ignore: bool = False
    """The field may have any value, and be missing."""
    default: object = MISSING
    """Omitted, null and this value are equal. MISSING: there is no default."""

    def __post_init__(self) -> None:
        for name, tolerance in (("abs_tol", self.abs_tol), ("rel_tol", self.rel_tol)):
            number = isinstance(tolerance, int | float | Fraction) and not isinstance(tolerance, bool)
            if not number or not 0 <= tolerance < math.inf:
                raise ValueError(f"{name} is a finite number of at least 0")

    @property
    def tolerant(self) -> bool:
        """Whether different numbers may be equal, so that equality is not transitive."""
        return bool(self.abs_tol or self.rel_tol)

    def below(self) -> FieldRule | None:
        """What holds for the values inside the field; None where nothing does."""
        if not (self.case_insensitive or self.numeric or self.tolerant):
            return None
        return FieldRule(case_insensitive=self.case_insensitive, numeric=self.numeric, abs_tol=self.abs_tol, rel_tol=self.rel_tol)


class Place(msgspec.Struct, frozen=True):
    """What the rules say of one place in a value and of those below it."""

    rule: FieldRule | None
    """The rule of this place."""
    inherited: FieldRule | None
    """What places below have where they have no rule of their own."""
    pending: tuple[Pending, ...]

    def entries(self, expected: Mapping[str, object], actual: Mapping[str, object]) -> dict[str, Place]:
        """The places of the keys that rules name; every other key has `other()`."""
        reached: dict[str, list[Pending]] = {}
        for steps, number, rule in self.pending:
            for key, following in steps[number].keys:
                if key in expected or key in actual:
                    reached.setdefault(key, []).append((steps, following, rule))
                    break
        return {key: _place(found, self.inherited) for key, found in reached.items()}

    def item(self, index: int) -> Place | None:
        """The place of an item of a list; None where no rule says anything of it."""
        found = [
            (steps, number + 1, rule)
            for steps, number, rule in self.pending
            if (steps[number].each or steps[number].index == index) and not steps[number].keys
        ]
        return _place(found, self.inherited) if found else self.other()

    def other(self) -> Place | None:
        """The place of what no rule names."""
        return Place(self.inherited, self.inherited, ()) if self.inherited is not None else None


def _place(found: list[Pending], inherited: FieldRule | None) -> Place:
    # Of several rules for one place, the one whose path has fewer wildcards is the more exact.
    ended = [(sum(step.each for step in steps), order) for order, (steps, number, _) in enumerate(found) if number == len(steps)]
    if not ended:
        return Place(inherited, inherited, tuple(found))
    rule = found[min(ended)[1]][2]
    return Place(rule, rule.below(), tuple(entry for entry in found if entry[1] < len(entry[0])))


_PLACES: Final[IdentityCache[Place]] = IdentityCache()


def root(rules: Mapping[str, FieldRule]) -> Place | None:
    """The place of the whole value under rules keyed by path; `PathError` where a key is not a path.

    What a mapping comes to is kept, since one expectation is compared with many calls: it is not changed after its use.
    """
    if not rules:
        return None
    return _PLACES.get(rules, lambda: _place([(Path.parse(path).steps, 0, rule) for path, rule in rules.items()], None))
