"""The rows of calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from otel_toolscore.credentials import masked
from otel_toolscore.model import SEVERITIES, Evidence, Finding, RunResult, ToolCall, Verdict
from otel_toolscore.reports.call_record import duration
from otel_toolscore.reports.json import plain
from otel_toolscore.reports.shown import safe
from otel_toolscore.reports.table.pen import SEVERITY_STYLES, VERDICT_STYLES, WORST_FIRST, Pen, seconds_text

if TYPE_CHECKING:
    from otel_toolscore.policy.records import Policy

MAX_FINDINGS_OF_CALL: Final = 5
_MAX_NAME: Final = 36
_MAX_AGENT: Final = 32
_NARROW: Final = 80
_LEAST_FOR_ARGUMENTS: Final = 24
_LONGEST_VALUE: Final = 2000

OUTCOME_STYLES: Final = {"ok": "dim", "error": "red", "unknown": "yellow", "not_executed": "dim"}


def chosen(result: RunResult, most: int) -> list[int]:
    """Indices of the calls that are shown, in order: the worst verdicts, of these the most severe, of these the first."""
    severity = dict.fromkeys(range(len(result.call_verdicts)), 0)
    for finding in result.findings:
        if finding.call is not None and finding.kind == "violation" and finding.enforcement == "enforce":
            severity[finding.call] = max(severity[finding.call], SEVERITIES.index(finding.severity))
    return sorted(sorted(severity, key=lambda i: (WORST_FIRST.index(result.call_verdicts[i]), -severity[i], i))[:most])


def write_calls(pen: Pen, result: RunResult, policy: Policy, shown: Sequence[int]) -> None:
    """The rows of the calls that are shown, each with the violations on it; the others are counted in their place."""
    calls = result.run.calls
    columns = Columns(pen, [calls[i] for i in shown], len(calls))
    violations: dict[int, list[Finding]] = {}
    for finding in result.findings:
        if finding.call is not None and finding.kind == "violation":
            violations.setdefault(finding.call, []).append(finding)
    last, explained = -1, set[str]()
    for index in (*shown, len(calls)):
        if index - last > 1:
            left = result.call_verdicts[last + 1 : index]
            kinds = ", ".join(f"{left.count(verdict):,} {verdict}" for verdict in WORST_FIRST if verdict in left)
            pen.row((f"{pen.marks.more} {pen.count(len(left), 'more call')}: {kinds}", "dim"), indent=columns.indent)
        last = index
        if index < len(calls):
            columns.write(index, calls[index], result.call_verdicts[index])
            _write_violations(pen, violations.get(index, ()), policy, columns.indent + 2, explained)


def _write_violations(pen: Pen, found: Sequence[Finding], policy: Policy, indent: int, explained: set[str]) -> None:
    """The violations of a call; each rule is explained once a run."""
    for finding in found[:MAX_FINDINGS_OF_CALL]:
        write_finding(pen, finding, policy, indent=indent, brief=finding.rule in explained)
        explained.add(finding.rule)
    if len(found) > MAX_FINDINGS_OF_CALL:
        pen.row((f"{pen.marks.more} {pen.count(len(found) - MAX_FINDINGS_OF_CALL, 'more finding')}", "dim"), indent=indent)


class Columns:
    """The columns of a run's calls: index, mark, tool, agent where there are several, outcome, duration, arguments."""

    def __init__(self, pen: Pen, calls: Sequence[ToolCall], count: int) -> None:
        self._pen = pen
        self._index = len(str(max(count - 1, 0)))
        self.indent = 2 + self._index + 3
        narrow = pen.width < _NARROW
        agents = {call.agent_path for call in calls}
        self._agents = len(agents) > 1 and not narrow
        self._tool = min(max((cell_len(self._name(call)) for call in calls), default=0), _MAX_NAME, pen.width // 2)
        self._agent = min(max((cell_len(self._path(call)) for call in calls), default=0), _MAX_AGENT) if self._agents else 0
        self._outcome = max((len(call.outcome) for call in calls), default=0)
        self._time = 0 if narrow else max((len(self._duration(call)) for call in calls), default=0)

    def _name(self, call: ToolCall) -> str:
        return self._pen.ascii(safe(f"{call.tool} @{call.server}" if call.server else call.tool) or "(no name)")

    def _path(self, call: ToolCall) -> str:
        return self._pen.ascii(self._pen.marks.inside.join(map(safe, call.agent_path)) or "-")

    def _duration(self, call: ToolCall) -> str:
        return seconds_text(duration(call.start_ns, call.end_ns))

    def write(self, index: int, call: ToolCall, verdict: Verdict | None) -> None:
        """The row of one call, without a mark where nothing was scored; its arguments get a line of their own where the row is full."""
        pen = self._pen
        parts: list[tuple[str, str] | str] = [
            (f"{index:>{self._index}} ", "dim"),
            (pen.marks.of(verdict), VERDICT_STYLES[verdict]) if verdict else " ",
            (" " + pen.fit(self._name(call), self._tool), "bold" if verdict == "fail" else ""),
        ]
        if self._agents:
            parts.append(("  " + pen.fit(self._path(call), self._agent), "dim"))
        parts.append((f"  {call.outcome:<{self._outcome}}", OUTCOME_STYLES[call.outcome]))
        if self._time:
            parts.append((f"  {self._duration(call):>{self._time}}", "dim"))
        used = 2 + sum(cell_len(part if isinstance(part, str) else part[0]) for part in parts)
        passed, style = arguments_text(call.arguments, values=pen.values)
        if pen.width - used < min(_LEAST_FOR_ARGUMENTS, cell_len(passed) + 2):
            pen.row(*parts, indent=2)
            pen.row((passed, style), indent=self.indent)
        else:
            pen.row(*parts, ("  " + passed, style), indent=2)
        self._write_failure(call)

    def _write_failure(self, call: ToolCall) -> None:
        kind = safe(call.error_type or "")
        text = safe(call.error[:_LONGEST_VALUE]) if self._pen.values and call.error else ""
        if call.outcome == "error" and (kind or text):
            self._pen.row((": ".join(part for part in (kind, text) if part), "red"), indent=self.indent)


def arguments_text(evidence: Evidence, *, values: bool) -> tuple[str, str]:
    """What is shown of arguments, with its style: the values, or only how many there are; or why there are none."""
    if evidence.state == "not_captured":
        return "arguments not captured", "italic yellow"
    if evidence.state == "unreadable":
        text = f" {safe((evidence.text or '')[:_LONGEST_VALUE])}" if values else ""
        return f"arguments unreadable ({evidence.cause or 'unknown'}){text}", "italic yellow"
    if values:
        return value_text(evidence.value), "cyan"
    number = len(evidence.value) if isinstance(evidence.value, (dict, list)) else 1
    return Pen.count(number, "argument") if number else "no arguments", "dim"


def value_text(value: object) -> str:
    """A value as one line of JSON, masked and bounded."""
    text = json.dumps(plain(masked(value)), ensure_ascii=False)
    return safe(text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE])


