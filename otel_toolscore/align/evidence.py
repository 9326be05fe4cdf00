"""The actual calls of an alignment, indexed: which have this name, this outcome, this value of an argument.

A set of calls is a bitset: bit i stands for the call of index i.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Kind, canonical, equal, exact, kind_of
from otel_toolscore.model import MISSING, Outcome, ToolCall

MOST_NODES: Final = 10_000
"""A schema with more nodes is taken to have defaults."""


def arguments_of(call: ToolCall) -> tuple[Mapping[str, object], ...]:
    """The captured arguments, in all the ways in which the spans of the call record them; empty where there are none.

    An expectation clears a call, so it has to hold for each of them.
    """
    own = call.arguments.value
    if call.arguments.state != "captured" or not isinstance(own, Mapping):
        return ()
    found: list[Mapping[str, object]] = [own]
    for variant in call.variants:
        value = variant.arguments.value
        if variant.arguments.state != "captured" or not isinstance(value, Mapping):
            continue
        if not any(equal(value, other, strict=True) for other in found):
            found.append(value)
    return tuple(found)


def unusable(call: ToolCall) -> bool:
    """Whether the arguments are known not to be a JSON object."""
    evidence = call.arguments
    return evidence.cause == "malformed" if evidence.state != "captured" else not isinstance(evidence.value, Mapping)


def names_of(call: ToolCall) -> frozenset[str]:
    """The names under which the call may be expected: bare and as recorded, by any of its spans."""
    names = {call.tool, call.recorded_name or call.tool}
    for variant in call.variants:
        names |= {variant.tool, variant.recorded_name}
    return frozenset(names)


def ranks(calls: Sequence[ToolCall]) -> tuple[int, ...]:
    """For each call its place in time; calls with equal starts share one, and where starts are missing the list's order holds."""
    order = list(range(len(calls)))
    if all(call.start_ns is not None for call in calls):
        order.sort(key=lambda index: calls[index].start_ns or 0)
    found = [0] * len(calls)
    for place, index in enumerate(order):
        if place:
            previous = order[place - 1]
            start = calls[index].start_ns
            together = start is not None and start == calls[previous].start_ns
            found[index] = found[previous] + (not together)
    return tuple(found)


class Values:
    """The values that one argument has in a set of calls."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.present = 0
        """Calls that have the argument, by any of their spans."""
        self.absent = 0
        """Calls that lack it, by any of their spans."""
        self.several = 0
        """Calls whose spans disagree on it."""
        self._distinct: dict[Hashable, tuple[object, int]] = {}
        self._forms: dict[tuple[bool, bool], dict[Hashable, int]] = {}
        self._alike: dict[Hashable, list[tuple[object, int]]] | None = None
        self._scale: dict[bool, tuple[list[Fraction], list[int]]] = {}

    def add(self, call: int, values: Sequence[object]) -> None:
        """Notes what the call's spans have for the argument (MISSING where they have nothing)."""
        bit = 1 << call
        forms = [MISSING if value is MISSING else canonical(value, self.strict) for value in values]
        for value, form in zip(values, forms, strict=True):
            if value is MISSING:
                self.absent |= bit
                continue
            self.present |= bit
            known = self._distinct.get(form)
            self._distinct[form] = (value, bit) if known is None else (known[0], known[1] | bit)
        if len(forms) > 1 and len(set(forms)) > 1:
            self.several |= bit

    def distinct(self) -> Iterator[tuple[object, int]]:
        """Each value and the calls that have it."""
        yield from self._distinct.values()

    def null(self) -> int:
        """Calls that have null."""
        return self._distinct.get(None, (None, 0))[1]

    def having(self, value: object, *, fold: bool = False, numeric: bool = False) -> int:
        """Calls that have an equal value."""
        if not fold and not numeric:
            return self._distinct.get(canonical(value, self.strict), (None, 0))[1]
        forms = self._forms.get((fold, numeric))
        if forms is None:
            forms = self._forms[fold, numeric] = {}
            for other, mask in self._distinct.values():
                form = canonical(other, self.strict, fold=fold, numeric=numeric)
                forms[form] = forms.get(form, 0) | mask
        return forms.get(canonical(value, self.strict, fold=fold, numeric=numeric), 0)

    def like(self, value: object) -> Iterator[tuple[object, int]]:
        """Values that are equal or would be if text that is a number were one, each with the calls that have it."""
        if self._alike is None:
            self._alike = {}
            for other, mask in self._distinct.values():
                self._alike.setdefault(canonical(other, self.strict, numeric=True), []).append((other, mask))
        yield from self._alike.get(canonical(value, self.strict, numeric=True), ())

    def between(self, low: Fraction, high: Fraction, *, numeric: bool) -> int:
        """Calls that have a number from `low` to `high` (with `numeric` also as text)."""
        scale = self._scale.get(numeric)
        if scale is None:
            scale = self._scale[numeric] = self._numbers(numeric)
        numbers, masks = scale
        return masks[bisect_right(numbers, high)] & ~masks[bisect_left(numbers, low)]

    def _numbers(self, numeric: bool) -> tuple[list[Fraction], list[int]]:
        found: dict[Fraction, int] = {}
        for value, mask in self._distinct.values():
            number = canonical(value, self.strict, numeric=True) if numeric else value
            if kind_of(number) is Kind.NUMBER:
                try:
                    place = exact(number)
                except (ValueError, OverflowError):  # NaN and the infinities lie on no scale
                    continue
                found[place] = found.get(place, 0) | mask
        numbers = sorted(found)
        masks = [0]
        for number in numbers:
            masks.append(masks[-1] | found[number])
        return numbers, masks


