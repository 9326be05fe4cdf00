"""Traceloop's OpenLLMetry: entity spans, with its wrappers around inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import transcript, values, wrappers
from otel_toolscore.dialects.dialect import Dialect, Part, Role
from otel_toolscore.messages import Messages
from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome, ValueState
from otel_toolscore.spans import Span

_SCOPE: Final = "opentelemetry.instrumentation."
_ROLES: Final[Mapping[str, Role]] = {"tool": "tool", "agent": "agent", "workflow": "workflow", "task": "ignored"}
_SUFFIXES: Final = tuple("." + kind for kind in _ROLES)
_PROMPTS: Final = "gen_ai.prompt."
_COMPLETIONS: Final = "gen_ai.completion."
_FUNCTIONS: Final = "llm.request.functions."
_REQUEST_TYPE: Final = "llm.request.type"
_TASK_STATUS: Final = "gen_ai.task.status"
_SESSION_KEYS: Final = tuple(semconv.TRACELOOP_PROPERTIES + key for key in ("session_id", "conversation_id", "thread_id", "chat_id"))
_INSTRUMENTED: Final = (
    *("agno", "alephalpha", "anthropic", "bedrock", "cohere", "crewai", "google_generativeai", "groq", "haystack", "langchain"),
    *("llamaindex", "mcp", "mistralai", "ollama", "openai.*", "openai_agents", "replicate", "sagemaker", "together", "transformers"),
    *("vertexai", "voyageai", "watsonx", "writer"),
)
_NAMED_AFTER_CLASSES: Final = frozenset({"opentelemetry.instrumentation.llamaindex", "opentelemetry.instrumentation.llama_index"})
"""Instrumentations that name a tool entity after the tool's class."""
_BY_SCOPE: Final = frozenset(_SCOPE + name for name in ("langchain", "mcp", "crewai", "agno"))
"""Instrumentations whose wrappers are taken off wherever they stand."""
_RANK: Final[Mapping[ValueState, int]] = {"not_captured": 0, "unreadable": 1, "captured": 2}


def read(span: Span) -> Part | None:
    """The entity, with its wrappers taken off."""
    attributes = span.attributes
    model = _REQUEST_TYPE in attributes or any(key.startswith((_PROMPTS, _COMPLETIONS)) for key in attributes)
    if not model and not any(key.startswith("traceloop.") for key in attributes):
        # An exporter or a processor may have taken its own attributes off; the wrappers are in those of the conventions too.
        told = semconv.TOOL_CALL_ARGUMENTS in attributes or semconv.TOOL_CALL_RESULT in attributes
        return _tool(span, None) if told and span.scope_name in _BY_SCOPE else None
    kind = attributes.get(semconv.TRACELOOP_KIND)
    role = _ROLES.get(kind) if isinstance(kind, str) else None
    conversation = next((found for key in _SESSION_KEYS if (found := values.identifier(attributes.get(key))) is not None), None)
    if role == "tool":
        return _tool(span, conversation)
    named = values.text(attributes.get(semconv.TRACELOOP_NAME))
    return Part(
        role=role if role is not None or not model else "model",
        why="it is a task" if role == "ignored" else None,
        guess=named or values.text(span.name.removesuffix(f".{kind}")),
        workflow=values.text(attributes.get(semconv.TRACELOOP_WORKFLOW)) if role == "workflow" else None,
        conversation=conversation,
        messages=_messages(attributes) if model else Messages(),
        user_input=transcript.user_text(attributes.get(semconv.TRACELOOP_INPUT)) if role in ("agent", "workflow") else None,
        schemas=transcript.schemas(transcript.flattened(attributes, _FUNCTIONS)) if model else {},
    )


def _tool(span: Span, conversation: str | None) -> Part:
    attributes = span.attributes
    read = [_arguments(attributes[key]) for key in (semconv.TRACELOOP_INPUT, semconv.TOOL_CALL_ARGUMENTS) if key in attributes]
    arguments, call_id, named_inside = max(read, key=lambda each: _RANK[each[0].state], default=(NOT_CAPTURED, None, None))
    answered = attributes.get(semconv.TRACELOOP_OUTPUT, attributes.get(semconv.TOOL_CALL_RESULT))
    message = wrappers.tool_message(values.structure(answered) or answered)
    entity = values.text(attributes.get(semconv.TRACELOOP_NAME)) if span.scope_name not in _NAMED_AFTER_CLASSES else None
    return Part(
        role="tool",
        tool=values.text(attributes.get(semconv.TOOL_NAME)) or named_inside or entity,
        guess=_without_suffix(span.name),
        call_id=call_id or (message.call_id if message is not None else None),
        arguments=arguments,
        result=message.result if message is not None else values.result(answered),
        unwrapped=True,
        outcome=_outcome(attributes, failed=message is not None and message.failed),
        error=message.text if message is not None and message.failed else None,
        conversation=conversation,
    )


def _arguments(given: object) -> tuple[Evidence, str | None, str | None]:
    """The arguments, and the call id and the tool's name where they are inside."""
    found = values.arguments(given, values.PYTHON if isinstance(given, str) else values.AS_WRITTEN)
    value = found.value
    if found.state != "captured" or not isinstance(value, dict):
        return found, None, None
    langchain = wrappers.langchain_inputs(value)
    if langchain is not None:
        return *langchain, None
    if "arguments" in value and value.keys() <= {"tool_name", "name", "arguments", "meta", "_meta"}:  # an MCP request's parameters
        inside = value["arguments"]
        named = values.text(value.get("tool_name", value.get("name")))
        if named is not None:
            return values.arguments(inside) if inside is not None else NOT_CAPTURED, None, named
    return wrappers.python_call(value) or found, None, None


def _outcome(attributes: Mapping[str, object], failed: bool) -> Outcome | None:
    status = attributes.get(_TASK_STATUS)
    return "error" if failed or (isinstance(status, str) and status.lower() in ("failure", "failed", "error")) else None


def _messages(attributes: Mapping[str, object]) -> Messages:
    return transcript.messages(transcript.flattened(attributes, _PROMPTS), transcript.flattened(attributes, _COMPLETIONS))


def _without_suffix(name: str) -> str | None:
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return values.text(name)


TRACELOOP: Final = Dialect(
    name="traceloop",
    title="Traceloop OpenLLMetry",
    scopes=tuple(_SCOPE + name for name in _INSTRUMENTED),
    needles=("traceloop.", _REQUEST_TYPE, _PROMPTS, _COMPLETIONS),
    recognised="traceloop.span.kind is tool, agent or workflow; llm.request.type or numbered gen_ai.prompt keys (model); tasks are ignored",
    name_from="gen_ai.tool.name, else traceloop.entity.name, else the span's name without its suffix",
    id_from="gen_ai.tool.call.id, else tool_call_id inside the input or output",
    arguments_from="traceloop.entity.input, else gen_ai.tool.call.arguments; unwrapped from {inputs}, {kwargs}, {tool_name, arguments}",
    result_from="traceloop.entity.output, else gen_ai.tool.call.result; unwrapped from {output} and a ToolMessage",
    error_from="status, error.type, exception event, gen_ai.task.status, status of a ToolMessage",
    left_out="nothing",
    hint="unset TRACELOOP_TRACE_CONTENT (or set it to true)",
    read=read,
)
