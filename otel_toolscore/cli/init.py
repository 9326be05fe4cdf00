"""`otel-toolscore init`: a policy to start from."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from otel_toolscore.model import Run


@click.command("init")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-o", "--output", default="toolscore.yaml", show_default=True, metavar="FILE", help="Where to write; `-` is standard output.")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@click.option(
    "--values",
    type=click.Choice(["show", "hide"]),
    default="hide",
    show_default=True,
    help="`show`: write the arguments that were captured into the expected calls; those with a credential are left out.",
)
def command(paths: tuple[str, ...], output: str, force: bool, values: str) -> None:
    """Write a policy to start from.

    With traces (files, folders, globs or `-`), it names the tools that were called, with the schemas that the traces
    recorded, and expects of each agent the calls that it made.

    Example: otel-toolscore init traces/
    """
    from otel_toolscore.policy import loads
    from otel_toolscore.policy.starter import starter

    if output != "-" and not force and os.path.lexists(output):
        raise click.UsageError(f"{output} exists; --force replaces it, -o FILE writes another one")
    runs = runs_of(paths)
    text = starter(runs, name=os.path.basename(output) if output != "-" else "toolscore.yaml", values=values == "show")
    policy = loads(text, output)
    if output == "-":
        click.echo(text, nl=False)
        return
    try:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"{output}: cannot be written: {error.strerror or type(error).__name__}") from None
    seen = f" from {sum(len(run.calls) for run in runs)} calls in {len(runs)} runs" if runs else ""
    click.echo(f"wrote {output}{seen}: {len(policy.tools)} tools, {len(policy.expectations)} expectations", err=True)


def runs_of(paths: tuple[str, ...]) -> tuple[Run, ...]:
    """The runs of traces; what cannot be read is told on stderr, and nothing readable at all is a fault of usage."""
    from otel_toolscore import assemble, otlp

    reading = otlp.Reading(paths)
    try:
        runs = assemble.assemble(reading.spans()).runs
    except otlp.InputError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    for problem in reading.problems:
        click.echo(f"{problem.where}: {problem.message}", err=True)
    return runs
