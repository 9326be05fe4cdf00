"""Three-valued answers that remember why they are open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from otel_toolscore.model import Truth


class Fit(NamedTuple):
    """Whether a condition holds, and what decided."""

    truth: Truth
    cause: str | None = None
    """Why `truth` is unknown: `arguments_not_captured`, `server_unknown`, ..."""
    path: str | None = None
    """The argument path that decided, where one did."""


YES: Final = Fit(True)
NO: Final = Fit(False)


def known(truth: bool) -> Fit:
    """It is known."""
    return YES if truth else NO


def unknown(cause: str, path: str | None = None) -> Fit:
    """It is not known, because of `cause`."""
    return Fit(None, cause, path)


def all_hold(parts: Iterable[Fit]) -> Fit:
    """Kleene's and: the first false part, else the first unknown one, else true with the first path that was named."""
    open_part: Fit | None = None
    path: str | None = None
    for part in parts:
        if part.truth is False:
            return part
        if part.truth is None and open_part is None:
            open_part = part
        if path is None:
            path = part.path
    if open_part is not None:
        return open_part
    return YES if path is None else Fit(True, None, path)


def some_holds(parts: Iterable[Fit]) -> Fit:
    """Kleene's or: the first true part, else the first unknown one, else false."""
    open_part: Fit | None = None
    for part in parts:
        if part.truth is True:
            return part
        if part.truth is None and open_part is None:
            open_part = part
    return open_part or NO
