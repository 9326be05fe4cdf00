"""Comparing the arguments of one expected call with those of all calls at once.

Arguments are judged one by one: the comparison of two objects is the sum of the comparisons of their entries, so one
expected value is tested once against each distinct actual value, not against each call. Where equality is a matter of the
canonical form (no matcher, no tolerance, nothing said of the inside of an object or list) it is one look into a table.
The exception is a rule whose path can mean a dotted key of the calls as well as a nested one: which it is depends on the
other entries, so there whole arguments are compared.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from otel_toolscore.align.evidence import Arguments, Calls, Values, arguments_of
from otel_toolscore.compare import ArgumentComparison, Kind, Matcher, canonical, compare_arguments, exact, has_matchers, kind_of
from otel_toolscore.compare.field_rules import FieldRule, Place, root
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import MISSING
from otel_toolscore.schemas import Field, field

Counts = tuple[int, int]
"""Equal arguments and surplus arguments."""


class Agreement(msgspec.Struct):
    """How one expected argument compares with the calls' values; sets are disjoint subsets of the captured calls."""

    agrees: int = 0
    """No difference."""
    open: int = 0
    """Not known."""
    counts: int = 0
    """On both sides and equal: part of `agrees`."""


def by_arguments(
    expected: ExpectedCall, wanted: Mapping[str, object], calls: Calls, candidates: int
) -> tuple[dict[Counts, int], int, int, int]:
    """The candidates by their counts; those whose arguments have no difference; of which that, of which nothing is known."""
    found = calls.arguments(expected.name)
    test = _Test(expected, wanted, calls, found, candidates)
    classes, full, open_ = test.whole() if test.entangled() else test.by_entry()
    rest = candidates & ~found.captured
    if rest:
        classes[0, 0] = classes.get((0, 0), 0) | rest
    unknown = candidates & found.unknown
    if asks_nothing(expected):
        return classes, full | unknown, open_, 0
    return classes, full, open_, unknown


