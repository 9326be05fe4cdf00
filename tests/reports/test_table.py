"""The table: what it says, how long it gets, and that nothing in a trace can write to the terminal."""

from __future__ import annotations

import re
import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from scored_document import (
    CALLS,
    DOCUMENT,
    EXPECTATION,
    OPEN,
    POLICY,
    RESULT,
    SECRET,
    TOP,
    TRACE,
    VIOLATION,
    call,
    captured,
    document_of,
    passing,
)

from otel_toolscore.model import Coverage, Document, Finding, Problem, Run, RunResult
from otel_toolscore.reports.shown import safe
from otel_toolscore.reports.table import MAX_CALLS_OF_RUN, MAX_RUNS, render
from otel_toolscore.reports.table.listing import render_calls
from otel_toolscore.reports.table.pen import score_text, seconds_text
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def lines(document: Document = DOCUMENT, *, values: bool = True, **page: object) -> list[str]:
    return render(document, POLICY, values=values, **page).splitlines()  # type: ignore[arg-type]


def test_the_whole_table() -> None:
    """A person sees each call with its verdict, what is wrong with it, the expectation beside it, and the verdict at the end."""
    assert lines() == [
        "FAIL  support · 5 calls · 7 s · 2026-09-21 14:13:20Z · trace aaaaaaaa · service agents · conversation c-1",
        '  0 ✓ search_orders           support           ok     40 ms  {"customer": "ada@example.com"}',
        '  1 ✗ issue_refund @payments  support           error  40 ms  {"order_id": "A-1041", "amount": 950}',
        "      PaymentError: card declined\\nby the bank",
        '  2 ✗ run_shell               support → helper  ok     40 ms  {"command": "rm -rf / # [masked AWS access key]"}',
        "        ✗ no-rm-rf  critical  destructive shell command",
        "          the call of `run_shell` is one that the rule forbids (at $.command)",
        "        ○ trial  low  shadow: does not count",
        "          a trial",
        "  3 ? notify                  support           ok     40 ms  arguments not captured",
        '  4 · log                     support           ok     40 ms  arguments unreadable (truncated) {"q": "a l',
        "  ✗ audit  medium  no audit log",
        "    no call that the rule requires",
        "  ? no-rm-rf  critical",
        "    it is not known whether the call of `notify` is one that the rule forbids",
        "  ✗ refund  expectation fail  agent support  score 0.899 B (between 0.500 and 0.900)",
        "    selection 1.000 · arguments 0.666 · sequence 1.000 · redundant 0.000 · recall -",
        "    - `issue_refund`: $.amount differs",
        "    tolerated: the default of $.page",
        "      expected       actual",
        "    ✓ search_orders  search_orders [0]",
        "    ≠ issue_refund   issue_refund [1]",
        '        $.amount  expected {"x": {"$gt": 0}}, is 950  (does not match)',
        '        $.note  expected nothing, is "n"  (extra)',
        "    - send_email     missing",
        "    +                run_shell [2] not expected",
        "    ? notify         notify [3] open: not all is known",
        "",
        "problem    traces.jsonl:12: expected a whole JSON document",
        "unused     no call ever fitted never",
        "unused     nothing was selected by nobody",
        "uncovered  no rule or expectation is about log",
        "captured   the arguments of 60 % of the calls",
        "policy     toolscore.yaml (0 rules, 0 expectations, digest d1d1d1d1d1d1)",
        "FAIL  1 run, 5 calls (2 fail, 1 inconclusive, 1 unscored, 1 pass) · 2 violations (1 critical, 1 medium) · 1 in shadow ·",
        "  1 open · 36 spans, 6 of tools, 1 merged",
        "           an expectation failed",
    ]


def test_values_are_hidden() -> None:
    """Without values, arguments are counted, and neither results, errors nor sides of differences are there."""
    text = "\n".join(lines(values=False))
    for value in ("ada@example.com", "950", "rm -rf /", "card declined", '"a l', "$gt"):
        assert value not in text
    assert "  0 ✓ search_orders           support           ok     40 ms  1 argument\n" in text
    assert "      PaymentError\n" in text
    assert "        $.amount  does not match\n" in text


def test_plain_ascii() -> None:
    """Where only ASCII can be written, the marks are ASCII and other text is escaped."""
    made = RunResult(run=Run(trace_id=TRACE, scopes=(TOP,), calls=(call(0, "søk"),)), verdict="pass", call_verdicts=("pass",))
    text = "\n".join([*lines(unicode=False), *lines(document_of(made), unicode=False)])
    assert text.isascii()
    assert "v s\\xf8k" in text
    assert "x no-rm-rf" in text


