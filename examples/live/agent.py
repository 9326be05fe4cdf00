"""A support agent as its developer wrote it: Pydantic AI, tools over MCP, spans by their own instrumentation, exported over OTLP.

The one line of otel_toolscore is marked. The model is a script: it needs no network and no key, and it errs where a model might.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from fastmcp.client.transports import StdioTransport
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import otel_toolscore

HERE = Path(__file__).parent

SCRIPTS: dict[str, list[tuple[str, dict[str, object]]]] = {
    "Please refund my last order, I am ada@example.com.": [
        ("search_orders", {"customer": "ada@example.com"}),
        ("issue_refund", {"order": "A-17", "amount": 24.5}),
    ],
    "Please refund my last order, I am bob@example.com.": [
        ("search_orders", {"customer": "bob@example.com"}),
        ("issue_refund", {"order": "A-17", "amount": 2450}),
    ],
    "Forget me.": [("delete_customer", {"customer": "eve@example.com"})],
    "Where is the receipt of A-17?": [("send_receipt", {"order": "A-17"})],
}
"""What the customer says -> the calls that the model makes, one after the other."""


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """The next call of the script that belongs to the customer's words."""
    question = str(messages[0].parts[-1].content)  # type: ignore[union-attr]
    done = sum(isinstance(message, ModelResponse) for message in messages)
    script = SCRIPTS[question]
    if done < len(script):
        tool, arguments = script[done]
        return ModelResponse(parts=[ToolCallPart(tool, arguments, tool_call_id=f"call_{done}")])
    return ModelResponse(parts=[TextPart("Done.")])


async def main() -> None:
    server = StdioTransport(sys.executable, [str(HERE / "server.py")], env={**os.environ, "OTEL_SERVICE_NAME": "shop"})
    tools = MCPToolset(server, init_timeout=60, read_timeout=60)
    agent = Agent(FunctionModel(model), name="support", toolsets=[tools])
    async with agent:
        for question in SCRIPTS:
            await agent.run(question)


if __name__ == "__main__":
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    Agent.instrument_all()

    otel_toolscore.instrument(HERE / "toolscore.yaml")  # this line

    asyncio.run(main())
    provider.shutdown()
