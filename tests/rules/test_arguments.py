"""valid_arguments."""

from __future__ import annotations

import pytest
from written import NOT_CAPTURED, call, findings, judged, pattern, rule, run, scored, unreadable, variant, when

from otel_toolscore.policy.records import Tool
from otel_toolscore.rules.arguments import ValidArguments

VALID = ValidArguments(pattern("*"))
SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["amount"],
    "additionalProperties": False,
}
TOOLS = {"pay": Tool(parameters=SCHEMA)}


def test_arguments_that_fit_their_schema_are_well() -> None:
    """The policy's schema of the tool is asked."""
    assert judged(VALID, call("pay", {"amount": 5}), tools=TOOLS) == []


@pytest.mark.parametrize(
    ("arguments", "path"),
    [({}, "$.amount"), ({"amount": "five"}, "$.amount"), ({"amount": 5, "to": "eve"}, "$.to")],
)
def test_arguments_that_do_not_fit_are_a_violation(arguments: dict[str, object], path: str) -> None:
    """The finding names the place and what is wrong there, and no value."""
    (finding,) = findings(scored(rule(VALID), run(call("pay", arguments)), tools=TOOLS))
    assert (finding.kind, finding.path) == ("violation", path)
    assert path in finding.explanation
    assert "five" not in finding.explanation
    assert "eve" not in finding.explanation


def test_without_a_schema_it_is_silent() -> None:
    """Whatever the arguments are."""
    assert judged(VALID, call("other", {"x": 1}), call("other", NOT_CAPTURED, 10), tools=TOOLS) == []


def test_the_schema_that_the_trace_recorded() -> None:
    """Where the policy has none; the policy's wins."""
    recorded = {"pay": {"type": "object", "required": ["to"]}, "ask": {"type": "object", "required": ["q"]}}
    assert judged(VALID, call("ask"), call("ask", {"q": 1}, 10), tool_schemas=recorded) == [("violation", 0)]
    assert judged(VALID, call("pay", {"amount": 5}), tool_schemas=recorded, tools=TOOLS) == []


def test_arguments_that_were_not_captured_are_inconclusive() -> None:
    """So are those that were cut off or redacted."""
    calls = [call("pay", NOT_CAPTURED), call("pay", unreadable("truncated", "{"), 10), call("pay", unreadable("redacted"), 20)]
    document = scored(rule(VALID), run(*calls), tools=TOOLS)
    assert [each.cause for each in findings(document)] == ["arguments_not_captured", "arguments_truncated", "arguments_redacted"]


def test_arguments_that_are_no_json_object_are_a_violation() -> None:
    """No schema of arguments takes them."""
    assert judged(VALID, call("pay", unreadable("malformed", "{amount: 5}")), tools=TOOLS) == [("violation", 0)]


def test_a_schema_that_cannot_be_used_is_inconclusive() -> None:
    """It says nothing about the arguments."""
    (finding,) = findings(scored(rule(VALID), run(call("pay")), tools={"pay": Tool(parameters={"$ref": "https://example.com/x"})}))
    assert (finding.kind, finding.cause) == ("inconclusive", "schema_unusable")


def test_the_schema_of_a_tool_on_another_server_is_not_asked() -> None:
    """`tools.NAME.server` says of which server the schema is; an unknown server does not contradict it."""
    tools = {"pay": Tool(server="bank", parameters=SCHEMA)}
    assert judged(VALID, call("pay", server="other"), tools=tools) == []
    assert judged(VALID, call("pay", server="bank"), tools=tools) == [("violation", 0)]
    assert judged(VALID, call("pay"), tools=tools) == [("violation", 0)]


def test_any_one_variant_accuses() -> None:
    """Where merged spans disagree, arguments of one of them that do not fit are enough."""
    both = (variant("pay", {"amount": 5}), variant("pay", {"amount": "five"}))
    assert judged(VALID, call("pay", {"amount": 5}, variants=both), tools=TOOLS) == [("violation", 0)]


def test_a_rule_that_may_not_be_asked_is_inconclusive() -> None:
    """Where it is not known whether its `when` holds."""
    assert judged(VALID, call("pay"), tools=TOOLS, when=when(agent="x")) == [("inconclusive", 0)]
    assert judged(VALID, call("pay", {"amount": 1}), tools=TOOLS, when=when(agent="x")) == []
