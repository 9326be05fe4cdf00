"""What may stand in an expected value, or in a pattern, for more than one value."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from otel_toolscore.compare.equality import canonical, equal
from otel_toolscore.model import Missing, Truth

Attributes = Mapping[str, tuple[object, ...]]
"""The values that a scope's attributes have, nearest first."""

NO_ATTRIBUTES: Final[Attributes] = MappingProxyType({})


class Matcher(abc.ABC):
    """A condition on one value: a frozen dataclass, equal and hashed by its spelling."""

    __slots__ = ()

    @abc.abstractmethod
    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        """Whether the value fits; None where that cannot be known.

        `accuse` says what a fit is good for. True: it makes a finding, so that every plausible reading of the value
        counts. False: it clears a call, so that only the value as it was recorded counts. MISSING is the value at a path
        that leads nowhere. `attributes` are what `$attr` compares with.
        """

    @abc.abstractmethod
    def spelled(self) -> dict[str, Any]:
        """The matcher as a policy spells it: an object with `$` keys, of JSON values only."""

    def __repr__(self) -> str:
        shown = [field.name for field in dataclasses.fields(cast("Any", self)) if field.repr]
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in shown)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matcher) and type(self) is type(other) and equal(self.spelled(), other.spelled(), strict=True)

    def __hash__(self) -> int:
        return hash((type(self), canonical(self.spelled(), strict=True)))


def has_matchers(value: object) -> bool:
    """Whether a matcher stands anywhere in the expected value."""
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, Matcher):
            return True
        if isinstance(current, Mapping):
            pending.extend(current.values())
        elif isinstance(current, list | tuple):
            pending.extend(current)
    return False
