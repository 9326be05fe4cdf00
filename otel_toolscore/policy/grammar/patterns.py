# ruff: noqa: D102 - what the methods of a kind do is said once, at `Kind`
"""PATTERN and `when`: conditions on a call and on the scopes around it."""

from __future__ import annotations

from typing import Any, Final

from otel_toolscore.policy.grammar.kinds import (
    Choice,
    Definitions,
    Either,
    Flag,
    ListOf,
    MapOf,
    OneOrMany,
    Reading,
    Schema,
    Single,
    Text,
)
from otel_toolscore.policy.grammar.shapes import Given, Key, Shape
from otel_toolscore.policy.grammar.values import OPERATOR_KEY, PATH_KEYS, MatcherValue, names_operator, tested_path
from otel_toolscore.policy.nodes import MapNode, Node
from otel_toolscore.rules.pattern import Pattern, When

OUTCOMES: Final = ("ok", "error", "unknown", "not_executed")
NAME: Final = Text("a name or glob")
NAMES: Final = OneOrMany(NAME, "names or globs")
MATCHER: Final = MatcherValue()
TESTS: Final = MapOf(MATCHER, "paths", "values or matchers", tested_path, key_schema=PATH_KEYS)
RESULT_TESTS: Final = MapOf(MATCHER, "paths", "values or matchers", tested_path, minimum=1, key_schema=PATH_KEYS)


class ResultTest(Single, frozen=True):
    """A matcher on the whole result, or a mapping of paths into it to matchers."""

    def takes(self, node: Node) -> bool:
        del node
        return True

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if isinstance(node, MapNode) and not any(names_operator(key.text) for key, _ in node.pairs):
            return RESULT_TESTS.read(node, label, reading)
        return MATCHER.read(node, label, reading)

    def described(self) -> str:
        return "a value, a matcher, or a mapping of paths to values or matchers"

    def schema(self, defs: Definitions) -> Schema:
        has_operator = {"type": "object", "not": {"propertyNames": {"not": {"pattern": OPERATOR_KEY}}}}
        matcher = MATCHER.schema(defs)
        return {"if": {"anyOf": [has_operator, {"not": {"type": "object"}}]}, "then": matcher, "else": RESULT_TESTS.schema(defs)}


def build_pattern(given: Given) -> Pattern:
    """The record of a pattern; what is not given is not asked."""
    return Pattern(**given.values)


def named_pattern(text: str) -> Pattern:
    """The short spelling of a pattern: its tool."""
    return Pattern(tool=(text,))


PATTERN_KEYS: Final = (
    Key("tool", NAMES, "The tool, bare or as recorded; `*` is any run of characters, `?` one.", also=("name", "tools")),
    Key("server", NAMES, "The MCP server that the tool is of; unknown where the span does not say.", also=("servers",)),
    Key("agent", NAMES, "The nearest agent around the call.", also=("agents",)),
    Key(
        "args",
        TESTS,
        "What the values at these paths of the arguments are; all must hold. `{}`: the call takes no arguments.",
        also=("arguments", "parameters", "params"),
    ),
    Key(
        "any_arg",
        MATCHER,
        "What any string of the arguments is, however deep: values, keys, and JSON inside text.",
        also=("any_args",),
    ),
    Key("result", ResultTest(), "What the result is: as a whole, or at paths."),
    Key("outcome", OneOrMany(Choice(OUTCOMES), "these"), "How the call ended.", also=("status",)),
    Key("allow_extra_fields", Flag(), "`false`: no top-level argument besides those of `args`.", default="true"),
)

PATTERN_SHAPE: Final = Shape(
    name="pattern",
    title="a pattern",
    meaning="A condition on one call: all that is given must hold.",
    keys=PATTERN_KEYS,
    build=build_pattern,
    at_least_one=tuple(key.name for key in PATTERN_KEYS if key.name != "allow_extra_fields"),
)

PATTERN: Final = Either((Text("the name or glob of a tool", parse=named_pattern), PATTERN_SHAPE))
PATTERNS: Final = ListOf(PATTERN, "patterns")


def build_when(given: Given) -> When:
    """The record of a `when`."""
    return When(**given.values)


WHEN: Final = Shape(
    name="when",
    title="a condition on scopes",
    meaning="For which agents, workflows, services and inputs: all that is given must hold.",
    keys=(
        Key("agent", NAMES, "The name of the agent.", also=("agents", "agent_name")),
        Key("workflow", NAMES, "The name of the workflow."),
        Key("service", NAMES, "`service.name` of the spans.", also=("service_name", "service.name")),
        Key("input", MATCHER, "The first user message."),
        Key(
            "attributes",
            MapOf(MATCHER, "attribute keys", "values or matchers"),
            "Attributes of the scope's span or any span above it, of the resource, or of the baggage.",
            also=("attribute", "attrs"),
        ),
    ),
    build=build_when,
)
