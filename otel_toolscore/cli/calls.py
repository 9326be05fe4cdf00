"""`otel-toolscore calls`: what was read from the spans, before anything is scored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from otel_toolscore.cli.output import STDOUT, check, say, write

if TYPE_CHECKING:
    from otel_toolscore.assemble import Assembly


@click.command("calls")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--explain", is_flag=True, help="Also say of each span why it is, or is not, a tool call.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["auto", "table", "jsonl"]),
    default="auto",
    show_default=True,
    help="auto: a table on a terminal, else one JSON object a line.",
)
@click.option("-o", "--output", default=STDOUT, metavar="FILE", help="Write to a file instead of standard output.")
def command(paths: tuple[str, ...], explain: bool, form: str, output: str) -> int:
    """Show the tool calls that traces record, with their arguments and results.

    PATH is a file, a folder, a glob or `-`. Several spans may describe one call: they are merged, and `merged` says why. With
    --explain, lines with `span_id`, `trace_id`, `name` and `why` follow the calls.

    Example: otel-toolscore calls traces.json --explain
    """
    from otel_toolscore.assemble import assemble
    from otel_toolscore.cli import terminal
    from otel_toolscore.otlp import Reading

    check(output)
    reading = Reading(paths)
    assembly = assemble(terminal.counted(reading.spans(), "spans read"))
    as_table = form == "table" or (form == "auto" and output == STDOUT and terminal.is_terminal())
    write(_table(assembly, explain, to_file=output != STDOUT) if as_table else _lines(assembly, explain), output)
    for problem in reading.problems:
        say(f"{problem.where}: {problem.message}")
    if not any(run.calls for run in assembly.runs):
        say(f"no tool call in {assembly.spans:,} spans" + ("" if explain else "; --explain says what each span was taken for"))
    for hint in assembly.hints:
        say(f"to capture arguments: {hint}")
    return 0


def _lines(assembly: Assembly, explain: bool) -> Iterator[bytes]:
    from otel_toolscore.reports.call_record import record
    from otel_toolscore.reports.json import line

    for run in assembly.runs:
        for call in run.calls:
            yield line(record(call, values=True))
    if explain:
        for span_id, trace_id, name, why in assembly.explanations:
            yield line({"span_id": span_id, "trace_id": trace_id, "name": name, "why": why})


def _table(assembly: Assembly, explain: bool, *, to_file: bool) -> Iterator[bytes]:
    from otel_toolscore.cli import terminal
    from otel_toolscore.reports.table.listing import render_calls

    text = render_calls(assembly.runs, assembly.explanations if explain else (), **terminal.page(to_file=to_file))
    yield terminal.encoded(text, to_file=to_file)
