"""Which tool spans are one call, and what the call has of each."""

from __future__ import annotations

from typing import Any

import pytest
from span_records import agent, calls, mcp, model, plain, reading, runs, span, the_call, tool

from otel_toolscore.assemble import node_of
from otel_toolscore.assembly.forest import Forest
from otel_toolscore.assembly.merge import merge
from otel_toolscore.model import Evidence, Variant
from otel_toolscore.spans import CLIENT, INTERNAL, SERVER, Span


def tools(*spans: Span) -> list[str]:
    return [call.tool for call in calls(*spans)]


# What is one call


def test_execute_tool_around_client_around_server() -> None:
    """The outermost span is the call's identity; the inner ones fill what it lacks, and why they were merged is told."""
    call = the_call(
        tool(1, "weather", also={"gen_ai.tool.call.id": "c1"}, start=10, end=50),
        mcp(2, "weather", parent=1, start=12, end=48, also={"gen_ai.tool.call.arguments": '{"city": "Oslo"}'}),
        mcp(3, "weather", parent=2, server=True, start=15, end=45, service="w", also={"gen_ai.tool.call.result": '{"temp": 4}'}),
    )
    assert (call.span_id, call.id, call.service, call.start_ns, call.end_ns) == ("1", "c1", "agents", 10_000_000, 50_000_000)
    assert (call.arguments.value, call.result.value) == ({"city": "Oslo"}, {"temp": 4})
    assert [(each.span_id, each.why) for each in call.merged] == [
        ("2", "the MCP client's span of the call around it"),
        ("3", "the MCP server's span of the call around it"),
    ]
    assert call.variants == ()


def test_clocks_differ_between_processes() -> None:
    """From caller to client to server the parent link suffices: a server's clock may be off, a client may time out first."""
    assert len(calls(tool(1, start=10, end=20), mcp(2, parent=1, start=11, end=19), mcp(3, parent=2, server=True, start=500, end=900))) == 1


@pytest.mark.parametrize("between", [plain, lambda number, **more: span(number, {"gen_ai.operation.name": "invoke_workflow"}, **more)])
def test_spans_between_that_decide_nothing(between: Any) -> None:
    """HTTP requests and workflows between change nothing."""
    assert len(calls(tool(1, start=0, end=90), between(2, parent=1, start=1, end=80), mcp(3, parent=2, server=True, start=2, end=70))) == 1


@pytest.mark.parametrize("between", [agent, model])
def test_an_agent_or_model_between(between: Any) -> None:
    """What a sub-agent or a model asks for is a new call, of the same tool too."""
    assert len(calls(tool(1, start=0, end=90), between(2, parent=1, start=1, end=80), tool(3, parent=2, start=2, end=70))) == 2


@pytest.mark.parametrize(
    ("start", "end", "count"),
    [(10, 90, 1), (0, 100, 1), (5, 5, 1), (-1, 50, 2), (50, 101, 2), (200, 300, 2), (None, None, 1), (0, 100.001, 1)],
)
def test_internal_in_internal_needs_containment(start: float | None, end: float | None, count: int) -> None:
    """Spans of one process share a clock; what is not known of the times speaks against nothing."""
    assert len(calls(tool(1, start=0, end=100), tool(2, parent=1, start=start, end=end))) == count


@pytest.mark.parametrize(
    ("outer", "inner", "count"),
    [
        ("search", "search", 1),
        ("docs_search", "search", 1),
        ("search", "docs.search", 1),
        ("mcp__docs__search", "search", 1),
        ("mcp__docs__search", "docs_search", 1),
        ("search", "research", 2),
        ("search", "Search", 2),
        ("search", "fetch", 2),
    ],
)
def test_names(outer: str, inner: str, count: int) -> None:
    """Equal names, or one after a prefix with a joint, are the same tool."""
    assert len(calls(tool(1, outer), mcp(2, inner, parent=1))) == count


def test_a_nameless_span_takes_its_neighbour_s_name() -> None:
    """Outside or inside, a span that names no tool is its neighbour's."""
    assert tools(tool(1, None), mcp(2, "search", parent=1)) == ["search"]
    assert tools(tool(1, "search"), mcp(2, None, parent=1), mcp(3, "search", parent=2, server=True)) == ["search"]
    assert tools(tool(1, "search"), mcp(2, None, parent=1), mcp(3, "fetch", parent=2, server=True)) == ["search", "fetch"]


def test_a_tool_that_no_span_names() -> None:
    """The span's own name is shown, and a note says so."""
    call = the_call(span(1, {"gen_ai.operation.name": "execute_tool"}, name="do it"))
    assert (call.tool, call.notes) == ("do it", ("unnamed_tool",))


