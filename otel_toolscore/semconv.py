"""The attribute, event and span names that several parts read, each section with its source.

A name that only one emitter writes is defined in that emitter's file under `dialects/`.
"""

from __future__ import annotations

from typing import Final

# OpenTelemetry, general (semantic-conventions: error, exceptions, resource/service)
ERROR_TYPE: Final = "error.type"
EXCEPTION: Final = "exception"
"""Name of the event that records an exception."""
EXCEPTION_TYPE: Final = "exception.type"
EXCEPTION_MESSAGE: Final = "exception.message"
SERVICE_NAME: Final = "service.name"
SESSION_ID: Final = "session.id"

# GenAI (semantic-conventions 1.26 to 1.41, semantic-conventions-genai from 0.1.0: spans, events, agent spans)
OPERATION_NAME: Final = "gen_ai.operation.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_CALL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_CALL_RESULT: Final = "gen_ai.tool.call.result"
TOOL_DEFINITIONS: Final = "gen_ai.tool.definitions"
AGENT_NAME: Final = "gen_ai.agent.name"
WORKFLOW_NAME: Final = "gen_ai.workflow.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
REQUEST_MODEL: Final = "gen_ai.request.model"

EXECUTE_TOOL: Final = "execute_tool"
INVOKE_AGENT: Final = "invoke_agent"
INVOKE_WORKFLOW: Final = "invoke_workflow"
MODEL_OPERATIONS: Final = frozenset({"chat", "generate_content", "text_completion", "fetch_response"})
"""Values of `gen_ai.operation.name` in which a model decides what comes next."""

EVENT_SYSTEM_MESSAGE: Final = "gen_ai.system.message"
EVENT_USER_MESSAGE: Final = "gen_ai.user.message"
EVENT_ASSISTANT_MESSAGE: Final = "gen_ai.assistant.message"
EVENT_TOOL_MESSAGE: Final = "gen_ai.tool.message"
EVENT_CHOICE: Final = "gen_ai.choice"
EVENT_OPERATION_DETAILS: Final = "gen_ai.client.inference.operation.details"

# MCP (semantic-conventions 1.39 and later: mcp; JSON-RPC: rpc)
MCP_METHOD: Final = "mcp.method.name"
MCP_SESSION: Final = "mcp.session.id"
MCP_TOOLS_CALL: Final = "tools/call"
JSONRPC_REQUEST_ID: Final = "jsonrpc.request.id"
RPC_SYSTEM: Final = "rpc.system"
RPC_STATUS_CODE: Final = "rpc.response.status_code"
RPC_JSONRPC_ERROR_CODE: Final = "rpc.jsonrpc.error_code"
"""The code's name before `rpc.response.status_code`."""

# OpenInference (openinference-semantic-conventions 0.1)
OI_KIND: Final = "openinference.span.kind"
OI_TOOL_NAME: Final = "tool.name"
OI_TOOL_PARAMETERS: Final = "tool.parameters"
OI_TOOL_SCHEMA: Final = "tool.json_schema"
OI_INPUT: Final = "input.value"
OI_INPUT_TYPE: Final = "input.mime_type"
OI_OUTPUT: Final = "output.value"
OI_OUTPUT_TYPE: Final = "output.mime_type"
OI_AGENT_NAME: Final = "agent.name"
OI_GRAPH_NODE: Final = "graph.node.id"
OI_INPUT_MESSAGES: Final = "llm.input_messages."
OI_OUTPUT_MESSAGES: Final = "llm.output_messages."
OI_TOOLS: Final = "llm.tools."

# Traceloop (opentelemetry-semantic-conventions-ai 0.4)
TRACELOOP_KIND: Final = "traceloop.span.kind"
TRACELOOP_NAME: Final = "traceloop.entity.name"
TRACELOOP_WORKFLOW: Final = "traceloop.workflow.name"
TRACELOOP_INPUT: Final = "traceloop.entity.input"
TRACELOOP_OUTPUT: Final = "traceloop.entity.output"
TRACELOOP_PROPERTIES: Final = "traceloop.association.properties."
