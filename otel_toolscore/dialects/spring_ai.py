"""Spring AI: observations of tool calls, by Micrometer."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed
from otel_toolscore.dialects.values import Style
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span

_ABSENT: Final = frozenset({"none"})
"""What Micrometer writes for a value that is not there."""
_ERROR: Final = "error"


def _mark(span: Span) -> Outcome | None:
    thrown = span.attributes.get(_ERROR)
    return "error" if isinstance(thrown, str) and thrown.strip().lower() not in (*_ABSENT, "", "false") else None


def _named(name: str) -> str:
    return name.removeprefix("tool_call ")


SPRING_AI: Final = keyed(
    Keys(
        kind="spring.ai.kind",
        roles={"tool_call": "tool"},
        tool=("spring.ai.tool.definition.name", semconv.TOOL_NAME),
        call_id=("spring.ai.tool.call.id", semconv.TOOL_CALL_ID),
        arguments=("spring.ai.tool.call.arguments", semconv.TOOL_CALL_ARGUMENTS),
        result=("spring.ai.tool.call.result", semconv.TOOL_CALL_RESULT),
        conversation=("spring.ai.chat.client.conversation.id",),
        error_type=(_ERROR,),
        style=Style(absent=_ABSENT),
        mark=_mark,
        named_as_span=_named,
    ),
    name="spring_ai",
    title="Spring AI",
    recognised="spring.ai.kind is tool_call",
    error_from="status, exception event, the tag error",
    left_out="arguments and results",
    hint="set spring.ai.tools.observations.include-content=true",
)
