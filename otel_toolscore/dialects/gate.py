"""Which dialects a span may speak, told from its attribute keys, its name and its instrumentation scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from otel_toolscore.dialects.dialect import Dialect
from otel_toolscore.spans import Span

_NAME: Final = "name:"
_MAX_REMEMBERED: Final = 10_000
"""Keys and scope names that are remembered; a source that makes them up without end starts the memory over."""


class Gate:
    """The needles of all dialects. What was found for a key or a scope name is remembered."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._dialects = dialects
        self._keys: dict[str, int] = {}
        self._scopes: dict[str, int] = {}
        self._names = [
            (needle.removeprefix(_NAME), 1 << place)
            for place, dialect in enumerate(dialects)
            for needle in dialect.needles
            if needle.startswith(_NAME)
        ]
        self._any_name = tuple(beginning for beginning, _ in self._names)
        self._chosen: dict[int, tuple[Dialect, ...]] = {0: ()}

    def candidates(self, span: Span) -> Iterable[Dialect]:
        """The dialects that may know the span, in order of preference."""
        chosen = self._scopes.get(span.scope_name)
        if chosen is None:
            chosen = self._remember(self._scopes, span.scope_name, [dialect.scopes for dialect in self._dialects], whole=True)
        for key in span.attributes:
            found = self._keys.get(key)
            chosen |= found if found is not None else self._remember(self._keys, key, [dialect.needles for dialect in self._dialects])
        if span.name.startswith(self._any_name):
            for beginning, dialect in self._names:
                if span.name.startswith(beginning):
                    chosen |= dialect
        made = self._chosen.get(chosen)
        if made is None:
            made = self._chosen[chosen] = tuple(dialect for place, dialect in enumerate(self._dialects) if chosen >> place & 1)
        return made

    def _remember(self, memory: dict[str, int], name: str, patterns: Sequence[Sequence[str]], whole: bool = False) -> int:
        if len(memory) >= _MAX_REMEMBERED:
            memory.clear()
        found = 0
        for place, these in enumerate(patterns):
            if any(_fits(name, pattern, whole) for pattern in these):
                found |= 1 << place
        memory[name] = found
        return found


def _fits(name: str, pattern: str, whole: bool) -> bool:
    if whole:
        return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
    return not pattern.startswith(_NAME) and name.startswith(pattern)
