"""Writes the tables of docs/policy.md anew from the grammar: `python docs/write_tables.py`."""

from __future__ import annotations

from pathlib import Path

from otel_toolscore.policy.reference import current

if __name__ == "__main__":
    page = Path(__file__).parent / "policy.md"
    page.write_text(current(page.read_text(encoding="utf-8")), encoding="utf-8")
