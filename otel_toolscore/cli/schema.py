"""`otel-toolscore schema`: the JSON Schema of policies."""

from __future__ import annotations

import json

import click

from otel_toolscore.cli.output import STDOUT, write


@click.command("schema")
@click.option("-o", "--output", default=STDOUT, metavar="FILE", help="Write to a file instead of standard output.")
def command(output: str) -> None:
    """Print the JSON Schema (draft 2020-12) of policies, for editors and other programs.

    Example: otel-toolscore schema -o toolscore.schema.json
    """
    from otel_toolscore.policy import json_schema

    write([json.dumps(json_schema(), indent=2, ensure_ascii=False).encode(), b"\n"], output)
