"""Dialects that are told by one attribute and keep each thing under a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from otel_toolscore.dialects import values, wrappers
from otel_toolscore.dialects.dialect import Dialect, Part, Role
from otel_toolscore.dialects.values import AS_WRITTEN, Style
from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome
from otel_toolscore.spans import Span

_RANK: Final = {"not_captured": 0, "unreadable": 1, "captured": 2}


class Keys(msgspec.Struct, frozen=True, kw_only=True):
    """Where an emitter keeps what; of several keys the first that has a value counts."""

    kind: str
    """The attribute that says what a span is, as text or JSON text, in any case."""
    roles: Mapping[str, Role]
    """Its values in lower case; every other value is neither a call nor a scope."""
    tool: tuple[str, ...] = ()
    """Else the tool is named as the span."""
    call_id: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    """Else an agent is named as its span."""
    conversation: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    """What went wrong, in words; counts only where something did."""
    error_type: tuple[str, ...] = ()
    """The kind of what went wrong; likewise."""
    style: Style = AS_WRITTEN
    mark: Callable[[Span], Outcome | None] | None = None
    """How the call ended, by the emitter's own sign; None of a span without one."""
    named_as_span: Callable[[str], str] = str.strip
    """The tool's or agent's name in the span's."""


def reader(keys: Keys) -> Callable[[Span], Part | None]:
    """What reads the spans of such a dialect."""

    def read(span: Span) -> Part | None:
        attributes = span.attributes
        if keys.kind not in attributes:
            return None
        kind = kind_of(attributes[keys.kind])
        role = keys.roles.get(kind)
        conversation = first_identifier(attributes, keys.conversation)
        if role != "tool":
            return Part(
                role=role or "ignored",
                why=None if role else f"its {keys.kind} is another",
                agent=first_text(attributes, keys.agent),
                guess=values.text(keys.named_as_span(span.name)),
                conversation=conversation,
            )
        message = _result(attributes, keys)
        outcome = keys.mark(span) if keys.mark is not None else None
        return Part(
            role="tool",
            tool=first_text(attributes, keys.tool),
            guess=values.text(keys.named_as_span(span.name)),
            call_id=first_identifier(attributes, keys.call_id) or message.call_id,
            type=first_text(attributes, keys.type),
            arguments=_arguments(attributes, keys),
            result=message.result,
            outcome="error" if message.failed else outcome,
            error=message.text if message.failed else first_text(attributes, keys.error),
            error_type=first_text(attributes, keys.error_type),
            agent=first_text(attributes, keys.agent),
            conversation=conversation,
        )

    return read


def keyed(
    keys: Keys,
    *,
    name: str,
    title: str,
    recognised: str,
    left_out: str,
    hint: str,
    scopes: tuple[str, ...] = (),
    error_from: str = "status, exception event",
) -> Dialect:
    """The dialect that reads by these keys."""
    return Dialect(
        name=name,
        title=title,
        scopes=scopes,
        needles=(keys.kind,),
        recognised=recognised,
        name_from=_listed((*keys.tool, "the span's name")),
        id_from=_listed(keys.call_id) or "none",
        arguments_from=_listed(keys.arguments) or "never recorded",
        result_from=_listed(keys.result) or "never recorded",
        error_from=error_from,
        left_out=left_out,
        hint=hint,
        read=reader(keys),
    )


def kind_of(recorded: object) -> str:
    """The value of an attribute that tells a span's kind, in lower case; empty where it is no text."""
    read = values.structure(recorded)
    chosen = read if isinstance(read, str) else recorded
    if isinstance(read, dict):
        chosen = read.get("type")
    return chosen.strip().lower() if isinstance(chosen, str) else ""


def first_text(attributes: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """The first name under the keys; a name may be JSON text."""
    for key in keys:
        found = values.text(attributes.get(key))
        if found is not None:
            inside = values.structure(found) if found[:1] == '"' else None
            return inside if isinstance(inside, str) else found
    return None


def first_identifier(attributes: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """The first id under the keys."""
    for key in keys:
        read = attributes.get(key)
        found = values.identifier(values.structure(read) if isinstance(read, str) and read[:1] == '"' else read)
        if found is not None:
            return found
    return None


def _arguments(attributes: Mapping[str, object], keys: Keys) -> Evidence:
    given = [_unwrapped(values.arguments(attributes[key], keys.style)) for key in keys.arguments if key in attributes]
    return max(given, key=lambda evidence: _RANK[evidence.state], default=NOT_CAPTURED)


def _unwrapped(found: Evidence) -> Evidence:
    if found.state != "captured" or not isinstance(found.value, dict):
        return found
    value = found.value
    if value.keys() == {"input"} and isinstance(value["input"], str):  # LangChain's tools as runs
        inside = values.structure(value["input"], values.PYTHON)
        if isinstance(inside, dict):
            return Evidence("captured", inside)
    return wrappers.python_call(value) or found


def _result(attributes: Mapping[str, object], keys: Keys) -> wrappers.ToolMessage:
    for key in keys.result:
        value = attributes.get(key)
        if value is not None:
            message = wrappers.tool_message(values.structure(value) or value)
            return message or wrappers.ToolMessage(values.result(value, keys.style), None, failed=False)
    return wrappers.ToolMessage(NOT_CAPTURED, None, failed=False)


def _listed(keys: tuple[str, ...]) -> str:
    return ", else ".join(keys)
