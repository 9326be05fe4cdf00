"""Whatever goes wrong in scoring: the application's results and spans are what they would be without it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from agent_spans import agent, call, scored, tool, tracer_of, verdict
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from recording import Recording
from test_telemetry import Broken, BrokenInstruments

from otel_toolscore.matchers import Regex
from otel_toolscore.model import RunResult

NO_RM = {"rules": [{"id": "no-rm", "forbid": {"tool": "sh", "args": {"c": {"$regex": "rm"}}}}]}


def names(recording: Recording) -> list[str]:
    return [span.name for span in recording.exporter.get_finished_spans()]


@pytest.mark.parametrize("error", [RuntimeError("x"), RecursionError(), MemoryError(), BaseException("panic")])
def test_a_matcher_that_raises(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool returns its result, the span is exported without a verdict, and the error is counted."""

    def broken(*_args: object, **_more: object) -> bool:
        raise error

    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    monkeypatch.setattr(Regex, "test", broken)
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "sh", c="rm")
    assert names(recording) == ["execute_tool sh", "invoke_agent support"]
    assert verdict(recording, "execute_tool sh") is None
    assert set(processor.errors.by_type) == {type(error).__name__}
    call(tracer, "ls")
    assert verdict(recording, "execute_tool ls") is not None


@pytest.mark.parametrize("hook", ["_started", "_ending", "_ended_plain", "_ended_late"])
def test_every_hook_has_a_boundary(hook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error anywhere inside is counted, and later processors get their spans."""

    def broken(*_args: object, **_more: object) -> None:
        raise ZeroDivisionError

    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    monkeypatch.setattr(processor, hook, broken)
    tracer = tracer_of(recording)
    with agent(tracer), tracer.start_as_current_span("plain"), tracer.start_as_current_span("late") as late:
        late.set_attribute("gen_ai.operation.name", "execute_tool")
    assert names(recording) == ["late", "plain", "invoke_agent support"]
    assert set(processor.errors.by_type) == {"ZeroDivisionError"}


def test_an_interrupt_stops_the_application_and_not_the_span(monkeypatch: pytest.MonkeyPatch) -> None:
    """KeyboardInterrupt passes; the span ends all the same."""

    def interrupted(*_args: object, **_more: object) -> None:
        raise KeyboardInterrupt

    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    monkeypatch.setattr(processor, "_ending", interrupted)
    span = tracer_of(recording).start_span("execute_tool sh", attributes={"gen_ai.operation.name": "execute_tool"})
    with pytest.raises(KeyboardInterrupt):
        span.end()
    assert names(recording) == ["execute_tool sh"]


@pytest.mark.parametrize("provider", [Broken(), BrokenInstruments()])
def test_meter_and_logger_providers_that_raise(provider: Any) -> None:
    """The verdict is on the span, the errors are counted."""
    recording = Recording()
    recording.meter_provider = recording.logger_provider = provider
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    call(tracer_of(recording), "sh", c="rm")
    assert verdict(recording, "execute_tool sh") == "fail"
    assert "RuntimeError" in processor.errors.by_type


class Hanging(SpanExporter):
    """Exports when it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.free.wait(20)
        self.spans += spans
        return SpanExportResult.SUCCESS


def test_an_exporter_that_hangs() -> None:
    """Scoring goes on, and flushing does not wait for us."""
    recording = Recording()
    exporter = Hanging()
    batch = BatchSpanProcessor(exporter, schedule_delay_millis=1, max_export_batch_size=1)
    recording.tracer_provider.add_span_processor(batch)
    processor = scored(NO_RM, recording)
    tracer = tracer_of(recording)
    begun = time.monotonic()
    for _ in range(20):
        call(tracer, "sh", c="rm")
    assert processor.force_flush(1) is True
    assert time.monotonic() - begun < 5
    assert sum(recording.points("toolscore.violations").values()) == 20
    exporter.free.set()
    recording.tracer_provider.force_flush()
    assert [(span.attributes or {})["toolscore.verdict"] for span in exporter.spans] == ["fail"] * 20
    recording.tracer_provider.shutdown()


def test_a_provider_that_is_shut_down_twice() -> None:
    """Nothing is published twice, and spans go on."""
    recording = Recording()
    processor = scored(NO_RM, recording)
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "sh", c="rm")
        recording.tracer_provider.shutdown()
        processor.shutdown()
        call(tracer, "sh", c="rm")
    assert len(recording.events) == 1


