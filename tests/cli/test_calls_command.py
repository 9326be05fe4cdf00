"""`otel-toolscore calls`: what was read, before anything is scored."""

from __future__ import annotations

import json

from run_commands import CommandLine, tool_span


def test_a_call_a_line(cli: CommandLine) -> None:
    """Each call is one JSON object with its values; credentials are masked."""
    secret = "AK" + "IAIOSFODNN7EXAMPLE"
    traces = cli.file("t.json", [tool_span(1, "search", {"q": "weather"}), tool_span(2, "shell", {"command": secret})])
    done = cli("calls", traces)
    first, second = map(json.loads, done.out.splitlines())
    assert (done.code, done.err) == (0, "")
    assert (first["tool"], first["args"], first["start"]) == ("search", {"q": "weather"}, "2026-09-21T14:13:21.000000000Z")
    assert second["args"] == {"command": "[masked AWS access key]"}


def test_every_span_is_explained(cli: CommandLine) -> None:
    """With --explain, each span has a line that says what it was taken for."""
    other = {**tool_span(2, "x"), "name": "GET /", "attributes": {}}
    done = cli("calls", cli.file("t.json", [tool_span(1, "search", {}), other]), "--explain")
    call, *why = map(json.loads, done.out.splitlines())
    assert call["tool"] == "search"
    assert [(line["name"], line["span_id"]) for line in why] == [("execute_tool search", f"{1:016x}"), ("GET /", f"{2:016x}")]
    assert all(list(line) == ["span_id", "trace_id", "name", "why"] and line["why"] for line in why)


def test_no_call(cli: CommandLine) -> None:
    """Where there is none, standard error says so and what to try."""
    other = {**tool_span(2, "x"), "name": "GET /", "attributes": {}}
    done = cli("calls", cli.file("t.json", [other]))
    assert (done.code, done.out) == (0, "")
    assert done.err == "no tool call in 1 spans; --explain says what each span was taken for\n"


def test_a_table_when_asked_for(cli: CommandLine) -> None:
    """The table shows arguments and results."""
    done = cli("calls", cli.file("t.json", [tool_span(1, "search", {"q": "weather"})]), "--format", "table")
    assert '  0   search  ok  5 ms  {"q": "weather"}' in done.out.splitlines()


def test_problems_go_to_standard_error(cli: CommandLine) -> None:
    """What cannot be read is told with its place; the rest is shown."""
    traces = cli.file("t.jsonl", "\n".join([json.dumps(tool_span(1, "search", {})), "nonsense"]))
    done = cli("calls", traces)
    assert json.loads(done.out)["tool"] == "search"
    assert done.err == "t.jsonl:2: expected a JSON object or list\n"


def test_what_is_wrong_is_told(cli: CommandLine) -> None:
    """A path that is not there ends with 2."""
    done = cli("calls", "none.json")
    assert (done.code, done.out) == (2, "")
    assert done.err == "none.json: no such file or folder\n"


def test_a_hint_where_arguments_are_missing(cli: CommandLine) -> None:
    """Standard error says which setting captures arguments."""
    done = cli("calls", cli.file("t.json", [tool_span(1, "search")]))
    assert done.err.startswith("to capture arguments: OpenTelemetry GenAI conventions: set OTEL_")
