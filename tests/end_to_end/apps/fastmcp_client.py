"""Pydantic AI whose tool is served by FastMCP in a second process; both export, and the call is one."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scored import argument, finish, provider

made = provider()
Agent.instrument_all()


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    if any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse(parts=[TextPart("done")])
    return ModelResponse(parts=[ToolCallPart("get_weather", {"city": argument("Oslo")}, tool_call_id="c1")])


async def main() -> None:
    server = StdioTransport(sys.executable, [str(Path(__file__).with_name("fastmcp_server.py"))], env=dict(os.environ))
    agent = Agent(FunctionModel(model), name="support", toolsets=[MCPToolset(server, init_timeout=120, read_timeout=120)])
    async with agent:
        await agent.run("How is the weather?")


asyncio.run(main())
finish(made)
