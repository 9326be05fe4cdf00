"""Policies and traces drawn at random, small enough that everything meets everything."""

from __future__ import annotations

from fractions import Fraction

import written
from hypothesis import strategies as st

from otel_toolscore.model import Run, ToolCall
from otel_toolscore.policy.records import Policy, Tool
from otel_toolscore.rules.arguments import ValidArguments
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.pattern import Pattern, When
from otel_toolscore.rules.rule import Constraint, Rule, Waiver

VALUES = st.sampled_from([0, 1, 2, "1", " 1 ", None, True, [1, 2], [], {"y": 1}, '{"y": 1}', "one"])
ARGUMENTS = st.dictionaries(st.sampled_from(["x", "y"]), VALUES, max_size=2)
EVIDENCE = st.one_of(
    *[ARGUMENTS.map(written.captured)] * 4,
    st.just(written.NOT_CAPTURED),
    st.sampled_from(
        [written.unreadable("malformed", '{"x": 1,'), written.unreadable("truncated", '{"y": "on'), written.unreadable("redacted")]
    ),
)
NAMES = st.sampled_from(["a", "b", "A", "c"])
SERVERS = st.sampled_from([None, None, None, "s"])
AMOUNT_PATH = written.Path.parse("x")

SHAPES = (
    (written.scope("trace:t", "trace", service="agents"),),
    (written.scope("top", "agent", "boss"), written.scope("sub", "agent", "helper", parent="top")),
    (
        written.scope("top", "workflow", "flow"),
        written.scope("one", "agent", "boss", parent="top"),
        written.scope("two", "agent", None, parent="top"),
    ),
    (written.scope("top", "enclosing", input="one", attributes={"k": (1, "one")}),),
)


@st.composite
def variants(draw: st.DrawFn) -> tuple[written.Variant, ...]:
    if draw(st.integers(0, 4)):
        return ()
    return tuple(written.variant(draw(NAMES), draw(EVIDENCE), draw(SERVERS)) for _ in range(2))


@st.composite
def calls(draw: st.DrawFn, number: int, trace: str, scopes: tuple[written.Scope, ...], *, timed: bool, instant: bool) -> ToolCall:
    start: int | None = draw(st.integers(0, 8))
    end = None if start is None else start + draw(st.integers(0 if instant else 1, 3))
    where = draw(st.sampled_from(scopes))
    agents = [scope for scope in scopes if scope.kind == "agent" and scope.id == where.id]
    tool = draw(NAMES)
    built = written.call(
        tool,
        draw(EVIDENCE),
        start,
        end,
        span_id=f"s{draw(st.integers(0, 9))}{number}",
        trace_id=trace,
        server=draw(SERVERS),
        outcome=draw(st.sampled_from(["ok", "ok", "ok", "error", "unknown"])),
        scope=where.id,
        agent=agents[0].name if agents else draw(st.sampled_from([None, None, "boss", "helper"])),
        variants=draw(variants()),
    )
    if timed or draw(st.integers(0, 9)):
        return built
    return written.call(tool, built.arguments, 0, 0, **{**_fields(built), "start_ns": None, "end_ns": None})


def _fields(call: ToolCall) -> dict[str, object]:
    kept = ("span_id", "trace_id", "server", "outcome", "scope", "agent", "variants")
    return {name: getattr(call, name) for name in kept}


@st.composite
def runs(draw: st.DrawFn, trace: str, *, timed: bool = False, instant: bool = True, max_calls: int = 7) -> Run:
    scopes = draw(st.sampled_from(SHAPES))
    conversation = draw(st.sampled_from([None, "c"]))
    top = written.Scope(**{name: getattr(scopes[0], name) for name in scopes[0].__struct_fields__} | {"conversation": conversation})
    scopes = (top, *scopes[1:])
    made = [draw(calls(number, trace, scopes, timed=timed, instant=instant)) for number in range(draw(st.integers(0, max_calls)))]
    return written.run(*made, scopes=scopes, trace=trace, complete=draw(st.sampled_from([True, True, True, False])))


@st.composite
def traces(draw: st.DrawFn, *, timed: bool = False, instant: bool = True) -> list[Run]:
    return [draw(runs(f"t{number}", timed=timed, instant=instant)) for number in range(draw(st.integers(1, 3)))]