def test_a_fork_while_a_lock_is_held() -> None:
    """The child scores what it starts itself, without waiting for locks of threads that it does not have, and counts only that."""
    recording = Recording()
    results: list[RunResult] = []
    processor = scored(NO_RM, recording, on_result=results.append)
    tracer = tracer_of(recording)
    scorer = processor._scorer
    with agent(tracer) as span:
        memory = scorer.traces[span.context.trace_id]
        held, free = threading.Event(), threading.Event()

        def hold() -> None:
            with memory.lock, scorer._lock, scorer._so_far._lock, scorer._final_lock, processor.errors._lock, processor._sweeper._lock:
                held.set()
                free.wait(20)

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(20)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                call(tracer, "inherited", c="x")
                token = otel_context.attach(otel_context.Context())
                with agent(tracer, "own"):
                    call(tracer, "sh", c="rm")
                otel_context.detach(token)
                fine = [result.verdict for result in results][-1:] == ["fail"] and processor.errors.by_type == {}
                status = 0 if fine else 3
            finally:
                os._exit(status)
        deadline = time.monotonic() + 20
        ended, code = 0, 0
        while not ended and time.monotonic() < deadline:
            ended, code = os.waitpid(child, os.WNOHANG)
            time.sleep(0.01)
        free.set()
        holder.join()
        if not ended:
            os.kill(child, 9)
            os.waitpid(child, 0)
        assert (ended, os.waitstatus_to_exitcode(code)) == (child, 0)
    assert [len(result.run.calls) for result in results] == [0]


def test_64_threads_on_one_run() -> None:
    """Each call is judged and counted once, and the run holds them all."""
    recording = Recording()
    results: list[RunResult] = []
    processor = scored(
        {"rules": [*NO_RM["rules"], {"id": "often", "limit": {"call": "sh", "max": 600}}]}, recording, on_result=results.append
    )
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        around = otel_context.get_current()

        def work(number: int) -> None:
            token = otel_context.attach(around)
            for turn in range(10):
                call(tracer, "sh", c="rm" if turn == 0 else f"ls {number}")
            otel_context.detach(token)

        with ThreadPoolExecutor(64) as pool:
            list(pool.map(work, range(64)))
    assert processor.errors.by_type == {}
    (result,) = results
    assert len(result.run.calls) == 640
    assert sum(finding.rule == "no-rm" for finding in result.findings) == 64
    assert sum(finding.rule == "often" for finding in result.findings) == 40
    assert sum(event["toolscore.rule.id"] == "no-rm" for event in recording.events) == 64
    assert sum(recording.points("toolscore.calls").values()) == 640
    assert sum((span.attributes or {}).get("toolscore.verdict") == "fail" for span in recording.exporter.get_finished_spans()) >= 64


def test_a_span_that_is_ended_by_two_threads_at_once() -> None:
    """It is judged once and exported once."""
    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    for _ in range(50):
        span = tracer.start_span("execute_tool sh", attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sh"})
        threads = [threading.Thread(target=span.end) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(names(recording)) == 50
    assert sum(recording.points("toolscore.calls").values()) == 50
    assert processor.errors.by_type == {}


def test_spans_that_are_started_by_what_scoring_calls() -> None:
    """A callback that traces itself does not come back to us without end, nor wait for itself."""
    recording = Recording()
    tracer = tracer_of(recording)

    def traced(_result: RunResult) -> None:
        with tracer.start_as_current_span("saving a result"):
            pass

    processor = scored(NO_RM, recording, on_result=traced)
    recording.with_exporter()
    call(tracer, "sh", c="rm")
    assert names(recording) == ["saving a result", "execute_tool sh"]
    assert processor.errors.by_type == {}


def test_a_processor_behind_ours_that_raises_is_heard_by_the_application_as_before() -> None:
    """We neither hide nor change what others do."""

    class Raising(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            raise LookupError("theirs")

    recording = Recording()
    scored(NO_RM, recording)
    recording.tracer_provider.add_span_processor(Raising())
    with pytest.raises(LookupError, match="theirs"):
        call(tracer_of(recording), "sh", c="rm")


def test_a_span_class_that_takes_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A span on which nothing can be put is heard of when it has ended."""

    def refuse(self: Span, name: str, value: object) -> None:
        if name == "end":
            raise AttributeError(name)
        object.__setattr__(self, name, value)

    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    monkeypatch.setattr(Span, "__setattr__", refuse)
    with tool(tracer_of(recording), "sh", c="rm"):
        pass
    assert names(recording) == ["execute_tool sh"]
    assert processor.errors.by_type == {"AttributeError": 1}
    assert len(recording.events) == 1
    assert trace.get_current_span() is trace.INVALID_SPAN
