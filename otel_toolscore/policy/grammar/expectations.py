"""Expectations, and the calls in them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Group
from otel_toolscore.policy.grammar.kinds import Choice, Either, Flag, ListOf, MapOf, Number, Text
from otel_toolscore.policy.grammar.patterns import OUTCOMES, PATTERNS, WHEN
from otel_toolscore.policy.grammar.shapes import ByKey, Given, Key, Later, Shape
from otel_toolscore.policy.grammar.values import IDENTIFIER, NAME_KEYS, ExpectedValue, Literal, argument_name, path
from otel_toolscore.policy.records import Expectation
from otel_toolscore.score import DEFAULT_WEIGHTS

TOLERANCE: Final = Number(minimum=0)

FIELD: Final = Shape(
    name="field",
    title="a field rule",
    meaning="How the value at a path of the arguments is compared.",
    keys=(
        Key("ignore", Flag(), "`true`: any value, or none.", default="false", also=("ignored", "skip")),
        Key("case_insensitive", Flag(), "`true`: upper and lower case are the same.", default="false", also=("ignore_case",)),
        Key("order_independent_list", Flag(), "`true`: a list's items in any order.", default="false", also=("unordered", "ignore_order")),
        Key("numeric", Flag(), "`true`: text that is a JSON number is that number.", default="false", also=("number",)),
        Key("abs_tol", TOLERANCE, "Numbers may differ by this much.", default="0", also=("tolerance", "abs")),
        Key("rel_tol", TOLERANCE, "Numbers may differ by this share of the expected one.", default="0", also=("rel",)),
        Key("default", Literal(), "Omitted, null and this value are the same."),
    ),
    build=lambda given: FieldRule(**given.values),
)


def check_times(given: Given) -> None:
    """The largest number is not below the smallest, and allows at least one call."""
    least, most = given.get("min", 1), given.get("max")
    if most is not None and least > most:
        given.fault("max", f"`max`: {most} is below `min` ({least}" + (")" if "min" in given else ", where it is not given)"))


TIMES_SHAPE: Final = Shape(
    name="times",
    title="`times`",
    meaning="How often.",
    keys=(
        Key("min", Number(minimum=0, whole=True), "At least so often.", default="1"),
        Key("max", Number(minimum=1, whole=True), "At most so often.", default="any number"),
    ),
    build=lambda given: (given.get("min", 1), given.get("max")),
    check=check_times,
    at_least_one=("min", "max"),
)

TIMES: Final = Either((Number(minimum=1, whole=True), TIMES_SHAPE))


def check_call(given: Given) -> None:
    """`optional` says how often at least, which `times` may not contradict."""
    if given.get("optional") is True and "times" in given and bounds(given.get("times", 1))[0] > 0 and given.get("times") != 1:
        given.fault("optional", "`optional`: `times` asks for at least one call; write `times: {min: 0, max: ...}` instead")
    name = given.get("tool")
    if isinstance(name, str) and "*" in name:
        given.reading.faults.warn(given.place("tool"), "`tool`: an expected call names one tool; `*` is taken as it stands")


def bounds(times: Any) -> tuple[int, int | None]:
    """Smallest and largest number of times."""
    return (times, times) if isinstance(times, int) else times


def build_call(given: Given) -> ExpectedCall:
    """The record of an expected call."""
    least, most = bounds(given.get("times", 1))
    arguments = given.get("args")
    return ExpectedCall(
        name=given.get("tool"),
        arguments=None if arguments is None else dict(arguments),
        field_rules={at.text: rule for at, rule in given.get("fields", ())},
        outcome=given.get("outcome", given.reading.outcome),
        min_times=0 if given.get("optional") else least,
        max_times=most,
        **given.only("server", "allow_extra_fields", "must"),
    )


CALL: Final = Shape(
    name="call",
    title="an expected call",
    meaning="One call that should be made.",
    keys=(
        Key("tool", Text("the name of a tool"), "The tool, bare or as recorded, without globs.", required=True, also=("name",)),
        Key("server", Text("the name of a server"), "The MCP server that it must be of.", default="`tools.NAME.server`, else any"),
        Key(
            "args",
            MapOf(ExpectedValue(), "arguments", "values or matchers", argument_name, key_schema=NAME_KEYS),
            "The arguments. Absent: not checked; `{}`: it takes none.",
            also=("arguments", "parameters", "params", "input"),
        ),
        Key("fields", MapOf(FIELD, "paths", "field rules", path), "How single values are compared.", also=("field_rules", "field")),
        Key("allow_extra_fields", Flag(), "`true`: further arguments do not matter.", default="false", also=("allow_extra", "extra")),
        Key("must", Flag(), "`true`: its differences fail at any score.", default="false", also=("required",)),
        Key("outcome", Choice((*OUTCOMES, "any")), "How it must end; in bare lists the default is `any`.", default="ok", also=("status",)),
        Key("times", TIMES, "How often.", default="1", also=("count", "repeat")),
        Key("optional", Flag(), "`true`: it may be left out.", default="false"),
        Key("reason", Text(), "Why it is expected, for people.", also=("message", "comment", "description")),
    ),
    build=build_call,
    check=check_call,
)


def find_item() -> ByKey:
    """The kind of one item of `calls`."""
    return ITEM


SEQUENCE: Final = ListOf(Later(find_item), "calls")


def alternative(value: Any) -> tuple[Any, ...]:
    """One alternative as a sequence of items."""
    return value if isinstance(value, tuple) else (value,)


ANY_OF: Final = Shape(
    name="any_of",
    title="`any_of`",
    meaning="One of several calls, or of several lists of calls.",
    keys=(
        Key(
            "any_of",
            ListOf(Either((Later(find_item), ListOf(Later(find_item), "calls", minimum=1))), "calls, or lists of calls", minimum=1),
            "The alternatives.",
            required=True,
        ),
    ),
    build=lambda given: AnyOf(tuple(alternative(value) for value in given.get("any_of"))),
)

GROUP: Final = Shape(
    name="group",
    title="`group`",
    meaning="Calls in any order among themselves; all of them come before what follows the group.",
    keys=(Key("group", ListOf(Later(find_item), "calls", minimum=1), "The calls.", required=True),),
    build=lambda given: Group(given.get("group")),
)

ITEM: Final = ByKey((("any_of", ANY_OF), ("group", GROUP)), CALL)

WEIGHTS: Final = Shape(
    name="weights",
    title="`weights`",
    meaning="How much each metric counts in the score; what is not given keeps its default, and all are normalised.",
    keys=tuple(
        Key(name, Number(minimum=0), f"Weight of `{name}`.", default=f"{float(weight):g}") for name, weight in DEFAULT_WEIGHTS.items()
    ),
    build=lambda given: dict(given.values),
)


def check_expectation(given: Given) -> None:
    """Weights leave something to be weighed."""
    weights: dict[str, Fraction] = given.get("weights", {})
    if not any({**DEFAULT_WEIGHTS, **weights}.values()):
        given.fault("weights", "`weights`: all of them are 0, so that nothing would be weighed")


def build_expectation(given: Given) -> Expectation:
    """The record of an expectation; with `when.agent`, sub-agents' calls are left out unless it says otherwise."""
    when = given.get("when")
    return Expectation(
        include_subagents=given.get("include_subagents", when is None or when.agent is None),
        where=given.where,
        **given.only("id", "calls", "when", "per", "order", "extra_calls", "min_score", "required", "strict", "weights"),
    )


