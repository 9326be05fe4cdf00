"""Pydantic AI: instrumentation versions 1 and 2 (`running tool`), and 3 and later (`execute_tool X`)."""

from __future__ import annotations

import re
from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import transcript, values
from otel_toolscore.dialects.dialect import Dialect, Part, Role
from otel_toolscore.messages import Messages
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span

_SCOPE: Final = "pydantic-ai"
_GROUP: Final = re.compile(r"running (?:\d+ )?tools?\Z")
_ARGUMENTS: Final = "tool_arguments"
_RESPONSE: Final = "tool_response"
_REQUEST: Final = "model_request_parameters"
_DEFERRED: Final = "pydantic_ai.tool.deferral.name"
_RETRY: Final = "pydantic_ai.tool.retry.cause"
_STAGE: Final = "pydantic_ai.tool.failure_stage"
_RETRY_TEXT: Final = "Fix the errors and try again."
_MESSAGES: Final = ("pydantic_ai.all_messages", "all_messages_events", "events")


def read(span: Span) -> Part | None:
    """The attributes of version 2, the marks of retries and deferrals, and the messages."""
    attributes = span.attributes
    if span.scope_name != _SCOPE and not any(key.startswith("pydantic_ai.") or key == _ARGUMENTS for key in attributes):
        return None
    tool = values.text(attributes.get(semconv.TOOL_NAME))
    if tool is None and _GROUP.match(span.name):
        return Part(dropped=True, why="it holds several tool spans together")
    request = values.mapping(attributes.get(_REQUEST))
    return Part(
        role=_role(span, tool),
        arguments=values.arguments(attributes.get(_ARGUMENTS)),
        result=values.result(attributes.get(_RESPONSE)),
        outcome=_outcome(span),
        agent=values.text(attributes.get("agent_name")),
        messages=_messages(span),
        schemas=transcript.schemas(request.get("function_tools"), request.get("output_tools")),
    )


def _role(span: Span, tool: str | None) -> Role | None:
    if semconv.OPERATION_NAME in span.attributes:
        return None
    if tool is not None:
        return "tool"
    if span.name == "agent run" or (span.name.endswith(" run") and "agent_name" in span.attributes):
        return "agent"
    return "model" if _REQUEST in span.attributes else None


def _outcome(span: Span) -> Outcome | None:
    if _DEFERRED in span.attributes:
        return "not_executed"
    if _RETRY in span.attributes or _STAGE in span.attributes:
        return "error"
    given = span.attributes.get(semconv.TOOL_CALL_RESULT, span.attributes.get(_RESPONSE))
    # A retry that the tool asked for is recorded as if the prompt to try again were its result.
    return "error" if isinstance(given, str) and given.rstrip().rstrip('"').endswith(_RETRY_TEXT) else None


def _messages(span: Span) -> Messages:
    lists = [_as_messages(span.attributes[key]) for key in _MESSAGES if key in span.attributes]
    return transcript.messages(*lists) if lists else Messages()


def _as_messages(recorded: object) -> object:
    """Version 1 lists events: a message each, a choice's message inside."""
    listed = values.structure(recorded)
    if not isinstance(listed, list):
        return None
    events = [each for each in listed if isinstance(each, dict)]
    return [{"role": "tool", **each} if each.get("event.name") == semconv.EVENT_TOOL_MESSAGE else each for each in events]


PYDANTIC_AI: Final = Dialect(
    name="pydantic_ai",
    title="Pydantic AI",
    scopes=(_SCOPE,),
    needles=("pydantic_ai.", _ARGUMENTS, _REQUEST, "name:running ", "name:agent run"),
    recognised="`running tool` or gen_ai.operation.name; `running N tools`, which names no tool, is ignored; `agent run` is an agent span",
    name_from="gen_ai.tool.name",
    id_from="gen_ai.tool.call.id",
    arguments_from="gen_ai.tool.call.arguments, else tool_arguments",
    result_from="gen_ai.tool.call.result, else tool_response",
    error_from="status, exception event, pydantic_ai.tool.retry.cause, pydantic_ai.tool.failure_stage, a retry prompt as the result;"
    " pydantic_ai.tool.deferral.name: not executed",
    left_out="nothing",
    hint="use InstrumentationSettings(include_content=True), the default",
    read=read,
)
