"""OpenInference: one convention, and what each of its instrumentations makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects import transcript, values, wrappers
from otel_toolscore.dialects.dialect import Dialect, Part, Role
from otel_toolscore.messages import Messages
from otel_toolscore.model import NOT_CAPTURED, Evidence
from otel_toolscore.spans import Span

_SCOPE: Final = "openinference.instrumentation."
_ROLES: Final[Mapping[str, Role]] = {"TOOL": "tool", "AGENT": "agent", "LLM": "model"}
_OTHER_KINDS: Final = frozenset({"CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT"})
_IDS: Final = ("tool.id", "tool_call.id", "tool.call_id", "tool_call_id")
_JSON_TYPES: Final = ("application/json", "json")
_TEXT_TYPES: Final = ("text/plain", "text")
_MESSAGE_PREFIXES: Final = (semconv.OI_INPUT_MESSAGES, semconv.OI_OUTPUT_MESSAGES)
_SAY_ARGUMENTS: Final = frozenset(
    {"agno", "google_adk", "autogen", "autogen_agentchat", "claude_agent_sdk", "strands", "strands_agents", "pydantic_ai", "beeai", "mcp"}
)
"""Instrumentations that write the arguments, not their schema, as `tool.parameters`."""


def read(span: Span) -> Part | None:
    """The span by its kind, with what its instrumentation makes of the convention."""
    attributes = span.attributes
    recorded = attributes.get(semconv.OI_KIND)
    if not isinstance(recorded, str):
        return None
    kind = recorded.upper()
    by = span.scope_name.removeprefix(_SCOPE) if span.scope_name.startswith(_SCOPE) else ""
    role = _ROLES.get(kind)
    conversation = values.identifier(attributes.get(semconv.SESSION_ID))
    if role == "tool":
        return _tool(span, by, conversation)
    messages, schemas = Messages(), {}
    if any(key.startswith("llm.") for key in attributes):
        messages = transcript.messages(*(transcript.flattened(attributes, prefix) for prefix in _MESSAGE_PREFIXES))
        schemas = transcript.schemas(transcript.flattened(attributes, semconv.OI_TOOLS))
    part = Part(
        role=role or "ignored",
        why=None if role else f"its kind is {kind.lower() if kind in _OTHER_KINDS else 'another'}",
        conversation=conversation,
        messages=messages,
        user_input=_user_input(attributes) if role != "model" else None,
        schemas=schemas,
    )
    return _agent(span, part, by) if role == "agent" else part


def _agent(span: Span, part: Part, by: str) -> Part:
    named = values.text(span.attributes.get(semconv.OI_AGENT_NAME)) or values.text(span.attributes.get(semconv.OI_GRAPH_NODE))
    if named is None and by == "openai_agents":
        # Its root, which stands for the whole trace, is recorded as an agent; agents have a node.
        return Part(
            role="workflow",
            guess=values.text(span.name),
            conversation=part.conversation,
            messages=part.messages,
            user_input=part.user_input,
        )
    # The Claude Agent SDK's span is named after the method that was called, not after the agent.
    guess = None if by == "claude_agent_sdk" else values.text(span.name)
    return Part(
        role="agent",
        agent=named,
        guess=guess,
        conversation=part.conversation,
        messages=part.messages,
        user_input=part.user_input,
        schemas=part.schemas,
    )


def _tool(span: Span, by: str, conversation: str | None) -> Part:
    attributes = span.attributes
    parameters = values.structure(attributes.get(semconv.OI_TOOL_PARAMETERS))
    schema = parameters if transcript.is_schema(parameters) else values.structure(attributes.get(semconv.OI_TOOL_SCHEMA))
    arguments, bare = _arguments(attributes, by, schema)
    if arguments == NOT_CAPTURED and isinstance(parameters, dict) and parameters is not schema and (parameters or by in _SAY_ARGUMENTS):
        arguments = values.arguments(parameters)
    message = _result(attributes)
    tool = values.text(attributes.get(semconv.OI_TOOL_NAME))
    is_json_schema = isinstance(schema, dict) and isinstance(schema.get("properties"), dict)
    return Part(
        role="tool",
        tool=tool,
        guess=_from_span_name(span.name, by),
        call_id=next((found for key in _IDS if (found := values.identifier(attributes.get(key))) is not None), message.call_id),
        arguments=arguments,
        result=message.result,
        bare=bare,
        outcome="error" if message.failed else None,
        error=message.text if message.failed else None,
        agent=values.text(attributes.get(semconv.OI_AGENT_NAME)),
        conversation=conversation,
        schemas={tool: schema} if tool is not None and is_json_schema else {},
    )


def _arguments(attributes: Mapping[str, object], by: str, schema: object) -> tuple[Evidence, str | None]:
    """The arguments, and the one text argument where its name was dropped."""
    value, mime = attributes.get(semconv.OI_INPUT), attributes.get(semconv.OI_INPUT_TYPE)
    style = values.AS_WRITTEN if mime in _JSON_TYPES else values.PYTHON
    bare: str | None = None

    def dropped(recorded: object) -> Evidence | None:
        """LangChain's instrumentation writes an input with a single text value as that text alone."""
        nonlocal bare
        if by != "langchain" or not isinstance(recorded, str):
            return None
        bare = recorded
        return values.unnamed(recorded)

    if by == "langchain" and mime in _TEXT_TYPES and isinstance(value, str) and not value.lstrip().startswith("{"):
        style = values.PLAIN
    found = values.arguments(value, style, dropped)
    if found.state != "captured" or not isinstance(found.value, dict):
        return found, bare
    names = _parameter_names(schema)
    given = found.value
    if given.keys() & set(names) and "sanitize_inputs_outputs" not in given:
        return found, None
    if by == "llama_index" and given.keys() == {"kwargs"}:  # a call that binds no positional argument
        given = {"args": [], **given}
    return wrappers.python_call(given, names) or found, None


