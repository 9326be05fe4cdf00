"""Spans as instrumentations write them, for tests: agents and tools in the words of the GenAI conventions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.trace import Span, Tracer
from recording import Recording

from otel_toolscore.policy import loads
from otel_toolscore.processor import ToolScoreProcessor
from otel_toolscore.settings import Settings


def scored(policy: dict[str, Any] | str, recording: Recording, *, settings: Settings | None = None, **more: Any) -> ToolScoreProcessor:
    """A processor with this policy on the recording's provider; it publishes into the recording."""
    text = policy if isinstance(policy, str) else json.dumps({"version": 1, **policy})
    processor = ToolScoreProcessor(
        loads(text),
        meter_provider=recording.meter_provider,
        logger_provider=recording.logger_provider,
        settings=settings or Settings(),
        **more,
    )
    recording.tracer_provider.add_span_processor(processor)
    return processor


def tracer_of(recording: Recording) -> Tracer:
    tracer = recording.tracer_provider.get_tracer("app")
    assert isinstance(tracer, Tracer)
    return tracer


def agent_attributes(name: str | None) -> dict[str, str]:
    return {"gen_ai.operation.name": "invoke_agent", **({"gen_ai.agent.name": name} if name else {})}


def tool_attributes(name: str) -> dict[str, str]:
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}


@contextmanager
def agent(tracer: Tracer, name: str | None = "support") -> Iterator[Span]:
    with tracer.start_as_current_span(f"invoke_agent {name}", attributes=agent_attributes(name)) as span:
        assert isinstance(span, Span)
        yield span


@contextmanager
def tool(tracer: Tracer, name: str, **arguments: Any) -> Iterator[Span]:
    """The arguments are recorded late, as most instrumentations do."""
    with tracer.start_as_current_span(f"execute_tool {name}", attributes=tool_attributes(name)) as span:
        assert isinstance(span, Span)
        yield span
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps(arguments))


def call(tracer: Tracer, name: str, **arguments: Any) -> None:
    with tool(tracer, name, **arguments):
        pass


def verdict(recording: Recording, name: str) -> Any:
    """`toolscore.verdict` of the exported span with this name."""
    return (recording.spans[name].attributes or {}).get("toolscore.verdict")
