"""The weather over MCP; its spans go to the file that SERVER_SPANS names, as OTLP JSON lines would."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fastmcp import FastMCP
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult


class Kept(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with Path(os.environ["SERVER_SPANS"]).open("a", encoding="utf-8") as out:
            out.writelines(span.to_json(indent=None) + "\n" for span in spans)
        return SpanExportResult.SUCCESS


provider = TracerProvider(resource=Resource.create({"service.name": "weather"}))
provider.add_span_processor(SimpleSpanProcessor(Kept()))
trace.set_tracer_provider(provider)
weather = FastMCP("weather")


@weather.tool
def get_weather(city: str) -> str:
    return f"fine in {city}"


weather.run(transport="stdio", show_banner=False, log_level="CRITICAL")
