"""Live equals offline for traces that nobody thought of: agents, tools, models and plain spans in any nesting and timing."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_replay import play, told

from otel_toolscore.engine import score_runs
from otel_toolscore.otlp.sdk import runs_of
from otel_toolscore.policy import loads

NAMES = ("search", "refund", "mcp__shop__refund", "rm")
POLICY = loads(
    json.dumps(
        {
            "version": 1,
            "expectations": [
                {"id": "run", "calls": [{"tool": "search"}, {"tool": "refund", "args": {"n": 1}}]},
                {"id": "boss", "when": {"agent": "boss"}, "order": "any", "extra_calls": "allow", "calls": [{"tool": "search"}]},
                {"id": "talk", "per": "conversation", "order": "any", "extra_calls": "allow", "calls": [{"tool": "refund"}]},
            ],
            "rules": [
                {"id": "no-rm", "forbid": "rm"},
                {"id": "not-boss", "when": {"agent": "boss"}, "forbid": {"tool": "refund", "args": {"n": 2}}},
                {"id": "once", "limit": {"call": "refund", "max": 1}},
                {"id": "apart", "limit": {"call": "search", "max": 1, "per": "agent"}},
                {"id": "first", "before": {"call": "refund", "needs": "search"}},
                {"id": "never", "never_after": {"call": "search", "after": "rm"}},
                {"id": "same", "repeats": {"call": "*", "max": 1}},
                {"id": "must", "when": {"agent": "clerk"}, "require": "search"},
                {"id": "failed", "severity": "low", "forbid": {"tool": "*", "outcome": "error"}},
            ],
        }
    )
)


def attributes(kind: str, name: str, number: int, talk: str | None) -> dict[str, Any]:
    more = {"gen_ai.conversation.id": talk} if talk else {}
    if kind == "agent":
        return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, **more}
    if kind == "unnamed agent":
        return {"gen_ai.operation.name": "invoke_agent", **more}
    if kind == "model":
        return {"gen_ai.operation.name": "chat", **more}
    if kind == "chain":
        return {"openinference.span.kind": "CHAIN"}
    if kind == "tool":
        return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": json.dumps({"n": number})}
    if kind == "tool without arguments":
        return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    if kind in ("client", "server"):
        return {"mcp.method.name": "tools/call", "gen_ai.tool.name": name}
    return {"app": number}


KINDS = ("agent", "unnamed agent", "model", "chain", "tool", "tool", "tool without arguments", "client", "server", "plain", "plain")


@st.composite
def traces(draw: st.DrawFn) -> dict[str, Any]:
    spans: list[dict[str, Any]] = []
    for number in range(1, draw(st.integers(1, 9)) + 1):
        kind = draw(st.sampled_from(KINDS))
        name = draw(st.sampled_from(("boss", "clerk") if kind == "agent" else NAMES))
        above = draw(st.sampled_from([None, *spans])) if spans else None
        trace = above["trace"] if above is not None else draw(st.integers(1, 2))
        begin = (above["start"] if above is not None else 0) + draw(st.integers(0, 6))
        span = {
            "id": number,
            "trace": trace,
            "name": f"{kind} {name}",
            "kind": {"client": 3, "server": 2}.get(kind, 1),
            "start": begin,
            "end": begin + draw(st.integers(0, 12)),
            "attrs": attributes(kind, name, draw(st.integers(1, 2)), draw(st.sampled_from([None, "c1", "c2"]))),
        }
        if above is not None:
            span["parent"] = above["id"]
        if draw(st.booleans()) and kind.startswith("tool"):
            span["error"] = True
        spans.append(span)
    return {"input": {"spans": spans}}


def is_heard_of(document: dict[str, Any], *, late: bool) -> bool:
    """Whether what is around each span to read can be known: of plain spans nothing is kept until a trace has something to read.

    From its parent a span that starts knows the parent, from its end only the parent's id. So no plain span farther around it may
    have been over before the first span to read of the trace showed itself.
    """
    spans = {span["id"]: span for span in document["input"]["spans"]}
    first: dict[int, int] = {}
    for span in spans.values():
        if "app" not in span["attrs"]:
            shown = span["end" if late else "start"]
            first[span["trace"]] = min(first.get(span["trace"], shown), shown)
    for span in spans.values():
        above = spans.get(span.get("parent", 0))
        if not late and above is not None and "app" in above["attrs"]:
            above = spans.get(above.get("parent", 0))
        while above is not None and "app" in above["attrs"]:
            if above["end"] <= first.get(span["trace"], 0):
                return False
            above = spans.get(above.get("parent", 0))
    return True


@settings(max_examples=150)
@given(traces(), st.booleans())
def test_live_equals_offline(document: dict[str, Any], late: bool) -> None:
    """Runs, calls, findings and expectations are the same, whether spans show at once or late what they are."""
    assume(is_heard_of(document, late=late))
    live, spans = play(POLICY, document, "scorer first", late=late)
    assert told(live) == told(list(score_runs(POLICY, runs_of(spans, POLICY)).runs))
