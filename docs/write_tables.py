"""Writes the tables of docs/policy.md and docs/policy-tests.md anew from their grammars: `python docs/write_tables.py`."""

from __future__ import annotations

from pathlib import Path

from otel_toolscore.policy.reference import current
from otel_toolscore.policy_tests import reference

if __name__ == "__main__":
    for name, as_it_should_be in (("policy.md", current), ("policy-tests.md", reference.current)):
        page = Path(__file__).parent / name
        page.write_text(as_it_should_be(page.read_text(encoding="utf-8")), encoding="utf-8")
