"""The end of the table: verdict, totals, what was not covered, problems, the policy, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from otel_toolscore.model import SEVERITIES, Document
from otel_toolscore.reports.shown import safe
from otel_toolscore.reports.table.pen import SEVERITY_STYLES, VERDICT_STYLES, WORST_FIRST, Pen

if TYPE_CHECKING:
    from otel_toolscore.policy.records import Policy

MAX_PROBLEMS: Final = 10
MAX_NAMES: Final = 12
_LABEL: Final = 11
_SHORT_DIGEST: Final = 12
_BUILT_IN: Final = "toolscore:"


def write_summary(pen: Pen, document: Document, policy: Policy) -> None:
    """The verdict last, where one looks first."""
    for problem in document.problems[:MAX_PROBLEMS]:
        _line(pen, "problem", f"{safe(problem.where)}: {safe(problem.message)}", style="yellow")
    if len(document.problems) > MAX_PROBLEMS:
        _line(pen, "", f"{pen.marks.more} {pen.count(len(document.problems) - MAX_PROBLEMS, 'more problem')}", style="yellow")
    _write_coverage(pen, document, policy)
    _write_policy(pen, policy)
    _write_totals(pen, document)
    for reason in document.reasons:
        _line(pen, "", safe(reason))


def _line(pen: Pen, label: str, text: str, *, style: str = "") -> None:
    pen.prose((f"{label:<{_LABEL}}", "dim"), (text, style), hang=_LABEL)


def _write_coverage(pen: Pen, document: Document, policy: Policy) -> None:
    """What was never touched; that nothing was as bad as a built-in rule fears is no news."""
    coverage = document.coverage
    built_in = {rule.id for rule in policy.rules if rule.where.startswith(_BUILT_IN)}
    unused = [rule for rule in coverage.unused_rules if rule not in built_in]
    if unused:
        _line(pen, "unused", f"no call ever fitted {_names(unused)}", style="dim")
    if coverage.unused_expectations:
        _line(pen, "unused", f"nothing was selected by {_names(coverage.unused_expectations)}", style="dim")
    if coverage.uncovered_tools:
        _line(pen, "uncovered", f"no rule or expectation is about {_names(coverage.uncovered_tools)}", style="dim")
    share = coverage.captured_share
    if share is not None and share < 1:
        _line(pen, "captured", f"the arguments of {int(share * 100)} % of the calls", style="yellow")


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(safe(name) for name in names[:MAX_NAMES])
    return shown + (f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else "")


def _write_policy(pen: Pen, policy: Policy) -> None:
    sources = ", ".join(map(safe, policy.sources)) or "(none)"
    counts = f"{pen.count(len(policy.rules), 'rule')}, {pen.count(len(policy.expectations), 'expectation')}"
    digest = f", digest {policy.digest[:_SHORT_DIGEST]}" if policy.digest else ""
    _line(pen, "policy", f"{sources} ({counts}{digest})")


def _write_totals(pen: Pen, document: Document) -> None:
    totals = document.totals
    verdicts = Counter(verdict for run in document.runs for verdict in run.call_verdicts)
    calls = ", ".join(f"{verdicts[verdict]:,} {verdict}" for verdict in WORST_FIRST if verdicts[verdict])
    violations: Counter[str] = Counter(
        finding.severity
        for run in document.runs
        for finding in run.findings
        if finding.kind == "violation" and finding.enforcement == "enforce"
    )
    parts: list[tuple[str, str] | str] = [
        (document.verdict.upper(), f"bold {VERDICT_STYLES[document.verdict]}"),
        f"  {pen.count(totals.runs, 'run')}, {pen.count(totals.calls, 'call')}{f' ({calls})' if calls else ''}",
    ]
    if totals.violations:
        parts.append(f"{pen.marks.dot}{pen.count(totals.violations, 'violation')}")
        found = [severity for severity in reversed(SEVERITIES) if violations[severity]]
        for severity in found:
            before = " (" if severity == found[0] else ", "
            parts += [before, (f"{violations[severity]:,} {severity}", SEVERITY_STYLES[severity])]
        parts.append(")" if found else "")
    if totals.shadow_violations:
        parts.append(f"{pen.marks.dot}{totals.shadow_violations:,} in shadow")
    if totals.inconclusive:
        parts.append((f"{pen.marks.dot}{totals.inconclusive:,} open", "yellow"))
    spans = f"{pen.marks.dot}{pen.count(totals.spans, 'span')}, {totals.tool_spans:,} of tools"
    parts.append((spans + (f", {totals.merged_spans:,} merged" if totals.merged_spans else ""), "dim"))
    pen.prose(*parts, hang=2)
