"""An expectation's score and what differs, expected beside actual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from otel_toolscore.matchers import Matcher
from otel_toolscore.model import MISSING, Difference, ExpectationResult, Pair, Run
from otel_toolscore.reports.shown import safe
from otel_toolscore.reports.table.calls import value_text
from otel_toolscore.reports.table.pen import VERDICT_STYLES, Pen, score_text

if TYPE_CHECKING:
    from otel_toolscore.policy.records import Policy

MAX_REASONS: Final = 8
MAX_ROWS: Final = 20
MAX_DIFFERENCES: Final = 6
_MAX_NAME: Final = 32
_MAX_SIDE: Final = 60

METRIC_WORDS: Final = {
    "selection_accuracy": "selection",
    "argument_f1": "arguments",
    "sequence_accuracy": "sequence",
    "redundant_rate": "redundant",
    "required_call_recall": "recall",
}


def write_expectation(pen: Pen, result: ExpectationResult, run: Run, policy: Policy) -> None:
    """Score, grade and metrics; the reasons, and what differs, where it did not simply pass."""
    title: list[tuple[str, str] | str] = [
        (f"{pen.marks.of(result.verdict)} {safe(result.id)}", VERDICT_STYLES[result.verdict]),
        (f"  expectation {result.verdict}", ""),
    ]
    if result.agent:
        title.append((f"  agent {safe(result.agent)}", "dim"))
    title.append((f"  {_score(result, policy)}", "bold"))
    pen.prose(*title, indent=2, hang=2)
    metrics = ((word, getattr(result.metrics, name)) for name, word in METRIC_WORDS.items())
    pen.prose(pen.marks.dot.join(f"{word} {score_text(value)}" for word, value in metrics), indent=4, style="dim")
    for reason in result.reasons[:MAX_REASONS]:
        pen.prose(f"- {safe(reason)}", indent=4, hang=2)
    if len(result.reasons) > MAX_REASONS:
        pen.row((f"{pen.marks.more} {pen.count(len(result.reasons) - MAX_REASONS, 'more reason')}", "dim"), indent=4)
    if result.tolerated:
        pen.prose(f"tolerated: {'; '.join(map(safe, result.tolerated[:MAX_REASONS]))}", indent=4, style="dim")
    if any(_differs(pair) for pair in result.alignment):
        _write_rows(pen, result, run)


def _score(result: ExpectationResult, policy: Policy) -> str:
    least = next((expectation.min_score for expectation in policy.expectations if expectation.id == result.id), None)
    parts = [f"score {score_text(result.score)}" if result.score is not None else "no score", result.grade or ""]
    if result.score_bounds:
        parts.append("(between {} and {})".format(*map(score_text, result.score_bounds)))
    if least is not None:
        parts.append(f"(at least {score_text(least)} wanted)")
    return " ".join(part for part in parts if part)


def _differs(pair: Pair) -> bool:
    return pair.match != "matched" or pair.unknown or bool(pair.differences)


def _write_rows(pen: Pen, result: ExpectationResult, run: Run) -> None:
    """Rows that differ, each with the row before it, so that one sees where."""
    rows = list(result.alignment)
    names = [pen.ascii(_expected_name(pair, result)) for pair in rows]
    column = min(max([len("expected"), *map(cell_len, names)]), _MAX_NAME, pen.width // 3)
    shown = [i for i, pair in enumerate(rows) if _differs(pair) or (i + 1 < len(rows) and _differs(rows[i + 1]))][:MAX_ROWS]
    pen.row((f"  {pen.fit('expected', column)}  actual", "dim underline"), indent=4)
    last = -1
    for i in (*shown, len(rows)):
        if i - last > 1:
            left = rows[last + 1 : i]
            as_expected = sum(not _differs(pair) for pair in left)
            note = f"{as_expected:,} as expected" + (f", {len(left) - as_expected:,} not" if len(left) > as_expected else "")
            pen.row((f"{pen.marks.more} {note}", "dim"), indent=4)
        last = i
        if i < len(rows):
            _write_row(pen, rows[i], names[i], column, result, run)


def _expected_name(pair: Pair, result: ExpectationResult) -> str:
    known = pair.expected is not None and pair.expected < len(result.expected_tools)
    return safe(result.expected_tools[pair.expected]) if known else ""  # type: ignore[index]


def _write_row(pen: Pen, pair: Pair, name: str, column: int, result: ExpectationResult, run: Run) -> None:
    marks = pen.marks
    sign, style = {
        "matched": (marks.open, "yellow") if pair.unknown else (marks.passed, "dim"),
        "mismatched": (marks.open, "yellow") if pair.unknown and not pair.differences else (marks.differs, "red"),
        "missing": (marks.missing, "red"),
        "extra": (marks.extra, "red"),
        "out_of_order": (marks.moved, "red"),
    }[pair.match]
    pen.row((f"{sign} ", style), (pen.fit(name, column), style), "  ", *_actual(pair, result, run, style), indent=4)
    for difference in pair.differences[:MAX_DIFFERENCES]:
        _write_difference(pen, difference)
    if len(pair.differences) > MAX_DIFFERENCES:
        pen.row((f"{marks.more} {pen.count(len(pair.differences) - MAX_DIFFERENCES, 'more difference')}", "dim"), indent=8)


def _actual(pair: Pair, result: ExpectationResult, run: Run, style: str) -> list[tuple[str, str]]:
    if pair.actual is None:
        return [("missing", style)]
    index = result.calls[pair.actual] if pair.actual < len(result.calls) else pair.actual
    name = safe(run.calls[index].tool) if index < len(run.calls) else ""
    told = {"extra": "not expected", "out_of_order": "out of order", "matched": "open: not all is known" if pair.unknown else ""}
    return [(f"{name} ", style), (f"[{index}] ", "dim"), (told.get(pair.match, ""), "dim")]


def _write_difference(pen: Pen, difference: Difference) -> None:
    if not pen.values:
        pen.prose((safe(difference.path), "bold"), f"  {safe(difference.why)}", indent=8)
        return
    expected, actual = _side(pen, difference.expected), _side(pen, difference.actual)
    sides = ("  expected ", (expected, "green"), ", is ", (actual, "red"))
    pen.prose((safe(difference.path), "bold"), *sides, (f"  ({safe(difference.why)})", "dim"), indent=8, hang=2)


def _side(pen: Pen, side: object) -> str:
    if side is MISSING:
        return "nothing"
    return pen.fit(value_text(side.spelled() if isinstance(side, Matcher) else side), _MAX_SIDE).rstrip()