def write_finding(pen: Pen, finding: Finding, policy: Policy, *, indent: int, times: int = 1, brief: bool = False) -> None:
    """A finding: rule, severity and message, then what was seen and where to read on; `times` it is so; `brief`: only the first line."""
    shadow = finding.enforcement == "shadow"
    mark = pen.marks.shadow if shadow else pen.marks.failed if finding.kind == "violation" else pen.marks.open
    style = "dim" if shadow else SEVERITY_STYLES[finding.severity] if finding.kind == "violation" else "yellow"
    title: list[tuple[str, str] | str] = [(f"{mark} {safe(finding.rule)}", style), (f"  {finding.severity}", style)]
    if shadow:
        title.append(("  shadow: does not count", "dim"))
    if times > 1:
        title.append((f"  {times:,} times", style))
    if finding.message:
        title.append(f"  {safe(finding.message)}")
    pen.prose(*title, indent=indent, hang=2)
    if brief:
        return
    seen = safe(finding.explanation or finding.cause or "")
    where = f" (at {safe(finding.path)})" if finding.path else ""
    if seen or where:
        pen.prose(f"{seen}{where}", indent=indent + 2, style="dim")
    runbook = next((rule.runbook for rule in policy.rules if rule.id == finding.rule), None)
    if runbook and finding.kind == "violation":
        pen.prose(f"runbook: {safe(runbook)}", indent=indent + 2, style="dim")
