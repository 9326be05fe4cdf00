"""What calls are worth to an expected call is what comparing them one by one gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.align.entries import compared
from otel_toolscore.align.evidence import Calls, arguments_of, unusable
from otel_toolscore.align.worth import worth
from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, FieldRule, Matcher
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import NOT_CAPTURED, Evidence, Missing, ToolCall, Truth, Variant


class Above(Matcher):
    """A matcher of the test's own: true above a number, unknown on text, false on all else."""

    def __init__(self, least: int) -> None:
        self.least = least

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        if isinstance(value, str):
            return None
        return isinstance(value, int | float) and value > self.least

    def spelled(self) -> dict[str, Any]:
        return {"$gt": self.least}


scalars = st.sampled_from([None, True, 1, 1.0, 1.005, 2, "1", " 1", "a", "A", "b", float("nan"), float("inf")])
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.sampled_from("xy"), scalars, max_size=2)
names = st.sampled_from(["a", "b", "c", "a.x"])
arguments = st.dictionaries(names, values, max_size=3)
wanted = st.dictionaries(names, values | st.builds(Above, st.integers(0, 2)), max_size=3)
rules = st.dictionaries(
    st.sampled_from(["a", "b", "c", "a.x", "b[*]"]),
    st.builds(
        FieldRule,
        order_independent_list=st.booleans(),
        case_insensitive=st.booleans(),
        numeric=st.booleans(),
        abs_tol=st.sampled_from([0, 0.01]),
        ignore=st.integers(0, 5).map(lambda drawn: drawn == 0),
    )
    | st.builds(FieldRule, default=scalars),
    max_size=2,
)
schemas = st.sampled_from(
    [
        None,
        {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "array", "items": {"type": "integer"}}}},
        {"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "c": {"type": "string"}}, "required": ["c"]},
        {"type": "object", "properties": {"c": {"type": "object", "properties": {"x": {"type": "string", "default": "a"}}}}},
    ]
)
evidence = (
    st.builds(Evidence, st.just("captured"), arguments)
    | st.just(NOT_CAPTURED)
    | st.sampled_from([Evidence("unreadable", cause="malformed", text="{"), Evidence("unreadable", cause="truncated", text="{")])
)
captured = st.builds(Evidence, st.just("captured"), arguments)
variants = st.lists(st.builds(Variant, st.just("t"), st.none(), st.just("t"), captured), max_size=1)
calls = st.lists(
    st.builds(
        ToolCall,
        tool=st.sampled_from(["t", "t", "u"]),
        server=st.sampled_from([None, "s", "other"]),
        arguments=evidence,
        outcome=st.sampled_from(["ok", "error", "unknown", "not_executed"]),
        variants=variants.map(tuple),
    ),
    max_size=4,
)
expected_calls = st.builds(
    ExpectedCall,
    name=st.just("t"),
    arguments=st.none() | wanted,
    field_rules=rules,
    allow_extra_fields=st.booleans(),
    server=st.sampled_from([None, None, "s"]),
    outcome=st.sampled_from(["any", "ok", "error", "unknown"]),
)


@given(expected_calls, calls, schemas, st.booleans(), st.booleans())
def test_worth_is_what_single_comparisons_give(
    expected: ExpectedCall, actual: list[ToolCall], schema: object, strict: bool, tolerances: bool
) -> None:
    """Counts, full matches and open ones of all calls at once are those of each call compared alone."""
    made = Calls(actual, strict=strict, tolerances=tolerances, schemas={"t": schema})
    found = worth(expected, made)
    for index, call in enumerate(actual):
        bit = 1 << index
        candidate = (call.tool == "t" or bool(call.variants)) and (expected.server is None or call.server != "other")
        assert bool(found.candidates & bit) == candidate
        if not candidate:
            assert not (found.full | found.open) & bit
            continue
        assert sum(bool(mask & bit) for mask in found.classes.values()) == 1
        counts = next(counts for counts, mask in found.classes.items() if mask & bit)
        judged = compared(expected, made, index)
        assert counts == ((judged.equal, judged.surplus) if judged else (0, 0))
        if expected.arguments is None:
            arguments_fit: Truth = True
        elif judged is not None:
            arguments_fit = False if judged.differences else None if judged.unknown else True
        else:
            anything = expected.allow_extra_fields and not asks_for_any(expected)
            arguments_fit = False if unusable(call) else True if anything else None
        outcome_fits: Truth = True if expected.outcome in ("any", call.outcome) else None if call.outcome == "unknown" else False
        server_fits: Truth = True if expected.server in (None, call.server) else None
        parts = (arguments_fit, outcome_fits, server_fits)
        assert bool(found.full & bit) == all(part is True for part in parts)
        assert bool(found.open & bit) == (False not in parts and None in parts)
        assert arguments_of(call) == () or judged is not None or expected.arguments is None


def asks_for_any(expected: ExpectedCall) -> bool:
    """Whether some argument of the expected call is asked for, whatever the call's are."""
    return any(name not in expected.field_rules or not expected.field_rules[name].ignore for name in expected.arguments or {})
