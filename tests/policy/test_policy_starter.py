"""The policy that `init` writes: it loads, and it expects what was seen."""

from __future__ import annotations

import math
import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import Evidence, Run, Scope, ToolCall
from otel_toolscore.policy import Tool, loads
from otel_toolscore.policy.faults import Faults
from otel_toolscore.policy.nodes import plain
from otel_toolscore.policy.source import read_document
from otel_toolscore.policy.starter import EXAMPLES, HEADER, starter
from otel_toolscore.policy.writing import entry


def call(tool: str, scope: str = "top", arguments: object = None, **more: object) -> ToolCall:
    evidence = Evidence("not_captured") if arguments is None else Evidence("captured", arguments)
    return ToolCall(tool=tool, scope=scope, arguments=evidence, **more)  # type: ignore[arg-type]


def run(*calls: ToolCall, scopes: tuple[Scope, ...] = (Scope(id="top", kind="trace"),), **more: object) -> Run:
    return Run(trace_id="t", scopes=scopes, calls=calls, **more)  # type: ignore[arg-type]


def calls_of(text: str, identity: str) -> list[ExpectedCall]:
    (found,) = [expectation for expectation in loads(text).expectations if expectation.id == identity]
    return list(found.calls)  # type: ignore[arg-type]


def test_without_traces_it_is_an_outline() -> None:
    """What holds for any agent applies at once; the rest are examples that load when the comment signs are taken away."""
    text = starter([])
    assert [rule.id for rule in loads(text).rules][:1] == ["recommended-repeated-call"]
    assert loads(text).expectations == ()
    uncommented = re.sub(r"^# (?=[ a-z]+:|  +[-a-z])", "", EXAMPLES, flags=re.MULTILINE)
    policy = loads(HEADER + uncommented)
    assert [expectation.id for expectation in policy.expectations] == ["refund"]
    assert [rule.id for rule in policy.rules][-2:] == ["refunds-need-a-person", "verify-first"]


def test_each_agent_is_expected_to_do_what_it_did() -> None:
    """An expectation for each named agent, with its own calls and not those of its sub-agents."""
    scopes = (
        Scope(id="1", kind="agent", name="boss"),
        Scope(id="2", kind="enclosing", parent="1"),
        Scope(id="3", kind="agent", name="math whiz", parent="2"),
    )
    text = starter([run(call("ask", "2"), call("add", "3"), call("add", "3"), scopes=scopes)])
    policy = loads(text)
    assert [(found.id, found.when.agent if found.when else None) for found in policy.expectations] == [
        ("boss", ("boss",)),
        ("math-whiz", ("math whiz",)),
    ]
    assert [found.name for found in calls_of(text, "boss")] == ["ask"]
    assert [found.name for found in calls_of(text, "math-whiz")] == ["add", "add"]


def test_calls_outside_of_every_named_agent_are_the_runs() -> None:
    """What no named agent made is expected of the run, without its sub-agents' calls."""
    scopes = (Scope(id="1", kind="agent"), Scope(id="2", kind="agent", name="sub", parent="1"))
    text = starter([run(call("own", "1"), call("below", "2"), scopes=scopes)])
    run_expectation, sub = loads(text).expectations
    assert (run_expectation.id, run_expectation.when, run_expectation.include_subagents) == ("run", None, False)
    assert [found.name for found in run_expectation.calls] == ["own"]
    assert [found.name for found in sub.calls] == ["below"]


def test_without_agents_each_run_is_expected_to_do_the_same() -> None:
    """One expectation for all runs; an agent that did nothing is expected to do nothing."""
    text = starter([run(call("a"), call("b")), run(call("a"), call("b"))])
    assert [found.name for found in calls_of(text, "run")] == ["a", "b"]
    scopes = (Scope(id="1", kind="agent", name="x"), Scope(id="2", kind="agent", name="y", parent="1"))
    assert calls_of(starter([run(call("a", "1"), scopes=scopes)]), "y") == []


def test_runs_that_differ_are_expected_in_any_order_as_often_as_seen() -> None:
    """Where runs differ, the expectation says how often each tool was called, so that all of them meet it."""
    text = starter([run(call("a"), call("b"), call("b")), run(call("b"), call("a")), run(call("a"))])
    (expectation,) = loads(text).expectations
    assert expectation.order == "any"
    assert [(found.name, found.min_times, found.max_times) for found in calls_of(text, "run")] == [("a", 1, 1), ("b", 0, 2)]


