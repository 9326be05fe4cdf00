"""The `$path_under` matcher: whether a file path lies in a folder, after normalising, whatever way it is written."""
# ruff: noqa: ARG002, D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Matcher, trimmed
from otel_toolscore.matchers.faults import Fault, MatcherError, refused
from otel_toolscore.matchers.leniency import text_truth
from otel_toolscore.model import Missing, Truth

MAX_CHARACTERS: Final = 8_192
"""A longer text, twice what systems take for a path, clears nothing and is unknown where a fit accuses."""
MAX_WRITINGS: Final = 12
"""How many ways of writing one path are looked at."""

_DRIVE: Final = re.compile(r"[A-Za-z]:")
_DEVICE: Final = re.compile(r"[\\/]{2}[?.][\\/](UNC[\\/])?", re.IGNORECASE)
_FILE_URL: Final = re.compile(r"file:(?://(?:localhost)?)?(?=/)", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class Place(NamedTuple):
    """An absolute, normalised path."""

    anchor: str
    """Empty for POSIX, else the drive (`c:`) or share (`//server/share`), folded."""
    parts: tuple[str, ...]


def _normal(parts: Iterable[str]) -> tuple[str, ...]:
    done: list[str] = []
    for part in parts:
        if part == "..":
            del done[-1:]
        elif part not in ("", "."):
            done.append(part)
    return tuple(done)


def _posix(text: str) -> Place | None:
    return Place("", _normal(text.split("/"))) if text.startswith("/") else None


def _windows(text: str) -> Place | None:
    """A path with a drive or a share; both separators, no case, spaces and dots at the end of a name dropped as Windows does."""
    text = text.replace("\\", "/")
    if _DRIVE.match(text) and text[2:3] == "/":
        anchor, rest = text[:2], text[3:]
    elif text.startswith("//") and text[2:3] not in ("", "/"):
        server, _, rest = text[2:].partition("/")
        share, _, rest = rest.partition("/")
        anchor = f"//{server}/{share}"
    else:
        return None
    return Place(anchor.casefold(), _normal(_windows_name(part) for part in rest.split("/")))


def _windows_name(name: str) -> str:
    bare = name.rstrip(" .")
    if not bare:
        return ".." if name.rstrip(" ").startswith("..") else ""
    return bare.casefold()


def _writings(text: str) -> tuple[list[str], bool]:
    """The text, and what it becomes when percent-encoding is undone and look-alike characters are replaced, again and again;
    and whether that came to an end within `MAX_WRITINGS`."""
    found = [text]
    for form in found:
        for other in (unquote(form, errors="replace"), unicodedata.normalize("NFKC", form)):
            if other not in found:
                found.append(other)
        if len(found) > MAX_WRITINGS:
            return found, False
    return found, True


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class PathUnder(Matcher):
    """The text is an absolute path at or below one of the folders: `PathUnder("/srv/data")`, `PathUnder("C:/data", "//nas/x")`.

    `.`, `..` and doubled separators are resolved; links are not followed. A relative path is under nothing. Where a fit
    accuses, any plausible reading counts: percent-encoding undone, backslashes as separators, `file:` URLs, cut at a NUL,
    look-alike characters. Where it clears, every such reading must lie under the same folder.
    """

    roots: tuple[str, ...]
    _places: tuple[tuple[bool, Place], ...] = field(repr=False)

    def __init__(self, *roots: object) -> None:
        if len(roots) == 1 and isinstance(roots[0], list | tuple):
            roots = tuple(roots[0])
        if not roots:
            raise refused("`$path_under` takes an absolute path or a list of at least one")
        places = [(bool(_windows(root)), _windows(root) or _posix(root)) if isinstance(root, str) else (False, None) for root in roots]
        faults = [Fault((number,), "`$path_under` takes absolute paths") for number, (_, place) in enumerate(places) if place is None]
        if faults:
            raise MatcherError([Fault((), faults[0].message)] if len(roots) == 1 else faults)
        object.__setattr__(self, "roots", roots)
        object.__setattr__(self, "_places", tuple(places))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return text_truth(value, accuse, self._may_lie_under if accuse else self._certainly_lies_under, costly=True)

    def _may_lie_under(self, text: str) -> Truth:
        if len(text) > MAX_CHARACTERS:
            return None
        cut = {text, trimmed(text), text.partition("\0")[0], _FILE_URL.sub("", trimmed(text), count=1)}
        forms = {writing for form in cut for writing in _writings(form)[0]}
        forms |= {_DEVICE.sub(lambda match: "//" if match[1] else "", form, count=1) for form in forms}
        return any(_under(place, root) for windows, root in self._places for form in forms for place in _possible(form, root, windows))

    def _certainly_lies_under(self, text: str) -> Truth:
        if len(text) > MAX_CHARACTERS:
            return False
        forms, complete = _writings(text)
        if not complete or any(_CONTROL.search(form) for form in forms):
            return False
        return any(all(_under(place, root) for form in forms for place in _required(form, windows)) for windows, root in self._places)

    def spelled(self) -> dict[str, Any]:
        return {"$path_under": self.roots[0] if len(self.roots) == 1 else list(self.roots)}

    def __repr__(self) -> str:
        return f"PathUnder({', '.join(map(repr, self.roots))})"


def _under(place: Place | None, root: Place) -> bool:
    if place is None or place.anchor != root.anchor:
        return False
    wanted = root.parts
    return place.parts[: len(wanted)] == wanted


def _possible(text: str, root: Place, windows: bool) -> list[Place | None]:
    slashed = text.replace("\\", "/")
    if not windows:
        return [_posix(text), _posix(slashed)]
    rooted = _windows(f"{root.anchor}{slashed}") if slashed.startswith("/") and not slashed.startswith("//") else None
    return [_windows(text), _windows(slashed.lstrip("/")), rooted]


def _required(text: str, windows: bool) -> list[Place | None]:
    if not windows:
        return [_posix(text), _posix(text.replace("\\", "/"))]
    parts = text.replace("\\", "/").split("/")
    odd = _DEVICE.match(text) or any(part.rstrip(" .") != part and part not in (".", "..") for part in parts)
    return [None] if odd else [_windows(text)]
