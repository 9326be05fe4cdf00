"""Verdicts do not depend on what tools, ids and arguments are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_format import Case, faults_of_form
from case_judge import faults
from command_line import in_process
from renamer import Renamer
from test_cases import supported


def arbitrary(case: Case) -> bool:
    """Whether names are arbitrary in it: not where the attributes of some emitter, or look-alike letters, are what it is about."""
    return "spans" in case.document.get("input", {}) and not case.file.startswith("dialects") and str(case.document).isascii()


CASES = [case for case in supported() if arbitrary(case)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_renaming_leaves_every_verdict(case: Case, seed: int, tmp_path: Path) -> None:
    """With other tools, ids and argument keys the same verdicts, findings and scores come out."""
    renamed = Renamer(seed).case(case.document)
    assert faults(renamed, in_process, tmp_path) == [], case.about


def test_most_cases_are_renamed() -> None:
    """The test above is not about a few of them."""
    assert len(CASES) > 100


def test_renaming_changes_what_it_says_it_does() -> None:
    """A renamed case is well-formed, and no old tool, id or argument key is left in it."""
    document = {
        "about": "x",
        "input": {
            "spans": [
                {
                    "id": 7,
                    "name": "execute_tool mcp__shop__find_order",
                    "attrs": {
                        "gen_ai.tool.name": "mcp__shop__find_order",
                        "gen_ai.tool.call.id": "c9",
                        "gen_ai.tool.call.arguments": '{"customer":{"mail":"Ada"}}',
                    },
                },
            ]
        },
        "policy": {
            "version": 1,
            "rules": [{"id": "r", "forbid": {"tool": ["find_*"], "server": "shop", "args": {"customer.mail": {"$contains": "Ada"}}}}],
            "expectations": [{"id": "e", "calls": [{"tool": "find_order", "args": {"customer": {"mail": "Ada"}}}]}],
        },
        "expect": {
            "violations": [["r", "find_order", 0]],
            "calls": [{"tool": "find_order", "server": "shop", "id": "c9", "args": {"customer": {"mail": "Ada"}}}],
            "why": ["$.customer.mail", "find_order", "JSON"],
        },
    }
    renamer = Renamer(1)
    renamed = renamer.case(document)
    assert list(faults_of_form(Case("x", 0, renamed))) == []
    text = str(renamed)
    assert not any(word in text for word in ("find", "order", "shop", "customer", "mail", "c9"))
    order = renamer.tool("find_order")
    assert renamed["input"]["spans"][0]["name"] == f"execute_tool mcp__{renamer.tool('shop')}__{order}"
    assert renamed["policy"]["rules"][0]["forbid"]["tool"] == [renamer.tool("find") + "_*"]
    assert renamed["policy"]["rules"][0]["forbid"]["args"] == {renamer.path("customer.mail"): {"$contains": "Ada"}}
    assert renamed["expect"]["why"] == [renamer.path("$.customer.mail"), order, "JSON"]


def test_renaming_is_the_same_for_the_same_seed() -> None:
    """A seed names one renaming; another seed names another."""
    assert Renamer(5).tool("get_user") == Renamer(5).tool("get_user") != Renamer(6).tool("get_user")