def test_colors_only_where_asked() -> None:
    """Escape sequences are there only with a colour system, and change no character."""
    plain, colored = render(DOCUMENT, POLICY, values=True), render(DOCUMENT, POLICY, values=True, color_system="truecolor")
    assert "\x1b" not in plain
    assert "\x1b[" in colored
    unstyled = [line.rstrip() for line in ESCAPE.sub("", colored).splitlines()]
    assert unstyled == plain.splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 79, 80, 100, 200])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    """Rows are cut and paragraphs wrapped at the width, 40 columns at least."""
    shown = lines(width=width)
    assert max(map(cell_len, shown)) <= max(width, 40)
    assert any("run_shell" in line for line in shown)
    assert any("no-rm-rf" in line and "critical" in line for line in shown)


@given(st.text(), st.integers(40, 90))
def test_any_name_fits(name: str, width: int) -> None:
    """Whatever characters names and values hold, no line is too wide, and none moves the cursor."""
    made = call(0, name or "x", captured({name: name}), agent=name, agent_path=(name, "b"), error=name, error_type=name, outcome="error")
    finding = Finding(rule="r", kind="violation", severity="low", message=name, explanation=name, call=0, path=name)
    result = RunResult(run=Run(trace_id=TRACE, scopes=(TOP,), calls=(made,)), verdict="fail", call_verdicts=("fail",), findings=(finding,))
    text = render(document_of(result, verdict="fail"), POLICY, values=True, width=width)
    assert max(map(cell_len, text.split("\n"))) <= width
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in text if char != "\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\rb\nc\td", "a\\rb\\nc\\td"),
        ("abc\u202edef", "abc\\u202edef"),
        ("a\u200bb", "a\\u200bb"),
        ("\x9b31m", "\\x9b31m"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("snøkrabbe 蟹 🦀", "snøkrabbe 蟹 🦀"),
        (f"x {SECRET}", "x [masked AWS access key]"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    """Escape sequences, line ends, text that runs backwards or is not seen are written out; letters stay."""
    assert safe(text) == shown


def test_a_thousand_calls() -> None:
    """A long run shows what failed and the first of the rest; what is left out is counted where it stands."""
    made = tuple(call(i, "look", captured({"i": i})) for i in range(1000))
    verdicts = tuple("fail" if i in (500, 999) else "pass" for i in range(1000))
    findings = tuple(msgspec.structs.replace(VIOLATION, call=i, tool="look") for i in (500, 999))
    result = RunResult(run=Run(trace_id=TRACE, scopes=(TOP,), calls=made), verdict="fail", call_verdicts=verdicts, findings=findings)  # type: ignore[arg-type]
    shown = lines(document_of(result, verdict="fail"))
    assert len(shown) < MAX_CALLS_OF_RUN + 20
    assert any(line.startswith("  500 ✗ look") for line in shown)
    assert any(line.startswith("  999 ✗ look") for line in shown)
    assert sum("more calls: " in line for line in shown) == 2
    assert "        ⋮ 462 more calls: 462 pass" in shown
    assert "        ⋮ 498 more calls: 498 pass" in shown


def test_the_most_severe_are_shown() -> None:
    """Of more failed calls than fit, those with the most severe violations are shown; a rule is explained once a run."""
    made = tuple(call(i, "look") for i in range(100))
    findings = tuple(
        msgspec.structs.replace(VIOLATION, call=i, severity="critical" if i == 99 else "low", rule="bad" if i == 99 else "lesser")
        for i in range(100)
    )
    result = RunResult(run=Run(trace_id=TRACE, scopes=(TOP,), calls=made), verdict="fail", call_verdicts=("fail",) * 100, findings=findings)
    shown = lines(document_of(result, verdict="fail"))
    assert "         ✗ bad  critical  destructive shell command" in shown
    assert sum("lesser  low" in line for line in shown) == MAX_CALLS_OF_RUN - 1
    assert sum("one that the rule forbids" in line for line in shown) == 2


def test_a_thousand_open_findings() -> None:
    """What is open for many calls alike is told once, with its number."""
    made = tuple(call(i, "look") for i in range(1000))
    findings = tuple(msgspec.structs.replace(OPEN, call=i) for i in range(1000))
    result = RunResult(
        run=Run(trace_id=TRACE, scopes=(TOP,), calls=made),
        verdict="inconclusive",
        call_verdicts=("inconclusive",) * 1000,
        findings=findings,
    )
    shown = lines(document_of(result, verdict="inconclusive"))
    assert len(shown) < MAX_CALLS_OF_RUN + 20
    assert "  ? no-rm-rf  critical  1,000 times" in shown


def test_a_thousand_runs() -> None:
    """The worst runs are shown whole, the next by a line, and the rest are counted; a failed one is never left out for one that passed."""
    shown = lines(document_of(*(passing(i) for i in range(998)), RESULT, passing(998)))
    assert len(shown) < 250
    assert any("no-rm-rf" in line for line in shown)
    assert f"⋮ {1000 - MAX_RUNS} more runs: {1000 - MAX_RUNS} pass (--format json has them all)" in shown
    assert sum(line.startswith(("PASS  agent", "FAIL  support")) for line in shown) == MAX_RUNS


def test_an_expectation_of_a_thousand_calls() -> None:
    """Of a long alignment the rows that differ are shown, with the row before each."""
    pairs = tuple(msgspec.structs.replace(EXPECTATION.alignment[0], expected=i, actual=i) for i in range(1000))
    pairs = (*pairs[:500], msgspec.structs.replace(pairs[500], actual=None, match="missing"), *pairs[501:])
    expectation = msgspec.structs.replace(EXPECTATION, alignment=pairs, calls=tuple(range(1000)), expected_tools=("look",) * 1000)
    made = tuple(call(i, "look") for i in range(1000))
    result = RunResult(
        run=Run(trace_id=TRACE, scopes=(TOP,), calls=made), verdict="fail", call_verdicts=("pass",) * 1000, expectations=(expectation,)
    )
    shown = lines(document_of(result, verdict="fail"))
    at = shown.index("    - look      missing")
    assert shown[at - 2 : at + 2] == [
        "    ⋮ 499 as expected",
        "    ✓ look      look [499]",
        "    - look      missing",
        "    ⋮ 499 as expected",
    ]


def test_a_hundred_problems() -> None:
    """Problems are bounded too."""
    problems = tuple(Problem("broken_record", f"a.jsonl:{i}", "expected JSON") for i in range(100))
    shown = lines(msgspec.structs.replace(document_of(verdict="unscored"), problems=problems, reasons=("no tool call",)))
    assert sum("expected JSON" in line for line in shown) == 10
    assert "           ⋮ 90 more problems" in shown
    assert shown[-2:] == ["UNSCORED  0 runs, 0 calls · 0 spans, 0 of tools", "           no tool call"]


def test_unused_rules_of_the_built_in_policy() -> None:
    """That no call fitted a built-in rule is not told; of one's own rules it is."""
    forbid = Forbid(Pattern(tool=("x",)))
    rules = (
        Rule(id="theirs", constraint=forbid, where="toolscore:recommended:4:5"),
        Rule(id="mine", constraint=forbid, where="p.yaml:4:5"),
    )
    document = msgspec.structs.replace(document_of(passing(1)), coverage=Coverage(unused_rules=("theirs", "mine")))
    text = render(document, msgspec.structs.replace(POLICY, rules=rules), values=False)
    assert "no call ever fitted mine\n" in text


def test_a_run_without_calls() -> None:
    """A run without calls says so."""
    result = RunResult(run=Run(trace_id=TRACE, scopes=(TOP,), complete=False), verdict="pass", call_verdicts=())
    assert lines(document_of(result))[:2] == [
        "PASS  support · incomplete · 0 calls · 7 s · 2026-09-21 14:13:20Z · trace aaaaaaaa · service agents · conversation c-1",
        "  no tool call",
    ]


def test_scores_are_cut_not_rounded() -> None:
    """A score that falls short of a minimum never seems to reach it."""
    from fractions import Fraction

    assert [score_text(score) for score in (Fraction(89999, 100000), Fraction(1), Fraction(0), None)] == ["0.899", "1.000", "0.000", "-"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, ""),
        (0.0, "0 ms"),
        (0.0004, "0.4 ms"),
        (0.04, "40 ms"),
        (0.9996, "1 s"),
        (12.34, "12.3 s"),
        (600.0, "10 min"),
        (9000.0, "2.5 h"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    """A duration has a unit that suits it."""
    assert seconds_text(seconds) == text


def test_the_listing_of_calls() -> None:
    """`calls` shows each call with what was passed and what came back, then what each span was taken for."""
    run = Run(trace_id=TRACE, scopes=(TOP,), calls=CALLS[:2])
    assert render_calls((run,), [(CALLS[0].span_id, TRACE, "execute_tool search_orders", "a call")]).splitlines() == [  # type: ignore[list-item]
        "support · 2 calls · 7 s · 2026-09-21 14:13:20Z · trace aaaaaaaa · service agents · conversation c-1",
        '  0   search_orders           ok     40 ms  {"customer": "ada@example.com"}',
        '      = {"order": "A-1041"}',
        '  1   issue_refund @payments  error  40 ms  {"order_id": "A-1041", "amount": 950}',
        "      PaymentError: card declined\\nby the bank",
        "      2 spans merged · fan_out",
        "",
        "aaaaaaaa b000000000000000 execute_tool search_orders  a call",
    ]
