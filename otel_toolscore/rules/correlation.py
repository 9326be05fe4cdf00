"""The values at several paths of one call's arguments, brought together in rows (`before.same`).

`[*]` gives a row for each item. Paths that go through the same list are read item by item, so that `items[*].id` and
`items[*].price` of one row belong to one item; all else is combined with all else.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from otel_toolscore.model import MISSING
from otel_toolscore.paths import Path

Row: TypeAlias = tuple[object, ...]
"""A value (or MISSING, or UNREAD) for each of the paths."""

MAX_ROWS: Final = 1_000
_EACH: Final = "[*]"


def rows(paths: Sequence[Path], value: object, *, nested_text: bool) -> list[Row] | None:
    """One row for each combination that belongs together, never none; None where they would be more than MAX_ROWS."""
    if len(paths) == 1:
        return _column(tuple(paths), value, nested_text)
    columns: list[tuple[tuple[int, ...], list[Row]]] = []
    for numbers in _through_one_list([path.text for path in paths]):
        found = _column(tuple(paths[number] for number in numbers), value, nested_text)
        if found is None:
            return None
        columns.append((numbers, found))
    if math.prod(len(found) for _, found in columns) > MAX_ROWS:
        return None
    order = [number for numbers, _ in columns for number in numbers]
    combined = (list(itertools.chain.from_iterable(parts)) for parts in itertools.product(*(found for _, found in columns)))
    return [tuple(value for _, value in sorted(zip(order, parts, strict=True), key=lambda pair: pair[0])) for parts in combined]


def _column(paths: tuple[Path, ...], value: object, nested_text: bool) -> list[Row] | None:
    if len(paths) == 1:
        only = paths[0].only
        if only is not None and isinstance(value, Mapping):
            return [(value.get(only, MISSING),)]
        return [(found,) for _, found in paths[0].candidates(value, nested_text=nested_text)]
    before, _, _ = paths[0].text.partition(_EACH)
    below = [_parsed("$" + path.text[len(before) + len(_EACH) :]) for path in paths]
    found: list[Row] = []
    for _, item in _parsed(before + _EACH).candidates(value, nested_text=nested_text):
        inner = [(MISSING,) * len(paths)] if item is MISSING else rows(below, item, nested_text=nested_text)
        if inner is None:
            return None
        found += inner
        if len(found) > MAX_ROWS:
            return None
    return found


def _through_one_list(texts: Sequence[str]) -> list[tuple[int, ...]]:
    """The numbers of the paths, those together that go through the same list first. A quoted name keeps a path apart."""
    together: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        before, each, _ = text.partition(_EACH)
        alone = not each or '"' in text or "'" in text
        together.setdefault(f"{number}" if alone else f"{_EACH}{before}", []).append(number)
    return [tuple(numbers) for numbers in together.values()]


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> Path:
    return Path.parse(text)
