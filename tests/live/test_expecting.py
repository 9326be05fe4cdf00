"""`with expecting(...)`: the code around a run says what it should do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agent_spans import agent, call, scored, tracer_of
from recording import Recording

from otel_toolscore import expecting
from otel_toolscore.model import RunResult

POLICY = {
    "expectations": [
        {"id": "weather", "when": {"agent": "nobody"}, "calls": [{"tool": "get_weather"}]},
        {"id": "refund", "when": {"agent": "nobody"}, "calls": [{"tool": "search"}, {"tool": "refund"}]},
    ]
}


def judged(results: list[RunResult]) -> list[tuple[str, str, str | None]]:
    return [(each.id, each.verdict, each.agent) for result in results for each in result.expectations]


def recorded(**more: Any) -> tuple[Recording, list[RunResult]]:
    recording = Recording()
    results: list[RunResult] = []
    scored(POLICY, recording, on_result=results.append, **more)
    return recording.with_exporter(), results


def test_runs_inside_are_scored_by_it_and_others_are_not() -> None:
    """Whatever its `when` selects; the agent's span carries it."""
    recording, results = recorded()
    tracer = tracer_of(recording)
    with agent(tracer):
        call(tracer, "get_weather")
    with expecting("weather"), agent(tracer, "inside"):
        call(tracer, "get_weather")
    assert judged(results) == [("weather", "pass", "inside")]
    attributes = recording.spans["invoke_agent inside"].attributes or {}
    assert (attributes["toolscore.verdict"], attributes["toolscore.expectation.id"], attributes["toolscore.score"]) == (
        "pass",
        "weather",
        1.0,
    )
    assert [event["gen_ai.evaluation.name"] for event in recording.events] == ["toolscore.expectation.weather"]


def test_a_failing_run_says_why() -> None:
    """The missing call is named, with the indices of the run's calls."""
    recording, results = recorded()
    tracer = tracer_of(recording)
    with expecting("refund"), agent(tracer):
        call(tracer, "search")
    (result,) = results
    assert result.verdict == "fail"
    assert result.expectations[0].calls == (0,)
    assert any("refund" in reason for reason in result.expectations[0].reasons)


def test_only_the_topmost_scope_inside_is_asked() -> None:
    """A sub-agent belongs to what its agent should do."""
    recording, results = recorded()
    tracer = tracer_of(recording)
    with expecting("refund"), agent(tracer, "boss"):
        call(tracer, "search")
        with agent(tracer, "clerk"):
            call(tracer, "refund")
    assert judged(results) == [("refund", "pass", "boss")]


def test_inside_a_run_it_is_asked_of_the_agents_that_start_there() -> None:
    """The block may be around a part of a run."""
    recording, results = recorded()
    tracer = tracer_of(recording)
    with agent(tracer, "boss"):
        call(tracer, "other")
        with expecting("weather"), agent(tracer, "clerk"):
            call(tracer, "get_weather")
    assert judged(results) == [("weather", "pass", "clerk")]
    assert results[0].expectations[0].calls == (1,)
    assert (recording.spans["invoke_agent clerk"].attributes or {})["toolscore.score"] == 1.0


def test_tasks_each_have_their_own() -> None:
    """Concurrent tasks do not mix."""
    recording, results = recorded()
    tracer = tracer_of(recording)

    async def run(expected: str, *tools: str) -> None:
        with expecting(expected), agent(tracer, expected):
            for name in tools:
                await asyncio.sleep(0)
                call(tracer, name)

    async def main() -> None:
        await asyncio.gather(run("weather", "get_weather"), run("refund", "search", "refund"), run("refund", "refund"))

    asyncio.run(main())
    assert sorted(judged(results)) == [("refund", "fail", "refund"), ("refund", "pass", "refund"), ("weather", "pass", "weather")]


def test_blocks_nest() -> None:
    """A run inside two blocks is asked for both."""
    recording, results = recorded()
    tracer = tracer_of(recording)
    with expecting("weather"), expecting("refund"), agent(tracer):
        call(tracer, "get_weather")
    assert sorted(judged(results)) == [("refund", "fail", "support"), ("weather", "pass", "support")]


def test_calls_without_an_agent_are_asked_as_the_run_that_they_are() -> None:
    """A bare tool span is its trace's run."""
    recording, results = recorded()
    tracer = tracer_of(recording)
    with expecting("weather"):
        call(tracer, "get_weather")
    assert judged(results) == [("weather", "pass", None)]


def test_an_expectation_that_nobody_has_is_refused() -> None:
    """A misspelt id must not check nothing."""
    recorded()
    with (
        pytest.raises(LookupError, match=r"no policy in force has the expectation 'wether'; there are .*refund.*weather"),
        expecting("wether"),
    ):
        pass
