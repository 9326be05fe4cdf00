"""AWS Strands: the conventions, with content as events, and a status of its own."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.dialects.keyed import kind_of
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span

_SCOPE: Final = "strands.telemetry.tracer"
_STATUS: Final = "gen_ai.tool.status"
_OUTCOMES: Final[dict[str, Outcome]] = {"success": "ok", "error": "error"}


def read(span: Span) -> Part | None:
    """What Strands adds to the conventions."""
    attributes = span.attributes
    if span.scope_name != _SCOPE and _STATUS not in attributes:
        return None
    tool = attributes.get(semconv.OPERATION_NAME) == semconv.EXECUTE_TOOL
    return Part(
        # The status is written when the tool ends, however it ends.
        outcome=_OUTCOMES.get(kind_of(attributes.get(_STATUS)), "unknown") if tool else None,
        conversation=values.identifier(attributes.get(semconv.SESSION_ID)),
    )


STRANDS: Final = Dialect(
    name="strands",
    title="Strands Agents",
    scopes=(_SCOPE,),
    needles=(_STATUS,),
    recognised="as the GenAI conventions",
    name_from="gen_ai.tool.name",
    id_from="gen_ai.tool.call.id",
    arguments_from="the event gen_ai.tool.message, else gen_ai.tool.call.arguments",
    result_from="the event gen_ai.choice, else gen_ai.tool.call.result",
    error_from="gen_ai.tool.status, status",
    left_out="nothing",
    hint="keep span events: an exporter or limit that drops them drops arguments and results",
    read=read,
)
