"""The constraints of rules, one table each."""

from __future__ import annotations

from typing import Any, Final

from otel_toolscore.policy.grammar.kinds import Choice, Flag, MapOf, Number
from otel_toolscore.policy.grammar.patterns import PATTERN, PATTERNS
from otel_toolscore.policy.grammar.shapes import Given, Key, Shape
from otel_toolscore.policy.grammar.values import DURATION, PATH, path
from otel_toolscore.rules.arguments import ValidArguments
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.pattern import Pattern

ANY_CALL: Final = Pattern()
MOST: Final = ("limit", "count", "maximum")
PER: Final = Key("per", Choice(("run", "agent", "conversation")), "What is counted or remembered together.", default="run")
OPTIONAL_CALL: Final = Key("call", PATTERN, "The calls that it is about.", default="any call")

BEFORE: Final = Shape(
    name="before",
    title="`before`",
    meaning="Every call that matches `call` needs an earlier successful one that matches `needs`.",
    keys=(
        Key("call", PATTERN, "The calls that it is about.", required=True),
        Key("needs", PATTERN, "What must have succeeded earlier.", required=True),
        Key(
            "same",
            MapOf(PATH, "paths of `call`", "paths of `needs`", path, minimum=1),
            "Values that must be equal on both sides: path in the arguments of `call` to path in those of `needs`.",
        ),
        Key("once", Flag(), "`true`: each call that matches `needs` admits one.", default="false"),
        PER,
    ),
    build=lambda given: Before(**given.values),
)

NEVER_AFTER: Final = Shape(
    name="never_after",
    title="`never_after`",
    meaning="No call that matches `call` comes after one that matches `after`.",
    keys=(
        Key("call", PATTERN, "The calls that must not come.", required=True),
        Key("after", PATTERN, "After which calls.", required=True),
        PER,
    ),
    build=lambda given: NeverAfter(**given.values),
)


def check_limit(given: Given) -> None:
    """Calls are counted in whole numbers; only a sum may be compared with a fraction."""
    most = given.get("max")
    if most is not None and "sum" not in given and most.denominator != 1:
        given.fault("max", "`max`: expected a whole number of calls (a fraction only with `sum`)")


def build_limit(given: Given) -> Limit:
    """The record of a limit."""
    return Limit(call=given.get("call", ANY_CALL), max=given.get("max"), within_ns=given.get("within"), **given.only("by", "sum", "per"))


LIMIT: Final = Shape(
    name="limit",
    title="`limit`",
    meaning="At most so many calls, or so large a sum of one of their values.",
    keys=(
        OPTIONAL_CALL,
        Key("max", Number(minimum=0), "The largest number of calls, or the largest sum.", required=True, also=MOST),
        Key("within", DURATION, "In any window of this length; without it, in the whole of `per`.", also=("window", "period")),
        Key("by", PATH, "Counted apart for each value at this path of the arguments."),
        Key("sum", PATH, "The values at this path are added up, instead of counting calls."),
        PER,
    ),
    build=build_limit,
    check=check_limit,
)

REPEATS: Final = Shape(
    name="repeats",
    title="`repeats`",
    meaning="The same tool with the same arguments at most so many times.",
    keys=(
        OPTIONAL_CALL,
        Key("max", Number(minimum=0, whole=True), "The largest number of equal calls.", required=True, also=MOST),
        PER,
    ),
    build=lambda given: Repeats(call=given.get("call", ANY_CALL), **given.only("max", "per")),
)

VALID_ARGUMENTS: Final = Shape(
    name="valid_arguments",
    title="`valid_arguments`",
    meaning="Arguments validate against `tools.NAME.parameters`, or the schema that the trace recorded; silent where there is none.",
    keys=(OPTIONAL_CALL,),
    build=lambda given: ValidArguments(call=given.get("call", ANY_CALL)),
)


def constraint_of(name: str, value: Any) -> Any:
    """The record of a constraint from the value of its key."""
    made = {"forbid": Forbid, "allow": Allow, "require": Require}.get(name)
    return value if made is None else made(value)


CONSTRAINTS: Final = (
    Key("forbid", PATTERN, "Violated when a call matches.", also=("deny", "forbidden", "block", "tool")),
    Key("allow", PATTERNS, "Violated when a call matches none of them.", also=("allowed", "permit", "allowlist")),
    Key("require", PATTERN, "Violated when a selected scope (without `when`: the run) ends without a match.", also=("required", "needs")),
    Key("before", BEFORE, "Violated by a call without an earlier successful other one."),
    Key("never_after", NEVER_AFTER, "Violated by a call after another one.", also=("after", "not_after")),
    Key("limit", LIMIT, "Violated by each call beyond a number, or beyond a sum.", also=("rate", "rate_limit", "budget")),
    Key("repeats", REPEATS, "Violated by each equal call beyond a number.", also=("repeat", "loop")),
    Key("valid_arguments", VALID_ARGUMENTS, "Violated by arguments that their JSON Schema refuses.", also=("valid_args", "schema")),
)
"""In a rule exactly one of them stands."""

NOT_YET: Final = ("flow", "no_flow", "secrets")
"""Constraints of the format that this release does not read."""
