"""Writes the tables of docs/dialects.md anew from DIALECTS: `python docs/write_dialects.py`."""

from __future__ import annotations

from pathlib import Path

from otel_toolscore.dialects import DIALECTS
from otel_toolscore.dialects.describe import markdown, within

if __name__ == "__main__":
    page = Path(__file__).parent / "dialects.md"
    page.write_text(within(page.read_text(encoding="utf-8"), markdown(DIALECTS)), encoding="utf-8")
