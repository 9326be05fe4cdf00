"""`otel-toolscore init`: a policy to start from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from otel_toolscore.cli.output import STDOUT, check, say, write

if TYPE_CHECKING:
    from otel_toolscore.model import Run


@click.command("init")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-o", "--output", default="toolscore.yaml", show_default=True, metavar="FILE", help="Where to write; - is standard output.")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@click.option(
    "--values",
    type=click.Choice(["show", "hide"]),
    default="hide",
    show_default=True,
    help="show: write captured arguments into the expected calls, but for those with a credential.",
)
def command(paths: tuple[str, ...], output: str, force: bool, values: str) -> None:
    """Write a policy to start from.

    With traces (a file, a folder, a glob or `-`), it names the tools that were called, with the schemas that the traces
    recorded, and expects of each agent the calls that it made.

    Example: otel-toolscore init traces/
    """
    from otel_toolscore.policy import DEFAULT_NAME, loads
    from otel_toolscore.policy.starter import starter

    if output != STDOUT and not force and os.path.lexists(output):
        raise click.UsageError(f"{output} exists; --force replaces it, -o FILE writes another one")
    check(output)
    runs = runs_of(paths)
    text = starter(runs, name=DEFAULT_NAME if output == STDOUT else output, values=values == "show")
    policy = loads(text, output)
    write([text.encode()], output)
    seen = f" from {sum(len(run.calls) for run in runs)} calls in {len(runs)} runs" if paths else ""
    if output != STDOUT:
        say(f"wrote {output}{seen}: {len(policy.tools)} tools, {len(policy.expectations)} expectations")


def runs_of(paths: tuple[str, ...]) -> tuple[Run, ...]:
    """The runs of traces; what cannot be read is told. Raises InputError where a path cannot be read at all."""
    from otel_toolscore.assemble import assemble
    from otel_toolscore.otlp import Reading

    reading = Reading(paths)
    runs = assemble(reading.spans()).runs
    for problem in reading.problems:
        say(f"{problem.where}: {problem.message}")
    return runs
