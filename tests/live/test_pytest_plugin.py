"""The fixture `toolscore`, as a test suite of a user has it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SPANS = """
import json
from opentelemetry import trace

def call(name, tracer=None, **args):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": json.dumps(args)}
    with (tracer or trace.get_tracer("app")).start_as_current_span(f"execute_tool {name}", attributes=attributes):
        pass
"""
POLICY = "version: 1\nrules:\n  - {id: no-rm, message: destructive, forbid: rm}\n"

Run = Callable[[str], str]


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Run:
    """`run(source)`: what pytest says of a test file with this source."""
    (tmp_path / "app.py").write_text(SPANS)

    def run(source: str) -> str:
        (tmp_path / "test_app.py").write_text("import pytest\nfrom app import call\n" + source)
        told = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), str(tmp_path)])}
        told.pop("TOOLSCORE_POLICY", None)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "otel_toolscore.pytest_plugin", "test_app.py"]
        return subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True, timeout=120, check=False).stdout

    return run


def test_calls_and_score(run: Run) -> None:
    """The calls of the test, in their order, and what `evaluate` says of them."""
    out = run("""
def test_calls(toolscore):
    call("search", q="x")
    call("refund", amount=3)
    assert [(made.tool, made.arguments.value) for made in toolscore.calls] == [("search", {"q": "x"}), ("refund", {"amount": 3})]
    assert toolscore.score([{"tool": "search", "args": {"q": "x"}}, {"tool": "refund", "args": {"amount": 3}}]).score == 1.0
    assert toolscore.score([{"tool": "search", "args": {"q": "y"}}]).score < 1.0
    toolscore.clear()
    assert toolscore.calls == []
""")
    assert "1 passed" in out, out


def test_each_test_sees_its_own_calls(run: Run) -> None:
    """What one test traced is not another's, and spans that end later are nobody's."""
    out = run("""
from opentelemetry import trace
left_open = []
def test_one(toolscore):
    call("a")
    left_open.append(trace.get_tracer("app").start_span("execute_tool b", attributes={"gen_ai.operation.name": "execute_tool"}))
    assert len(toolscore.spans) == 1
def test_without_the_fixture():
    left_open.pop().end()
    call("c")
def test_two(toolscore):
    assert toolscore.calls == []
""")
    assert "3 passed" in out, out


def test_policy_of_the_root_folder(run: Run, tmp_path: Path) -> None:
    """`assert_policy()` finds toolscore.yaml; a violation fails the test and names rule, tool and message."""
    (tmp_path / "toolscore.yaml").write_text(POLICY)
    out = run("""
def test_passes(toolscore):
    call("ls")
    assert toolscore.assert_policy().verdict == "pass"
def test_fails(toolscore):
    call("rm", path="s3cret")
    toolscore.assert_policy()
""")
    assert "1 failed, 1 passed" in out, out
    assert "ToolScoreAssertionError: the verdict is fail" in out
    assert "violation of no-rm (rm): destructive" in out


def test_policy_of_the_ini_file_and_of_the_argument(run: Run, tmp_path: Path) -> None:
    """An argument goes before the ini option."""
    (tmp_path / "strict.yaml").write_text(POLICY)
    (tmp_path / "open.yaml").write_text(POLICY.replace("rm", "mv"))
    (tmp_path / "pytest.ini").write_text("[pytest]\ntoolscore_policy = strict.yaml\n")
    out = run("""
from otel_toolscore.evaluation import ToolScoreAssertionError
def test_both(toolscore):
    call("rm")
    with pytest.raises(ToolScoreAssertionError, match="no-rm"):
        toolscore.assert_policy()
    toolscore.assert_policy("open.yaml")
""")
    assert "1 passed" in out, out


def test_no_evidence_is_no_pass(run: Run, tmp_path: Path) -> None:
    """An inconclusive verdict fails unless it is allowed; a test without calls fails always."""
    (tmp_path / "toolscore.yaml").write_text("version: 1\nrules:\n  - {id: a, forbid: {tool: sh, args: {c: {$regex: rm}}}}\n")
    out = run("""
from opentelemetry import trace
from otel_toolscore.evaluation import ToolScoreAssertionError
def test_inconclusive(toolscore):
    with trace.get_tracer("t").start_as_current_span("x", attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sh"}):
        pass
    with pytest.raises(ToolScoreAssertionError, match="the verdict is inconclusive"):
        toolscore.assert_policy()
    toolscore.assert_policy(allow_inconclusive=True)
def test_nothing(toolscore):
    with pytest.raises(ToolScoreAssertionError, match="the verdict is unscored"):
        toolscore.assert_policy(allow_inconclusive=True)
""")
    assert "2 passed" in out, out


def test_an_existing_provider_keeps_what_it_has(run: Run) -> None:
    """The application's own exporter gets its spans as before; a provider that is not the global one can be added."""
    out = run("""
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
def test_global(toolscore):
    assert toolscore.provider is provider
    call("a")
    assert len(exporter.get_finished_spans()) == len(toolscore.calls) == 1
def test_other(toolscore):
    other = TracerProvider()
    call("b", other.get_tracer("x"))
    assert toolscore.calls == []
    toolscore.attach(other)
    toolscore.attach(other)
    call("b", other.get_tracer("x"))
    assert len(toolscore.calls) == 1
""")
    assert "2 passed" in out, out
