"""Text that is safe to show: masked, on one line, and unable to write to a terminal."""

from __future__ import annotations

import unicodedata
from typing import Final

from otel_toolscore.credentials import mask

_SPACES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
"""Unicode categories that are written as escapes: they move the cursor, reorder or hide text."""


def safe(text: str) -> str:
    """The text masked and on one line; what a terminal would obey or hide is written as an escape."""
    text = mask(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) if unicodedata.category(char) in _UNSEEN else char for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return _SPACES.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
