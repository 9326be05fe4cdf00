"""Logfire, which puts a provider of its own behind the global one and hands copies of spans to its exporters."""

from __future__ import annotations

import logfire
from calling import call
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from scored import PrintedExports, finish, score

logfire.configure(send_to_logfire=False, console=False, additional_span_processors=[SimpleSpanProcessor(PrintedExports())])
score()
call()
finish(trace.get_tracer_provider())
