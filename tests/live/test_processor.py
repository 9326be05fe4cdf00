"""The processor: what it writes, when, and how it leaves spans as the application made them."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import threading
import time
import weakref
from typing import Any

import pytest
from agent_spans import agent, agent_attributes, call, scored, tool, tool_attributes, tracer_of, verdict
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.trace import Span, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision, Sampler, SamplingResult
from recording import Recording

from otel_toolscore.model import RunResult
from otel_toolscore.policy import PolicyError, loads
from otel_toolscore.processor import ToolScoreProcessor
from otel_toolscore.settings import SettingError, Settings

NO_RM = {
    "rules": [{"id": "no-rm", "severity": "critical", "message": "destructive", "forbid": {"tool": "sh", "args": {"c": {"$regex": "rm"}}}}]
}


def test_the_verdict_is_on_the_span_when_it_is_exported() -> None:
    """In the first export, whether the exporter was added before or after."""
    for first in (True, False):
        recording = Recording()
        if first:
            recording.with_exporter()
        scored(NO_RM, recording)
        if not first:
            recording.with_exporter()
        call(tracer_of(recording), "sh", c="rm -rf /")
        assert dict(recording.spans["execute_tool sh"].attributes or {}) | {"toolscore.policy.digest": ""} == {
            **tool_attributes("sh"),
            "gen_ai.tool.call.arguments": '{"c": "rm -rf /"}',
            "toolscore.verdict": "fail",
            "toolscore.policy.digest": "",
            "toolscore.rule.id": "no-rm",
            "toolscore.severity": "critical",
            "toolscore.violated_rules": ("no-rm",),
            "toolscore.reason": "destructive: the call of `sh` is one that the rule forbids",
        }


def test_a_span_that_is_no_tool_is_left_alone() -> None:
    """Neither its attributes nor its `end` change."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    span = tracer_of(recording).start_span("GET /", attributes={"http.method": "GET"})
    assert "end" not in vars(span)
    span.end()
    assert dict(recording.spans["GET /"].attributes or {}) == {"http.method": "GET"}


def test_the_span_has_its_own_end_again_when_it_has_ended() -> None:
    """Nothing of ours stays on it, so that it is freed without the garbage collector."""
    recording = Recording()
    scored(NO_RM, recording)
    gc.disable()
    try:
        span = tracer_of(recording).start_span("execute_tool sh", attributes=tool_attributes("sh"))
        assert "end" in vars(span)
        span.end()
        assert "end" not in vars(span)
        held = weakref.ref(span)
        del span
        assert held() is None
    finally:
        gc.enable()


def test_scoring_is_not_part_of_the_spans_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end time is taken before anything is judged; a given one is kept."""
    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    judged = processor._scorer.ended

    def slow(*args: Any, **more: Any) -> Any:
        time.sleep(0.05)
        return judged(*args, **more)

    monkeypatch.setattr(processor._scorer, "ended", slow)
    tracer = tracer_of(recording)
    tracer.start_span("execute_tool sh", attributes=tool_attributes("sh")).end()
    span = recording.spans["execute_tool sh"]
    assert span.end_time is not None
    assert span.start_time is not None
    assert span.end_time - span.start_time < 40_000_000
    tracer.start_span("execute_tool at", attributes=tool_attributes("at"), start_time=5).end(17)
    assert recording.spans["execute_tool at"].end_time == 17


def test_a_second_end_is_the_sdks_business(caplog: pytest.LogCaptureFixture) -> None:
    """It warns as always, and the span is exported and counted once."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    span = tracer_of(recording).start_span("execute_tool sh", attributes=tool_attributes("sh"))
    span.end()
    with caplog.at_level(logging.WARNING):
        span.end()
    assert "ended span" in caplog.text
    assert len(recording.exporter.get_finished_spans()) == 1
    assert sum(recording.points("toolscore.calls").values()) == 1