EXPECTATION: Final = Shape(
    name="expectation",
    title="an expectation",
    meaning="Which calls a scope should make.",
    keys=(
        Key("id", IDENTIFIER, "Its name in results and metrics; unique in the file.", required=True, also=("name",)),
        Key("when", WHEN, "Which scopes. Without `agent` and `workflow`, runs.", default="every run", also=("if", "match")),
        Key(
            "include_subagents",
            Flag(),
            "Whether calls of the scope's sub-agents count.",
            default="`false` with `when.agent`, else `true`",
            also=("subagents",),
        ),
        Key("per", Choice(("scope", "run", "conversation")), "`run`, `conversation`: all selected scopes of it together.", default="scope"),
        Key("order", Choice(("in_order", "any")), "Whether calls must come in the order of the list.", default="in_order"),
        Key(
            "extra_calls",
            Either((Choice(("forbid", "allow", "retries")), PATTERNS)),
            "Calls that are not expected. `retries`: failed calls are allowed that a matched call of the tool follows; "
            "a list: what matches one of the patterns is allowed.",
            default="forbid",
            also=("extra", "allow_extra"),
        ),
        Key(
            "min_score",
            Number(minimum=0, maximum=1),
            "Differences in arguments and order are forgiven while the score reaches it; "
            "never a missing call, a forbidden extra or an outcome.",
            default="every difference fails",
            also=("threshold", "minimum_score"),
        ),
        Key("required", Flag(), "`true`: inconclusive where no scope was selected.", default="false"),
        Key("strict", Flag(), "`true`: space around text is compared too.", default="false"),
        Key("weights", WEIGHTS, "Weights of the metrics in the score.", default="see below"),
        Key("calls", SEQUENCE, "The calls; `[]`: none.", required=True, also=("steps", "tools", "expected", "tool_calls")),
    ),
    build=build_expectation,
    check=check_expectation,
)
