"""Keeps nothing itself: tells listeners of the spans that end on a tracer provider, for as long as they listen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from otel_toolscore.live import attach


class Collector(SpanProcessor):
    """A processor that only listens."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[ReadableSpan], None]] = []

    def on_end(self, span: ReadableSpan) -> None:
        """Tells every listener."""
        for listener in tuple(self.listeners):
            listener(span)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - the SDK's signature
        """True: nothing is held back."""
        return True


_collectors: attach.ByProvider[Collector] = attach.ByProvider()


def collector_of(provider: Any = None) -> tuple[Any, Collector]:
    """The provider (None: the global one, which is set if nobody did) and its collector, which it has from now on."""
    if provider is None:
        if not attach.is_set():
            trace.set_tracer_provider(TracerProvider())
        provider = trace.get_tracer_provider()
    collector = _collectors.get(provider)
    if collector is None:
        collector = Collector()
        attach.add(provider, collector)
        _collectors.put(provider, collector)
    return provider, collector