def test_an_end_that_others_put_on_the_span_is_kept() -> None:
    """One put on before is called by ours, one put on after calls ours; the span ends once."""
    for before in (True, False):
        recording = Recording()
        seen: list[str] = []

        def wrap(span: Span, seen: list[str] = seen) -> None:
            inner = span.end

            def end(end_time: int | None = None) -> None:
                seen.append("theirs")
                inner(end_time)

            span.end = end  # type: ignore[method-assign]

        class Theirs(SimpleSpanProcessor):
            def on_start(self, span: Span, parent_context: object = None) -> None:
                wrap(span)

        if before:
            recording.tracer_provider.add_span_processor(Theirs(recording.exporter))
        scored(NO_RM, recording)
        if not before:
            recording.tracer_provider.add_span_processor(Theirs(recording.exporter))
        call(tracer_of(recording), "sh", c="rm")
        assert seen == ["theirs"]
        assert verdict(recording, "execute_tool sh") == "fail"
        assert len(recording.exporter.get_finished_spans()) == 1


def test_two_processors_score_one_span() -> None:
    """Each is called; the one added first writes last, and neither is lost."""
    recording = Recording()
    other = Recording()
    scored(NO_RM, recording)
    scored({"rules": [{"id": "no-sh", "forbid": "sh"}]}, other)
    recording.tracer_provider.add_span_processor(other.tracer_provider._active_span_processor._span_processors[0])
    recording.with_exporter()
    call(tracer_of(recording), "sh", c="rm")
    assert verdict(recording, "execute_tool sh") == "fail"
    assert [event["toolscore.rule.id"] for event in (*recording.events, *other.events)] == ["no-rm", "no-sh"]


def test_an_exception_in_the_tool_goes_through() -> None:
    """It reaches the application, and the call counts as failed."""
    recording = Recording()
    scored({"rules": [{"id": "works", "forbid": {"tool": "*", "outcome": "error"}}]}, recording)
    recording.with_exporter()
    with pytest.raises(KeyError), tool(tracer_of(recording), "sh"):
        raise KeyError("k")
    assert verdict(recording, "execute_tool sh") == "fail"


def test_a_span_that_shows_late_what_it_is_answers_by_event_metric_and_scope() -> None:
    """It cannot be written on; its agent's span tells of it, and the next span of its scope is written on."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        for name in ("first", "second"):
            with tracer.start_as_current_span(name) as span:
                span.set_attributes({**tool_attributes("sh"), "gen_ai.tool.call.arguments": '{"c": "rm"}'})
    assert verdict(recording, "first") is None
    assert verdict(recording, "second") == "fail"
    assert [event["toolscore.rule.id"] for event in recording.events] == ["no-rm", "no-rm"]
    assert (recording.spans["invoke_agent support"].attributes or {})["toolscore.violation_count"] == 2


def test_rules_that_look_back_are_told_on_the_span() -> None:
    """The second of two calls is beyond the limit when it ends."""
    recording = Recording()
    scored({"rules": [{"id": "once", "limit": {"call": "mail*", "max": 1}}]}, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "mail")
        call(tracer, "mail2")
    assert [verdict(recording, f"execute_tool {name}") for name in ("mail", "mail2")] == ["pass", "fail"]
    assert [event["toolscore.rule.id"] for event in recording.events] == ["once"]


def test_what_needs_only_the_call_is_published_at_once_and_the_rest_at_the_end() -> None:
    """A forbidden call alerts while the agent still runs; a limit is final when the run is. Each is counted once."""
    recording = Recording()
    scored({"rules": [{"id": "no-rm", "forbid": "rm"}, {"id": "never", "limit": {"call": "rm", "max": 0}}]}, recording)
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "rm")
        assert [event["toolscore.rule.id"] for event in recording.events] == ["no-rm"]
    assert [event["toolscore.rule.id"] for event in recording.events] == ["no-rm", "never"]
    assert sorted(recording.points("toolscore.violations").values()) == [1, 1]


def test_a_call_that_several_spans_record_is_told_once_on_the_outermost() -> None:
    """The client's span inside says nothing: the call is still going on."""
    recording = Recording()
    scored({"rules": [{"id": "no-rm", "forbid": "rm"}]}, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer), tool(tracer, "rm"):
        client = {"mcp.method.name": "tools/call", **tool_attributes("rm")}
        with tracer.start_as_current_span("tools/call rm", kind=trace.SpanKind.CLIENT, attributes=client):
            pass
        assert recording.events == []
    assert verdict(recording, "tools/call rm") is None
    assert verdict(recording, "execute_tool rm") == "fail"
    assert len(recording.events) == 1
    assert list(recording.points("toolscore.calls").values()) == [1]


