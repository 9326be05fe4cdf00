"""`otel-toolscore score`: traces in, verdict out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import click

from otel_toolscore.cli.output import STDOUT, check, say, write

if TYPE_CHECKING:
    from otel_toolscore.model import Document
    from otel_toolscore.policy import Policy

EXIT_CODES: Final = {"pass": 0, "fail": 1, "inconclusive": 3, "unscored": 3}
SEVERITY_NAMES: Final = ("low", "medium", "high", "critical")
FORMATS: Final = ("table", "json", "jsonl")
REPORT_KINDS: Final = ("json",)


def _share(_context: click.Context, _option: click.Parameter, given: str | None) -> Fraction | None:
    """A number from 0 to 1, exactly as it was written."""
    if given is None:
        return None
    try:
        share = Fraction(given)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise click.BadParameter("expected a number from 0 to 1, as 0.9")
    return share


def _kind_and_file(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """KIND=FILE, each apart."""
    pairs = []
    for text in given:
        kind, _, path = text.partition("=")
        if not path:
            raise click.BadParameter("expected KIND=FILE, as json=result.json")
        if kind not in REPORT_KINDS:
            raise click.BadParameter(f"there is no report {kind!r}; there is {', '.join(REPORT_KINDS)}")
        pairs.append((kind, path))
    return tuple(pairs)


@click.command("score")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-p", "--policy", "policies", multiple=True, metavar="POLICY", help="A policy file or built-in name; may be repeated, later ones win."
)
@click.option("--expect", metavar="FILE", help="Expected calls: a bare list, scored against every run, or a policy with expectations.")
@click.option("--forbid", metavar="FILE", help="Forbidden calls: a bare list, or a policy with rules.")
@click.option("--min-score", callback=_share, metavar="X", help="Differences from --expect are forgiven while the score reaches X.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["table", "json", "jsonl"]),
    default="table",
    show_default=True,
    help="jsonl: one run a line.",
)
@click.option(
    "--report", "reports", callback=_kind_and_file, multiple=True, metavar="KIND=FILE", help="Write a further report; kinds: json."
)
@click.option("--fail-on", type=click.Choice(SEVERITY_NAMES), help="Lowest severity of a violation that fails, instead of the policy's.")
@click.option(
    "--values",
    type=click.Choice(["auto", "show", "hide"]),
    default="auto",
    show_default=True,
    help="Arguments, results and errors in the output; auto: only in a table on a terminal. Credentials are masked always.",
)
@click.option("--allow-inconclusive", is_flag=True, help="Exit with 0 where the verdict is inconclusive.")
@click.option("-o", "--output", default=STDOUT, metavar="FILE", help="Write to a file instead of standard output.")
def command(
    paths: tuple[str, ...],
    policies: tuple[str, ...],
    expect: str | None,
    forbid: str | None,
    min_score: Fraction | None,
    form: str,
    reports: tuple[tuple[str, str], ...],
    fail_on: str | None,
    values: str,
    allow_inconclusive: bool,
    output: str,
) -> int:
    """Score the tool calls in traces against a policy.

    PATH is a file, a folder, a glob or `-`. What a file holds is told from its content: OTLP JSON or protobuf, flat span objects,
    span.to_json() documents, exports of Tempo, Jaeger, Zipkin or Phoenix; gzip of these.

    Without --policy, toolscore.yaml is looked for in this folder and those above it; where there is none and neither --expect nor
    --forbid is given, toolscore:recommended applies. The output says which.

    Exit codes: 0 pass, 1 fail, 2 the policy, the usage or the input is wrong, 3 inconclusive or unscored.

    Example: otel-toolscore score traces/ --policy toolscore.yaml --format json -o result.json
    """
    from otel_toolscore.cli import terminal

    for path in (output, *(path for _, path in reports)):
        check(path)
    policy = _policy(policies, expect, forbid, min_score, fail_on)
    document = score(paths, policy)
    on_terminal = form == "table" and output == STDOUT and terminal.is_terminal()
    shown = values == "show" or (values == "auto" and on_terminal)
    for _, path in reports:
        write(_rendered("json", document, policy, values=values == "show", output=path), path)
    write(_rendered(form, document, policy, values=shown, output=output), output)
    if form != "table" or output != STDOUT:
        say(f"policy: {', '.join(policy.sources) or '(none)'}")
    if not on_terminal:
        _explain(document)
    code = EXIT_CODES[document.verdict]
    return 0 if allow_inconclusive and document.verdict == "inconclusive" else code


def _policy(policies: tuple[str, ...], expect: str | None, forbid: str | None, min_score: Fraction | None, fail_on: str | None) -> Policy:
    import os

    import msgspec

    from otel_toolscore.policy import RECOMMENDED, discover, load
    from otel_toolscore.policy.canonical import digest

    if min_score is not None and expect is None:
        raise click.UsageError("--min-score is for the calls of --expect, which is not given")
    found = None if policies else discover(os.getcwd())
    default = () if expect or forbid else (RECOMMENDED,)
    policy = load(policies or ((os.path.relpath(found),) if found else default), expect=expect, forbid=forbid, min_score=min_score)
    for warning in policy.warnings:
        say(f"{warning} (warning)")
    if fail_on is not None and fail_on != policy.fail_on:
        policy = msgspec.structs.replace(policy, fail_on=fail_on)
        policy = msgspec.structs.replace(policy, digest=digest(policy))
    return policy


def score(paths: Iterable[str], policy: Policy) -> Document:
    """All that the paths hold, scored. Raises InputError where a path cannot be read at all."""
    import msgspec

    from otel_toolscore.assemble import assemble
    from otel_toolscore.cli.terminal import counted
    from otel_toolscore.engine import score_runs
    from otel_toolscore.otlp import Reading
    from otel_toolscore.policy import attribute_keys

    reading = Reading(paths)
    assembly = assemble(counted(reading.spans(), "spans read"), runs=policy.runs, attributes=attribute_keys(policy), mappings=policy.spans)
    runs = reading.completed(assembly.runs)
    document = score_runs(policy, runs, problems=reading.problems, spans=assembly.spans, tool_spans=assembly.tool_spans)
    return msgspec.structs.replace(document, reasons=(*document.reasons, *(f"to capture arguments: {hint}" for hint in assembly.hints)))


def _rendered(form: str, document: Document, policy: Policy, *, values: bool, output: str) -> Iterator[bytes]:
    if form == "json":
        from otel_toolscore.reports import json

        yield json.render(document, policy, values=values)
    elif form == "jsonl":
        from otel_toolscore.reports import json

        yield from json.render_lines(document, policy, values=values)
    else:
        from otel_toolscore.cli import terminal
        from otel_toolscore.reports import table

        to_file = output != STDOUT
        yield terminal.encoded(table.render(document, policy, values=values, **terminal.page(to_file=to_file)), to_file=to_file)


def _explain(document: Document) -> None:
    """Why the verdict is open and what to do, for those who look at the log."""
    if document.verdict in ("inconclusive", "unscored"):
        say(f"{document.verdict}: {document.reasons[0] if document.reasons else 'nothing applied'}")
        for reason in document.reasons[1:]:
            say(reason)
