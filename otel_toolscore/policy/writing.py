"""Values -> YAML text that is read back as the same values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from otel_toolscore.policy.scalars import scalar

SAFE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./@-]*")
UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
WIDTH: Final = 120


def word(text: str) -> str:
    """One scalar of text: as it is where that is read as the same text, else in double quotes."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    if SAFE.fullmatch(text) and isinstance(scalar(text), str):
        return text
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))


def number(value: float) -> str:
    """One number."""
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return repr(value)


def flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{word(str(key))}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return word(value)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int | float):
        return number(value)
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def entry(key: str, value: object, indent: int) -> Iterator[str]:
    """The lines of one key of a block mapping: on one line where it fits, else its parts below."""
    line = f"{' ' * indent}{word(key)}: {flow(value)}"
    if len(line) <= WIDTH or not value or not isinstance(value, Mapping | list | tuple):
        yield line
        return
    yield f"{' ' * indent}{word(key)}:"
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from entry(str(name), item, indent + 2)
    else:
        for item in value:
            yield f"{' ' * (indent + 2)}- {flow(item)}"
