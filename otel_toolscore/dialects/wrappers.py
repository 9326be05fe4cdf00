"""Objects that frameworks put around arguments and results, taken off again.

LangChain's ToolMessage (as JSON, as constructor JSON, as `repr`), its tracing wrapper around inputs, and `{args, kwargs}` of a
decorated Python function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from otel_toolscore.dialects import values
from otel_toolscore.model import Evidence

_QUOTED: Final = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\""""
_REPR: Final = re.compile(rf"content=(?P<content>{_QUOTED})(?P<rest> .*)?\Z", re.DOTALL)
_REPR_ID: Final = re.compile(rf"\btool_call_id=({_QUOTED})")
_REPR_ERROR: Final = re.compile(r"\bstatus='error'")
_CALL_KEYS: Final = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


class ToolMessage(NamedTuple):
    """A result as a model is told it."""

    result: Evidence
    call_id: str | None
    failed: bool

    @property
    def text(self) -> str | None:
        """The result where it is text, which in a failed message says what went wrong."""
        return values.text(self.result.value)


def tool_message(value: object) -> ToolMessage | None:
    """The tool message that the value is or holds; None where it is something else."""
    if isinstance(value, str):
        return _from_repr(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    if "output" in value and value.keys() <= {"output", "kwargs"}:
        inner = value["output"]
        return tool_message(inner) or ToolMessage(values.result(inner), _id_in(value), False)
    fields = value
    if "lc" in value and isinstance(value.get("kwargs"), dict):
        fields = value["kwargs"]
    if "content" not in fields or not ("tool_call_id" in fields or fields.get("type") == "tool"):
        return None
    return ToolMessage(values.result(fields["content"]), values.identifier(fields.get("tool_call_id")), fields.get("status") == "error")


def langchain_inputs(value: dict[str, object]) -> tuple[Evidence, str | None] | None:
    """Arguments and call id in LangChain's tracing wrapper `{input_str, inputs, kwargs, ...}`; None where it is none."""
    if "input_str" not in value and not ("inputs" in value and "kwargs" in value):
        return None
    inputs = value.get("inputs")
    if isinstance(inputs, dict):
        return values.arguments(inputs), _id_in(value)
    given = value.get("input_str", inputs)
    return values.arguments(given, values.PYTHON, _bare_text), _id_in(value)


def python_call(value: dict[str, object], names: Sequence[str] = ()) -> Evidence | None:
    """The arguments of `{args: [...], kwargs: {...}}`, positional ones by their names; None where the value is no such wrapper.

    Without the names of all positional arguments the record is incomplete.
    """
    positional, named = value.get("args"), value.get("kwargs")
    if not isinstance(positional, list) or not isinstance(named, dict) or not value.keys() <= _CALL_KEYS:
        return None
    if len(positional) > len(names):
        return values.unnamed(values.written(value))
    return Evidence("captured", {**dict(zip(names, positional, strict=False)), **named})


def _bare_text(recorded: object) -> Evidence | None:
    return values.unnamed(recorded) if isinstance(recorded, str) else None


def _id_in(value: dict[str, object]) -> str | None:
    kwargs = value.get("kwargs")
    return values.identifier(kwargs.get("tool_call_id")) if isinstance(kwargs, dict) else None


def _from_repr(text: str) -> ToolMessage | None:
    if not text.startswith("content="):
        return None
    match = _REPR.match(text)
    rest = (match["rest"] or "") if match is not None else ""
    named = _REPR_ID.search(rest)
    if match is None or named is None:
        return None
    content = values.structure(match["content"], values.PYTHON)
    return ToolMessage(
        values.result(content), values.identifier(values.structure(named[1], values.PYTHON)), _REPR_ERROR.search(rest) is not None
    )
