"""`otel-toolscore schema`: the JSON Schema of policies."""

from __future__ import annotations

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema (draft 2020-12) of policies, for editors and other programs.

    Example: otel-toolscore schema > toolscore.schema.json
    """
    from otel_toolscore.policy import json_schema

    click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
