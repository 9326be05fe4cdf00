"""Which spans are worth reading at all: told for next to nothing from scope, name and attribute keys, with no dialect consulted.

A span that is let through here is read by its dialect; one that is not let through is one that no dialect would know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from otel_toolscore.dialects.dialect import Dialect
from otel_toolscore.policy.records import SpanMapping

NAME: Final = "name:"
MAX_REMEMBERED: Final = 10_000
"""Attribute keys and scope names that are remembered; code that makes them up without end starts the memory over."""

FURTHER: Final = ("traceloop.tracer", "langsmith", "mlflow")
"""Beginnings of instrumentation scopes that no dialect is known by, and whose spans say what they are only after their start."""


class Recognition:
    """The needles of all dialects and of a policy's own spans. The sets and the dict that it shows stay the same objects."""

    def __init__(self, dialects: Iterable[Dialect], mappings: Iterable[SpanMapping] = ()) -> None:
        dialects = tuple(dialects)
        late = [each for each in dialects if not each.needles or not all(needle.startswith(NAME) for needle in each.needles)]
        named = [scope for dialect in late for scope in dialect.scopes]  # a name is there from the start
        needles = [needle for dialect in dialects for needle in dialect.needles]
        needles += [key for mapping in mappings for key, _ in mapping.attributes]
        self._scope_beginnings = (*(scope.removesuffix("*") for scope in named if scope.endswith("*")), *FURTHER)
        self._key_beginnings = tuple({needle for needle in needles if not needle.startswith(NAME)})
        self._fixed = {scope: True for scope in named if not scope.endswith("*")}
        self.scopes: dict[str, bool] = dict(self._fixed)
        """Instrumentation scope -> whether its spans are read whatever they say at their start, for scopes that were met."""
        self._name_beginnings = tuple(needle.removeprefix(NAME) for needle in needles if needle.startswith(NAME))
        self.plain_names: set[str] = set()
        """Span names that were met and are no needle."""
        self.plain_keys: set[str] = set()
        """Attribute keys that were met and are no needle. A span whose keys are all among these has nothing to read."""

    def scope(self, name: str) -> bool:
        """As `scopes`, for a scope that need not have been met."""
        known = self.scopes.get(name)
        if known is None:
            if len(self.scopes) > MAX_REMEMBERED:
                self.scopes.clear()
                self.scopes.update(self._fixed)
            known = self.scopes[name] = name.startswith(self._scope_beginnings)
        return known

    def learn(self, scope: str) -> None:
        """A span of the scope showed late that it is worth reading: from now on all its spans are read."""
        self.scope(scope)
        self.scopes[scope] = True

    def by_keys(self, attributes: Mapping[str, object]) -> bool:
        """Whether a span with these attributes may be worth reading."""
        if self.plain_keys.issuperset(attributes):
            return False
        if len(self.plain_keys) > MAX_REMEMBERED:
            self.plain_keys.clear()
        for key in tuple(attributes):
            if key not in self.plain_keys:
                if key.startswith(self._key_beginnings):
                    return True
                self.plain_keys.add(key)
        return False

    def by_name(self, name: str) -> bool:
        """Whether a span of this name may be worth reading."""
        if name in self.plain_names:
            return False
        if name.startswith(self._name_beginnings):
            return True
        if len(self.plain_names) > MAX_REMEMBERED:
            self.plain_names.clear()
        self.plain_names.add(name)
        return False
