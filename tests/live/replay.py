"""Plays the spans of a case through the SDK: the same ids, times, parents and attributes, started and ended in the order of their times.

`late` sets every attribute when the span is about to end.
"""

from __future__ import annotations

import json
from typing import Any

from case_format import EPOCH_NS, FIRST_SPAN, FIRST_TRACE
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator

INSIDE, OUTSIDE = 1, 0

AT_START = (
    *("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.agent.name", "gen_ai.conversation.id", "mcp.method.name"),
    *("openinference.span.kind", "traceloop.span.kind", "ai.operationId", "langsmith.span.kind", "braintrust.span_attributes"),
    *("flue.tool.name", "cozeloop.span_type", "acme."),
)
"""Attributes that instrumentations set when they start a span; arguments and results come later."""


class GivenIds(IdGenerator):
    """The ids of the span that is started next."""

    trace_id = span_id = 0

    def generate_trace_id(self) -> int:
        return self.trace_id

    def generate_span_id(self) -> int:
        return self.span_id


class Replay:
    """One process with a tracer provider for each resource; all have the same processors."""

    def __init__(self, processors: list[SpanProcessor], *, late: bool = False) -> None:
        self._processors = processors
        self._late = late
        self._ids = GivenIds()
        self._providers: dict[str, TracerProvider] = {}

    def play(self, given: dict[str, Any]) -> None:
        """Starts and ends the spans of a case's `input`."""
        spans = {(span.get("trace", 1), span["id"]): span for span in given["spans"]}
        depth = {key: self._depth(key, spans) for key in spans}
        moments = [(start(span), INSIDE, depth[key], key) for key, span in spans.items()]
        moments += [(end(span), OUTSIDE, -depth[key], key) for key, span in spans.items()]
        moments.sort(key=lambda moment: (moment[0], self._turn(moment, spans), moment[2]))
        running: dict[tuple[int, int], Span] = {}
        ended: dict[tuple[int, int], Span] = {}
        for _, what, _, key in moments:
            if what == INSIDE:
                running[key] = self._start(key, spans[key], given, {**ended, **running}, spans)
            else:
                span = running.pop(key)
                self._finish(span, spans[key])
                ended[key] = span

    @staticmethod
    def _turn(moment: tuple[int, int, int, tuple[int, int]], spans: dict[tuple[int, int], dict[str, Any]]) -> int:
        """At one moment: what ends there, then what starts there; a span without duration starts before it ends."""
        span = spans[moment[3]]
        if start(span) == end(span):
            return 1 if moment[1] == INSIDE else 2
        return 0 if moment[1] == OUTSIDE else 1

    @staticmethod
    def _depth(key: tuple[int, int], spans: dict[tuple[int, int], dict[str, Any]]) -> int:
        seen = []
        at = key
        while at in spans and at not in seen:
            seen.append(at)
            at = (at[0], spans[at].get("parent") or 0)
        return len(seen)

    def _start(
        self,
        key: tuple[int, int],
        span: dict[str, Any],
        given: dict[str, Any],
        known: dict[tuple[int, int], Span],
        spans: dict[tuple[int, int], dict[str, Any]],
    ) -> Span:
        resource = span.get("resource", given.get("resource", {"service.name": "agents"}))
        tracer = self._provider(resource).get_tracer(span.get("scope", given.get("scope", "tests")))
        self._ids.trace_id, self._ids.span_id = FIRST_TRACE + key[0], FIRST_SPAN + key[1]
        context = Context()
        if span.get("parent"):
            above = (key[0], span["parent"])
            parent = known.get(above)
            same_process = above not in spans or spans[above].get("resource", given.get("resource")) == span.get(
                "resource", given.get("resource")
            )
            if parent is not None and same_process:
                context = trace.set_span_in_context(parent, context)
            else:
                remote = trace.SpanContext(
                    self._ids.trace_id, FIRST_SPAN + span["parent"], is_remote=not same_process, trace_flags=trace.TraceFlags(1)
                )
                context = trace.set_span_in_context(trace.NonRecordingSpan(remote), context)
        kind = trace.SpanKind(span.get("kind", 1) - 1)
        known_at_start = {} if self._late else {key: value for key, value in (span.get("attrs") or {}).items() if key.startswith(AT_START)}
        started = tracer.start_span(
            span["name"], context=context, kind=kind, attributes=known_at_start, start_time=EPOCH_NS + start(span) * 1_000_000
        )
        assert isinstance(started, Span)
        return started

    def _finish(self, span: Span, given: dict[str, Any]) -> None:
        for key, value in (given.get("attrs") or {}).items():
            span.set_attribute(key, value)
        for event in given.get("events", ()):
            span.add_event(event["name"], event.get("attrs"), EPOCH_NS + event.get("at", 0) * 1_000_000)
        if "error" in given:
            span.set_status(trace.StatusCode.ERROR, given["error"] if isinstance(given["error"], str) else None)
        span.end(EPOCH_NS + end(given) * 1_000_000)

    def _provider(self, resource: dict[str, Any]) -> TracerProvider:
        key = json.dumps(resource, sort_keys=True)
        if key not in self._providers:
            provider = TracerProvider(resource=Resource(resource), id_generator=self._ids, shutdown_on_exit=False)
            for processor in self._processors:
                provider.add_span_processor(processor)
            self._providers[key] = provider
        return self._providers[key]


class Exported(SpanProcessor):
    """Keeps spans as an exporter at this place gets them."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(ReadableSpan(**vars_of(span)))


def vars_of(span: ReadableSpan) -> dict[str, Any]:
    """What a span is at this moment."""
    return {
        "name": span.name,
        "context": span.context,
        "parent": span.parent,
        "resource": span.resource,
        "attributes": dict(span.attributes or {}),
        "events": span.events,
        "kind": span.kind,
        "instrumentation_scope": span.instrumentation_scope,
        "status": span.status,
        "start_time": span.start_time,
        "end_time": span.end_time,
    }


def start(span: dict[str, Any]) -> int:
    """In ms after the epoch of the cases."""
    return int(span.get("start", span["id"] * 10))


def end(span: dict[str, Any]) -> int:
    """In ms after the epoch of the cases."""
    return int(span.get("end", span["id"] * 10 + 5))
