"""Runs the command line: in this process, which is quick, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click
from click.testing import CliRunner

from otel_toolscore.cli.main import run


class Output(NamedTuple):
    """What a command line came to."""

    code: int
    out: str
    err: str


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}, add_help_option=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def _program(context: click.Context, words: tuple[str, ...]) -> None:
    context.exit(run(words))


def in_process(words: list[str]) -> Output:
    """The command line without a process of its own; an exception that it lets through is the test's."""
    done = CliRunner().invoke(_program, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Output(done.exit_code, done.stdout, done.stderr)


def in_a_process(words: list[str], folder: Path | None = None) -> Output:
    """`python -m otel_toolscore`, run in the folder."""
    command = [sys.executable, "-m", "otel_toolscore", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)} if folder else None
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=folder, env=environment)
    return Output(done.returncode, done.stdout, done.stderr)
