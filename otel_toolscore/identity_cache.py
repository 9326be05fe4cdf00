"""What was made of an object, kept as long as the object is used: for mappings that are not hashable and costly to prepare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class IdentityCache(Generic[V]):
    """Results by the identity of what they were made of; at most `size` of them, else it starts anew.

    An entry holds its source, so that the id is not given to another object. A source is not changed after its first use.
    """

    __slots__ = ("_entries", "_size")

    def __init__(self, size: int = 256) -> None:
        self._entries: dict[int, tuple[object, V]] = {}
        self._size = size

    def get(self, source: object, make: Callable[[], V]) -> V:
        """The result for the source, made by `make` if there is none yet."""
        entry = self._entries.get(id(source))
        if entry is not None and entry[0] is source:
            return entry[1]
        made = make()
        if len(self._entries) >= self._size:
            self._entries.clear()
        self._entries[id(source)] = (source, made)
        return made
