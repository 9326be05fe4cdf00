"""Adding a processor to whatever tracer provider there is, now or later."""

from __future__ import annotations

import gc
import logging
from typing import Any

import pytest
from agent_spans import agent, call, tracer_of, verdict
from opentelemetry import trace
from opentelemetry.sdk.trace import ConcurrentMultiSpanProcessor, SpanProcessor, TracerProvider
from recording import Recording

from otel_toolscore.live import attach
from otel_toolscore.policy import loads
from otel_toolscore.processor import ToolScoreProcessor


class Phoenix(TracerProvider):
    """A provider that takes its own exporter off at the first added processor, unless told not to."""

    def add_span_processor(self, *args: Any, replace_default_processor: bool = True, **more: Any) -> None:
        if replace_default_processor:
            self._active_span_processor._span_processors = ()
        super().add_span_processor(*args, **more)


def names(provider: TracerProvider) -> list[str]:
    return [type(processor).__name__ for processor in provider._active_span_processor._span_processors]


def test_what_was_there_stays() -> None:
    """The processor is added behind the others, even where the provider would replace its own."""
    provider = Phoenix()
    provider.add_span_processor(Recording().logs, replace_default_processor=False)
    attach.add(provider, SpanProcessor())
    assert names(provider) == ["KeptLogs", "SpanProcessor"]
    assert attach.described(provider).endswith("Phoenix (KeptLogs, SpanProcessor)")


def test_what_is_no_provider_is_refused() -> None:
    """The message names what was given."""
    with pytest.raises(attach.NotATracerProviderError, match=r"NoOpTracerProvider has no add_span_processor"):
        attach.add(trace.NoOpTracerProvider(), SpanProcessor())


@pytest.mark.usefixtures("no_global_provider")
def test_a_provider_that_is_set_later_is_told() -> None:
    """Everyone who waits is called once, and the API's setter is as it was."""
    setter = trace._set_tracer_provider
    told: list[object] = []
    assert not attach.when_set(told.append)
    assert not attach.when_set(told.append)
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
    assert told == [provider, provider]
    assert trace._set_tracer_provider is setter
    assert attach.when_set(told.append)
    assert len(told) == 3


@pytest.mark.usefixtures("no_global_provider")
def test_an_error_of_one_who_waits_does_not_reach_who_sets_the_provider(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged."""

    def fail(_provider: object) -> None:
        raise RuntimeError("broken")

    attach.when_set(fail)
    with caplog.at_level(logging.ERROR, "otel_toolscore"):
        trace.set_tracer_provider(TracerProvider())
    assert "cannot be scored" in caplog.text


def test_what_belongs_to_a_provider_goes_with_it() -> None:
    """By identity: a provider need not be hashable, and one that takes a dead one's place has nothing."""

    class Unhashable(TracerProvider):
        __hash__ = None  # type: ignore[assignment]

    table: attach.ByProvider[str] = attach.ByProvider()
    first, second = Unhashable(shutdown_on_exit=False), Unhashable(shutdown_on_exit=False)
    table.put(first, "first")
    assert (table.get(first), table.get(second)) == ("first", None)
    del first
    gc.collect()
    table.put(second, "second")
    assert table.get(second) == "second"
    assert len(table._kept) == 1


def test_a_provider_that_runs_processors_in_threads_is_scored_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """Verdicts are there all the same; what needs the context is not."""
    recording = Recording()
    recording.tracer_provider = TracerProvider(active_span_processor=ConcurrentMultiSpanProcessor(2), shutdown_on_exit=False)
    processor = ToolScoreProcessor(loads("version: 1\nrules:\n  - {id: no-rm, forbid: rm}\n"))
    attach.add(recording.tracer_provider, processor)
    recording.with_exporter()
    with agent(tracer_of(recording)):
        call(tracer_of(recording), "rm")
    assert verdict(recording, "execute_tool rm") == "fail"
    assert "threads without context" in caplog.text
    assert processor.errors.by_type == {}