def test_an_outer_span_that_shows_late_that_it_is_the_same_call_adds_no_second_count() -> None:
    """The inner span was told and published; the outer one, when it is known, is told too, and nothing is counted again."""
    recording = Recording()
    scored({"rules": [{"id": "no-rm", "forbid": "rm"}]}, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    late = recording.tracer_provider.get_tracer("openinference.instrumentation.langchain")
    with agent(tracer), late.start_as_current_span("rm") as outer:
        client = {"mcp.method.name": "tools/call", **tool_attributes("rm")}
        with tracer.start_as_current_span("tools/call rm", kind=trace.SpanKind.CLIENT, attributes=client):
            pass
        outer.set_attributes({"openinference.span.kind": "TOOL", "tool.name": "rm", "input.value": "{}"})
    assert verdict(recording, "tools/call rm") == "fail"
    assert verdict(recording, "rm") == "fail"
    assert len(recording.events) == 1
    assert list(recording.points("toolscore.violations").values()) == [1]
    assert list(recording.points("toolscore.calls").values()) == [1]


def test_events_are_in_the_context_of_the_evaluated_span() -> None:
    """Of the tool's span, not of its parent that is current again."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "sh", c="rm")
    (record,) = recording.logs.records
    span = recording.spans["execute_tool sh"]
    assert (record.trace_id, record.span_id) == (span.context.trace_id, span.context.span_id)


def test_counters_are_at_zero_from_the_first_span() -> None:
    """Before anything is violated."""
    recording = Recording()
    scored(NO_RM, recording)
    with agent(tracer_of(recording)):
        assert list(recording.points("toolscore.violations").values()) == [0]
        assert recording.points("toolscore.run.active") == {(): 1}
    assert recording.points("toolscore.run.active") == {(): 0}


def test_rules_of_an_agent_hold_for_its_tools_only() -> None:
    """Nested agents: each tool is judged by the agents around it."""
    recording = Recording()
    scored({"rules": [{"id": "boss-only", "when": {"agent": "math"}, "forbid": "add"}]}, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer, "boss"):
        call(tracer, "add")
        with tool(tracer, "ask_math"), tracer.start_as_current_span("a"), tracer.start_as_current_span("b"), agent(tracer, "math"):
            with tracer.start_as_current_span("c"), tracer.start_as_current_span("d"), tool(tracer, "add"):
                pass
            span = trace.get_current_span()
        assert isinstance(span, Span)
    verdicts = [
        (span.attributes or {}).get("toolscore.verdict")
        for span in recording.exporter.get_finished_spans()
        if span.name == "execute_tool add"
    ]
    assert verdicts == ["unscored", "fail"]


def test_the_span_of_the_request_has_the_runs_totals() -> None:
    """A call outside the agent makes the request's span the run."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with tracer.start_as_current_span("POST /chat"):
        with agent(tracer):
            call(tracer, "ls")
        call(tracer, "sh", c="rm")
    attributes = recording.spans["POST /chat"].attributes or {}
    assert (attributes["toolscore.verdict"], attributes["toolscore.call_count"], attributes["toolscore.violation_count"]) == ("fail", 2, 1)
    assert attributes["toolscore.severity"] == "critical"


def test_a_span_around_that_is_no_run_is_left_alone() -> None:
    """Where the agent is the run, the request's span gets nothing."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with tracer.start_as_current_span("POST /chat"), agent(tracer):
        call(tracer, "sh", c="rm")
    assert not any(key.startswith("toolscore") for key in recording.spans["POST /chat"].attributes or {})
    assert (recording.spans["invoke_agent support"].attributes or {})["toolscore.call_count"] == 1


def test_tasks_of_an_agent_are_in_its_run() -> None:
    """asyncio tasks carry the context."""
    recording = Recording()
    results: list[RunResult] = []
    scored({"rules": [{"id": "two", "limit": {"call": "t", "max": 2}}]}, recording, on_result=results.append)
    tracer = tracer_of(recording)

    async def one() -> None:
        with tool(tracer, "t"):
            await asyncio.sleep(0)

    async def main() -> None:
        with agent(tracer):
            await asyncio.gather(*(one() for _ in range(3)))

    asyncio.run(main())
    assert [len(result.run.calls) for result in results] == [3]
    assert sum(recording.points("toolscore.violations").values()) == 1


def test_a_thread_without_context_is_a_run_of_its_own() -> None:
    """Nothing ties it to the agent; it is scored all the same."""
    recording = Recording()
    results: list[RunResult] = []
    scored(NO_RM, recording, on_result=results.append)
    tracer = tracer_of(recording)
    with agent(tracer):
        thread = threading.Thread(target=call, args=(tracer, "sh"), kwargs={"c": "rm"})
        thread.start()
        thread.join()
    assert sorted((result.verdict, len(result.run.calls)) for result in results) == [("fail", 1), ("pass", 0)] or sorted(
        (result.verdict, len(result.run.calls)) for result in results
    ) == [("fail", 1), ("unscored", 0)]


def test_an_agent_that_ends_before_its_tool() -> None:
    """The run is final when the tool has ended, and holds it."""
    recording = Recording()
    results: list[RunResult] = []
    scored(NO_RM, recording, on_result=results.append)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        late = tracer.start_span("execute_tool sh", attributes={**tool_attributes("sh"), "gen_ai.tool.call.arguments": '{"c": "rm"}'})
    assert results == []
    late.end()
    assert [(result.verdict, len(result.run.calls), result.run.complete) for result in results] == [("fail", 1, True)]
    assert verdict(recording, "execute_tool sh") == "fail"


def test_a_tool_that_starts_after_its_agent_ended_is_added() -> None:
    """The run is judged again; what was published is not published again."""
    recording = Recording()
    results: list[RunResult] = []
    scored({"rules": [{"id": "no-rm", "forbid": "rm"}]}, recording, on_result=results.append)
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "rm")
        later = otel_context.get_current()
    token = otel_context.attach(later)
    call(tracer, "rm")
    otel_context.detach(token)
    assert [len(result.run.calls) for result in results] == [1, 2]
    assert len(recording.events) == 2
    assert sum(recording.points("toolscore.violations").values()) == 2
    assert sum(recording.points("toolscore.calls").values()) == 2


def test_a_run_that_never_ends_is_closed_after_the_idle_timeout() -> None:
    """What is there is judged as incomplete and published, and what was not heard of is counted."""
    recording = Recording()
    results: list[RunResult] = []
    policy = {"rules": [{"id": "must-log", "require": {"tool": "log"}}, {"id": "never", "limit": {"call": "sh", "max": 0}}]}
    scored(policy, recording, on_result=results.append, settings=Settings(idle_timeout_s=0.05))
    tracer = tracer_of(recording)
    hanging = tracer.start_span("invoke_agent a", attributes=agent_attributes("a"))
    call_context = trace.set_span_in_context(hanging)
    with tracer.start_as_current_span("execute_tool sh", context=call_context, attributes=tool_attributes("sh")):
        pass
    deadline = time.monotonic() + 5
    while not results and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [result.run.complete for result in results] == [False]
    assert sorted((event["toolscore.rule.id"], event["gen_ai.evaluation.score.label"]) for event in recording.events) == [
        ("must-log", "inconclusive"),
        ("never", "fail"),
    ]
    assert recording.points("toolscore.dropped_spans") == {(("toolscore.drop.reason", "never_ended"),): 1}
    hanging.end()


def test_spans_that_are_dropped_without_an_end_do_not_stay() -> None:
    """They are held weakly."""
    recording = Recording()
    processor = scored(NO_RM, recording)
    tracer = tracer_of(recording)
    for _ in range(100):
        tracer.start_span("execute_tool sh", attributes=tool_attributes("sh"))
    gc.collect()
    held = [opened.held() for memory in processor._scorer.traces.values() for opened in memory.open.values()]
    assert held == [None] * 100


def test_traces_are_bounded() -> None:
    """Beyond the bound the oldest is closed with what is there; its later spans are dropped and counted."""
    recording = Recording()
    results: list[RunResult] = []
    scored(NO_RM, recording, on_result=results.append, settings=Settings(max_traces=2))
    tracer = tracer_of(recording)
    open_spans = [tracer.start_span("execute_tool sh", attributes=tool_attributes("sh")) for _ in range(5)]
    assert recording.points("toolscore.run.active") == {(): 2}
    for span in open_spans:
        span.end()
    dropped = recording.points("toolscore.dropped_spans")
    assert dropped == {(("toolscore.drop.reason", "too_many_traces"),): 3, (("toolscore.drop.reason", "trace_forgotten"),): 3}
    assert len(results) == 2


def test_spans_of_a_trace_are_bounded_and_still_judged() -> None:
    """A forbidden call beyond the bound is found all the same; the run is incomplete."""
    recording = Recording()
    results: list[RunResult] = []
    scored(NO_RM, recording, on_result=results.append, settings=Settings(max_spans=3))
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer):
        for _ in range(3):
            call(tracer, "ls")
        call(tracer, "sh", c="rm")
    assert verdict(recording, "execute_tool sh") == "fail"
    assert [event["toolscore.rule.id"] for event in recording.events] == ["no-rm"]
    assert results[-1].run.complete is False
    assert recording.points("toolscore.dropped_spans") == {(("toolscore.drop.reason", "too_many_spans"),): 2}


def test_a_full_span_keeps_its_own_attributes() -> None:
    """What has no room is not written."""
    recording = Recording()
    limited = TracerProvider(span_limits=SpanLimits(max_span_attributes=4), shutdown_on_exit=False)
    recording.tracer_provider = limited
    scored(NO_RM, recording)
    recording.with_exporter()
    with tool(tracer_of(recording), "sh", c="rm"):
        pass
    attributes = recording.spans["execute_tool sh"].attributes or {}
    assert attributes["gen_ai.operation.name"] == "execute_tool"
    assert list(attributes)[-1] == "toolscore.verdict"


def test_incoming_verdicts_are_replaced() -> None:
    """An attribute of ours that comes along changes nothing and does not stay."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    with tool(tracer_of(recording), "sh", c="rm") as span:
        span.set_attributes({"toolscore.verdict": "pass", "toolscore.score": 1.0, "toolscore.inconclusive_rules": ["x"]})
    attributes = recording.spans["execute_tool sh"].attributes or {}
    assert (attributes["toolscore.verdict"], attributes["toolscore.score"], attributes["toolscore.inconclusive_rules"]) == ("fail", "", ())


def test_no_value_leaves() -> None:
    """Neither attributes of ours nor events nor metrics hold what was passed to a tool."""
    recording = Recording()
    scored(NO_RM, recording)
    recording.with_exporter()
    call(tracer_of(recording), "sh", c="rm s3cret-value")
    ours = {key: value for key, value in (recording.spans["execute_tool sh"].attributes or {}).items() if key.startswith("toolscore.")}
    assert "s3cret" not in json.dumps([ours, recording.events], default=str)


def test_sampled_out_spans_are_not_scored_and_recorded_ones_are() -> None:
    """RECORD_ONLY reaches the processor: verdicts are counted at any sampling rate."""

    class RecordOnly(Sampler):
        def should_sample(self, *args: Any, **more: Any) -> SamplingResult:
            return SamplingResult(Decision.RECORD_ONLY, more.get("attributes", args[4] if len(args) > 4 else None))

        def get_description(self) -> str:
            return "record only"

    for sampler, counted in ((ALWAYS_OFF, []), (RecordOnly(), [1])):
        recording = Recording()
        recording.tracer_provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
        scored(NO_RM, recording)
        with recording.tracer_provider.get_tracer("app").start_as_current_span("execute_tool sh", attributes=tool_attributes("sh")) as span:
            span.set_attribute("gen_ai.tool.call.arguments", '{"c": "rm"}')
        assert [count for count in recording.points("toolscore.violations").values() if count] == counted


def test_a_tool_under_a_span_that_is_not_recorded_is_final_at_its_end() -> None:
    """Nothing will be heard of the span around it."""
    recording = Recording()
    results: list[RunResult] = []
    scored(NO_RM, recording, on_result=results.append)
    parent = trace.NonRecordingSpan(trace.SpanContext(7, 9, is_remote=False, trace_flags=trace.TraceFlags(1)))
    with trace.use_span(parent):
        call(tracer_of(recording), "sh", c="rm")
    assert len(results) == 1


def test_nothing_is_scored_after_shutdown() -> None:
    """Spans that are open then end as they would without us."""
    recording = Recording()
    processor = scored(NO_RM, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with tool(tracer, "sh", c="rm"):
        processor.shutdown()
        processor.shutdown()
    call(tracer, "sh2", c="rm")
    assert verdict(recording, "execute_tool sh") is None
    assert verdict(recording, "execute_tool sh2") is None
    assert processor.force_flush() is True


def test_shutdown_publishes_what_goes_on() -> None:
    """A run that is cut short is told as incomplete."""
    recording = Recording()
    results: list[RunResult] = []
    processor = scored({"rules": [{"id": "never", "limit": {"call": "sh", "max": 0}}]}, recording, on_result=results.append)
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "sh")
        processor.shutdown()
    assert [event["toolscore.rule.id"] for event in recording.events] == ["never"]
    assert results[0].run.complete is False


def test_the_kill_switch(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """With TOOLSCORE_ENABLED=false no policy is read, and nothing is done."""
    monkeypatch.setenv("TOOLSCORE_ENABLED", "false")
    processor = ToolScoreProcessor(tmp_path / "not-there.yaml")
    recording = Recording()
    recording.tracer_provider.add_span_processor(processor)
    recording.with_exporter()
    call(tracer_of(recording), "sh", c="rm")
    assert verdict(recording, "execute_tool sh") is None
    assert processor.policy is None
    processor.shutdown()


def test_a_broken_policy_is_refused_at_construction() -> None:
    """With every fault, and nothing half applied."""
    with pytest.raises(PolicyError, match=r"(?s)forbit.*fatal"):
        ToolScoreProcessor(loads("version: 1\nrules:\n  - {id: a, forbit: x}\n  - {id: b, severity: fatal, forbid: x}\n"))


def test_a_broken_setting_is_refused_at_construction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable."""
    monkeypatch.setenv("TOOLSCORE_MAX_SPANS", "many")
    with pytest.raises(SettingError, match="TOOLSCORE_MAX_SPANS takes a whole number"):
        ToolScoreProcessor(loads("version: 1\n"))


def test_attributes_that_a_policy_asks_for_are_found_on_any_span_around() -> None:
    """Also two plain spans away."""
    recording = Recording()
    scored({"rules": [{"id": "not-in-prod", "when": {"attributes": {"deploy.env": "prod"}}, "forbid": "rm"}]}, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    with (
        tracer.start_as_current_span("outer", attributes={"deploy.env": "prod"}),
        tracer.start_as_current_span("middle"),
        tracer.start_as_current_span("inner"),
        agent(tracer),
    ):
        call(tracer, "rm")
    assert verdict(recording, "execute_tool rm") == "fail"


def test_an_error_in_on_result_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    """The application's callback cannot break the application's spans."""
    recording = Recording()

    def broken(_result: RunResult) -> None:
        raise ValueError("secret")

    processor = scored(NO_RM, recording, on_result=broken)
    recording.with_exporter()
    call(tracer_of(recording), "sh", c="rm")
    assert verdict(recording, "execute_tool sh") == "fail"
    assert processor.errors.by_type == {"ValueError": 1}
    assert "secret" not in caplog.text


def test_an_expectation_of_a_conversation_is_judged_when_it_is_quiet() -> None:
    """Its runs are in traces of their own; what they made together is told once, on the last of them."""
    recording = Recording()
    results: list[RunResult] = []
    policy = {"expectations": [{"id": "both", "per": "conversation", "calls": [{"tool": "search"}, {"tool": "refund"}]}]}
    processor = scored(policy, recording, on_result=results.append, settings=Settings(idle_timeout_s=0.05))
    tracer = tracer_of(recording)
    for name in ("search", "refund"):
        with tracer.start_as_current_span("a", attributes={**agent_attributes("a"), "gen_ai.conversation.id": "c1"}):
            call(tracer, name)
    assert recording.events == []
    deadline = time.monotonic() + 5
    while len(results) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [(each.id, each.verdict) for each in results[-1].expectations] == [("both", "pass")]
    assert [event["gen_ai.evaluation.name"] for event in recording.events] == ["toolscore.expectation.both"]
    processor.shutdown()
    assert len(recording.events) == 1


def test_a_limit_of_a_conversation_counts_over_its_runs() -> None:
    """Traces of one conversation share their history."""
    recording = Recording()
    scored({"rules": [{"id": "once", "limit": {"call": "refund", "max": 1, "per": "conversation"}}]}, recording)
    recording.with_exporter()
    tracer = tracer_of(recording)
    for _ in range(2):
        with tracer.start_as_current_span("a", attributes={**agent_attributes("a"), "gen_ai.conversation.id": "c1"}):
            call(tracer, "refund")
    verdicts = [
        (span.attributes or {})["toolscore.verdict"]
        for span in recording.exporter.get_finished_spans()
        if span.name == "execute_tool refund"
    ]
    assert verdicts == ["pass", "fail"]
    assert [event["toolscore.rule.id"] for event in recording.events] == ["once"]


def test_a_tool_that_outlasts_the_idle_timeout_is_judged_when_it_ends() -> None:
    """The run was told as open; when it has ended it is told again, as a further revision, and counted once."""
    recording = Recording()
    results: list[RunResult] = []
    policy = {"expectations": [{"id": "e", "calls": [{"tool": "slow"}]}], "rules": [{"id": "no-slow", "severity": "low", "forbid": "slow"}]}
    scored(policy, recording, on_result=results.append, settings=Settings(idle_timeout_s=0.05))
    recording.with_exporter()
    tracer = tracer_of(recording)
    with agent(tracer), tool(tracer, "slow"):
        deadline = time.monotonic() + 5
        while not results and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [(result.verdict, result.run.complete) for result in results] == []
        time.sleep(0.2)
    assert (results[-1].run.complete, [each.verdict for each in results[-1].expectations]) == (True, ["pass"])
    assert verdict(recording, "execute_tool slow") == "fail"
    assert (recording.spans["invoke_agent support"].attributes or {})["toolscore.call_count"] == 1
    assert sum(recording.points("toolscore.calls").values()) == 1
    assert list(recording.points("toolscore.violations").values()) == [1]


def test_a_run_that_was_told_as_open_is_told_again() -> None:
    """An agent is idle for long, was told as incomplete, and goes on."""
    recording = Recording()
    results: list[RunResult] = []
    policy = {"expectations": [{"id": "e", "calls": [{"tool": "a"}, {"tool": "b"}]}]}
    scored(policy, recording, on_result=results.append, settings=Settings(idle_timeout_s=0.05))
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "a")
        deadline = time.monotonic() + 5
        while not results and time.monotonic() < deadline:
            time.sleep(0.01)
        call(tracer, "b")
    told = [(event["gen_ai.evaluation.score.label"], event["toolscore.revision"]) for event in recording.events]
    assert told == [("inconclusive", 1), ("pass", 2)]
    assert sum(recording.points("toolscore.evaluations").values()) == 1
    assert sum(recording.points("toolscore.calls").values()) == 2
