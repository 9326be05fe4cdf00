"""What the terminal can show, and progress on it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

T = TypeVar("T")

PAGE_WIDTH: Final = 120
"""Columns of a table that is not shown on a terminal."""

_BETWEEN_SIGNS_S: Final = 0.2
_SIGNS: Final = "✓✗⋮…"


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def page(*, to_file: bool) -> dict[str, Any]:
    """How a table is drawn: `width`, `color_system` and `unicode` of `reports.table.render`."""
    if to_file:
        return {"width": PAGE_WIDTH, "color_system": None, "unicode": True}
    from rich.console import Console

    console = Console(file=sys.stdout)
    colors = console.color_system if is_terminal() and not console.no_color else None
    columns = shutil.get_terminal_size((PAGE_WIDTH, 24)).columns if is_terminal() or os.environ.get("COLUMNS") else PAGE_WIDTH
    return {"width": columns, "color_system": colors, "unicode": _can_show(_SIGNS)}


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def encoded(text: str, *, to_file: bool) -> bytes:
    """Text as bytes for the output; what its encoding lacks becomes an escape."""
    return text.encode("utf-8" if to_file else sys.stdout.encoding or "utf-8", "backslashreplace")


def counted(items: Iterable[T], what: str) -> Iterator[T]:
    """The same items; on a terminal, standard error says how many have come so far."""
    if not sys.stderr.isatty():
        yield from items
        return
    last, signed = time.monotonic(), False
    for number, item in enumerate(items, 1):
        if time.monotonic() - last > _BETWEEN_SIGNS_S:
            last, signed = time.monotonic(), True
            _sign(f"{number:,} {what}")
        yield item
    if signed:
        _sign("")


def _sign(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
