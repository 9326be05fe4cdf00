"""One run: what ran, its calls, findings and expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from otel_toolscore.model import Finding, Run, RunResult, Verdict
from otel_toolscore.reports.call_record import duration, timestamp
from otel_toolscore.reports.json import agent, times
from otel_toolscore.reports.shown import safe
from otel_toolscore.reports.table.calls import chosen, write_calls, write_finding
from otel_toolscore.reports.table.expectations import write_expectation
from otel_toolscore.reports.table.pen import VERDICT_STYLES, WORST_FIRST, Pen, seconds_text

if TYPE_CHECKING:
    from otel_toolscore.policy.records import Policy

MAX_EXPECTATIONS: Final = 20
MAX_FINDINGS: Final = 20
_SHORT_ID: Final = 8
_TO_THE_SECOND: Final = 19


class Detail(msgspec.Struct, frozen=True):
    """How much of a run is shown."""

    calls: int
    whole: bool
    """False: one line only."""


def write_run(pen: Pen, result: RunResult, policy: Policy, detail: Detail) -> None:
    """A run: a line that says which, then its calls, findings and expectations, as much of them as `detail` gives."""
    write_title(pen, result.run, result.verdict)
    if not detail.whole:
        return
    calls = result.run.calls
    if calls:
        write_calls(pen, result, policy, chosen(result, detail.calls))
    else:
        pen.row(("no tool call", "dim"), indent=2)
    _write_findings(pen, result, policy)
    shown = sorted(result.expectations, key=lambda e: WORST_FIRST.index(e.verdict))[:MAX_EXPECTATIONS]
    for expectation in shown:
        write_expectation(pen, expectation, result.run, policy)
    if len(result.expectations) > len(shown):
        pen.row((f"{pen.marks.more} {pen.count(len(result.expectations) - len(shown), 'more expectation')}", "dim"), indent=2)
    pen.blank()


def write_title(pen: Pen, run: Run, verdict: Verdict | None) -> None:
    """Which run it is: verdict, agent, trace, conversation, service, start and length."""
    start, end = times(run)
    facts = [
        "" if run.complete else "incomplete",
        pen.count(len(run.calls), "call"),
        seconds_text(duration(start, end)),
        (timestamp(start) or "")[:_TO_THE_SECOND].replace("T", " ") + "Z" if start is not None else "",
        f"trace {safe(run.trace_id[:_SHORT_ID])}" if run.trace_id else "",
        f"service {safe(run.top.service)}" if run.top.service else "",
        f"conversation {safe(run.top.conversation)}" if run.top.conversation else "",
    ]
    pen.row(
        (f"{verdict.upper()}  ", VERDICT_STYLES[verdict]) if verdict else "",
        (safe(agent(run) or run.top.name or "(no agent named)"), "bold"),
        (pen.marks.dot + pen.marks.dot.join(fact for fact in facts if fact), "dim"),
    )


def _write_findings(pen: Pen, result: RunResult, policy: Policy) -> None:
    """The findings that belong to no single call, and what is open, told once for all calls that it is open for."""
    of_scopes = [finding for finding in result.findings if finding.call is None and finding.kind == "violation"]
    opened: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in result.findings:
        if finding.kind == "inconclusive":
            opened.setdefault((finding.rule, finding.cause), []).append(finding)
    lines = [[finding] for finding in of_scopes] + list(opened.values())
    for found in lines[:MAX_FINDINGS]:
        write_finding(pen, found[0], policy, indent=2, times=len(found))
    if len(lines) > MAX_FINDINGS:
        pen.row((f"{pen.marks.more} {pen.count(len(lines) - MAX_FINDINGS, 'more finding')}", "dim"), indent=2)