def test_another_tool_between_is_not_skipped() -> None:
    """A tool that calls another which calls the first: three calls."""
    assert tools(tool(1, "a", start=0, end=90), tool(2, "b", parent=1, start=1, end=80), tool(3, "a", parent=2, start=2, end=70)) == [
        "a",
        "b",
        "a",
    ]


def test_siblings_of_one_name() -> None:
    """Two executions side by side are two calls."""
    assert len(calls(agent(1, end=100), tool(2, parent=1), tool(3, parent=1))) == 2


# Vetoes


@pytest.mark.parametrize(
    ("outer", "inner", "count"),
    [("c1", "c1", 1), ("c1", "c2", 2), ("c1", "unknown", 1), (None, "c2", 1)],
)
def test_call_ids(outer: str | None, inner: str, count: int) -> None:
    """Different ids are different calls; a placeholder is no id."""
    also = {} if outer is None else {"gen_ai.tool.call.id": outer}
    assert len(calls(tool(1, also=also), mcp(2, parent=1, also={"gen_ai.tool.call.id": inner}))) == count


def test_an_id_further_out_counts_too() -> None:
    """The spans of a call have one id between them, not only neighbours."""
    found = calls(
        tool(1, also={"gen_ai.tool.call.id": "c1"}), mcp(2, parent=1), mcp(3, parent=2, server=True, also={"gen_ai.tool.call.id": "c2"})
    )
    assert [(call.span_id, [each.span_id for each in call.merged]) for call in found] == [("1", ["2"]), ("3", [])]


def test_servers() -> None:
    """Servers that are known and different are different calls; a caller's name for a server and the server's own need not agree."""
    assert len(calls(tool(1, "mcp__a__search"), tool(2, "mcp__b__search", parent=1))) == 2
    assert len(calls(tool(1, "mcp__a__search"), tool(2, "search", parent=1))) == 1
    gateway = mcp(1, server=True, also={"fastmcp.server.name": "gateway"}, end=90)
    upstream = mcp(3, parent=2, server=True, also={"fastmcp.server.name": "docs"}, end=70)
    assert len(calls(gateway, mcp(2, parent=1, end=80), upstream)) == 2
    assert (
        len(calls(tool(1, "mcp__gh__search"), mcp(2, parent=1), mcp(3, parent=2, server=True, also={"fastmcp.server.name": "GitHub"}))) == 1
    )


def test_a_mounted_server() -> None:
    """A FastMCP server that mounts another hands the call on under the other's name: one call, described in two ways."""
    call = the_call(
        tool(1, "weather_get", '{"city": "Oslo"}', start=0, end=90),
        mcp(2, "weather_get", parent=1, server=True, scope="fastmcp", also={"fastmcp.server.name": "main"}, start=1, end=80),
        span(3, {"mcp.method.name": "tools/call"}, parent=2, name="delegate get", scope="fastmcp", start=2, end=70),
        span(
            4,
            {"mcp.method.name": "tools/call", "gen_ai.tool.name": "get", "fastmcp.server.name": "weather"},
            parent=3,
            scope="fastmcp",
            start=3,
            end=60,
        ),
    )
    given = Evidence("captured", {"city": "Oslo"})
    assert call.variants == (
        Variant("weather_get", "main", "weather_get", given),
        Variant("get", "weather", "get", given),
    )


@pytest.mark.parametrize(
    ("outer", "inner", "count"),
    [
        ('{"c": "ls"}', '{"c": "rm"}', 2),
        ('{"c": "ls", "n": 1}', '{"n": 1.0, "c": " ls "}', 1),
        ('{"c": "ls"}', None, 1),
        ('{"c": "ls"}', '{"c": "r', 1),
    ],
)
def test_different_arguments_in_one_process(outer: str, inner: str | None, count: int) -> None:
    """A tool that runs itself with other arguments makes a new call; what was not captured is no other argument."""
    assert len(calls(tool(1, args=outer), tool(2, args=inner, parent=1))) == count


def test_different_arguments_on_two_ends_are_variants() -> None:
    """Between processes arguments may change (a default filled in): one call, and each description is kept."""
    call = the_call(tool(1, args='{"q": "a"}'), mcp(2, parent=1, also={"gen_ai.tool.call.arguments": '{"q": "a", "limit": 10}'}))
    assert call.arguments.value == {"q": "a"}
    assert [variant.arguments.value for variant in call.variants] == [{"q": "a"}, {"q": "a", "limit": 10}]
    assert call.described()[0].arguments == call.arguments


