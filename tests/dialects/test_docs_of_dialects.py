"""docs/dialects.md is current, and every dialect says what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from otel_toolscore.dialects import CONVENTIONS, DIALECTS, TITLES, Dialect
from otel_toolscore.dialects.describe import markdown, within

PAGE = Path(__file__).parent.parent.parent / "docs" / "dialects.md"


def test_the_page_is_current() -> None:
    """The tables are what DIALECTS says; `python docs/write_dialects.py` writes them anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert within(page, markdown(DIALECTS)) == page


def test_a_page_without_markers() -> None:
    """A page that lost its markers is not overwritten."""
    with pytest.raises(ValueError, match="has no <!-- dialects: begin -->"):
        within("# nothing", "tables")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_dialect_is_described(dialect: Dialect) -> None:
    """Each cell of the tables has something in it, and no cell breaks the table."""
    for text in (dialect.title, dialect.recognised, dialect.name_from, dialect.id_from, dialect.arguments_from, dialect.result_from):
        assert text.strip()
    assert dialect.error_from.strip()
    assert dialect.left_out.strip()
    assert dialect.hint.strip()
    assert dialect.needles or dialect.scopes
    assert "\n" not in markdown([dialect]).split("\n\n")[1].splitlines()[-1]


def test_names_are_unique_and_conventions_first() -> None:
    """A dialect is named once; the conventions come before all others."""
    names = [dialect.name for dialect in DIALECTS]
    assert len(set(names)) == len(names) == len(TITLES)
    assert set(names[: len(CONVENTIONS)]) == CONVENTIONS
