"""What the applications of these tests share: a tracer provider whose exports are printed, scored or not as the environment says.

SCORED is the policy file; without it nothing of otel_toolscore is loaded. FIRST=exporter puts the exporter before the scoring
processor, which is where an application has it that calls `instrument` last.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult


class PrintedExports(SpanExporter):
    """Prints each exported span as one JSON object a line, at the moment of its export."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        for span in spans:
            line = {
                "name": span.name,
                "span_id": f"{span.context.span_id:016x}",
                "trace_id": f"{span.context.trace_id:032x}",
                "parent": f"{span.parent.span_id:016x}" if span.parent is not None else None,
                "attributes": {key: list(value) if isinstance(value, tuple) else value for key, value in (span.attributes or {}).items()},
                "processors": processors(),
            }
            print(json.dumps(line, default=str), flush=True)
        return SpanExportResult.SUCCESS


def processors() -> list[str]:
    """The names of the processors on the global provider."""
    provider: Any = trace.get_tracer_provider()
    provider = getattr(provider, "provider", provider)
    return [type(processor).__name__ for processor in provider._active_span_processor._span_processors]


def provider() -> TracerProvider:
    """The global tracer provider, as the environment wants it."""
    made = TracerProvider()
    trace.set_tracer_provider(made)
    if os.environ.get("FIRST") == "exporter":
        made.add_span_processor(SimpleSpanProcessor(PrintedExports()))
    score(made)
    if os.environ.get("FIRST") != "exporter":
        made.add_span_processor(SimpleSpanProcessor(PrintedExports()))
    return made


def score(made: Any = None) -> None:
    """Instruments the provider (None: the global one), if the environment names a policy."""
    if policy := os.environ.get("SCORED"):
        import otel_toolscore

        otel_toolscore.instrument(policy, made)


def argument(default: str) -> str:
    """The one argument that a test changes."""
    return os.environ.get("ARGUMENT", default)


def finish(made: Any) -> None:
    """Flushes and leaves: frameworks may keep threads."""
    getattr(made, "force_flush", made.flush if hasattr(made, "flush") else None)()
    sys.stdout.flush()
    os._exit(0)