class _Test:
    """Compares the arguments of one expected call with those of its candidates."""

    def __init__(self, expected: ExpectedCall, wanted: Mapping[str, object], calls: Calls, found: Arguments, candidates: int) -> None:
        self.expected = expected
        self.wanted = wanted
        self.calls = calls
        self.found = found
        self.schema = calls.schema_of(expected.name)
        self.place = root(expected.field_rules)
        self.field = field(self.schema)
        self.captured = candidates & found.captured

    def entangled(self) -> bool:
        """Whether a rule's path may mean either a dotted key or a nested one among these arguments."""
        if self.place is None:
            return False
        keys = [key for steps, number, _ in self.place.pending for key, _ in steps[number].keys[:-1]]
        return any(key in self.wanted or key in self.found.values for key in keys)

    def whole(self) -> tuple[dict[Counts, int], int, int]:
        """Compare all arguments of each call at once."""
        classes: dict[Counts, int] = {}
        full = open_ = 0
        for index in self.calls.named(self.expected.name):
            bit = 1 << index
            if self.captured & bit:
                judged = compared(self.expected, self.calls, index)
                assert judged is not None
                counts = judged.equal, judged.surplus
                classes[counts] = classes.get(counts, 0) | bit
                full |= 0 if judged.differences or judged.unknown else bit
                open_ |= bit if judged.unknown and not judged.differences else 0
        return classes, full, open_

    def by_entry(self) -> tuple[dict[Counts, int], int, int]:
        """Compare argument by argument, each with all calls at once."""
        forbids = not self.expected.allow_extra_fields
        classes: dict[Counts, int] = {}
        for number, mask in self.found.by_number.items():
            counts = 0, number if forbids else 0
            if mask & self.captured:
                classes[counts] = classes.get(counts, 0) | mask & self.captured
        full = possible = self.captured
        for name, value in self.wanted.items():
            values = self.found.values.get(name)
            told = self._agreement(name, value, values)
            classes = _split(classes, values.present if values is not None and forbids else 0, told.counts)
            full &= told.agrees
            possible &= told.agrees | told.open
        if forbids:
            for name in self._names_ruled():
                classes = _split(classes, self._forgiven(name) & self.captured, 0)
            clean = sum(mask for (_, surplus), mask in classes.items() if surplus == 0)
            full &= clean
            possible &= clean
        return classes, full, possible & ~full

    def _names_ruled(self) -> list[str]:
        """Arguments of the calls that were not expected, but of which a rule or the schema says something."""
        if self.place is None and self.field is None:
            return []
        names = [name for name in self.found.values if name not in self.wanted]
        return [name for name in names if self._place(name) is not None or self._field(name) is not None]

    def _forgiven(self, name: str) -> int:
        """Calls with this argument, which nobody expected, that a rule or a default forgives."""
        rule = _rule(self._place(name))
        key = name, id(self.schema), None if rule is None else canonical(msgspec.structs.asdict(rule), strict=True)
        known = self.found.forgiven.get(key)
        if known is None:
            values = self.found.values[name]
            told = Agreement()
            if values.several:
                self._ask_each(told, name, MISSING, values)
            else:
                for actual, mask in values.distinct():
                    self._ask(told, name, MISSING, actual, mask)
            known = self.found.forgiven[key] = told.agrees & values.present
        return known

    def _place(self, name: str) -> Place | None:
        return _place(self.place, name)

    def _field(self, name: str) -> Field | None:
        return self.field.entry(name) if self.field is not None else None

    def _agreement(self, name: str, value: object, values: Values | None) -> Agreement:
        """How the expected value compares with what each captured call has for the argument."""
        place = self._place(name)
        rule, inside = _rule(place), self._field(name)
        told = Agreement()
        if values is None:
            self._ask(told, name, value, MISSING, self.captured)
            return told
        absent = self.captured & (values.absent | ~values.present)
        kind = kind_of(value)
        ignored = rule is not None and rule.ignore
        if values.several & self.captured:
            self._ask_each(told, name, value, values)
        elif isinstance(value, Matcher) and not ignored:
            for actual, mask in values.distinct():
                if actual is None:
                    self._ask(told, name, value, None, mask)
                else:
                    truth = value.test(actual, accuse=False, attributes=self.calls.attributes)
                    told.agrees |= mask if truth else 0
                    told.counts |= mask if truth else 0
                    told.open |= mask if truth is None else 0
            self._ask(told, name, value, MISSING, absent)
        elif not ignored and value is not None and (kind not in (Kind.LIST, Kind.OBJECT) or _plain(value, place, inside)):
            told.counts = told.agrees = self._having(value, values, rule, inside) & ~values.null()
            self._ask(told, name, value, None, values.null())
            self._ask(told, name, value, MISSING, absent)
        else:
            alike = not ignored and place is None and not self.calls.has_defaults(self.schema) and not has_matchers(value)
            for actual, mask in values.like(value) if alike else values.distinct():
                self._ask(told, name, value, actual, mask)
            self._ask(told, name, value, MISSING, absent)
        told.agrees &= self.captured
        told.open &= self.captured
        told.counts &= self.captured
        return told

    def _having(self, value: object, values: Values, rule: FieldRule | None, inside: Field | None) -> int:
        """Calls whose value equals the expected one; null and omitted values are another question."""
        fold = rule is not None and rule.case_insensitive
        numeric = (rule is not None and rule.numeric) or (inside is not None and inside.numeric and not self.calls.strict)
        found = values.having(value, fold=fold, numeric=numeric)
        if rule is not None and rule.tolerant:
            number = canonical(value, self.calls.strict, numeric=True) if numeric else value
            if kind_of(number) is Kind.NUMBER:
                try:
                    middle = exact(number)
                except (ValueError, OverflowError):  # no number is near NaN or an infinity
                    return found
                far = max(exact(rule.abs_tol), exact(rule.rel_tol) * abs(middle))
                found |= values.between(middle - far, middle + far, numeric=numeric)
        return found

    def _ask(self, told: Agreement, name: str, expected: object, actual: object, mask: int) -> None:
        """Compare two values the long way, for the calls that have the actual one."""
        if not mask:
            return
        agrees, open_, counts = self._answer(name, expected, actual)
        told.agrees |= mask if agrees else 0
        told.open |= mask if open_ else 0
        told.counts |= mask if counts else 0

    def _answer(self, name: str, expected: object, actual: object) -> tuple[bool, bool, bool]:
        wanted = {} if expected is MISSING else {name: expected}
        judged = _compare(self.expected, self.calls, wanted, {} if actual is MISSING else {name: actual})
        sound = not judged.differences
        return sound and not judged.unknown, sound and bool(judged.unknown), sound and judged.equal > 0

    def _ask_each(self, told: Agreement, name: str, expected: object, values: Values) -> None:
        """As `_ask` for all values, where some calls have several, all of which have to agree."""
        agrees = open_ = counts = differs = uncounted = 0
        pairs = [*values.distinct(), (MISSING, self.captured & (values.absent | ~values.present))]
        for actual, mask in pairs:
            fits, unsure, counted = self._answer(name, expected, actual) if mask else (False, False, False)
            agrees |= mask if fits else 0
            open_ |= mask if unsure else 0
            counts |= mask if counted else 0
            uncounted |= 0 if counted else mask
            differs |= 0 if fits or unsure else mask
        told.agrees = agrees & ~open_ & ~differs
        told.open = open_ & ~differs
        told.counts = counts & ~uncounted


