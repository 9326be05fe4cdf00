"""The documentation says what is so: its commands run, its code runs, its policies load, and nothing that can be used is left out."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import layers
import pytest
from command_line import in_a_process

from otel_toolscore import EvaluationResult, evaluate
from otel_toolscore.cli.main import COMMANDS, group
from otel_toolscore.matchers import OPERATORS
from otel_toolscore.policy import json_schema, loads

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [README, ROOT / "CHANGELOG.md", *DOCS, *sorted((ROOT / "examples").rglob("*.md")), *sorted((ROOT / "tests").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    language: str
    text: str
    number: int

    def __str__(self) -> str:
        return f"{self.page.name}-{self.number}-{self.language}"


def blocks(*languages: str, pages: list[Path] | None = None) -> list[Block]:
    return [
        Block(page, match[1], match[2], number)
        for page in (PAGES if pages is None else pages)
        for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8")))
        if match[1] in languages
    ]


def commands(block: Block) -> list[list[str]]:
    """The words of each command of a console block."""
    return [shlex.split(line[2:], comments=True) for line in block.text.replace("\\\n", " ").splitlines() if line.startswith("$ ")]


def console() -> Iterator[tuple[str, list[str]]]:
    for block in blocks("console", "sh", "bash"):
        yield from ((str(block), words) for words in commands(block))


CONSOLE = list(console())


def own(words: list[str]) -> list[str] | None:
    """The words after `otel-toolscore`, up to a pipe or redirection; None for another program."""
    if words[:1] != ["otel-toolscore"]:
        return None
    end = next((index for index, word in enumerate(words) if word in ("|", ">", "&&", ";", "||")), len(words))
    return words[1:end]


def test_the_readme_begins_with_what_it_is_and_two_commands() -> None:
    """The first screen has a sentence, the demonstration and the tests."""
    first = README.read_text(encoding="utf-8").splitlines()[:24]
    assert any("tool calls" in line for line in first[:4])
    assert "$ make demo" in first
    assert "$ make test" in first


@pytest.mark.parametrize("target", ["demo", "test", "lint", "clean", "help"])
def test_make_targets_exist(target: str, program: Callable[[str], str]) -> None:
    """What the README and `make help` name, the Makefile has."""
    done = subprocess.run([program("make"), "-n", target], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"make {target}" in (ROOT / "Makefile").read_text(encoding="utf-8") or target == "help"


def test_the_demonstration_runs() -> None:
    """`make demo` runs this script, every step of which comes to what it announces."""
    assert "examples/demo.py" in (ROOT / "Makefile").read_text(encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "examples/demo.py"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("no-destructive-shell", "refund-limit", "inconclusive", "exit code 0: pass", "exit code 1: fail", "score 0."):
        assert word in done.stdout, word


def test_the_readmes_commands_run(tmp_path: Path) -> None:
    """Each `otel-toolscore` command of the README, one after the other, in a folder with an export of traces."""
    shutil.copy(ROOT / "examples" / "support" / "traces" / "refund.json", tmp_path / "traces.json")
    ours = [words for block in blocks("console", pages=[README]) for line in commands(block) if (words := own(line)) is not None]
    assert len(ours) >= 3
    for words in ours:
        done = in_a_process(words, tmp_path)
        assert done.code in (0, 3), (words, done.err)
        assert done.out + done.err != ""
        assert "Traceback" not in done.err


@pytest.mark.parametrize(("where", "words"), CONSOLE, ids=[f"{where}-{' '.join(words)[:60]}" for where, words in CONSOLE])
def test_documented_commands_exist(where: str, words: list[str]) -> None:
    """Every command in the documentation is one that there is, with options that it has."""
    ours = own(words)
    if ours is None:
        assert words[0] in {"make", "pip", "python", "python3", "pytest", "export", "docker", "cat", "git"}, where
        return
    if not ours or ours[0].startswith("-"):
        return
    command = group.get_command(click.Context(group), ours[0])
    assert command is not None, where
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"-h", "--help"}
    used = {word.partition("=")[0] for word in ours[1:] if re.match(r"--?[a-z]", word)}
    assert used <= known, where


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_documented_python_runs(block: Block, tmp_path: Path) -> None:
    """Every Python block runs as it stands, with its assertions."""
    script = tmp_path / "block.py"
    script.write_text(block.text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [block for block in blocks("yaml") if block.text.startswith("version:")], ids=str)
def test_documented_policies_load(block: Block) -> None:
    """Every whole policy in the documentation is one that loads."""
    policy = loads(block.text, str(block))
    assert policy.rules or policy.expectations


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Links to files of the repository name files that exist."""
    targets = [link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


def test_every_page_is_linked_from_the_readme() -> None:
    """A reader who starts at the README finds each page."""
    linked = {target.partition("#")[0] for target in LINK.findall(README.read_text(encoding="utf-8"))}
    assert {f"docs/{page.name}" for page in DOCS} - linked == set()


def test_the_map_of_the_code_is_true() -> None:
    """The README's table names every module at the top of the package, and only such."""
    text = README.read_text(encoding="utf-8")
    table = text.partition("## Where things are")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {name.rstrip("/").removesuffix(".py") for row in rows for name in re.findall(r"`([\w/.]+)`", row)}
    assert named == frozenset().union(*layers.LAYERS) - {"__init__", "__main__"}


def schema_keys(node: Any) -> Iterator[str]:
    """Every key of a policy that its JSON Schema knows."""
    if isinstance(node, dict):
        properties = node.get("properties", {})
        if isinstance(properties, dict):
            yield from properties
        for value in node.values():
            yield from schema_keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from schema_keys(value)


def test_every_key_of_a_policy_is_documented() -> None:
    """docs/policy.md names each key and each operator that the loader takes."""
    text = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
    keys = {key for key in schema_keys(json_schema()) if re.fullmatch(r"[a-z_]+|\$[a-z_]+", key)} | set(OPERATORS)
    assert len(keys) > 60
    assert {key for key in keys if not re.search(rf"(?<![\w$]){re.escape(key)}(?!\w)", text)} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    """docs/cli.md names them, and each has help of its own."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    command = group.get_command(click.Context(group), name)
    assert command is not None
    assert command.help
    assert f"otel-toolscore {name}" in text
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts
            assert any(option in text for option in parameter.opts), parameter.opts


def test_every_metric_is_documented() -> None:
    """docs/metrics.md names each metric, weight and group that `evaluate` gives."""
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    metrics = evaluate([{"tool": "a"}], [{"tool": "a"}]).metrics
    inner = {key for values in metrics.values() if isinstance(values, dict) for key in values}
    names = {*metrics, *inner, *EvaluationResult.DEFAULT_WEIGHTS}
    assert {name for name in names if f"`{name}`" not in text} == set()


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_every_exit_code_is_documented(code: int) -> None:
    """docs/exit-codes.md has a row for each."""
    assert f"\n| {code} |" in (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")


def test_nothing_names_a_machine() -> None:
    """Neither the documentation nor the source has paths of a machine in it, and no URL says where packages come from."""
    places = re.compile(r"(?<![\w.])/(?:root|home/\w+|work|tmp/\w+)/")
    installing = [ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / "constraints.txt", ROOT / ".ci" / "run"]
    files = [*PAGES, *installing, *sorted((ROOT / "otel_toolscore").rglob("*.py")), *sorted((ROOT / "examples").rglob("*.*"))]
    assert [(path.name, match[0]) for path in files if (match := places.search(path.read_text(encoding="utf-8")))] == []
    assert [path.name for path in installing if "://" in path.read_text(encoding="utf-8")] == []


def test_the_changelog_tells_what_is_new() -> None:
    """Keep a Changelog: an Unreleased section with entries under the usual headings."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = text.partition("## [Unreleased]")[2].partition("\n## [")[0]
    assert set(re.findall(r"^### (\w+)", unreleased, re.MULTILINE)) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert "\n- " in unreleased