MATCHERS = st.sampled_from(
    [1, "1", {"$gt": 0}, {"$exists": False}, {"$not": 1}, {"$any": True}, {"$contains": "1"}, {"$type": "string"}, {"y": 1}]
)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    more: dict[str, object] = {}
    if not draw(st.integers(0, 5)):
        more["server"] = draw(st.sampled_from(["s", "r", "*"]))
    if not draw(st.integers(0, 7)):
        more["agent"] = draw(st.sampled_from(["boss", "h*"]))
    if not draw(st.integers(0, 7)):
        more["outcome"] = draw(st.sampled_from(["ok", "error", "unknown"]))
    if not draw(st.integers(0, 7)):
        more["any_arg"] = draw(st.sampled_from([{"$contains": "1"}, "one"]))
    if not draw(st.integers(0, 7)):
        more["allow_extra_fields"] = False
    tool = draw(st.sampled_from(["a", "b", ["a", "b"], "?", "*", None, "mcp__s__a"]))
    args = draw(st.one_of(st.none(), st.none(), st.dictionaries(st.sampled_from(["x", "y", "x[*]", "y.y"]), MATCHERS, max_size=2)))
    return written.pattern(tool, args, **more)


@st.composite
def whens(draw: st.DrawFn) -> When | None:
    return draw(
        st.sampled_from(
            [
                *[None] * 4,
                written.when(agent="boss"),
                written.when(agent=["helper", "nobody"]),
                written.when(workflow="f*"),
                written.when(service="agents"),
                written.when(input={"$contains": "one"}),
                written.when(attributes={"k": 1}),
            ]
        )
    )


PATHS = st.sampled_from(["x", "y", "x[*]"]).map(written.Path.parse)
PERS = st.sampled_from(["run", "run", "agent", "conversation"])


@st.composite
def constraints(draw: st.DrawFn) -> Constraint:
    one, other, per = draw(patterns()), draw(patterns()), draw(PERS)
    kind = draw(st.sampled_from(["forbid", "allow", "require", "before", "never_after", "limit", "repeats", "valid_arguments"]))
    if kind == "forbid":
        return Forbid(one)
    if kind == "allow":
        return Allow((one, other))
    if kind == "require":
        return Require(one)
    if kind == "before":
        same = draw(st.lists(st.tuples(PATHS, PATHS), max_size=2).map(tuple))
        wild = [path for path, _ in same if path.wildcard], [path for _, path in same if path.wildcard]
        if max(map(len, wild)) > 1:
            same = same[:1]
        return Before(call=one, needs=other, same=same, once=draw(st.booleans()), per=per)
    if kind == "never_after":
        return NeverAfter(call=one, after=other, per=per)
    if kind == "limit":
        return Limit(
            call=one,
            max=Fraction(draw(st.integers(0, 3))),
            within_ns=draw(st.sampled_from([None, None, 3 * written.MILLISECOND])),
            by=draw(st.one_of(st.none(), PATHS)),
            sum=draw(st.one_of(st.none(), st.just(AMOUNT_PATH))),
            per=per,
        )
    if kind == "repeats":
        return Repeats(call=one, max=draw(st.integers(0, 2)), per=per)
    return ValidArguments(one)


@st.composite
def rules(draw: st.DrawFn, number: int) -> Rule:
    constraint = draw(constraints())
    require = isinstance(constraint, Require)
    when = draw(whens())
    if require and when is not None and when.agent is None:
        when = None
    waivers = ()
    if not require and not draw(st.integers(0, 3)):
        waivers = (Waiver(call=draw(patterns())),)
    return written.rule(constraint, id=f"r{number}", when=when, waivers=waivers)


SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


@st.composite
def policies(draw: st.DrawFn, max_rules: int = 4) -> Policy:
    tools = draw(st.sampled_from([{}, {"a": Tool(server="s")}, {"a": Tool(parameters=SCHEMA), "b": Tool(server="r", parameters=SCHEMA)}]))
    return Policy(rules=tuple(draw(rules(number)) for number in range(draw(st.integers(1, max_rules)))), tools=tools)
