"""What a call has from the model's messages and from recorded schemas; hints; explanations; a policy's own spans."""

from __future__ import annotations

from typing import Any

import pytest
from span_records import agent, calls, mcp, model, plain, span, the_call, tool

from otel_toolscore.assemble import assemble
from otel_toolscore.matchers import Eq
from otel_toolscore.model import NOT_CAPTURED, Evidence
from otel_toolscore.policy.records import SpanMapping
from otel_toolscore.spans import Span


def asked(call_id: str, name: str, arguments: object, **more: Any) -> Span:
    """A model span that asks for a call."""
    part = {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
    return model(more.pop("number", 50), also={"gen_ai.output.messages": [{"role": "assistant", "parts": [part]}]}, **more)


def answered(call_id: str, response: object, name: str | None = None, **more: Any) -> Span:
    """A model span that is told the answer."""
    part = {"type": "tool_call_response", "id": call_id, "response": response, **({} if name is None else {"name": name})}
    return model(more.pop("number", 51), also={"gen_ai.input.messages": [{"role": "tool", "parts": [part]}]}, **more)


def silent(name: str = "search", call_id: str | None = "c1", **more: Any) -> Span:
    """A tool span without content."""
    return tool(1, name, also={} if call_id is None else {"gen_ai.tool.call.id": call_id}, **more)


def test_arguments_and_result_from_messages() -> None:
    """By call id and tool, with a note of where they are from; the call stays the span's."""
    call = the_call(silent(), asked("c1", "search", {"q": "a"}), answered("c1", {"n": 3}))
    assert (call.arguments, call.result) == (Evidence("captured", {"q": "a"}), Evidence("captured", {"n": 3}))
    assert call.notes == ("arguments_from_messages", "result_from_messages")


def test_history_is_repeated() -> None:
    """Each model span repeats what was said before; equal records are one."""
    spans = [asked("c1", "search", text, number=number) for number, text in ((50, {"q": "a"}), (51, '{"q": "a"}'), (52, '{ "q":"a" }'))]
    assert the_call(silent(), *spans).arguments.value == {"q": "a"}


def test_what_a_span_has_is_not_replaced() -> None:
    """Messages only fill."""
    call = the_call(tool(1, args='{"q": "span"}', also={"gen_ai.tool.call.id": "c1"}), asked("c1", "search", {"q": "message"}))
    assert (call.arguments.value, call.notes) == ({"q": "span"}, ())


def test_what_was_cut_or_hidden_is_filled() -> None:
    """Arguments that cannot be read are missing."""
    for recorded in ('{"q": "a l', "<REDACTED>"):
        call = the_call(tool(1, args=recorded, also={"gen_ai.tool.call.id": "c1"}), asked("c1", "search", {"q": "a long"}))
        assert call.arguments.value == {"q": "a long"}


@pytest.mark.parametrize(
    "other",
    [
        asked("c2", "search", {"q": "a"}),
        asked("c1", "fetch", {"q": "a"}),
        asked("c1", "search", {"q": "a"}, trace="u"),
        asked("c1", "search", "not json"),
    ],
)
def test_not_filled(other: Span) -> None:
    """Another id, another tool, another trace, or nothing readable fills nothing."""
    assert the_call(silent(), other).arguments == NOT_CAPTURED


def test_without_an_id_nothing_is_filled() -> None:
    """What has the same name only may be another call."""
    assert the_call(silent(call_id=None), asked("c1", "search", {"q": "a"})).arguments == NOT_CAPTURED


def test_names_with_and_without_a_prefix_are_the_same_tool() -> None:
    """The model knows the tool by the name that its framework gave it."""
    assert the_call(silent("search"), asked("c1", "mcp__docs__search", {"q": "a"})).arguments.value == {"q": "a"}
    assert the_call(silent("docs_search"), asked("c1", "search", {"q": "a"})).arguments.value == {"q": "a"}


def test_ids_that_are_used_again() -> None:
    """Some models number calls anew in each turn: different arguments under one id fill neither."""
    call = the_call(silent(), asked("c1", "search", {"q": "a"}), asked("c1", "search", {"q": "b"}, number=51))
    assert (call.arguments, call.notes) == (NOT_CAPTURED, ("messages_disagree",))
    kept = the_call(silent(), asked("c1", "search", {"q": "a"}), asked("c1", "fetch", {"url": "b"}, number=51))
    assert kept.arguments.value == {"q": "a"}


def test_answers_to_another_tool() -> None:
    """An answer without a name counts only where the id was asked for this tool, or for none that is known."""
    assert the_call(silent(), answered("c1", "x")).result.value == "x"
    assert the_call(silent(), asked("c1", "fetch", {}), answered("c1", "x")).result == NOT_CAPTURED
    assert the_call(silent(), answered("c1", "x", name="fetch")).result == NOT_CAPTURED


def test_an_answer_that_is_an_error() -> None:
    """An MCP result that says so is an error, also where only the model's messages have it."""
    call = the_call(silent(), answered("c1", {"isError": True, "content": [{"type": "text", "text": "gone"}]}))
    assert (call.outcome, call.error) == ("error", "gone")


def test_calls_that_a_model_only_asked_for_are_no_calls() -> None:
    """Without a tool span there is no call."""
    assert calls(agent(1), asked("c1", "search", {"q": "a"}, parent=1)) == []


def test_the_id_may_be_on_an_inner_span() -> None:
    """Filling comes after merging."""
    assert the_call(tool(1), mcp(2, parent=1, also={"gen_ai.tool.call.id": "c1"}), asked("c1", "search", {"q": "a"})).arguments.value == {
        "q": "a"
    }


def test_a_variant_has_what_was_filled() -> None:
    """An inner name is judged by the arguments that the messages gave."""
    call = the_call(silent("docs_search"), mcp(2, "search", parent=1), asked("c1", "docs_search", {"q": "a"}))
    assert [(each.tool, each.arguments.value) for each in call.variants] == [("docs_search", {"q": "a"}), ("search", {"q": "a"})]


def bare(value: str, schema: dict[str, object] | None) -> list[Span]:
    """A LangChain tool span that lost the name of its one argument, and what the trace records of the tool."""
    definitions = [] if schema is None else [{"name": "search", "parameters": schema}]
    lost = {"openinference.span.kind": "TOOL", "tool.name": "search", "input.value": value}
    return [
        span(1, lost, name="search", scope="openinference.instrumentation.langchain"),
        model(2, also={"gen_ai.tool.definitions": definitions}),
    ]


def test_the_name_of_the_only_argument() -> None:
    """A recorded schema with one parameter names it; with more or none it stays an incomplete record."""
    one = {"type": "object", "properties": {"q": {"type": "string"}}}
    call = the_call(*bare("Oslo", one))
    assert (call.arguments.value, call.notes) == ({"q": "Oslo"}, ("argument_named_by_schema",))
    two = {"type": "object", "properties": {"q": {}, "n": {}}}
    for schema in (two, {"type": "object", "properties": {}}, None):
        assert the_call(*bare("Oslo", schema)).arguments == Evidence("unreadable", cause="truncated", text="Oslo")


def test_hints() -> None:
    """Each emitter whose calls lack arguments is told once how to capture them; others are not."""
    found = assemble(
        [silent(), tool(2, scope="gcp.vertex.agent"), tool(3, args="{}", scope="strands.telemetry.tracer"), tool(4), mcp(5, "x")]
    ).hints
    assert [hint.partition(":")[0] for hint in found] == [
        "MCP conventions, MCP Python SDK, FastMCP",
        "OpenTelemetry GenAI conventions",
        "Google ADK",
    ]
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in found[1]


def test_counts() -> None:
    """Spans as they were given, tool spans each once."""
    found = assemble([tool(1), tool(1), mcp(2, parent=1), plain(3)])
    assert (found.spans, found.tool_spans) == (4, 2)


def test_dropped_attributes() -> None:
    """Arguments that are missing where the SDK dropped attributes may have been among them."""
    made = silent()
    lossy = Span(**{name: getattr(made, name) for name in made.__struct_fields__} | {"dropped_attributes": 3})
    assert the_call(lossy).notes == ("attributes_dropped",)


def test_explanations() -> None:
    """Every span is explained, repeated exports too; no value appears."""
    spans = [
        plain("http", end=100),
        agent("agent", parent="http", end=90),
        agent("again", parent="agent", end=85),
        model("model", parent="again", end=20),
        tool("tool", args='{"q": "secret"}', parent="again", start=30, end=80),
        mcp("mcp", parent="tool", start=31, end=70),
        tool("apart", args='{"q": "other secret"}', parent="tool", start=40, end=60),
        tool("outside", "x", parent="http", start=91, end=95),
        span("list", {"mcp.method.name": "tools/list"}, parent="http"),
        plain("db", parent="http"),
        tool("outside", "x", parent="http", start=91, end=95),
    ]
    found = {each.span_id: each.why for each in assemble(spans).explanations}
    assert len(assemble(spans).explanations) == len(spans)
    assert found == {
        "http": "a scope, since it holds calls together that are outside every agent span",
        "agent": "agent scope support (OpenTelemetry GenAI conventions)",
        "again": "the same agent scope as span agent: same name, no tool or model span between",
        "model": "a model span (OpenTelemetry GenAI conventions): what a model asks for is not a call",
        "tool": "a call (OpenTelemetry GenAI conventions)",
        "mcp": "the same call as span tool: the MCP client's span of the call around it",
        "apart": "a call, not part of the call around it: other arguments (OpenTelemetry GenAI conventions)",
        "outside": "not read: the same span was exported before",
        "list": "neither call nor scope: the MCP method tools/list is not a tool call (MCP conventions, MCP Python SDK, FastMCP)",
        "db": "neither call nor scope: no dialect knows it",
    }
    assert {each.trace_id for each in assemble(spans).explanations} == {"t"}


OWN = SpanMapping(attributes=(("acme.kind", Eq("tool")),), tool="acme.tool", args="acme.input", result="acme.output", id="acme.id")


def test_a_policy_s_own_spans() -> None:
    """What the policy maps is a call like any other: named, nested, judged by its status, merged."""
    given = {"acme.kind": "tool", "acme.tool": "mcp__docs__search", "acme.input": '{"q": "a"}', "acme.output": "3", "acme.id": "c1"}
    call = the_call(agent(1, end=90), span(2, given, parent=1, error="no"), mappings=(OWN,))
    assert (call.tool, call.server, call.arguments.value, call.result.value, call.id) == ("search", "docs", {"q": "a"}, 3, "c1")
    assert (call.agent, call.outcome, call.error, call.dialect) == ("support", "error", "no", "policy")


def test_own_spans_that_are_not_complete() -> None:
    """Without the name the span names the tool; without the rest it is not captured; what does not match is no call."""
    call = the_call(span(2, {"acme.kind": "tool"}, name="search"), mappings=(OWN,))
    assert (call.tool, call.arguments, call.id) == ("search", NOT_CAPTURED, None)
    assert calls(span(2, {"acme.kind": "step"}), span(3, {}), mappings=(OWN,)) == []
    assert calls(span(2, {"acme.kind": "tool"})) == []


def test_a_dialect_goes_before_the_policy_s_own_spans() -> None:
    """A mapping is for spans that no dialect knows."""
    assert the_call(tool(1, "search", also={"acme.kind": "tool", "acme.tool": "other"}), mappings=(OWN,)).tool == "search"
    assert the_call(span(1, {"acme.kind": "tool", "acme.tool": "x", "gen_ai.conversation.id": "c"}), mappings=(OWN,)).tool == "x"
