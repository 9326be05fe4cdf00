"""Writing lines: marks, styles, widths, and text that is safe to show."""

from __future__ import annotations

import io
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from otel_toolscore.model import Severity, Verdict

WORST_FIRST: Final[tuple[Verdict, ...]] = ("fail", "inconclusive", "unscored", "pass")

VERDICT_STYLES: Final[Mapping[Verdict, str]] = {"pass": "green", "fail": "bold red", "inconclusive": "yellow", "unscored": "dim"}
SEVERITY_STYLES: Final[Mapping[Severity, str]] = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan"}


class Marks(NamedTuple):
    """One sign for each thing that a line can say first."""

    passed: str = "✓"
    failed: str = "✗"
    open: str = "?"
    unscored: str = "·"
    shadow: str = "○"
    missing: str = "-"
    extra: str = "+"
    moved: str = "↕"
    differs: str = "≠"
    more: str = "⋮"
    dot: str = " · "
    inside: str = " → "
    ellipsis: str = "…"

    def of(self, verdict: Verdict) -> str:
        """The sign of a verdict."""
        return {"pass": self.passed, "fail": self.failed, "inconclusive": self.open, "unscored": self.unscored}[verdict]


ASCII_MARKS: Final = Marks("v", "x", "?", ".", "o", "-", "+", "^", "!", ":", " | ", " > ", "...")


def score_text(score: Fraction | None) -> str:
    """Three digits, cut and not rounded: what falls short of a minimum never seems to reach it."""
    return "-" if score is None else f"{int(score * 1000) / 1000:.3f}"


class Pen:
    """A page that is written from top to bottom."""

    def __init__(self, *, width: int, color_system: str | None, unicode: bool, values: bool) -> None:
        self.width = max(width, 40)
        self.marks = Marks() if unicode else ASCII_MARKS
        self.values = values
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=self.width,
            force_terminal=color_system is not None,
            color_system=color_system,  # type: ignore[arg-type]
            no_color=color_system is None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        self._unicode = unicode

    def text(self) -> str:
        """All that was written."""
        lines = [line.rstrip() for line in self._out.getvalue().split("\n")]
        return "\n".join(lines)

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def row(self, *parts: tuple[str, str] | str, indent: int = 0) -> None:
        """One line of (text, style) parts, cut at the width."""
        line = Text(" " * indent + "", no_wrap=True)
        for part in parts:
            text, style = (part, "") if isinstance(part, str) else part
            line.append(self.ascii(text), style=style)
        line.rstrip()
        if line.cell_len > self.width:
            line.truncate(self.width - cell_len(self.marks.ellipsis))
            line.append(self.marks.ellipsis, style="dim")
        self._print(line)

    def prose(self, *parts: tuple[str, str] | str, indent: int = 0, hang: int = 0, style: str = "") -> None:
        """A paragraph of (text, style) parts, wrapped at the width; its further lines are indented by `hang` more."""
        indent, hang = min(indent, self.width // 4), min(hang, self.width // 4)
        paragraph = Text(style=style)
        for part in parts:
            text, own = (part, "") if isinstance(part, str) else part
            paragraph.append(self.ascii(text), style=own)
        first, *rest = paragraph.wrap(self._console, self.width - indent) if not hang else self._hanging(paragraph, indent, hang)
        self._print(Text(" " * indent) + first)
        for line in rest:
            self._print(Text(" " * (indent + hang)) + line)

    def _hanging(self, paragraph: Text, indent: int, hang: int) -> list[Text]:
        first = paragraph.wrap(self._console, self.width - indent)[0]
        left = paragraph[len(first.plain) :]
        left = left[len(left.plain) - len(left.plain.lstrip()) :]
        return [first, *(left.wrap(self._console, self.width - indent - hang) if left.plain else ())]

    def _print(self, line: Text) -> None:
        line.rstrip()
        self._console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def ascii(self, text: str) -> str:
        """The text, with escapes for what is not ASCII where only ASCII can be written."""
        return text if self._unicode or text.isascii() else text.encode("ascii", "backslashreplace").decode()

    @staticmethod
    def count(number: int, what: str) -> str:
        """`1 call`, `1,234 calls`."""
        return f"{number:,} {what}{'' if number == 1 else 's'}"

    def fit(self, text: str, width: int) -> str:
        """The text cut to a number of columns, and filled up to it."""
        text = self.ascii(text)
        if cell_len(text) > width:
            shown = Text(text)
            shown.truncate(width - cell_len(self.marks.ellipsis))
            text = shown.plain + self.marks.ellipsis
        return text + " " * (width - cell_len(text))


def seconds_text(duration: float | None) -> str:
    """A duration with a unit that suits it; empty where it is not known."""
    if duration is None:
        return ""
    if abs(duration) < 0.9995:
        return f"{duration * 1000:.3g} ms" if abs(duration) < 0.01 else f"{duration * 1000:.0f} ms"
    return f"{duration:.3g} s" if duration < 120 else f"{duration / 60:.0f} min" if duration < 7200 else f"{duration / 3600:.1f} h"
