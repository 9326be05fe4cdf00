"""The documentation of policies is that of the grammar."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sound_policies import EXAMPLES

from otel_toolscore.policy import load, load_expectations, load_forbidden
from otel_toolscore.policy.grammar.policies import shapes
from otel_toolscore.policy.reference import anchor, current

PAGE = Path(__file__).parent.parent.parent / "docs" / "policy.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_tables_are_current() -> None:
    """The tables of keys and operators are those of the loader; `python docs/write_tables.py` writes them anew."""
    assert current(TEXT) == TEXT


def test_links_within_the_page_lead_somewhere() -> None:
    """Each `#anchor` of the page is one of its headings, and no two headings have the same."""
    lines = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    headings = [re.sub(r"[^a-z0-9_ -]", "", line.lower()).replace(" ", "-") for line in lines]
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= set(headings)
    assert len(set(headings)) == len(headings)
    assert {anchor(shape) for shape in shapes()} <= set(headings)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_load_without_warnings(path: Path) -> None:
    """Every policy and list among the examples is sound."""
    loaders = {"expected.yaml": load_expectations, "forbidden.yaml": load_forbidden}
    if path.name in loaders:
        assert loaders[path.name](path)
    else:
        policy = load([path])
        assert policy.rules or policy.expectations
        assert policy.warnings == ()
