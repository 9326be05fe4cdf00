"""What holds for any spans: order does not matter, nothing is lost, nothing is counted twice, size and depth are no obstacle."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_records import agent, mcp, model, plain, span, tool

from otel_toolscore.assemble import Assembly, assemble
from otel_toolscore.spans import CLIENT, INTERNAL, SERVER, Span

IDS = st.integers(1, 12).map(str)
TIMES = st.one_of(st.none(), st.integers(0, 20))
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "gen_ai.operation.name": st.sampled_from(["execute_tool", "invoke_agent", "invoke_workflow", "chat", "other", None]),
        "gen_ai.tool.name": st.sampled_from(["search", "docs_search", "fetch", "mcp__docs__search", None]),
        "gen_ai.agent.name": st.sampled_from(["a", "b"]),
        "gen_ai.tool.call.id": st.sampled_from(["c1", "c2", "unknown"]),
        "gen_ai.tool.call.arguments": st.sampled_from(['{"q": 1}', '{"q": 2}', '{"q"', "None", {"q": 1}, [], 5]),
        "gen_ai.conversation.id": st.sampled_from(["x", "y"]),
        "mcp.method.name": st.sampled_from(["tools/call", "tools/list"]),
        "mcp.session.id": st.just("s"),
        "jsonrpc.request.id": st.sampled_from(["1", "2"]),
        "fastmcp.server.name": st.sampled_from(["one", "two"]),
        "error.type": st.sampled_from(["E", "CancelledError"]),
        "asked": st.integers(0, 2),
        "gen_ai.output.messages": st.sampled_from(
            [[{"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": n}}]}] for n in (1, 2)]
        ),
    },
)
SPANS = st.lists(
    st.builds(
        lambda number, parent, attributes, start, end, **more: span(number, attributes, parent=parent, start=start, end=end, **more),
        IDS,
        st.none() | IDS,
        ATTRIBUTES,
        TIMES,
        TIMES,
        kind=st.sampled_from([INTERNAL, CLIENT, SERVER]),
        trace=st.sampled_from("tu"),
        service=st.sampled_from(["a", "b", None]),
        remote=st.sampled_from([None, True]),
        name=st.sampled_from(["execute_tool x", "delegate get", "POST"]),
    ),
    max_size=14,
)


def assembled(spans: list[Span], **options: Any) -> Assembly:
    return assemble(spans, attributes=frozenset({"asked"}), **options)


@given(SPANS, st.randoms(use_true_random=False), st.sampled_from(["agent", "trace"]))
def test_the_order_of_the_spans_changes_nothing(spans: list[Span], shuffler: random.Random, whole: str) -> None:
    """Shuffled input gives the same runs, hints and explanations, to the last note."""
    shuffled = spans[:]
    shuffler.shuffle(shuffled)
    assert assembled(shuffled, runs=whole) == assembled(spans, runs=whole)


@given(SPANS)
def test_repeating_an_export_changes_nothing(spans: list[Span]) -> None:
    """At-least-once delivery gives the same runs."""
    once, twice = assembled(spans), assembled(spans + spans)
    assert (twice.runs, twice.tool_spans, twice.hints) == (once.runs, once.tool_spans, once.hints)


@given(SPANS, st.sampled_from(["agent", "trace"]))
def test_every_tool_span_is_in_exactly_one_call(spans: list[Span], whole: str) -> None:
    """As its outermost span or merged; and no other span is."""
    found = assembled(spans, runs=whole)
    calls = [call for run in found.runs for call in run.calls]
    inside = Counter(each for call in calls for each in (call.span_id, *(merged.span_id for merged in call.merged)))
    assert sum(inside.values()) == found.tool_spans
    explained = Counter(each.span_id for each in found.explanations if each.why.startswith(("a call", "the same call")))
    assert inside == explained
    assert len(found.explanations) == len(spans)


@given(SPANS, st.sampled_from(["agent", "trace"]))
def test_runs_are_trees_of_scopes(spans: list[Span], whole: str) -> None:
    """One top, every other scope inside an earlier one of the run, every call in a scope of its run; one run a trace if so asked."""
    found = assembled(spans, runs=whole).runs
    for run in found:
        seen: set[str] = set()
        for place, scope in enumerate(run.scopes):
            assert (scope.parent is None) == (place == 0)
            assert scope.parent is None or scope.parent in seen
            seen.add(scope.id)
        assert all(call.scope in seen for call in run.calls)
        assert all(call.trace_id == run.trace_id for call in run.calls)
        assert all(call.described()[0].arguments.value == call.arguments.value for call in run.calls)
    assert len({run.key for run in found}) == len(found)
    if whole == "trace":
        assert len({run.trace_id for run in found}) == len(found)


@pytest.mark.parametrize(
    "spans",
    [
        [tool(1, parent=1)],
        [tool(1, parent=2), tool(2, parent=1)],
        [plain(1, parent=3), agent(2, parent=1), tool(3, parent=2)],
        [span("", {"gen_ai.operation.name": "execute_tool"}), span("", {"gen_ai.operation.name": "execute_tool"}), agent("")],
        [span(1, {"gen_ai.operation.name": None, "gen_ai.tool.name": None, "mcp.method.name": None})],
        [tool(1, trace="", service=None), agent(2, trace="")],
        [tool(1, parent=""), tool(2, parent="0000000000000000")],
        [tool(1, start=10**30, end=-(10**30))],
    ],
)
def test_absurd_spans(spans: list[Span]) -> None:
    """Loops, self-parents, missing ids, null attributes and absurd times give runs all the same, in any order."""
    found = assemble(spans)
    assert assemble(reversed(spans)) == found
    assert len(found.explanations) == len(spans)


def test_a_loop_is_cut() -> None:
    """Each span of a loop is still in the run."""
    found = assemble([agent(1, parent=3, start=0, end=9), plain(2, parent=1, start=1, end=8), tool(3, parent=2, start=2, end=7)])
    assert [[call.span_id for call in run.calls] for run in found.runs] == [["3"]]


DEEP = 10_000
WIDE = 40_000


def nested(make: Any) -> list[Span]:
    """Spans inside one another."""
    return [make(number, number - 1 if number else None) for number in range(DEEP)]


def bounds(number: int) -> dict[str, float]:
    return {"start": number, "end": 3 * DEEP - number}


@pytest.mark.parametrize(
    ("make", "runs", "calls"),
    [
        (lambda number, parent: mcp(number, parent=parent, **bounds(number)), 1, 1),
        (lambda number, parent: tool(number, f"tool {number}", parent=parent, **bounds(number)), 1, DEEP),
        (lambda number, parent: agent(number, f"agent {number}", parent=parent, **bounds(number)), 1, 0),
        (lambda number, parent: agent(number, parent=parent, **bounds(number)), 1, 0),
        (lambda number, parent: (agent, tool)[number % 2](number, f"{number}", parent=parent, **bounds(number)), 1, DEEP // 2),
        (lambda number, parent: plain(number, parent=parent, **bounds(number)), 0, 0),
    ],
    ids=["mcp", "tools", "agents", "one agent", "agents and tools", "plain"],
)
def test_deep_traces(make: Any, runs: int, calls: int) -> None:
    """Ten thousand spans inside one another need no recursion."""
    found = assemble(nested(make))
    assert (len(found.runs), sum(len(run.calls) for run in found.runs)) == (runs, calls)


def elapsed(spans: list[Span]) -> float:
    began = time.process_time()
    assemble(spans)
    return time.process_time() - began


@pytest.mark.parametrize(
    "make",
    [
        lambda size: [agent(0, end=size), *(tool(number, args="{}", parent=0, start=number, end=number + 1) for number in range(1, size))],
        lambda size: [tool(number, parent="lost", start=number, end=number + 1) for number in range(size)],
        lambda size: [tool(0, end=size), *(mcp(number, parent=0, start=number, end=number + 1) for number in range(1, size))],
        lambda size: [
            *(agent(number, f"{number}", start=number, end=size) for number in range(size // 2)),
            *(tool(size + number, parent="lost", start=number, end=number + 1) for number in range(size // 2)),
        ],
    ],
    ids=["calls", "adrift", "retries", "adrift among agents"],
)
def test_time_grows_with_the_number_of_spans(make: Any) -> None:
    """Eight times the spans take about eight times as long, not sixty-four times."""
    small, large = make(WIDE // 32), make(WIDE // 4)
    best_small = min(elapsed(small) for _ in range(3))
    best_large = min(elapsed(large) for _ in range(2))
    assert best_large < 30 * best_small


def test_a_wide_trace() -> None:
    """Tens of thousands of calls of one agent are one run."""
    (run,) = assemble([agent(0, end=WIDE), *(tool(number, parent=0, start=number, end=number) for number in range(1, WIDE + 1))]).runs
    assert len(run.calls) == WIDE


def test_model_spans_with_long_histories() -> None:
    """Each model span repeats all calls before it; they are kept once."""
    history: list[dict[str, object]] = []
    spans = [agent(0, end=999)]
    for number in range(1, 60):
        part = {"type": "tool_call", "id": f"c{number}", "name": "search", "arguments": {"q": number}}
        history.append({"role": "assistant", "parts": [part]})
        spans.append(model(f"m{number}", parent=0, also={"gen_ai.input.messages": list(history)}))
        spans.append(tool(number, parent=0, also={"gen_ai.tool.call.id": f"c{number}"}, start=number, end=number))
    (run,) = assemble(spans).runs
    assert [call.arguments.value for call in run.calls] == [{"q": number} for number in range(1, 60)]
