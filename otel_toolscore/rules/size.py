"""How large a value may be that is judged: beyond, whatever needs it is unknown, so that no argument can stall a scorer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from otel_toolscore.matchers import Matcher, costly
from otel_toolscore.matchers.leniency import MAX_COSTLY
from otel_toolscore.matchers.path_under import MAX_CHARACTERS as MAX_COSTLY_CHARACTERS
from otel_toolscore.nested_json import MAX_CHARACTERS, MAX_VALUES, looks_nested

_MOST: Final = MAX_VALUES + 1


class Size(NamedTuple):
    """What a value holds, at all depths."""

    values: int
    """Texts, numbers, lists, objects; no more are counted than it takes to be too many."""
    characters: int
    """Of all texts and keys."""


def size_of(value: object) -> Size:
    """The size of the value, as far as it matters."""
    values = characters = 0
    pending = [value]
    while pending and values < _MOST and characters <= MAX_CHARACTERS:
        current = pending.pop()
        values += 1
        if isinstance(current, str):
            characters += len(current)
        elif isinstance(current, Mapping):
            characters += sum(map(len, current))
            pending.extend(current.values())
        elif isinstance(current, list | tuple):
            pending.extend(current)
    return Size(values, characters)


def too_large(value: object) -> bool:
    """Whether the value is more than is judged: `MAX_CHARACTERS` in all of its texts and keys, `MAX_VALUES` values."""
    if isinstance(value, str):
        return len(value) > MAX_CHARACTERS
    if not isinstance(value, Mapping | list | tuple):
        return False
    size = size_of(value)
    return size.values > MAX_VALUES or size.characters > MAX_CHARACTERS


def beyond(matcher: Matcher, value: object) -> bool:
    """Whether it may be for the size of the value that the matcher cannot tell."""
    if isinstance(value, str) and looks_nested(value) and value.count(",") > MAX_VALUES:
        return True
    size = size_of(value)
    return costly(matcher) and (size.values > MAX_COSTLY or size.characters > MAX_COSTLY_CHARACTERS)
