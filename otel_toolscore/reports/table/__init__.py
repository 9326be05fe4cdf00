"""The table: what was scored, for a person at a terminal or in the log of a build.

    __init__.py      the page: which runs are shown, in which order
      runs.py        one run: its calls, findings, expectations
        calls.py     the rows of calls
        expectations.py  an expectation's score and what differs, expected beside actual
      summary.py     the end: verdict, totals, coverage, problems, policy, hints
      pen.py         writing lines: marks, styles, widths, and text that is safe to show

Its length is bounded however much was scored; what is left out is counted. Every text is masked, and control characters are
shown as escapes, so that nothing in a trace can write to the terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from otel_toolscore.model import Document, RunResult, Verdict
from otel_toolscore.reports.table.pen import WORST_FIRST, Pen
from otel_toolscore.reports.table.runs import Detail, write_run
from otel_toolscore.reports.table.summary import write_summary

if TYPE_CHECKING:
    from otel_toolscore.policy.records import Policy

MAX_RUNS: Final = 100
"""Runs that get at least a line."""
MAX_RUNS_WHOLE: Final = 25
"""Runs whose calls are shown."""
MAX_CALLS: Final = 120
"""Calls that are shown of all runs together."""
MAX_CALLS_OF_RUN: Final = 40

ColorSystem = Literal["standard", "256", "truecolor", "windows"]


def render(
    document: Document,
    policy: Policy,
    *,
    values: bool,
    width: int = 120,
    color_system: ColorSystem | None = None,
    unicode: bool = True,
) -> str:
    """The document as text for people, with a line end after each line.

    `values`: whether arguments, results, errors and both sides of differences are shown. `width` in columns; `color_system`
    None gives no escape sequences; `unicode` False only ASCII marks.
    """
    pen = Pen(width=width, color_system=color_system, unicode=unicode, values=values)
    runs = document.runs
    order = sorted(range(len(runs)), key=lambda i: (WORST_FIRST.index(runs[i].verdict), i))[:MAX_RUNS]
    details = _details(runs, order)
    for index in sorted(order):
        write_run(pen, runs[index], policy, details[index])
    _write_left_out(pen, [run for i, run in enumerate(runs) if i not in details])
    write_summary(pen, document, policy)
    return pen.text()


def _details(runs: Sequence[RunResult], order: Sequence[int]) -> dict[int, Detail]:
    """How much is shown of each run, the worst first."""
    left, details = MAX_CALLS, {}
    for place, index in enumerate(order):
        calls = min(len(runs[index].run.calls), MAX_CALLS_OF_RUN, left) if place < MAX_RUNS_WHOLE else 0
        left -= calls
        details[index] = Detail(calls=calls, whole=place < MAX_RUNS_WHOLE)
    return details


def _write_left_out(pen: Pen, runs: Sequence[RunResult]) -> None:
    if runs:
        counted: Counter[Verdict] = Counter(run.verdict for run in runs)
        kinds = ", ".join(f"{counted[verdict]:,} {verdict}" for verdict in WORST_FIRST if counted[verdict])
        pen.prose(f"{pen.marks.more} {pen.count(len(runs), 'more run')}: {kinds} (--format json has them all)", style="dim")
        pen.blank()
