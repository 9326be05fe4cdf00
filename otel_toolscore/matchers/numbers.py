"""Matchers on numbers. Numbers are compared exactly, integers of any size with floats too."""
# ruff: noqa: ARG002, D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

import abc
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Final

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Matcher, within
from otel_toolscore.matchers.faults import Fault, MatcherError, refused
from otel_toolscore.matchers.leniency import number_truth
from otel_toolscore.model import Missing, Truth

DEFAULT_REL: Final = 1e-6
DEFAULT_ABS: Final = 1e-12
"""The tolerances of `Approx` where neither is given."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and (isinstance(value, int) or isfinite(value))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bound(Matcher):
    """What `Gt`, `Gte`, `Lt` and `Lte` have in common."""

    limit: int | float
    operator: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not _is_number(self.limit):
            raise refused(f"`{self.operator}` takes a finite number")

    @abc.abstractmethod
    def holds(self, number: Any) -> bool:
        """Whether the number is on the right side of the limit."""

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return number_truth(value, accuse, self.holds)

    def spelled(self) -> dict[str, Any]:
        return {self.operator: self.limit}


class Gt(Bound):
    """The number is greater than the limit."""

    __slots__ = ()
    operator = "$gt"

    def holds(self, number: Any) -> bool:
        return bool(number > self.limit)


class Gte(Bound):
    """The number is the limit or greater."""

    __slots__ = ()
    operator = "$gte"

    def holds(self, number: Any) -> bool:
        return bool(number >= self.limit)


class Lt(Bound):
    """The number is less than the limit."""

    __slots__ = ()
    operator = "$lt"

    def holds(self, number: Any) -> bool:
        return bool(number < self.limit)


class Lte(Bound):
    """The number is the limit or less."""

    __slots__ = ()
    operator = "$lte"

    def holds(self, number: Any) -> bool:
        return bool(number <= self.limit)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Approx(Matcher):
    """The number is near `value`: |number - value| <= max(abs, rel * |value|).

    A tolerance that is not given is 0; where neither is, `rel` is 1e-6 and `abs` 1e-12.
    """

    value: int | float
    rel: int | float | None = None
    abs: int | float | None = None

    def __post_init__(self) -> None:
        faults = [] if _is_number(self.value) else [Fault((), "`$approx` takes a finite number as its value")]
        for name, tolerance in (("rel", self.rel), ("abs", self.abs)):
            if tolerance is not None and not (_is_number(tolerance) and tolerance >= 0):
                faults.append(Fault((name,), f"`{name}` takes a finite number of at least 0"))
        if faults:
            raise MatcherError(faults)

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        given = self.rel is not None or self.abs is not None
        abs_tol, rel_tol = (self.abs or 0, self.rel or 0) if given else (DEFAULT_ABS, DEFAULT_REL)
        return number_truth(value, accuse, lambda number: number == self.value or within(self.value, number, abs_tol, rel_tol))

    def spelled(self) -> dict[str, Any]:
        if self.rel is None and self.abs is None:
            return {"$approx": self.value}
        tolerances = {name: tolerance for name, tolerance in (("rel", self.rel), ("abs", self.abs)) if tolerance is not None}
        return {"$approx": {"value": self.value, **tolerances}}

    def __repr__(self) -> str:
        tolerances = "".join(f", {name}={value!r}" for name, value in (("rel", self.rel), ("abs", self.abs)) if value is not None)
        return f"Approx({self.value!r}{tolerances})"
