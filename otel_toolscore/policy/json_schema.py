"""The JSON Schema of a policy, from the tables of the grammar."""

from __future__ import annotations

from typing import Any

from otel_toolscore.policy.grammar.kinds import Definitions
from otel_toolscore.policy.grammar.policies import POLICY, VERSION


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a policy document, for editors and other programs.

    It refuses what the loader refuses by the form of a document: unknown keys, wrong types, words and numbers out of range,
    missing keys. It does not see what only reading shows: duplicates, paths, regular expressions, days of the calendar, what
    keys of one mapping say of each other.
    """
    defs: Definitions = {}
    reference = POLICY.schema(defs)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"otel-toolscore policy, version {VERSION}",
        **reference,
        "$defs": dict(sorted(defs.items())),
    }
