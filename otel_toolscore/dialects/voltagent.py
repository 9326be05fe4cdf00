"""VoltAgent: a span's type, with content under plain names."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part, Role
from otel_toolscore.dialects.keyed import first_identifier, first_text, kind_of
from otel_toolscore.spans import Span

_TYPE: Final = "span.type"
_ROLES: Final[dict[str, Role]] = {"tool": "tool", "agent": "agent", "llm": "model", "workflow": "workflow"}
_SCOPES: Final = ("@voltagent/core", "voltagent")


def read(span: Span) -> Part | None:
    """The type counts only in its own scopes: the key and the names of the content are anybody's."""
    attributes = span.attributes
    if span.scope_name not in _SCOPES and not any(key.startswith("voltagent.") for key in attributes):
        return None
    role = _ROLES.get(kind_of(attributes.get(_TYPE)))
    if role is None:
        return None
    tool = role == "tool"
    return Part(
        role=role,
        tool=first_text(attributes, ("tool.name",)) if tool else None,
        guess=values.text(span.name),
        call_id=first_identifier(attributes, ("tool.call.id",)) if tool else None,
        arguments=values.arguments(attributes.get("input") if tool else None),
        result=values.result(attributes.get("output") if tool else None),
        conversation=first_identifier(attributes, ("conversation.id",)),
    )


VOLTAGENT: Final = Dialect(
    name="voltagent",
    title="VoltAgent",
    scopes=_SCOPES,
    needles=("voltagent.",),
    recognised="span.type is tool, agent, workflow or llm, in the scope @voltagent/core",
    name_from="tool.name, else the span's name",
    id_from="tool.call.id",
    arguments_from="input",
    result_from="output",
    error_from="status, exception event",
    left_out="nothing",
    hint="let it record content",
    read=read,
)
