"""Real frameworks, each in a process of its own and without a network: what they export is scored when it is first exported."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
POLICY = """
version: 1
expectations:
  - id: weather
    calls: [{tool: get_weather, args: {city: Oslo}, allow_extra_fields: true}]
rules:
  - id: not-bergen
    severity: critical
    message: not there
    forbid: {tool: get_weather, args: {city: Bergen}}
"""

Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture(name="run")
def _run(program: Callable[[str], str], tmp_path: Path) -> Run:
    """`run(app, scored=True, **environment)`: the spans that the app exported, in that order."""
    python = program(os.environ.get("FRAMEWORKS_PYTHON", str(ROOT / ".venv-frameworks" / "bin" / "python")))
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)

    def run(app: str, *, scored: bool = True, **environment: str) -> list[dict[str, Any]]:
        told = {**os.environ, "PYTHONPATH": str(ROOT), "SERVER_SPANS": str(tmp_path / "server.jsonl"), **environment}
        for name in [name for name in told if name.startswith(("OTEL_", "TOOLSCORE_", "LANGFUSE_", "LOGFIRE_"))]:
            del told[name]
        if scored:
            told["SCORED"] = str(policy)
        done = subprocess.run(
            [python, str(HERE / "apps" / f"{app}.py")], env=told, capture_output=True, text=True, timeout=180, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]

    return run


def named(spans: list[dict[str, Any]], *names: str) -> dict[str, Any]:
    """The one span with one of these names."""
    (span,) = [span for span in spans if span["name"] in names]
    return span


def ours(span: dict[str, Any]) -> dict[str, Any]:
    return {key.removeprefix("toolscore."): value for key, value in span["attributes"].items() if key.startswith("toolscore.")}


FRAMEWORKS = {
    "pydantic_ai_agent": ("execute_tool get_weather", "invoke_agent support"),
    "langgraph_agent": ("get_weather", "LangGraph"),
    "openai_agents_agent": ("get_weather", "Agent workflow"),
    "fastmcp_client": ("execute_tool get_weather", "invoke_agent support"),
}
"""app -> the span of the call, the span of the run"""

PROVIDERS = {
    "phoenix_register": "SimpleSpanProcessor",
    "logfire_configure": "CheckSuppressInstrumentationProcessorWrapper",
    "langfuse_client": "LangfuseSpanProcessor",
}
"""app -> the processor that its provider has by itself"""


@pytest.mark.parametrize("first", ["exporter", "scorer"])
@pytest.mark.parametrize("app", FRAMEWORKS)
def test_verdicts_are_in_the_first_export(app: str, first: str, run: Run) -> None:
    """The call's span and the run's span carry them, wherever the exporter stands; each span is exported once."""
    tool, top = FRAMEWORKS[app]
    spans = run(app, FIRST=first)
    assert len({span["span_id"] for span in spans}) == len(spans)
    call = named(spans, tool)
    assert ours(call)["verdict"] == "pass"
    (root,) = [
        span
        for span in spans
        if span["name"] == top and span["trace_id"] == call["trace_id"] and "toolscore.call_count" in span["attributes"]
    ]
    told = ours(root)
    assert (told["verdict"], told["expectation.id"], told["score"], told["call_count"], told["violation_count"]) == (
        "pass",
        "weather",
        1.0,
        1,
        0,
    )


@pytest.mark.parametrize("app", FRAMEWORKS)
def test_another_argument_is_another_verdict(app: str, run: Run) -> None:
    """The forbidden city is found on the call, and the run fails its expectation."""
    tool, top = FRAMEWORKS[app]
    spans = run(app, ARGUMENT="Bergen")
    told = ours(named(spans, tool))
    assert (told["verdict"], told["violated_rules"], told["severity"]) == ("fail", ["not-bergen"], "critical")
    (root,) = [span for span in spans if span["name"] == top and "toolscore.call_count" in span["attributes"]]
    assert (ours(root)["verdict"], ours(root)["violation_count"]) == ("fail", 1)
    assert ours(root)["score"] < 1


@pytest.mark.parametrize("app", [*FRAMEWORKS, *PROVIDERS])
def test_without_the_processor_there_is_no_verdict(app: str, run: Run) -> None:
    """What is asserted elsewhere comes from scoring."""
    spans = run(app, scored=False)
    assert spans
    assert not any(ours(span) for span in spans)


@pytest.mark.parametrize("app", PROVIDERS)
def test_what_was_on_the_provider_stays_and_exports_scored_spans(app: str, run: Run) -> None:
    """`instrument` on the providers of Phoenix, Logfire and Langfuse: nothing is removed, and their exporters get verdicts."""
    spans = run(app)
    assert all(span["processors"] == [PROVIDERS[app], "ToolScoreProcessor"] for span in spans)
    assert ours(named(spans, "execute_tool get_weather"))["verdict"] == "pass"
    assert ours(named(spans, "invoke_agent support"))["call_count"] == 1


def test_client_and_server_in_two_processes_are_one_call(run: Run, tmp_path: Path) -> None:
    """The server's spans join the client's in the data of both, and the call that was scored live is the one that is found there."""
    spans = run("fastmcp_client", ARGUMENT="Bergen")
    call = named(spans, "execute_tool get_weather")
    served = [json.loads(line) for line in (tmp_path / "server.jsonl").read_text().splitlines()]
    (server,) = [span for span in served if span["name"] == "tools/call get_weather"]
    assert server["context"]["trace_id"] == f"0x{call['trace_id']}"
    assert server["parent_id"] == f"0x{named(spans, 'MCP send tools/call get_weather')['span_id']}"
    assert [span["name"] for span in spans if ours(span)] == ["execute_tool get_weather", "invoke_agent support"]
