"""Which dialects are asked, and how what several say is put together."""

from __future__ import annotations

from span_records import reading, span, tool

from otel_toolscore.dialects import DIALECTS, read
from otel_toolscore.dialects.gate import _MAX_REMEMBERED, Gate


def names(gate: Gate, made: object) -> set[str]:
    return {dialect.name for dialect in gate.candidates(made)}  # type: ignore[arg-type]


def test_candidates() -> None:
    """A key, the span's name, or the scope makes a candidate; in the order of the table."""
    gate = Gate(DIALECTS)
    assert names(gate, span(1, {"http.request.method": "GET"})) == set()
    assert names(gate, span(1, {"gen_ai.tool.name": "x"})) == {"genai"}
    assert names(gate, span(1, {}, name="claude_code.tool")) == {"claude_code"}
    assert names(gate, span(1, {}, scope="pydantic-ai")) == {"pydantic_ai"}
    both = list(gate.candidates(span(1, {"traceloop.span.kind": "tool", "gen_ai.tool.name": "x", "openinference.span.kind": "TOOL"})))
    assert [dialect.name for dialect in both] == ["genai", "openinference", "traceloop"]


def test_every_span_that_a_dialect_reads_is_let_through() -> None:
    """The gate is never narrower than the dialects: asked alone, a dialect reads nothing that the gate would have kept from it."""
    made = [
        tool(1, scope="gcp.vertex.agent"),
        span(1, {"tools": ["a"]}, name="running 1 tool", scope="pydantic-ai"),
        span(1, {"gen_ai.prompt.0.role": "user"}),
        span(1, {"span.type": "tool"}, scope="voltagent"),
        span(1, {"request": "{}"}, name="MCP request: tools/call x"),
    ]
    gate = Gate(DIALECTS)
    for each in made:
        assert {dialect.name for dialect in DIALECTS if dialect.read(each) is not None} <= names(gate, each)


def test_the_memory_is_bounded() -> None:
    """Made-up keys and scopes do not fill the memory, and known ones are still known after."""
    gate = Gate(DIALECTS)
    for number in range(_MAX_REMEMBERED + 10):
        names(gate, span(1, {f"made.up.{number}": 1}, scope=f"scope {number}"))
    assert len(gate._keys) <= _MAX_REMEMBERED
    assert len(gate._scopes) <= _MAX_REMEMBERED
    assert names(gate, span(1, {"gen_ai.tool.name": "x"})) == {"genai"}


def test_conventions_first_then_what_they_lack() -> None:
    """Of a span that speaks two dialects, the conventions' fields go first and the other's fill the gaps."""
    found = reading(
        tool(
            1,
            "add",
            also={
                "openinference.span.kind": "TOOL",
                "tool.name": "other",
                "input.value": '{"a": 1}',
                "output.value": "3",
                "session.id": "s",
                "gen_ai.tool.call.result": "4",
            },
            scope="gcp.vertex.agent",
        )
    )
    assert (found.tool, found.arguments.value, found.result.value, found.conversation) == ("add", {"a": 1}, 4, "s")
    assert found.dialect == "adk"


def test_a_kind_that_says_nothing_does_not_hide_one_that_does() -> None:
    """CHAIN or task beside an operation of the conventions changes nothing."""
    assert reading(tool(1, also={"openinference.span.kind": "CHAIN"})).role == "tool"
    assert reading(span(1, {"gen_ai.operation.name": "invoke_agent", "traceloop.span.kind": "task"})).role == "agent"


def test_a_presumed_role_yields() -> None:
    """A tool's name or a model's does not decide where a dialect says what the span is."""
    assert reading(span(1, {"gen_ai.request.model": "m", "traceloop.span.kind": "agent"})).role == "agent"
    assert reading(span(1, {"gen_ai.request.model": "m", "openinference.span.kind": "EMBEDDING"})).role == "ignored"


def test_unreadable_arguments_do_not_hide_readable_ones() -> None:
    """Of two places the captured value counts."""
    found = reading(tool(1, args='{"a"', also={"openinference.span.kind": "TOOL", "input.value": '{"a": 1}'}))
    assert found.arguments.value == {"a": 1}


def test_no_dialect() -> None:
    """A span without any needle is unknown, and costs nothing more."""
    assert read(span(1, {"db.system": "x"})) is None
