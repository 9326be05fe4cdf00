"""The policy as a whole: its sections, what it says of tools, and the mapping of spans that no dialect knows."""

from __future__ import annotations

from typing import Final

import msgspec

from otel_toolscore.model import Severity
from otel_toolscore.policy.grammar.expectations import EXPECTATION
from otel_toolscore.policy.grammar.json_schema_value import JsonSchema
from otel_toolscore.policy.grammar.kinds import Choice, Either, Kind, ListOf, MapOf, Number, Text
from otel_toolscore.policy.grammar.patterns import MATCHER
from otel_toolscore.policy.grammar.rules import RULE, SEVERITY
from otel_toolscore.policy.grammar.shapes import Given, Key, Shape
from otel_toolscore.policy.records import Expectation, SpanMapping, Tool
from otel_toolscore.rules.rule import Rule

VERSION: Final = 1
SOURCE: Final = Text("the name of a built-in policy or the path of a file")
ATTRIBUTE: Final = Text("the key of an attribute", r"^[^ \t\r\n]+$")


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """What one file gives; None (or nothing) where it is silent."""

    runs: str | None = None
    fail_on: Severity | None = None
    tools: tuple[tuple[str, Tool], ...] = ()
    expectations: tuple[Expectation, ...] = ()
    rules: tuple[Rule, ...] = ()
    spans: tuple[SpanMapping, ...] = ()


TOOL: Final = Shape(
    name="tool",
    title="a tool",
    meaning="What is known of a tool.",
    keys=(
        Key("server", Text("the name of a server"), "The MCP server that it is of."),
        Key(
            "parameters",
            JsonSchema(),
            "JSON Schema of its arguments, for `valid_arguments` and for comparing expected arguments.",
            also=("schema", "input_schema", "inputschema", "args"),
        ),
    ),
    build=lambda given: Tool(**given.values),
)

SPAN_MATCH: Final = Shape(
    name="span_match",
    title="`match`",
    meaning="Which spans.",
    keys=(
        Key(
            "attributes",
            MapOf(MATCHER, "attribute keys", "values or matchers", minimum=1),
            "Attributes of the span; all must hold.",
            required=True,
            also=("attrs",),
        ),
    ),
    build=lambda given: given.get("attributes"),
)

SPAN_CALL: Final = Shape(
    name="span_call",
    title="`call`",
    meaning="Which attributes of the span hold the parts of the call.",
    keys=(
        Key("tool", ATTRIBUTE, "Attribute that holds the tool's name.", required=True, also=("name",)),
        Key("args", ATTRIBUTE, "Attribute that holds the arguments.", default="not captured", also=("arguments",)),
        Key("result", ATTRIBUTE, "Attribute that holds the result.", default="not captured"),
        Key("id", ATTRIBUTE, "Attribute that holds the call's id.", default="none"),
    ),
    build=lambda given: dict(given.values),
)


def build_span(given: Given) -> SpanMapping:
    """The record of a span mapping."""
    return SpanMapping(attributes=given.get("match"), **given.get("call"))


SPAN: Final = Shape(
    name="span",
    title="a span mapping",
    meaning="How spans are read that no dialect knows.",
    keys=(
        Key("match", SPAN_MATCH, "Which spans it is about.", required=True),
        Key("call", SPAN_CALL, "How the call is read.", required=True),
    ),
    build=build_span,
)


def build_layer(given: Given) -> Layer:
    """What the file gives."""
    return Layer(**{name: value for name, value in given.values.items() if name not in {"version", "extends"}})


POLICY: Final = Shape(
    name="policy",
    title="a policy",
    meaning="What the tool calls of AI agents should be, and what they must never be.",
    keys=(
        Key("version", Number(minimum=VERSION, maximum=VERSION, whole=True), "Version of the format.", default=str(VERSION)),
        Key(
            "extends",
            Either((SOURCE, ListOf(SOURCE, "names and paths"))),
            "What this policy builds on, in order: built-in policies, and files by their path from this one.",
            also=("extend", "include", "imports"),
        ),
        Key("runs", Choice(("agent", "trace")), "`trace`: everything of a trace is one run.", default="agent"),
        Key("fail_on", SEVERITY, "Lowest severity of a violation that makes the verdict fail.", default="low"),
        Key("tools", MapOf(TOOL, "tool names", "what is known of them"), "What is known of tools."),
        Key("expectations", ListOf(EXPECTATION, "expectations", unique="id"), "Which calls scopes should make.", also=("expected",)),
        Key("rules", ListOf(RULE, "rules", unique="id"), "What must never, or must always, hold."),
        Key("spans", ListOf(SPAN, "span mappings"), "Your own spans, when no dialect knows them."),
    ),
    build=build_layer,
    unsupported=("gates", "cases"),
)


def shapes() -> tuple[Shape, ...]:
    """Every table of the format, in the order in which the policy leads to them."""
    seen: dict[str, Shape] = {}

    def visit(kind: Kind) -> None:
        if isinstance(kind, Shape):
            if kind.name in seen:
                return
            seen[kind.name] = kind
        for part in kind.parts():
            visit(part)

    visit(POLICY)
    return tuple(seen.values())
