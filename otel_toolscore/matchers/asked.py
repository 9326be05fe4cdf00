"""Which attributes of a scope a matcher asks for, by `$attr`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from otel_toolscore.compare import Matcher


def attributes_asked(matcher: Matcher) -> Iterator[str]:
    """The attribute keys that the matcher names anywhere inside."""
    return _keys(matcher.spelled())


def _keys(document: object) -> Iterator[str]:
    """The arguments of `$attr` in a spelling; the inside of a `$literal` is only a value."""
    if isinstance(document, Mapping):
        for key, value in document.items():
            if key == "$attr" and isinstance(value, str):
                yield value
            elif key != "$literal":
                yield from _keys(value)
    elif isinstance(document, list | tuple):
        for item in document:
            yield from _keys(item)