def compared(expected: ExpectedCall, calls: Calls, index: int) -> ArgumentComparison | None:
    """How the arguments compare, None where they are not asked for or were not captured.

    Where spans of the call disagree on its arguments, an argument is equal if it is in all of them.
    """
    recorded = arguments_of(calls.calls[index])
    if expected.arguments is None or not recorded:
        return None
    if len(recorded) == 1:
        return _compare(expected, calls, expected.arguments, recorded[0])
    names = dict.fromkeys(name for arguments in (expected.arguments, *recorded) for name in arguments)
    found = ArgumentComparison(expected_count=0, actual_count=0, equal=0, surplus=0)
    for name in names:
        wanted = _only(expected.arguments, name)
        judged = [_compare(expected, calls, wanted, _only(arguments, name)) for arguments in recorded]
        worst = next((one for one in judged if one.differences), next((one for one in judged if one.unknown), judged[0]))
        found = ArgumentComparison(
            expected_count=found.expected_count + max(one.expected_count for one in judged),
            actual_count=found.actual_count + max(one.actual_count for one in judged),
            equal=found.equal + min(one.equal for one in judged),
            surplus=found.surplus + max(one.surplus for one in judged),
            differences=found.differences + worst.differences,
            unknown=found.unknown + worst.unknown,
            tolerated=found.tolerated + worst.tolerated,
        )
    return found


def _only(arguments: Mapping[str, object], name: str) -> Mapping[str, object]:
    return {name: arguments[name]} if name in arguments else {}


def _compare(expected: ExpectedCall, calls: Calls, wanted: Mapping[str, object], actual: Mapping[str, object]) -> ArgumentComparison:
    return compare_arguments(
        wanted,
        actual,
        rules=expected.field_rules,
        allow_extra=expected.allow_extra_fields,
        strict=calls.strict,
        schema=calls.schema_of(expected.name),
        tolerances=calls.tolerances,
        attributes=calls.attributes,
    )


def asks_nothing(expected: ExpectedCall) -> bool:
    """Whether whatever arguments a call has are right: they are not asked for, or all ignored and further ones allowed."""
    if expected.arguments is None:
        return True
    if not expected.allow_extra_fields:
        return False
    everywhere = root(expected.field_rules)
    rules = [_rule(_place(everywhere, name)) for name in expected.arguments]
    return all(rule is not None and rule.ignore for rule in rules)


def countable(expected: ExpectedCall, *, tolerances: bool) -> int:
    """How many arguments an expected call counts as missed when it has no call: with tolerances, those not ignored."""
    if expected.arguments is None:
        return 0
    everywhere = root(expected.field_rules) if tolerances else None
    rules = [_rule(_place(everywhere, name)) for name in expected.arguments]
    return sum(rule is None or not rule.ignore for rule in rules)


def _place(everywhere: Place | None, name: str) -> Place | None:
    """What the rules say of one argument."""
    if everywhere is None:
        return None
    return everywhere.entries({name: None}, {}).get(name, everywhere.other())


def _rule(place: Place | None) -> FieldRule | None:
    return place.rule if place is not None else None


def _plain(value: object, place: Place | None, inside: Field | None) -> bool:
    """Whether equality with the list or object is a matter of its canonical form."""
    return place is None and inside is None and not has_matchers(value)


def _split(classes: dict[Counts, int], present: int, counts: int) -> dict[Counts, int]:
    """The classes after one more argument: `present` calls have one surplus argument less, `counts` one equal more."""
    if not present and not counts:
        return classes
    found: dict[Counts, int] = {}
    for (equal, surplus), mask in classes.items():
        for part, more, less in (
            (mask & present & counts, 1, 1),
            (mask & present & ~counts, 0, 1),
            (mask & counts & ~present, 1, 0),
            (mask & ~present & ~counts, 0, 0),
        ):
            if part:
                key = equal + more, surplus - less
                found[key] = found.get(key, 0) | part
    return found
