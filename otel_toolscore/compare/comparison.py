"""Where an expected value and an actual one differ: typed, with paths, under field rules, a schema and matchers.

Nothing here recurses with the depth of the values. A difference holds both sides; its `why` holds neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, Final, TypeAlias

import msgspec

from otel_toolscore.compare.equality import MAX_DIGITS, Kind, canonical, kind_of, number_in, same_at_once, scalars_equal, trimmed
from otel_toolscore.compare.field_rules import FieldRule, Place
from otel_toolscore.compare.matcher import Attributes, Matcher, has_matchers
from otel_toolscore.compare.pairing import Partners, Questions, TooManyQuestions, paired_by_form, pairing
from otel_toolscore.model import MISSING, Difference
from otel_toolscore.paths import joined
from otel_toolscore.schemas import Field

MAX_COUNTED: Final = 16
"""Items with more differences than this are all equally far apart."""
MAX_LEVELS: Final = 50
"""How deep questions about defaults and about lists in any order may stand inside each other; deeper ones are left open."""
MAX_REPORTED: Final = 400
"""Up to so many pairs of left-over items are tried to find those that differ least."""

Link: TypeAlias = "tuple[Link, str | int] | str"
"""A path that is only written out for a difference: the place above and the key or index, or the text of the root."""


def written(link: Link) -> str:
    """The text of a path."""
    steps: list[str | int] = []
    while not isinstance(link, str):
        link, step = link
        steps.append(step)
    for step in reversed(steps):
        link = f"{link}[{step}]" if isinstance(step, int) else joined(link, step)
    return link


class Task(msgspec.Struct, gc=False):
    """Two values still to be compared, and what holds at their place."""

    expected: Any
    actual: Any
    link: Link
    place: Place | None = None
    field: Field | None = None


class Comparison:
    """Collects the differences of one pair of values."""

    __slots__ = ("attributes", "differences", "level", "limit", "opened", "strict")

    def __init__(self, strict: bool, attributes: Attributes, level: int = 0, limit: int | None = None) -> None:
        self.strict = strict
        self.attributes = attributes
        self.level = level
        """How many questions this one stands in."""
        self.limit = limit
        """After how many differences no more are looked for; None: all are wanted."""
        self.differences: list[Difference] = []
        self.opened: list[str] = []
        """Paths at which it cannot be known whether the values differ."""

    def run(self, task: Task) -> None:
        """Compare; differences come in the order of the expected value, surplus keys after the expected ones."""
        pending = [task]
        while pending and (self.limit is None or len(self.differences) < self.limit):
            self._visit(pending.pop(), pending)

    def differs(self, task: Task, why: str) -> None:
        """Note a difference."""
        self.differences.append(Difference(written(task.link), task.expected, task.actual, why))

    def _visit(self, task: Task, pending: list[Task]) -> None:
        expected, actual = task.expected, task.actual
        if isinstance(expected, Matcher):
            self._ask(expected, task)
            return
        if expected is actual:
            return
        kind, other = kind_of(expected), kind_of(actual)
        if kind is not other:
            if not self._same_number(task, kind, other):
                self.differs(task, _why_kinds(kind, other))
        elif kind is Kind.OBJECT:
            pending.extend(reversed(list(self._entries(task))))
        elif kind is Kind.LIST:
            if task.place is not None and task.place.rule is not None and task.place.rule.order_independent_list:
                self._in_any_order(task)
            else:
                pending.extend(reversed(list(_items(task))))
        elif not self._same_scalar(task, kind):
            self.differs(task, "differs by more than the tolerance" if kind is Kind.NUMBER and _tolerant(task) else "differs")

    def _ask(self, matcher: Matcher, task: Task) -> None:
        truth = matcher.test(task.actual, accuse=False, attributes=self.attributes)
        if not truth and isinstance(task.actual, str) and self._numeric(task):
            number = self._number(task.actual)
            truth = matcher.test(number, accuse=False, attributes=self.attributes) if number is not None else truth
        if truth is None:
            self.opened.append(written(task.link))
        elif not truth:
            operators = ", ".join(matcher.spelled())
            self.differs(task, f"is missing and does not fit {operators}" if task.actual is MISSING else f"does not fit {operators}")

    # Objects

    def _entries(self, task: Task) -> Iterable[Task]:
        expected, actual = task.expected, task.actual
        if task.place is None and task.field is None:
            for key, value in expected.items():
                other = actual.get(key, MISSING)
                if not same_at_once(value, other):
                    yield Task(value, other, (task.link, key))
            yield from (Task(MISSING, actual[key], (task.link, key)) for key in actual if key not in expected)
            return
        for entry in self.entries(task):
            if self.settled(entry, task.field) is None:
                yield entry

    def entries(self, task: Task) -> Iterable[Task]:
        """The entries of two objects, expected ones first."""
        expected, actual = task.expected, task.actual
        named = task.place.entries(expected, actual) if task.place is not None else {}
        other = task.place.other() if task.place is not None else None
        for key in [*expected, *(key for key in actual if key not in expected)]:
            place = named.get(key, other)
            field = task.field.entry(key) if task.field is not None else None
            yield Task(expected.get(key, MISSING), actual.get(key, MISSING), (task.link, key), place, field)

    def settled(self, entry: Task, parent: Field | None) -> str | None:
        """Why the entry of an object needs no comparison, as its tolerance says; None where it does need one."""
        rule = entry.place.rule if entry.place is not None else None
        if rule is not None and rule.ignore:
            return "is ignored"
        default, null_is_omitted = self._default(entry, rule, parent)
        if default is MISSING:
            return None
        expected = default if _omitted(entry.expected, null_is_omitted) else entry.expected
        actual = default if _omitted(entry.actual, null_is_omitted) else entry.actual
        if expected is entry.expected and actual is entry.actual:
            return None
        as_given = self._apart(entry) if MISSING not in (entry.expected, entry.actual) else None
        if as_given is not None and not as_given.differences and not as_given.opened:
            return None
        filled = self._apart(Task(expected, actual, entry.link, entry.place, entry.field))
        self.opened += [] if filled.differences else filled.opened
        return None if filled.differences else "equals its default"

    def _default(self, entry: Task, rule: FieldRule | None, parent: Field | None) -> tuple[object, bool]:
        """The default of an entry, MISSING where it has none, and whether null is the same as omitted."""
        if rule is not None and rule.default is not MISSING:
            return rule.default, True
        if self.strict or entry.field is None or parent is None:
            return MISSING, False
        key = entry.link[1]
        if isinstance(key, str) and parent.requires(key):
            return MISSING, False
        default = entry.field.default
        return default, default is None or not entry.field.allows_null

    def _apart(self, task: Task, limit: int = 1) -> Comparison:
        """The same question asked on its own."""
        comparison = Comparison(self.strict, self.attributes, self.level + 1, limit)
        if self.level < MAX_LEVELS:
            comparison.run(task)
        else:
            comparison.opened.append(written(task.link))
        return comparison

    # Lists

    def _in_any_order(self, task: Task) -> None:
        form = self._item_form(task)
        if form is not None:
            partner = paired_by_form([form(item) for item in task.expected], [form(item) for item in task.actual])
        else:
            try:
                found = self._best_pairs(task)
            except TooManyQuestions:
                found = None
                if len(task.expected) != len(task.actual):
                    self.differs(task, "has another number of items")
                    return
            if found is None:
                self.opened.append(written(task.link))
                return
            partner = found
        self._left_over(task, partner)

    def _best_pairs(self, task: Task) -> Partners | None:
        """As many pairs of equal items as there can be; None where it depends on what is unknown whether all are paired."""
        expected, actual = task.expected, task.actual
        # What is the same in itself is equal under any rule.
        forms = [None if has_matchers(item) else (canonical(item, self.strict),) for item in expected]
        start = paired_by_form(forms, [(canonical(item, self.strict),) for item in actual])
        asked = Questions(lambda row, column: self._apart(_pair(task, row, column)))
        partner = pairing(start, len(actual), lambda row, column: not (asked(row, column).differences or asked(row, column).opened))
        if None in partner and len(expected) == len(actual):
            possible = pairing(start, len(actual), lambda row, column: not asked(row, column).differences)
            return partner if None in possible else None
        return partner

    def _item_form(self, task: Task) -> Any:
        """A function that gives items the same hashable form exactly if they are equal here; None where there is none."""
        place = task.place.item(0) if task.place is not None else None
        rule = place.rule if place is not None else None
        below = [steps[number] for steps, number, _ in task.place.pending] if task.place is not None else []
        if below or (rule is not None and rule.tolerant) or has_matchers(task.expected):
            return None
        field = task.field.item(0) if task.field is not None and not self.strict else None
        if field is not None and any(kind_of(item) in (Kind.LIST, Kind.OBJECT) for item in task.expected):
            return None
        fold = rule is not None and rule.case_insensitive
        numeric = (rule is not None and rule.numeric) or (field is not None and field.numeric)
        return lambda item: canonical(item, self.strict, fold=fold, numeric=numeric)

    def _left_over(self, task: Task, partner: list[int | None]) -> None:
        """Differences of the items without a partner: those that differ least are taken for each other."""
        rows = [row for row, column in enumerate(partner) if column is None]
        taken = {column for column in partner if column is not None}
        columns = [column for column in range(len(task.actual)) if column not in taken]
        if self.limit is None and len(rows) * len(columns) <= MAX_REPORTED:
            tried = {(row, column): self._apart(_pair(task, row, column), MAX_COUNTED) for row in rows for column in columns}
            order = sorted(tried, key=lambda pair: (len(tried[pair].differences), pair))
        else:
            order = list(zip(rows, columns, strict=False))
        for row, column in order:
            if row in rows and column in columns:
                rows.remove(row)
                columns.remove(column)
                self.run(_pair(task, row, column))
        for row in rows:
            self.differs(Task(task.expected[row], MISSING, (task.link, row)), "item is missing")
        for column in columns:
            self.differs(Task(MISSING, task.actual[column], (task.link, column)), "item was not expected")

    # Scalars

    def _same_number(self, task: Task, kind: Kind, other: Kind) -> bool:
        """Whether a number and a text are the same number, where the field is numeric."""
        return {kind, other} == {Kind.NUMBER, Kind.TEXT} and self._numeric(task) and self._numbers_agree(task)

    def _same_scalar(self, task: Task, kind: Kind) -> bool:
        if scalars_equal(task.expected, task.actual, kind, self.strict):
            return True
        if kind is Kind.TEXT:
            return self._texts_agree(task) or (self._numeric(task) and self._numbers_agree(task))
        return kind is Kind.NUMBER and _tolerant(task) and self._numbers_agree(task)

    def _texts_agree(self, task: Task) -> bool:
        if task.place is None or task.place.rule is None or not task.place.rule.case_insensitive:
            return False
        expected, actual = (text if self.strict else trimmed(text) for text in (task.expected, task.actual))
        return bool(expected.casefold() == actual.casefold())

    def _numeric(self, task: Task) -> bool:
        by_rule = task.place is not None and task.place.rule is not None and task.place.rule.numeric
        return by_rule or (not self.strict and task.field is not None and task.field.numeric)

    def _numbers_agree(self, task: Task) -> bool:
        expected, actual = self._number(task.expected), self._number(task.actual)
        if expected is None or actual is None:
            return False
        if scalars_equal(expected, actual, Kind.NUMBER, self.strict):
            return True
        rule = task.place.rule if task.place is not None else None
        return rule is not None and rule.tolerant and within(expected, actual, rule.abs_tol, rule.rel_tol)

    def _number(self, value: Any) -> Any:
        return number_in(value if self.strict else trimmed(value)) if isinstance(value, str) else value


def within(expected: Any, actual: Any, abs_tol: float | Fraction, rel_tol: float | Fraction) -> bool:
    """Whether |actual - expected| <= max(abs_tol, rel_tol * |expected|), exactly, with floats as their shortest decimal.

    Numbers that are not finite are within no tolerance.
    """
    if not (_measurable(expected) and _measurable(actual)):
        return False
    wanted, got = exact(expected), exact(actual)
    return abs(got - wanted) <= max(exact(abs_tol), exact(rel_tol) * abs(wanted))


def _measurable(number: Any) -> bool:
    if isinstance(number, Decimal):
        # Its integer may have more digits than there is memory.
        return number.is_finite() and abs(number.adjusted()) <= MAX_DIGITS
    return not isinstance(number, float) or isfinite(number)


def exact(number: Any) -> Fraction:
    """The number that was written: a float is taken for its shortest decimal, so 0.1 is one tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _tolerant(task: Task) -> bool:
    return task.place is not None and task.place.rule is not None and task.place.rule.tolerant


def _omitted(value: object, null_is_omitted: bool) -> bool:
    return value is MISSING or (value is None and null_is_omitted)


def _why_kinds(expected: Kind, actual: Kind) -> str:
    if actual is Kind.MISSING:
        return "is missing"
    if expected is Kind.MISSING:
        return "was not expected"
    return f"is {actual.value} instead of {expected.value}"


def _items(task: Task) -> Iterable[Task]:
    expected, actual = task.expected, task.actual
    bare = task.place is None and task.field is None
    for index in range(max(len(expected), len(actual))):
        if bare and index < len(expected) and index < len(actual) and same_at_once(expected[index], actual[index]):
            continue
        place = task.place.item(index) if task.place is not None else None
        if place is not None and place.rule is not None and place.rule.ignore:
            continue
        item = expected[index] if index < len(expected) else MISSING
        other = actual[index] if index < len(actual) else MISSING
        yield Task(item, other, (task.link, index), place, task.field.item(index) if task.field is not None else None)


def _pair(task: Task, row: int, column: int) -> Task:
    place = task.place.item(row) if task.place is not None else None
    field = task.field.item(row) if task.field is not None else None
    return Task(task.expected[row], task.actual[column], (task.link, row), place, field)