def test_names_and_servers_make_variants() -> None:
    """A variant has its own span's name and server, and the call's arguments where its span recorded none."""
    call = the_call(tool(1, "docs_search", '{"q": "a"}'), mcp(2, "search", parent=1, server=True, also={"fastmcp.server.name": "docs"}))
    assert (call.tool, call.server) == ("docs_search", "docs")
    assert [(each.tool, each.server, each.arguments.value) for each in call.variants] == [
        ("docs_search", "docs", {"q": "a"}),
        ("search", "docs", {"q": "a"}),
    ]


def test_the_prefix_of_a_server_makes_no_variant() -> None:
    """mcp__SERVER__TOOL and TOOL are the same name with and without its server."""
    call = the_call(tool(1, "mcp__docs__search", '{"q": "a"}'), mcp(2, "search", parent=1))
    assert (call.tool, call.server, call.recorded_name, call.variants) == ("search", "docs", "mcp__docs__search", ())


# Several branches


def branch(number: int, start: float, end: float, args: str | None = None, **more: Any) -> Span:
    also = {**more.pop("also", {}), **({} if args is None else {"gen_ai.tool.call.arguments": args})}
    return mcp(number, parent=1, start=start, end=end, also=also, **more)


def test_a_transport_retry() -> None:
    """Attempts one after another with equal arguments are one call; the last gives result and outcome."""
    call = the_call(
        tool(1, args='{"q": "a"}', start=0, end=90),
        branch(2, 1, 10, '{"q": "a"}', error="connection lost", also={"gen_ai.tool.call.result": "early"}),
        mcp(4, parent=2, server=True, start=2, end=9, error="crashed"),
        branch(3, 10, 80, '{"q":"a"}', also={"gen_ai.tool.call.result": "late"}),
    )
    assert (call.result.value, call.outcome, call.error) == ("late", "ok", None)
    assert call.notes == ("transport_retry",)
    assert sorted((each.span_id, each.why.partition(":")[0]) for each in call.merged) == [
        ("2", "an attempt of the same request"),
        ("3", "an attempt of the same request"),
        ("4", "the MCP server's span of the call around it"),
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((1, 50, '{"q": "a"}'), (40, 80, '{"q": "a"}')),
        ((1, 10, '{"q": "a"}'), (20, 80, '{"q": "b"}')),
        ((1, 10, None, "c1"), (20, 80, None, "c2")),
        ((None, None, None), (20, 80, None)),
    ],
)
def test_fan_out(first: tuple[Any, ...], second: tuple[Any, ...]) -> None:
    """Branches that overlap, or differ in arguments or id, or have no times to tell, are calls each."""
    spans = [
        branch(number, *given[:3], also={"gen_ai.tool.call.id": given[3]} if len(given) > 3 else {})
        for number, given in ((2, first), (3, second))
    ]
    found = calls(tool(1, start=0, end=90), *spans)
    assert sorted(call.span_id for call in found) == ["1", "2", "3"]
    assert {call.notes for call in found} == {("fan_out",)}
    assert not any(call.merged for call in found)


def test_one_branch_of_several_is_the_same_tool() -> None:
    """A branch of another tool is its own call and takes nothing from the one that is the same."""
    found = calls(tool(1, start=0, end=90), branch(2, 1, 10), mcp(3, "fetch", parent=1, start=5, end=20))
    assert [(call.tool, [each.span_id for each in call.merged]) for call in found] == [("search", ["2"]), ("fetch", [])]


# Lost parent links


def ends(**server: Any) -> list[Span]:
    """Client and server of one request, without a link between them."""
    ids = {"jsonrpc.request.id": "9", "mcp.session.id": "s-1"}
    more = {"start": 15, "end": 35, "service": "calc", "trace": "t", "name": "search", **server}
    return [
        mcp(1, start=10, end=40, also={**ids, "gen_ai.tool.call.arguments": '{"a": 1}'}),
        mcp(2, more.pop("name"), server=True, also={**ids, **more.pop("also", {})}, **more),
    ]


@pytest.mark.parametrize("trace", ["t", "another"])
def test_a_lost_link(trace: str) -> None:
    """Session, request id and tool equal on both sides, and overlapping: one call, in one trace or in two."""
    call = the_call(*ends(trace=trace))
    assert (call.span_id, call.trace_id, [each.span_id for each in call.merged]) == ("1", "t", ["2"])
    assert len(runs(*ends(trace=trace))) == 1


@pytest.mark.parametrize(
    "server",
    [
        {"also": {"mcp.session.id": "s-2"}},
        {"also": {"mcp.session.id": None}},
        {"also": {"jsonrpc.request.id": "10"}},
        {"also": {"jsonrpc.request.id": None}},
        {"name": "fetch"},
        {"name": None},
        {"start": 41, "end": 50},
        {"start": None, "end": None},
    ],
)
def test_not_certainly_a_lost_link(server: dict[str, Any]) -> None:
    """What is different, or missing on one side, keeps the calls apart."""
    assert len(calls(*ends(**server))) == 2


