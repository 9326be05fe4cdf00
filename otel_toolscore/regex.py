"""Regular expressions and globs from policies: RE2, so that matching takes time linear in the text.

`.` matches a newline too (`(?s)`). The memory of an expression is bounded by `MAX_MEMORY`; RE2 falls back to a slower,
still linear, way of matching rather than exceed it.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import re2

MAX_MEMORY: Final = 8 << 20
"""Bytes for one compiled expression and its caches."""


class RegexError(ValueError):
    """RE2 does not take the expression; the text is RE2's reason."""


class Expression:
    """A compiled expression."""

    __slots__ = ("_compiled",)

    def __init__(self, pattern: bytes) -> None:
        options = re2.Options()
        options.dot_nl = True
        options.log_errors = False
        options.never_capture = True
        options.max_mem = MAX_MEMORY
        try:
            self._compiled: Any = re2.compile(pattern, options)
        except re2.error as error:
            reason = error.args[0] if error.args else ""
            raise RegexError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None

    def found_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in the text."""
        return self._compiled.search(_bytes(text)) is not None

    def fits(self, text: str) -> bool:
        """Whether the expression matches the whole text."""
        return self._compiled.fullmatch(_bytes(text)) is not None


@functools.lru_cache(maxsize=1024)
def compiled(pattern: str) -> Expression:
    """The expression; `RegexError` where RE2 does not take it."""
    try:
        return Expression(pattern.encode())
    except UnicodeEncodeError:
        raise RegexError("a surrogate that is not half of a pair") from None


@functools.lru_cache(maxsize=1024)
def glob(pattern: str) -> Expression:
    """A glob: `*` is any run of characters, `?` is one, all else is itself."""
    parts = {"*": b".*", "?": b"."}
    return Expression(b"".join(parts[char] if char in parts else _literal(char) for char in pattern))


def _literal(char: str) -> bytes:
    return b"\\x{%x}" % ord(char) if not char.isalnum() and char.isascii() else _bytes(char)


def _bytes(text: str) -> bytes:
    """UTF-8; halves of a surrogate pair are put together, and one alone becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
