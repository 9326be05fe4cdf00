"""`instrument`: one line, whatever tracer provider there is and whenever it comes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from agent_spans import call, tool_attributes
from opentelemetry import trace
from opentelemetry.sdk.trace import Tracer, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_toolscore import instrument
from otel_toolscore.autoinstrument import pre_instrument
from otel_toolscore.live.policy_in_force import policy_in_force
from otel_toolscore.policy import PolicyError
from otel_toolscore.settings import Settings

POLICY = "version: 1\nrules:\n  - {id: no-rm, forbid: rm}\n"


@pytest.fixture(name="policy")
def _policy(tmp_path: Path) -> Path:
    file = tmp_path / "toolscore.yaml"
    file.write_text(POLICY)
    return file


@pytest.fixture(name="exporter")
def _exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


def processors(provider: Any) -> list[str]:
    return [type(processor).__name__ for processor in provider._active_span_processor._span_processors]


def verdicts(exporter: InMemorySpanExporter) -> list[Any]:
    return [(span.attributes or {}).get("toolscore.verdict") for span in exporter.get_finished_spans()]


def make_call(tracer: trace.Tracer) -> None:
    assert isinstance(tracer, Tracer)
    call(tracer, "rm")


def test_a_given_provider(policy: Path, exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture) -> None:
    """It is scored behind what it has, and the log says what it is."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with caplog.at_level(logging.INFO, "otel_toolscore"):
        instrument(policy, provider)
    assert processors(provider) == ["SimpleSpanProcessor", "ToolScoreProcessor"]
    assert "opentelemetry.sdk.trace.TracerProvider (SimpleSpanProcessor)" in caplog.text
    assert "1 rules, 0 expectations" in caplog.text
    make_call(provider.get_tracer("app"))
    assert verdicts(exporter) == ["fail"]


@pytest.mark.usefixtures("no_global_provider")
@pytest.mark.parametrize("before", [True, False])
def test_the_global_provider(before: bool, policy: Path, exporter: InMemorySpanExporter) -> None:
    """Set before or after; tracers that were got from the proxy are scored too."""
    tracer = trace.get_tracer("early")
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    if before:
        trace.set_tracer_provider(provider)
    instrument(policy)
    if not before:
        trace.set_tracer_provider(provider)
    with tracer.start_as_current_span("execute_tool rm", attributes=tool_attributes("rm")):
        pass
    assert verdicts(exporter) == ["fail"]


def test_a_provider_is_scored_once(policy: Path, exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture) -> None:
    """A second call changes nothing and says so."""
    provider = TracerProvider(shutdown_on_exit=False)
    first = instrument(policy, provider)
    second = instrument(policy, provider)
    assert first is second
    assert "scored already" in caplog.text
    assert processors(provider) == ["ToolScoreProcessor"]


def test_a_broken_policy_raises_and_adds_nothing(tmp_path: Path) -> None:
    """Every fault with its place."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("version: 1\nrules:\n  - {id: a, forbit: x}\n")
    provider = TracerProvider(shutdown_on_exit=False)
    with pytest.raises(PolicyError, match=r"broken.yaml:3:\d+: .*forbit"):
        instrument(broken, provider)
    with pytest.raises((PolicyError, OSError), match=r"not-there.yaml"):
        instrument(tmp_path / "not-there.yaml", provider)
    assert processors(provider) == []


def test_the_kill_switch_adds_nothing(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is as it was."""
    monkeypatch.setenv("TOOLSCORE_ENABLED", "0")
    provider = TracerProvider(shutdown_on_exit=False)
    instrument(policy, provider)
    assert processors(provider) == []


def test_the_policy_in_force(policy: Path, tmp_path: Path) -> None:
    """The given one, else TOOLSCORE_POLICY, else the nearest toolscore.yaml, else the recommended one."""
    other = tmp_path / "other.yaml"
    other.write_text(POLICY.replace("no-rm", "other"))
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    named = Settings(policy=(str(other),))
    assert [rule.id for rule in policy_in_force(policy, named)[0].rules] == ["no-rm"]
    chosen, where = policy_in_force(None, named, start=below)
    assert ([rule.id for rule in chosen.rules], "TOOLSCORE_POLICY" in where) == (["other"], True)
    chosen, where = policy_in_force(None, Settings(), start=below)
    assert ([rule.id for rule in chosen.rules], where) == (["no-rm"], str(policy))
    assert len(policy_in_force([policy, other], Settings())[0].rules) == 2


@pytest.mark.usefixtures("no_global_provider")
def test_without_a_line_of_code(policy: Path, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under `opentelemetry-instrument` the variable is enough, and without it nothing happens."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    pre_instrument()
    assert processors(provider) == ["SimpleSpanProcessor"]
    monkeypatch.setenv("TOOLSCORE_POLICY", str(policy))
    pre_instrument()
    make_call(provider.get_tracer("app"))
    assert verdicts(exporter) == ["fail"]


def test_a_broken_policy_does_not_stop_automatic_instrumentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """There the fault is logged: raised, it would take the application's own instrumentation with it."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("version: 1\nrules:\n  - {id: a, forbit: x}\n")
    monkeypatch.setenv("TOOLSCORE_POLICY", str(broken))
    pre_instrument()
    assert "forbit" in caplog.text
