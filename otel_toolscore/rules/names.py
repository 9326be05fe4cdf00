"""Names of tools, servers and agents: globs over them, and how they compare where a rule accuses.

A glob has `*` (any run of characters) and `?` (one character); everything else stands for itself, case included. Where a rule
accuses, both sides are folded first, so that no look-alike spelling slips past: NFKC, characters that have no width removed,
surrounding space trimmed, case folded.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable
from typing import Final

ANY_NAME: Final = "*"
_MCP: Final = "mcp__"

# The two wildcards while a glob is folded: private-use characters, which folding leaves alone. Folding must not make a
# wildcard out of a full-width asterisk.
_MANY: Final = "\U0010fffc"
_ONE: Final = "\U0010fffd"

_NO_WIDTH: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}
"""What is drawn without width and is not of the category Cf: fillers, joiners and variation selectors."""


@functools.lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """The name as an accusing rule compares it."""
    if name.isascii():
        return name.strip().lower()
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf" and char not in _NO_WIDTH)
    return unicodedata.normalize("NFKC", visible.strip().casefold())


@functools.lru_cache(maxsize=4096)
def folded_forms(name: str) -> tuple[str, ...]:
    """The name as an accusing rule compares it, and the tool in it where it is `mcp__SERVER__TOOL` once it is folded."""
    folded = fold(name)
    if not folded.startswith(_MCP):
        return (folded,)
    server, _, tool = folded.removeprefix(_MCP).partition("__")
    return (folded, tool) if server and tool else (folded,)


def is_glob(pattern: str) -> bool:
    """Whether the pattern has a wildcard."""
    return "*" in pattern or "?" in pattern


def _matches(pattern: str, text: str) -> bool:
    """Greedy, with one place to go back to: at most len(pattern) * len(text) steps, so that no name can stall a scorer."""
    at = here = 0
    star, after = -1, 0
    while here < len(text):
        if at < len(pattern) and pattern[at] == _MANY:
            star, after = at, here
            at += 1
        elif at < len(pattern) and pattern[at] in (_ONE, text[here]):
            at += 1
            here += 1
        elif star >= 0:
            after += 1
            at, here = star + 1, after
        else:
            return False
    return all(char == _MANY for char in pattern[at:])


class Names:
    """Names or globs, compiled: does a name fit one of them?"""

    __slots__ = ("_folded_globs", "_folded_literals", "_globs", "_literals", "any", "patterns")

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self.patterns = patterns
        self.any = ANY_NAME in patterns
        """One of them fits every name."""
        globs = [pattern for pattern in patterns if is_glob(pattern)]
        self._literals = frozenset(pattern for pattern in patterns if not is_glob(pattern))
        self._folded_literals = frozenset(map(fold, self._literals))
        self._globs = tuple(pattern.replace("*", _MANY).replace("?", _ONE) for pattern in globs)
        self._folded_globs = tuple(map(fold, self._globs))

    def fit(self, name: str) -> bool:
        """Exactly as recorded."""
        return self.any or name in self._literals or any(_matches(glob, name) for glob in self._globs)

    def fit_folded(self, name: str) -> bool:
        """As an accusing rule compares."""
        return self.any or any(
            folded in self._folded_literals or any(_matches(glob, folded) for glob in self._folded_globs) for folded in folded_forms(name)
        )

    @property
    def folded_literals(self) -> frozenset[str]:
        """The names without a wildcard, folded."""
        return self._folded_literals

    @property
    def has_globs(self) -> bool:
        """Whether one of them has a wildcard."""
        return bool(self._globs)


@functools.lru_cache(maxsize=4096)
def compiled(patterns: tuple[str, ...]) -> Names:
    """The same names, compiled once."""
    return Names(patterns)


def fit_any(patterns: tuple[str, ...], names: Iterable[str]) -> bool:
    """Whether one of the names fits one of the patterns exactly."""
    test = compiled(patterns)
    return any(test.fit(name) for name in names)