class Arguments:
    """The arguments of the calls that go by one name."""

    def __init__(self, calls: Sequence[ToolCall], chosen: Iterable[int], strict: bool) -> None:
        self.captured = self.unusable = self.unknown = 0
        self.values: dict[str, Values] = {}
        """For each argument that any of the calls has."""
        self.by_number: dict[int, int] = {}
        """For a number of arguments the calls that have so many."""
        self.forgiven: dict[Hashable, int] = {}
        """Answers kept by whoever compares: calls with an argument that is forgiven though nobody expected it."""
        self.strict = strict
        for index in chosen:
            self._add(index, calls[index])

    def _add(self, index: int, call: ToolCall) -> None:
        bit = 1 << index
        recorded = arguments_of(call)
        if not recorded:
            if unusable(call):
                self.unusable |= bit
            else:
                self.unknown |= bit
            return
        self.captured |= bit
        names = recorded[0] if len(recorded) == 1 else dict.fromkeys(name for arguments in recorded for name in arguments)
        self.by_number[len(names)] = self.by_number.get(len(names), 0) | bit
        for name in names:
            values = self.values.get(name)
            if values is None:
                values = self.values[name] = Values(self.strict)
            values.add(index, [arguments.get(name, MISSING) for arguments in recorded])


class Calls:
    """All actual calls of an alignment, and what it was told about comparing them."""

    def __init__(
        self,
        calls: Sequence[ToolCall],
        *,
        strict: bool = False,
        tolerances: bool = True,
        schemas: Mapping[str, object] | None = None,
        servers: Mapping[str, str] | None = None,
        attributes: Attributes = NO_ATTRIBUTES,
    ) -> None:
        self.calls = tuple(calls)
        self.strict = strict
        self.tolerances = tolerances
        self.schemas = schemas or {}
        """JSON Schemas of arguments, by tool."""
        self.servers = servers or {}
        """Servers that tools belong to, by tool."""
        self.attributes = attributes
        self.ranks = ranks(self.calls)
        self.by_outcome: dict[Outcome, int] = {}
        self.of_tools: dict[tuple[str, str | None], tuple[int, int]] = {}
        """Answers kept by whoever compares: calls that go by a name and server, and those of them whose server is not known."""
        self._by_name: dict[str, list[int]] = {}
        self._schemas: dict[str, object] = {}
        self._defaults: dict[int, bool] = {}
        self._arguments: dict[str, Arguments] = {}
        self.most_arguments = 0
        """How many arguments the call with the most of them has, as its spans record them together."""
        for index, call in enumerate(self.calls):
            self.most_arguments = max(self.most_arguments, sum(map(len, arguments_of(call))))
            self.by_outcome[call.outcome] = self.by_outcome.get(call.outcome, 0) | 1 << index
            for name in names_of(call):
                self._by_name.setdefault(name, []).append(index)

    def schema_of(self, name: str) -> object:
        """The schema of the arguments of calls that go by the name, None where there is none.

        It may stand under another of their names, bare or as recorded, where that leaves no doubt which schema is meant.
        """
        if not self.schemas:
            return None
        if name not in self._schemas:
            found = [self.schemas[name]] if name in self.schemas else []
            if not found:
                others = dict.fromkeys(other for index in self.named(name) for other in sorted(names_of(self.calls[index])))
                found = [self.schemas[other] for other in others if other in self.schemas]
            sure = bool(found) and all(each is found[0] or each == found[0] for each in found[1:])
            self._schemas[name] = found[0] if sure else None
        return self._schemas[name]

    def has_defaults(self, schema: object) -> bool:
        """Whether the schema names a default anywhere (or may: beyond what is looked through)."""
        known = self._defaults.get(id(schema))
        if known is None:
            known = self._defaults[id(schema)] = _names_default(schema)
        return known

    def __len__(self) -> int:
        return len(self.calls)

    def servers_of(self, index: int) -> frozenset[str]:
        """The servers that the spans of the call name."""
        call = self.calls[index]
        return frozenset(server for server in (call.server, *(one.server for one in call.variants)) if server is not None)

    def named(self, name: str) -> Sequence[int]:
        """Calls that go by the name."""
        return self._by_name.get(name, ())

    def arguments(self, name: str) -> Arguments:
        """The arguments of the calls that go by the name."""
        found = self._arguments.get(name)
        if found is None:
            found = self._arguments[name] = Arguments(self.calls, self.named(name), self.strict)
        return found


def _names_default(schema: object) -> bool:
    pending, seen = [schema], 0
    while pending:
        current = pending.pop()
        seen += 1
        if seen > MOST_NODES:
            return True
        if isinstance(current, Mapping):
            if "default" in current:
                return True
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)
    return False
