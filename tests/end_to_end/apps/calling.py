"""An agent span around a tool span, in the words of the GenAI conventions, made with whatever tracer provider is the global one."""

from __future__ import annotations

import json

from opentelemetry import trace
from scored import argument


def call() -> None:
    """One agent that calls one tool."""
    tracer = trace.get_tracer("shop")
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"}
    with (
        tracer.start_as_current_span("invoke_agent support", attributes=agent),
        tracer.start_as_current_span("execute_tool get_weather", attributes=tool) as span,
    ):
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps({"city": argument("Oslo")}))
