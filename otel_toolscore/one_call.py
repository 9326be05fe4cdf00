"""`score_tool_call`: one call as a model wrote it, against one that is expected."""

from __future__ import annotations

import json
from collections.abc import Iterator

from otel_toolscore.align.evidence import names_of
from otel_toolscore.compare import compare_arguments
from otel_toolscore.dialects import names, values
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import MISSING, Difference, ToolCall
from otel_toolscore.results import difference_key, shown


def score_tool_call(actual_name: str, actual_arguments_json: str, expected: ExpectedCall) -> tuple[bool, list[str]]:
    """Whether the call is the expected one, and each difference as a sentence.

    `actual_arguments_json` is the JSON text of the arguments, as a model writes it. The sentences begin with `wrong tool`, `missing
    argument`, `argument PATH mismatch` or `unexpected extra arguments`, or say that the arguments are not valid JSON or not an
    object. They show values (the caller has them), bounded and with credentials masked. TypeError where an argument has another type.
    """
    for what, value in (("actual_name", actual_name), ("actual_arguments_json", actual_arguments_json)):
        if not isinstance(value, str):
            raise TypeError(f"{what}: expected text, got {type(value).__name__}")
    if not isinstance(expected, ExpectedCall):
        raise TypeError(f"expected: expected an ExpectedCall, got {type(expected).__name__}")
    diffs = [*_wrong_tool(actual_name, expected), *_wrong_arguments(actual_arguments_json, expected)]
    return not diffs, diffs


def _wrong_tool(actual: str, expected: ExpectedCall) -> Iterator[str]:
    tool, server = names.split(actual)
    if expected.name not in names_of(ToolCall(tool=tool, recorded_name=actual)):
        yield f"wrong tool: expected {shown(expected.name)}, got {shown(actual)}"
    elif expected.server is not None and server is not None and server != expected.server:
        yield f"wrong tool: expected one of server {shown(expected.server)}, got {shown(actual)}"


def _wrong_arguments(text: str, expected: ExpectedCall) -> Iterator[str]:
    if expected.arguments is None:
        return
    evidence = values.arguments(text)
    if not isinstance(evidence.value, dict):
        yield _unusable(text)
        return
    found = compare_arguments(
        expected.arguments, evidence.value, rules=expected.field_rules, allow_extra=expected.allow_extra_fields, tolerances=True
    )
    extra = [difference.path for difference in found.differences if difference.expected is MISSING]
    yield from (_told(difference) for difference in found.differences if difference.expected is not MISSING)
    yield from (f"argument {path} mismatch: what it is compared with is not known" for path in found.unknown)
    if extra:
        yield f"unexpected extra arguments: {', '.join(extra)}"


def _told(difference: Difference) -> str:
    key = difference_key(difference)
    if difference.actual is MISSING:
        return f"missing argument {difference.path}: expected {shown(difference.expected, key)}"
    return f"argument {difference.path} mismatch: expected {shown(difference.expected, key)}, got {shown(difference.actual, key)}"


def _unusable(text: str) -> str:
    """Why the text is not the arguments of a call."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = f" (at offset {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        return f"arguments are not valid JSON{place}"
    if isinstance(value, dict):
        return "arguments are not valid JSON: a key occurs twice, or they are nested too deeply"
    kind = {list: "a list", str: "text", bool: "a boolean", type(None): "null"}.get(type(value), "a number")
    return f"arguments are not an object, but {kind}"
