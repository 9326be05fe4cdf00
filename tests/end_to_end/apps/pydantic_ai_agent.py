"""Pydantic AI with its own instrumentation: a function model, one tool in the process."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scored import argument, finish, provider

made = provider()
Agent.instrument_all()


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    if any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse(parts=[TextPart("done")])
    return ModelResponse(parts=[ToolCallPart("get_weather", {"city": argument("Oslo")}, tool_call_id="c1")])


agent = Agent(FunctionModel(model), name="support")


@agent.tool_plain
def get_weather(city: str) -> str:
    return f"fine in {city}"


agent.run_sync("How is the weather?")
finish(made)