def _parameter_names(schema: object) -> list[str]:
    if not isinstance(schema, dict):
        return []
    properties = schema.get("properties", schema)
    return list(properties) if isinstance(properties, dict) else []


def _result(attributes: Mapping[str, object]) -> wrappers.ToolMessage:
    value, mime = attributes.get(semconv.OI_OUTPUT), attributes.get(semconv.OI_OUTPUT_TYPE)
    read = values.structure(value)
    told = wrappers.tool_message(read if read is not None else value)
    if told is not None:
        return told
    if isinstance(read, dict) and read.keys() == {"id", "name", "response"}:  # a function response, as Google's SDK has it
        return wrappers.ToolMessage(values.result(read["response"]), values.identifier(read["id"]), failed=False)
    plain = values.result(value, values.PLAIN if mime in _TEXT_TYPES else values.AS_WRITTEN)
    return wrappers.ToolMessage(plain, None, failed=False)


def _from_span_name(name: str, by: str) -> str | None:
    if by == "crewai":
        name = name.removesuffix(".run").removesuffix("._use")
    elif by == "autogen_agentchat":
        name = name.rpartition(".")[2]
    return values.text(name)


def _user_input(attributes: Mapping[str, object]) -> str | None:
    value = attributes.get(semconv.OI_INPUT)
    if attributes.get(semconv.OI_INPUT_TYPE) in _TEXT_TYPES:
        return values.text(value)
    return transcript.user_text(value)


OPENINFERENCE: Final = Dialect(
    name="openinference",
    title="OpenInference",
    scopes=(_SCOPE + "*",),
    needles=(semconv.OI_KIND,),
    recognised="openinference.span.kind is TOOL, AGENT or LLM; other kinds are neither calls nor scopes",
    name_from="tool.name, else the span's name; agents: agent.name, graph.node.id, else the span's name",
    id_from="tool.id, tool_call.id, tool.call_id, else tool_call_id in the output",
    arguments_from="input.value (JSON, else a Python literal), else tool.parameters where that is not a schema",
    result_from="output.value; of a ToolMessage or a function response what is in it",
    error_from="status, exception event, status of a ToolMessage",
    left_out="nothing; LangChain inputs with one text value lose its name",
    hint="unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS",
    read=read,
)
