"""Verdict, score, bounds, grade and reasons of calls against an expectation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item
from otel_toolscore.matchers import ANY, Attr
from otel_toolscore.model import NOT_CAPTURED, Evidence, ExpectationResult, ToolCall
from otel_toolscore.score import DEFAULT_WEIGHTS, grade, merged, score_calls

REDACTED = Evidence("unreadable", cause="redacted", text="[REDACTED]")
MALFORMED = Evidence("unreadable", cause="malformed", text="{not valid")


def wanted(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> ExpectedCall:
    return ExpectedCall(name, arguments, **{"outcome": "ok", **more})


def called(tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=NOT_CAPTURED if arguments is None else Evidence("captured", arguments), **more)


def scored(items: Sequence[Item], calls: Sequence[ToolCall], **more: Any) -> ExpectationResult:
    return score_calls(items, calls, id="e", **more)


def said(result: ExpectationResult) -> str:
    return "; ".join(result.reasons)


def test_key_order_and_number_form_do_not_matter() -> None:
    """A perfect run is exactly 1 and A."""
    result = scored([wanted("w", {"city": "Oslo", "unit": "c", "days": 5})], [called("w", {"unit": "c", "days": 5.0, "city": "Oslo"})])
    assert (result.verdict, result.score, result.grade, result.metrics.argument_f1) == ("pass", 1, "A", 1)
    assert result.reasons == ()


def test_types_are_exact_unless_the_field_is_numeric() -> None:
    """true is not 1, text is a number only where the rule says so; one of three arguments is equal."""
    expected = wanted("w", {"a": 1, "b": 5, "c": 5}, field_rules={"c": FieldRule(numeric=True)})
    result = scored([expected], [called("w", {"a": True, "b": "5", "c": "5"})])
    assert (result.verdict, result.score, result.grade) == ("fail", Fraction(8, 10), "B")
    assert result.reasons == ("w: $.a is a boolean instead of a number", "w: $.b is text instead of a number")


def test_an_extra_argument() -> None:
    """It fails by default and passes where further arguments are allowed."""
    call = called("w", {"city": "Oslo", "x": True})
    closed = scored([wanted("w", {"city": "Oslo"})], [call])
    assert (closed.verdict, closed.reasons) == ("fail", ("w: $.x was not expected",))
    opened = scored([wanted("w", {"city": "Oslo"}, allow_extra_fields=True)], [call])
    assert (opened.verdict, opened.score) == ("pass", 1)


def test_field_rules_count_on_neither_side_where_they_ignore() -> None:
    """A strict pass under rules, defaults and tolerances scores 1."""
    expected = wanted(
        "s",
        {"cabins": ["economy", "business"], "status": "open", "price": 10, "note": "y"},
        field_rules={
            "cabins": FieldRule(order_independent_list=True),
            "status": FieldRule(case_insensitive=True),
            "price": FieldRule(abs_tol=0.01),
            "note": FieldRule(ignore=True),
            "page": FieldRule(default=1),
        },
    )
    call = called("s", {"cabins": ["business", "economy"], "status": "OPEN", "price": 9.995, "note": "x", "page": None})
    result = scored([expected], [call])
    assert (result.verdict, result.score) == ("pass", 1)
    assert result.tolerated == ("s: $.note is ignored", "s: $.page equals its default")


def test_malformed_arguments_fail_with_the_reason() -> None:
    """Arguments that are not JSON are a difference, not an unknown; they count as missed."""
    result = scored([wanted("w", {"city": "Oslo"})], [ToolCall(tool="w", arguments=MALFORMED)])
    assert (result.verdict, result.reasons, result.metrics.argument_f1) == ("fail", ("w: the arguments are not valid JSON",), 0)
    other = ToolCall(tool="w", arguments=Evidence("unreadable", cause="malformed", text="[1]"))
    assert scored([wanted("w", {})], [other]).reasons == ("w: the arguments are not an object",)


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        (NOT_CAPTURED, "were not captured"),
        (REDACTED, "were redacted"),
        (Evidence("unreadable", cause="truncated", text="{"), "were truncated"),
        (Evidence("unreadable", cause="duplicate_key", text="{}"), "have a key twice"),
    ],
)
def test_unknown_arguments_leave_the_verdict_open(evidence: Evidence, why: str) -> None:
    """The names are still scored, argument_f1 is null, and the bounds say what is possible."""
    result = scored([wanted("w", {"city": "Oslo"})], [ToolCall(tool="w", arguments=evidence)])
    assert (result.verdict, result.grade, result.score) == ("inconclusive", None, 1)
    assert (result.metrics.argument_f1, result.metrics.selection_accuracy) == (None, 1)
    assert result.score_bounds == (Fraction(7, 10), 1)
    assert why in said(result)
    assert result.alignment[0].unknown


def test_a_missing_call_fails_at_any_score() -> None:
    """Half of the calls are there, the score is 0.9, and still it fails."""
    items = [wanted("list"), wanted("read")]
    for minimum in (None, 0.9):
        result = scored(items, [called("read", {})], min_score=minimum)
        assert (result.verdict, result.score, result.grade) == ("fail", Fraction(9, 10), "A")
        assert result.metrics.required_call_recall == Fraction(1, 2)
        assert result.reasons == ("list was not called",)


def test_pairing_is_optimal() -> None:
    """The first call is not simply given to the first expected one that it fits."""
    items = [wanted("t", {"x": 1, "y": ANY}), wanted("t", {"x": 1, "y": 1})]
    result = scored(items, [called("t", {"x": 1, "y": 1}), called("t", {"x": 1, "y": 2})], order="any")
    assert (result.verdict, result.metrics.argument_f1) == ("pass", 1)
    assert [(pair.expected, pair.actual) for pair in result.alignment] == [(0, 1), (1, 0)]


def test_order() -> None:
    """Sequence, any order, a group before and a group after."""
    calls = [called(name) for name in "bac"]
    a, b, c = map(wanted, "abc")
    assert [
        scored([a, b, c], calls).verdict,
        scored([a, b, c], calls, order="any").verdict,
        scored([Group((a, b)), c], calls).verdict,
        scored([c, Group((a, b))], calls).verdict,
    ] == ["fail", "pass", "pass", "fail"]
    assert scored([a, b, c], calls).reasons == ("a was called out of order",)
    assert scored([a, b, c], calls, order="any").score == scored([Group((a, b)), c], calls).score == 1


def test_calls_of_one_start_satisfy_either_order() -> None:
    """Parallel calls are in order whichever is listed first, and the sequence is accurate."""
    calls = [called("b", start_ns=5), called("a", start_ns=5), called("c", start_ns=9)]
    result = scored([wanted(name) for name in "abc"], calls)
    assert (result.verdict, result.score) == ("pass", 1)
    assert scored([wanted(name) for name in "acb"], calls).verdict == "fail"


def test_a_minimum_forgives_arguments_but_no_extra_call() -> None:
    """An extra argument at 0.9 passes; a forbidden extra call fails at any minimum; allowed ones leave the metrics."""
    forgiven = scored([wanted("a", {"x": 1})], [called("a", {"x": 1, "y": 2})], min_score=0.9)
    assert (forgiven.verdict, forgiven.score, forgiven.reasons) == ("pass", Fraction(9, 10), ())
    assert forgiven.tolerated == ("a: $.y was not expected", "the score 0.9 reaches the minimum 0.9")
    calls = [called("a"), called("delete_all")]
    assert scored([wanted("a")], calls, min_score=0.1).reasons == ("delete_all was called and not expected",)
    allowed = scored([wanted("a")], calls, min_score=0.5, extra="allow")
    assert (allowed.verdict, allowed.score) == ("pass", 1)
    assert scored([wanted("a")], calls, extra=[False, True]).verdict == "pass"
    assert scored([wanted("a")], calls, extra=[True, False]).verdict == "fail"
    assert scored([wanted("a")], calls, extra=[False, None]).verdict == "inconclusive"


def test_a_failed_call_meets_no_expectation_of_success() -> None:
    """Unless any outcome will do; an outcome is never forgiven."""
    calls = [called("pay", outcome="error")]
    result = scored([wanted("pay")], calls, min_score=0)
    assert (result.verdict, result.reasons) == ("fail", ("pay: the outcome is error instead of ok",))
    assert scored([wanted("pay", outcome="any")], calls).verdict == "pass"
    assert scored([wanted("pay")], [called("pay", outcome="unknown")]).verdict == "inconclusive"


def test_what_is_unknown_bounds_the_score() -> None:
    """The verdict is open only where the bounds leave it open."""
    calls = [called("a", {"x": 2}), called("b")]
    items = [wanted("a", {"x": 1}), wanted("b", {"y": 1})]
    assert scored(items, calls).verdict == "fail"
    assert scored(items, calls, min_score=0.95).verdict == "fail"
    middle = scored(items, calls, min_score=0.8)
    assert (middle.verdict, middle.score_bounds) == ("inconclusive", (Fraction(7, 10), Fraction(85, 100)))
    assert "the score is between 0.7 and 0.85, the minimum 0.8" in middle.reasons
    assert scored(items, calls, min_score=0.7).verdict == "pass"
    assert scored([wanted("a"), wanted("b")], calls).verdict == "pass"


def test_unknown_arguments_may_be_those_of_another_expected_call() -> None:
    """The verdict fails only if it fails for every completion, however the calls are paired then."""
    items = [wanted("a", {"x": 1}), wanted("a", {"x": 2})]
    assert scored(items, [called("a", {"x": 2}), called("a")], order="any").verdict == "inconclusive"
    assert scored(items, [called("a", {"x": 3}), called("a")], order="any").verdict == "fail"
    one = [wanted("a", {"x": 1})]
    assert scored(one, [called("a", {"x": 5}), called("a")], extra="allow").verdict == "inconclusive"
    assert scored(one, [called("a", {"x": 5}), called("a")]).verdict == "fail"
    assert scored(one, [called("a"), called("a", {"x": 1})], extra="allow").verdict == "pass"


def test_nothing_expected_and_nothing_called() -> None:
    """Silence is right where no call is expected, and wrong where one is."""
    nothing = scored([], [])
    assert (nothing.verdict, nothing.score, nothing.metrics.required_call_recall) == ("pass", 1, None)
    assert scored([wanted("a")], []).verdict == "fail"
    assert scored([], [called("a")]).verdict == "fail"


def test_an_incomplete_trace_leaves_missing_calls_open() -> None:
    """A call that is missing may be among those that were not seen; a wrong one is still wrong."""
    items = [wanted("a"), wanted("b")]
    result = scored(items, [called("a")], complete=False)
    assert (result.verdict, result.grade) == ("inconclusive", None)
    assert result.reasons == ("b was not seen to be called, and the trace is incomplete",)
    assert scored(items, [called("a"), called("c")], complete=False).verdict == "fail"
    assert scored(items, [called("a"), called("b")], complete=False).verdict == "pass"
    assert scored(items, [called("a")], complete=False, min_score=0.9).verdict == "inconclusive"


def test_retries() -> None:
    """Failed calls that a matched call of the tool follows are tolerated, others are not."""
    failed, good = called("a", outcome="error"), called("a")
    assert scored([wanted("a")], [failed, failed, good], extra="retries").verdict == "pass"
    result = scored([wanted("a")], [failed, good], extra="retries")
    assert (result.score, result.tolerated) == (1, ("a was called and not expected: it failed and was called again",))
    assert scored([wanted("a")], [good, failed], extra="retries").verdict == "fail"
    assert scored([wanted("a")], [good, good], extra="retries").verdict == "fail"
    assert scored([wanted("b")], [failed, called("b")], extra="retries").verdict == "fail"


def test_times_and_optional_calls() -> None:
    """Up to the minimum any call of the tool is taken, above it full matches only."""
    twice = wanted("a", {"x": 1}, min_times=1, max_times=2)
    assert scored([twice], [called("a", {"x": 1})] * 2).verdict == "pass"
    assert scored([twice], [called("a", {"x": 1})] * 3).verdict == "fail"
    above = scored([twice], [called("a", {"x": 2}), called("a", {"x": 1}), called("a", {"x": 3})])
    assert [pair.match for pair in above.alignment] == ["mismatched", "matched", "extra"]
    optional = wanted("log", min_times=0)
    assert scored([optional, wanted("b")], [called("b")]).score == 1
    assert scored([optional, wanted("b")], [called("log"), called("b")]).score == 1


def test_alternatives() -> None:
    """One of them is enough; where none is met, the best stands, of equally good ones the first."""
    either = AnyOf(((wanted("email"),), (wanted("sms"),)))
    assert scored([either], [called("sms")]).verdict == "pass"
    assert scored([either], [called("sms"), called("email")]).verdict == "fail"
    assert scored([either], []).reasons == ("email was not called",)
    longer = AnyOf(((wanted("a"), wanted("b")), (wanted("c"),)))
    assert scored([longer], [called("b")]).reasons == ("a was not called",)


def test_must_is_never_forgiven() -> None:
    """Its differences fail where those of the other calls are forgiven."""
    calls = [called("a", {"x": 2}), called("b", {"x": 1})]
    assert scored([wanted("a", {"x": 1}), wanted("b", {"x": 1})], calls, min_score=0.5).verdict == "pass"
    assert scored([wanted("a", {"x": 1}, must=True), wanted("b", {"x": 1})], calls, min_score=0.5).verdict == "fail"


def test_servers() -> None:
    """A server that the expectation names has to be known; one that the policy gives the tool contradicts a known other."""
    mine = wanted("search", server="docs")
    assert scored([mine], [called("search", server="docs")]).verdict == "pass"
    assert scored([mine], [called("search")]).verdict == "inconclusive"
    assert scored([mine], [called("search", server="web")]).reasons == (
        "search was not called",
        "search was called and not expected",
    )
    assert scored([wanted("search")], [called("search", server="web")], servers={"search": "docs"}).verdict == "fail"
    assert scored([wanted("search")], [called("search")], servers={"search": "docs"}).verdict == "pass"


def test_names_bare_and_as_recorded() -> None:
    """An expected name is literal, in either form."""
    call = called("read", recorded_name="mcp__files__read", server="files")
    assert scored([wanted("read")], [call]).verdict == "pass"
    assert scored([wanted("mcp__files__read")], [call]).score == 1
    assert scored([wanted("re*")], [call]).verdict == "fail"


def test_no_reason_shows_a_value() -> None:
    """Neither an expected nor an actual value is in any text."""
    result = scored(
        [wanted("a", {"password": "hunter2", "n": ["s3cret"]})], [called("a", {"password": "letmein", "n": ["other"], "extra": "x-value"})]
    )
    for value in ("hunter2", "letmein", "s3cret", "other", "x-value"):
        assert value not in said(result)
    assert result.verdict == "fail"


def test_many_equal_reasons_are_told_once() -> None:
    """A loop of a hundred calls is one reason."""
    assert scored([], [called("a")] * 100).reasons == ("a was called and not expected (100 times)",)


def test_weights_are_merged_and_normalised() -> None:
    """Given weights replace the defaults of their metrics; their sum is made 1, exactly."""
    assert sum(DEFAULT_WEIGHTS.values()) == 1
    assert merged({"required_call_recall": 0.3})["selection_accuracy"] == Fraction(4, 13)
    with pytest.raises(ValueError, match="weights: 'speed' is no metric of the score"):
        merged({"speed": 1})
    with pytest.raises(ValueError, match="weights: argument_f1 must not be negative"):
        merged({"argument_f1": -1})
    with pytest.raises(ValueError, match="weights: argument_f1 must be a number"):
        merged({"argument_f1": float("nan")})
    with pytest.raises(ValueError, match="weights: at least one must be more than 0"):
        merged(dict.fromkeys(DEFAULT_WEIGHTS, 0))


def test_grades_are_exact() -> None:
    """0.4 + 0.3 + 0.1 + 0.1 is 0.9, and an A."""
    assert [grade(Fraction(score, 100)) for score in (100, 90, 89, 80, 70, 60, 59, 0)] == list("AABBCDFF")


def test_indices_and_names_of_the_result() -> None:
    """The result says which calls of the run it is about and what was expected."""
    result = scored([wanted("a"), wanted("b")], [called("b"), called("a")], indices=[4, 7], agent="x", span_id="s", order="any")
    assert (result.calls, result.expected_tools, result.agent, result.span_id) == ((4, 7), ("a", "b"), "x", "s")
    assert [(pair.expected, pair.actual, pair.match) for pair in result.alignment] == [(0, 1, "matched"), (1, 0, "matched")]


def test_attributes_of_the_scope() -> None:
    """What is compared with an attribute that was not recorded is open; with one that was, it is decided."""
    expected = [wanted("a", {"id": Attr("test.id"), "x": 1})]
    call = called("a", {"id": "7", "x": 1})
    assert scored(expected, [call], attributes={"test.id": ("7",)}).verdict == "pass"
    assert scored(expected, [call], attributes={"test.id": ("8",)}).reasons[0].startswith("a: $.id")
    result = scored(expected, [call])
    assert (result.verdict, result.metrics.argument_f1) == ("inconclusive", None)
    assert result.reasons == ("a: it is not known whether $.id fits",)


def test_a_group_closes_before_the_next_item_starts() -> None:
    """Nested: sequences of alternatives may interleave inside of a group, not leave it."""
    a, b, c, d = map(wanted, "abcd")
    items = [Group((AnyOf(((a, b),)), c)), d]
    for order, verdict in {"abcd": "pass", "acbd": "pass", "cabd": "pass", "bacd": "fail", "abdc": "fail"}.items():
        assert scored(items, [called(name) for name in order]).verdict == verdict


def test_repetitions_and_alternatives_in_sequence() -> None:
    """A repeated call ends where the next item begins; an alternative is a whole sequence."""
    search = wanted("search", min_times=1, max_times=None)
    either = AnyOf(((wanted("buy"), wanted("mail")), (wanted("give_up"),)))
    for names, verdict in {
        ("search", "search", "buy", "mail"): "pass",
        ("search", "give_up"): "pass",
        ("search", "buy"): "fail",
        ("give_up",): "fail",
        ("search", "give_up", "search"): "fail",
        ("search", "buy", "mail", "give_up"): "fail",
    }.items():
        assert scored([search, either], [called(name) for name in names]).verdict == verdict
