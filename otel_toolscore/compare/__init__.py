"""Comparing JSON values: typed and exact on meaning, and what a field rule, a schema or a matcher lets pass."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from otel_toolscore.compare.comparison import Comparison, Task, exact, within, written
from otel_toolscore.compare.equality import Kind, canonical, equal, kind_of, number_in, same_at_once, trimmed
from otel_toolscore.compare.field_rules import FieldRule, root
from otel_toolscore.compare.matcher import NO_ATTRIBUTES, Attributes, Matcher, has_matchers
from otel_toolscore.model import MISSING, Difference
from otel_toolscore.schemas import Field, field

__all__ = [
    "NO_ATTRIBUTES",
    "ArgumentComparison",
    "Attributes",
    "FieldRule",
    "Kind",
    "Matcher",
    "canonical",
    "compare",
    "compare_arguments",
    "equal",
    "exact",
    "has_matchers",
    "kind_of",
    "number_in",
    "trimmed",
    "within",
]

_NO_RULES: Mapping[str, FieldRule] = {}


class ArgumentComparison(msgspec.Struct, frozen=True, kw_only=True):
    """How the arguments of one call compare; counts are of top-level arguments."""

    expected_count: int
    """Expected arguments that count."""
    actual_count: int
    """Actual arguments that count."""
    equal: int
    """Arguments that are on both sides and equal."""
    surplus: int
    """Actual arguments that nobody expected and nothing tolerates."""
    differences: tuple[Difference, ...] = ()
    unknown: tuple[str, ...] = ()
    """Paths at which it cannot be known whether the values differ (`$attr` of an attribute that was not recorded); their
    arguments are not counted as equal."""
    tolerated: tuple[str, ...] = ()
    """What a tolerance let pass, each as a path and why, without values."""


def compare(
    expected: object,
    actual: object,
    *,
    path: str = "$",
    rules: Mapping[str, FieldRule] = _NO_RULES,
    strict: bool = False,
    schema: object = None,
    attributes: Attributes = NO_ATTRIBUTES,
) -> tuple[Difference, ...]:
    """Where the values differ; empty where they do not.

    `path` names the values in the differences. `rules` are keyed by paths below the values. With `strict`, whitespace at
    the ends of strings counts, and a schema makes nothing equal; field rules hold all the same. Matchers in `expected`
    are tested as what clears a call; where such a test cannot be known, there is no difference (`compare_arguments` tells).
    `PathError` where a key of `rules` is not a path.
    """
    comparison = Comparison(strict, attributes)
    place = root(rules)
    if place is None or place.rule is None or not place.rule.ignore:
        comparison.run(Task(expected, actual, path, place, field(schema)))
    return tuple(comparison.differences)


def compare_arguments(
    expected: Mapping[str, object],
    actual: Mapping[str, object],
    *,
    rules: Mapping[str, FieldRule] = _NO_RULES,
    allow_extra: bool = False,
    strict: bool = False,
    schema: object = None,
    tolerances: bool = True,
    attributes: Attributes = NO_ATTRIBUTES,
) -> ArgumentComparison:
    """Compare the arguments of a call, argument by argument (see `compare`).

    With `tolerances`, what is ignored, what equals its default while one side leaves it out, what a matcher accepts as
    absent, and (with `allow_extra`) what nobody expected counts on neither side. Without, every argument counts.
    """
    counted = _Count(Comparison(strict, attributes), allow_extra, tolerances)
    whole = Task(expected, actual, "$", root(rules), field(schema))
    if whole.place is None and whole.field is None:
        counted.add_plain(expected, actual)
    else:
        for entry in counted.comparison.entries(whole):
            counted.add(entry, whole.field)
    return counted.result()


class _Count:
    __slots__ = ("actual", "allow_extra", "comparison", "equal", "expected", "surplus", "tolerances", "tolerated")

    def __init__(self, comparison: Comparison, allow_extra: bool, tolerances: bool) -> None:
        self.comparison = comparison
        self.allow_extra = allow_extra
        self.tolerances = tolerances
        self.expected = self.actual = self.equal = self.surplus = 0
        self.tolerated: list[str] = []

    def add_plain(self, expected: Mapping[str, object], actual: Mapping[str, object]) -> None:
        """Compare and count arguments of which neither a rule nor a schema says anything."""
        for name, value in expected.items():
            other = actual.get(name, MISSING)
            if same_at_once(value, other):
                self.expected += 1
                self.actual += 1
                self.equal += 1
            else:
                self.add(Task(value, other, ("$", name)), None)
        for name in actual:
            if name not in expected:
                self.add(Task(MISSING, actual[name], ("$", name)), None)

    def add(self, entry: Task, parent: Field | None) -> None:
        """Compare one argument and count it."""
        comparison = self.comparison
        before = len(comparison.differences), len(comparison.opened)
        expected, actual = entry.expected is not MISSING, entry.actual is not MISSING
        settled = comparison.settled(entry, parent)
        if settled is None and self.allow_extra and not expected:
            settled = "was not expected, which is allowed"
        if settled is None:
            comparison.run(entry)
        same = before == (len(comparison.differences), len(comparison.opened))
        if settled is not None and same:
            self.tolerated.append(f"{written(entry.link)} {settled}")
            if self.tolerances:
                return
        if same and settled is None and not actual:
            return
        self.expected += expected
        self.actual += actual
        self.equal += same and expected and actual
        self.surplus += settled is None and not expected

    def result(self) -> ArgumentComparison:
        return ArgumentComparison(
            expected_count=self.expected,
            actual_count=self.actual,
            equal=self.equal,
            surplus=self.surplus,
            differences=tuple(self.comparison.differences),
            unknown=tuple(self.comparison.opened),
            tolerated=tuple(self.tolerated),
        )