def test_arguments_are_written_only_when_asked_for() -> None:
    """Values stay out of the file unless they are asked for, and then those with a credential do."""
    secret = call("b", arguments={"key": "AKIAIOSFODNN7EXAMPLE"})
    runs = [run(call("a", arguments={"city": "Oslo", "n": 5}), secret, call("c", arguments={}))]
    assert "Oslo" not in starter(runs)
    text = starter(runs, values=True)
    assert [found.arguments for found in calls_of(text, "run")] == [{"city": "Oslo", "n": 5}, None, {}]
    assert "AKIA" not in text


def test_arguments_that_differ_or_are_unknown_are_left_out() -> None:
    """An argument is written only where all runs had the same."""
    runs = [run(call("a", arguments={"x": 1}), call("b", arguments={"x": 1})), run(call("a", arguments={"x": 2}), call("b"))]
    assert [found.arguments for found in calls_of(starter(runs, values=True), "run")] == [None, None]


def test_values_that_look_like_matchers_stay_values() -> None:
    """An object with `$` keys is written as a literal; an argument with the name of an operator cannot be written."""
    runs = [run(call("a", arguments={"q": {"$gt": 1}, "$filter": "x"}), call("b", arguments={"$gt": 1}))]
    assert [found.arguments for found in calls_of(starter(runs, values=True), "run")] == [{"q": {"$gt": 1}, "$filter": "x"}, None]


def test_an_outcome_that_was_not_ok_is_expected() -> None:
    """What failed is expected to fail; what ended differently may end in any way."""
    runs = [run(call("a", outcome="error"), call("b", outcome="error")), run(call("a", outcome="error"), call("b"))]
    assert [found.outcome for found in calls_of(starter(runs), "run")] == ["error", "any"]


def test_tools_have_what_the_traces_recorded() -> None:
    """Server and schema are written where every trace says the same and the schema can be used."""
    schema = {"type": "object", "properties": {"x": {"type": "string", "description": "NO: yes # 1e3\n'\"\u2028"}}}
    runs = [
        run(call("a", server="s"), call("b", server="s"), call("c"), tool_schemas={"a": schema, "c": {"type": "nonsense"}}),
        run(call("a", server="s"), call("b", server="t"), call("c"), tool_schemas={"a": dict(reversed(schema.items()))}),
    ]
    assert loads(starter(runs)).tools == {"a": Tool(server="s", parameters=schema), "b": Tool(), "c": Tool()}


def test_the_suggestion_to_allow_what_was_seen_loads() -> None:
    """The commented rule loads when the comment signs are taken away."""
    text = starter([run(call("b"), call("a: 1"))])
    policy = loads(re.sub(r"^# (?=rules:|  )", "", text, flags=re.MULTILINE))
    assert policy.rules[-1].id == "only-known-tools"


names = st.text(min_size=1).filter(lambda text: text.strip(" \t\r\n") != "")


@given(st.lists(st.tuples(names, names, st.dictionaries(st.text(), st.text())), min_size=1, max_size=4))
def test_whatever_was_recorded_the_policy_loads(seen: list[tuple[str, str, dict[str, str]]]) -> None:
    """Names, servers and arguments are data of others: no text in them can break the file or write into its comments."""
    calls = [call(tool, "1", arguments, server=agent) for tool, agent, arguments in seen]
    text = starter([run(*calls, scopes=(Scope(id="1", kind="agent", name=seen[0][1]),))], values=True)
    policy = loads(text)
    tools = [tool.encode("utf-8", "replace").decode() for tool, _, _ in seen]
    assert set(policy.tools) == set(tools)
    assert [found.name for found in policy.expectations[0].calls] == tools
    assert [rule.id for rule in policy.rules if not rule.id.startswith("recommended-")] == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_what_is_written_is_read_back(value: object) -> None:
    """Every JSON value comes back as it was."""
    text = "\n".join(entry("key", value, 2))
    faults = Faults("p.yaml")
    node = read_document(text.encode(), faults)
    assert faults.found == []
    assert node is not None
    assert plain(node) == {"key": value}


@pytest.mark.parametrize(
    ("value", "text"), [(math.inf, ".inf"), (-math.inf, "-.inf"), (math.nan, ".nan"), ("NO", "NO"), ("1e3", '"1e3"'), ("", '""')]
)
def test_scalars_are_written_plainly(value: object, text: str) -> None:
    """Quotes stand only where they are needed."""
    assert list(entry("k", value, 0)) == [f"k: {text}"]