def test_an_ambiguous_lost_link() -> None:
    """A server span that fits two clients joins neither."""
    client, served = ends()
    other = mcp(3, start=10, end=40, also={"jsonrpc.request.id": "9", "mcp.session.id": "s-1"})
    assert len(calls(client, other, served)) == 3


def test_a_server_with_a_parent_has_not_lost_its_link() -> None:
    """Only tops are put together by their ids."""
    client, served = ends(parent=9)
    assert len(calls(client, served, plain(9, start=0, end=100))) == 2


def test_what_is_below_a_server_follows_it() -> None:
    """Calls that the server makes are in the client's run once the two ends are together."""
    client, served = ends()
    inner = tool(3, "query", parent=2, start=16, end=20, service="calc")
    (run,) = runs(agent(9, start=0, end=100), *[span_with_parent(client, "9"), served, inner])
    assert [call.tool for call in run.calls] == ["search", "query"]
    assert run.complete


def span_with_parent(made: Span, parent: str) -> Span:
    return Span(**{name: getattr(made, name) for name in made.__struct_fields__} | {"parent_id": parent})


# Repeated exports


def test_the_same_span_twice() -> None:
    """Trace id, span id and kind equal: the fuller export counts once."""
    assert the_call(tool(1), tool(1, args='{"q": "a"}'), tool(1)).arguments.value == {"q": "a"}
    assert the_call(tool(1, end=None), tool(1)).outcome == "ok"


def test_one_id_for_client_and_server() -> None:
    """Formats in which both ends share an id: two spans, one call; what is below is the server's."""
    found = calls(
        mcp(1, also={"gen_ai.tool.call.arguments": "{}"}, start=0, end=90),
        mcp(1, server=True, service="w", start=1, end=80),
        tool(2, "query", parent=1, service="w", start=2, end=70),
    )
    assert [(call.tool, len(call.merged)) for call in found] == [("search", 1), ("query", 0)]


def test_ids_of_two_traces() -> None:
    """The same span id in two traces is two spans."""
    assert len(calls(tool(1, trace="a"), tool(1, trace="b"))) == 2


# What the call has


@pytest.mark.parametrize(
    ("outer", "inner", "outcome", "error"),
    [
        ({}, {"error": "boom"}, "error", "boom"),
        ({"error": True}, {"also": {"error.type": "tool_error"}, "error": "boom"}, "error", "boom"),
        ({"error": "outer"}, {"error": "inner"}, "error", "outer"),
        ({}, {"also": {"error.type": "CancelledError"}}, "unknown", None),
        ({"end": None}, {}, "ok", None),
        ({}, {"also": {"gen_ai.tool.call.result": '{"isError": true, "content": [{"text": "gone"}]}'}}, "error", "gone"),
    ],
)
def test_outcomes(outer: dict[str, Any], inner: dict[str, Any], outcome: str, error: str | None) -> None:
    """An error on any of the spans is the call's; a span without a sign says less than one that ended well."""
    call = the_call(tool(1, **outer), mcp(2, parent=1, **inner))
    assert (call.outcome, call.error) == (outcome, error)


def test_readable_arguments_go_before_unreadable_ones() -> None:
    """Where the outermost span's arguments were cut, an inner span's are the call's; where all are, the outermost's text stays."""
    cut = '{"q": "a l'
    assert the_call(tool(1, args=cut), mcp(2, parent=1, also={"gen_ai.tool.call.arguments": '{"q": "a long"}'})).arguments.value == {
        "q": "a long"
    }
    assert the_call(tool(1, args=cut), mcp(2, parent=1)).arguments == Evidence("unreadable", cause="truncated", text=cut)


def test_kinds_of_spans_that_are_not_mcp() -> None:
    """In-process spans that an instrumentation marks as CLIENT are judged as INTERNAL ones."""
    outer = tool(1, args='{"c": "ls"}', kind=CLIENT)
    assert len(calls(outer, tool(2, args='{"c": "rm"}', parent=1, kind=CLIENT))) == 2
    assert len(calls(outer, tool(2, args='{"c": "rm"}', parent=1, kind=SERVER))) == 1
    assert reading(outer).mcp_role is None


def test_one_subtree_at_a_time() -> None:
    """Merging needs no whole trace: the nodes of one outermost tool span are enough, whatever their order."""
    spans = [mcp(3, parent=2, server=True, start=3, end=7), mcp(2, parent=1, start=2, end=8), tool(1, kind=INTERNAL, parent=0)]
    merged = merge(Forest(node_of(each) for each in spans))
    assert [[node.span_id for node in group.nodes] for group in merged.groups] == [["1", "2", "3"]]
