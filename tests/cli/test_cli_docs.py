"""docs/cli.md shows the help that the commands have.

`REWRITE_DOCS=1` writes the help anew; the test fails then, so that nobody takes it for a check.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest

from otel_toolscore.cli.main import COMMANDS, group

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"(<!-- help: ?(\w*) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
WIDTH = 100


def help_of(name: str) -> str:
    """The help of a command, or of the whole, as a terminal of a hundred columns shows it."""
    parent = group.make_context("otel-toolscore", [], resilient_parsing=True, terminal_width=WIDTH)
    if not name:
        return group.get_help(parent)
    command = group.get_command(parent, name)
    assert command is not None
    return command.get_help(click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH))


def block(found: re.Match[str]) -> str:
    words = " ".join(["otel-toolscore", *found[2].split(), "--help"])
    return f"{found[1]}\n```console\n$ {words}\n{help_of(found[2])}\n```\n\n{found[4]}"


def written() -> str:
    return BLOCK.sub(block, PAGE.read_text())


def test_the_page_shows_the_help() -> None:
    """Each block of the page is what the command says of itself."""
    if os.environ.get("REWRITE_DOCS"):
        PAGE.write_text(written())
        pytest.fail("docs/cli.md was written anew")
    assert PAGE.read_text() == written()


def test_every_command_has_its_section() -> None:
    """Every command is on the page, and says what it does, with an example."""
    named = [found[2] for found in BLOCK.finditer(PAGE.read_text())]
    assert sorted(named) == sorted(["", *COMMANDS])
    assert all("Example: otel-toolscore " in " ".join(help_of(name).split()) for name in named)
