"""Claude Code's own spans: the tool, and below it the wait for the user and the execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome
from otel_toolscore.spans import Span

_PREFIX: Final = "claude_code."
_TOOL: Final = "claude_code.tool"
_EXECUTION: Final = "claude_code.tool.execution"
_BLOCKED: Final = "claude_code.tool.blocked_on_user"
_INTERACTION: Final = "claude_code.interaction"
_REQUEST: Final = "claude_code.llm_request"
_OUTPUT_EVENT: Final = "tool.output"
_PARTS: Final = {"full_command": "command", "file_path": "file_path", "skill_name": "skill", "subagent_type": "subagent_type"}
"""Arguments that are recorded on their own where the whole input is not: attribute -> the argument's name."""


def read(span: Span) -> Part | None:
    """The span by its name. The execution is a nameless span of the call around it, which has no sign of its own."""
    if not span.name.startswith(_PREFIX):
        return None
    attributes = span.attributes
    conversation = values.identifier(attributes.get(semconv.SESSION_ID))
    if span.name == _EXECUTION:
        return Part(role="tool", outcome=_executed(attributes), error=values.text(attributes.get("error")), conversation=conversation)
    if span.name == _BLOCKED and _rejected(attributes):
        return Part(role="tool", outcome="not_executed", conversation=conversation)
    if span.name == _TOOL:
        return _tool(span, conversation)
    if span.name == _INTERACTION:
        return Part(role="agent", conversation=conversation, user_input=values.text(attributes.get("user_prompt")))
    if span.name == _REQUEST:
        return Part(role="model", conversation=conversation)
    return Part(dropped=True, why="it is a part of what the span around it records")


def _tool(span: Span, conversation: str | None) -> Part:
    attributes = span.attributes
    return Part(
        role="tool",
        tool=values.text(attributes.get("tool_name")),
        call_id=values.identifier(attributes.get("tool_use_id")),
        arguments=_arguments(attributes),
        result=_result(span),
        # Whether it went well is told by the execution, where that was recorded.
        outcome="unknown",
        conversation=conversation,
    )


def _arguments(attributes: Mapping[str, object]) -> Evidence:
    found = values.arguments(attributes.get("tool_input"))
    if found.state == "captured":
        return found
    parts = {name: attributes[key] for key, name in _PARTS.items() if isinstance(attributes.get(key), str)}
    if not parts:
        return found
    told = values.arguments(parts)
    redacted = any(values.arguments(value).cause == "redacted" for value in parts.values())
    return found if redacted or told.state != "captured" else values.unnamed(values.written(told.value))


def _result(span: Span) -> Evidence:
    for event in span.events:
        if event.name == _OUTPUT_EVENT:
            for key in ("output", "content", "diff"):
                if key in event.attributes:
                    return values.result(event.attributes[key])
    return values.result(span.attributes["new_context"]) if "new_context" in span.attributes else NOT_CAPTURED


def _executed(attributes: Mapping[str, object]) -> Outcome:
    success = attributes.get("success")
    if success in (True, "true"):
        return "ok"
    return "error" if success in (False, "false") else "unknown"


def _rejected(attributes: Mapping[str, object]) -> bool:
    decision = attributes.get("decision")
    return isinstance(decision, str) and decision.lower().startswith(("reject", "den", "abort"))


CLAUDE_CODE: Final = Dialect(
    name="claude_code",
    title="Claude Code",
    scopes=("com.anthropic.claude_code*",),
    needles=("name:" + _PREFIX,),
    recognised="the span's name is claude_code.tool (tool, with .execution as a further span of the call), .interaction (agent) or"
    " .llm_request (model)",
    name_from="tool_name",
    id_from="tool_use_id, gen_ai.tool.call.id",
    arguments_from="tool_input; else full_command, file_path, skill_name and subagent_type, which are a part of the arguments",
    result_from="the event tool.output, else new_context",
    error_from="success and error of the execution; decision of the wait for the user: not executed",
    left_out="arguments and results",
    hint="set CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1, OTEL_LOG_TOOL_DETAILS=1 and OTEL_LOG_TOOL_CONTENT=1",
    read=read,
)
