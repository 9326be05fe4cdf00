"""What is wrong with a matcher as it is written."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple


class Fault(NamedTuple):
    """One thing that is wrong."""

    path: tuple[str | int, ...]
    """Keys and indices from the document to the place."""
    message: str
    """What is wrong there and what was expected, in lower case, without a full stop."""
    suggestion: str | None = None
    """What was perhaps meant."""


class MatcherError(ValueError):
    """A matcher that cannot be built; `faults` holds everything that is wrong with it."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(_line(fault) for fault in self.faults))


def _line(fault: Fault) -> str:
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.path).lstrip(".")
    meant = f" (did you mean {fault.suggestion}?)" if fault.suggestion else ""
    return f"{where}: {fault.message}{meant}" if where else f"{fault.message}{meant}"


def refused(message: str, suggestion: str | None = None, path: tuple[str | int, ...] = ()) -> MatcherError:
    """The error of a single fault."""
    return MatcherError((Fault(path, message, suggestion),))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was perhaps meant."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else None
