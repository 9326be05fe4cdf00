"""From findings and scores to verdicts, and what they come to in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from otel_toolscore.model import SEVERITIES, Finding, Problem, RunResult, Severity, Verdict
from otel_toolscore.rules.causes import CAUSES

_WORST: Final[tuple[Verdict, ...]] = ("fail", "inconclusive", "pass", "unscored")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of them: fail, inconclusive, pass; `unscored` where there is nothing else."""
    return min(verdicts, key=_WORST.index, default="unscored")


def of_findings(findings: Iterable[Finding], *, applied: bool) -> Verdict:
    """The verdict about a call, or a scope, with these findings; `applied`: a rule or an expectation applied to it.

    What a shadow rule finds counts for nothing.
    """
    kinds = {finding.kind for finding in findings if finding.enforcement == "enforce"}
    if "violation" in kinds:
        return "fail"
    if "inconclusive" in kinds:
        return "inconclusive"
    return "pass" if applied else "unscored"


def of_document(
    runs: Sequence[RunResult], *, fail_on: Severity, never_selected: Sequence[str] = (), problems: Sequence[Problem] = ()
) -> Verdict:
    """The verdict about all runs together. `never_selected`: ids of required expectations that no scope was selected for."""
    counting = [finding for run in runs for finding in run.findings if counts(finding, fail_on)]
    scored = [result.verdict for run in runs for result in run.expectations]
    if "fail" in scored or any(finding.kind == "violation" for finding in counting):
        return "fail"
    if counting or "inconclusive" in scored or never_selected:
        return "inconclusive"
    if all(run.verdict == "unscored" for run in runs):
        return "unscored"
    return "inconclusive" if problems else "pass"


def counts(finding: Finding, fail_on: Severity) -> bool:
    """Whether the finding bears on the document's verdict."""
    return finding.enforcement == "enforce" and SEVERITIES.index(finding.severity) >= SEVERITIES.index(fail_on)


def reasons(
    verdict: Verdict,
    runs: Sequence[RunResult],
    *,
    fail_on: Severity,
    never_selected: Sequence[str] = (),
    problems: Sequence[Problem] = (),
    spans: int = 0,
) -> tuple[str, ...]:
    """Why the document has its verdict, the most important first; with a hint where it is inconclusive or unscored."""
    found: list[str] = []
    if verdict == "fail":
        found += _violations(runs, fail_on)
        found += _expectations(runs, "fail")
    if verdict != "unscored":
        found += _doubts(runs, fail_on)
        found += _expectations(runs, "inconclusive")
    else:
        found += _nothing(runs, spans)
    found += [f"the expectation `{name}` is required and was never asked: check its `when`" for name in never_selected]
    if problems:
        found.append(f"{_number(len(problems), 'part')} of the input could not be read: see the problems")
    return tuple(found)


def _violations(runs: Sequence[RunResult], fail_on: Severity) -> list[str]:
    rules = Counter(finding.rule for run in runs for finding in run.findings if finding.kind == "violation" and counts(finding, fail_on))
    return [f"the rule `{rule}` was violated{_times(count)}" for rule, count in rules.items()]


def _expectations(runs: Sequence[RunResult], verdict: Verdict) -> list[str]:
    names = Counter(result.id for run in runs for result in run.expectations if result.verdict == verdict)
    said = "was not met" if verdict == "fail" else "may or may not be met"
    return [f"the expectation `{name}` {said}{_times(count)}" for name, count in names.items()]


def _doubts(runs: Sequence[RunResult], fail_on: Severity) -> list[str]:
    causes = Counter(
        finding.cause for run in runs for finding in run.findings if finding.kind == "inconclusive" and counts(finding, fail_on)
    )
    said = []
    for cause, count in causes.items():
        known = CAUSES.get(cause or "")
        text = f"{_number(count, 'finding')} inconclusive: {cause or 'evidence is missing'}"
        said.append(text if known is None else f"{text} ({known.phrase}); {known.hint}")
    return said


def _nothing(runs: Sequence[RunResult], spans: int) -> list[str]:
    if not runs:
        where = _number(spans, "span")
        return [f"no tool call and no agent was found in {where}: `otel-toolscore calls --explain` says of each span why it is none"]
    calls = sum(len(run.run.calls) for run in runs)
    if not calls:
        return [f"no tool call was found in {_number(len(runs), 'run')}, and no expectation or requirement was asked"]
    return [f"no rule and no expectation was asked about {_number(calls, 'tool call')}: check the policy and its `when`"]


def _times(count: int) -> str:
    return "" if count == 1 else f" {count} times"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
