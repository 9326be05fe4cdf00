"""The JSON result (`schema_version` "1"): the same input and policy give the same bytes.

Every text is masked (`credentials`), whether values are shown or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import msgspec

from otel_toolscore.credentials import masked
from otel_toolscore.matchers import Matcher
from otel_toolscore.model import MISSING, Difference, Document, ExpectationResult, Finding, Pair, Problem, Run, RunResult
from otel_toolscore.reports.call_record import duration, record, timestamp

if TYPE_CHECKING:
    from otel_toolscore.policy.records import Policy

SCHEMA_VERSION: Final = "1"


def render(document: Document, policy: Policy, *, values: bool) -> bytes:
    """The whole document as one JSON object, with two spaces of indentation and a last line end.

    `values`: whether arguments, results, texts, errors and both sides of differences are part of it.
    """
    whole = {**_rest(document, policy), "runs": [_run(result, values) for result in document.runs]}
    ordered = {key: whole[key] for key in _KEYS}
    return msgspec.json.format(msgspec.json.encode(plain(masked(ordered))), indent=2) + b"\n"


def render_lines(document: Document, policy: Policy, *, values: bool) -> Iterator[bytes]:
    """The document as JSON Lines: one run a line, the rest of the document last."""
    for result in document.runs:
        yield line(_run(result, values))
    rest = _rest(document, policy)
    yield line({key: rest[key] for key in _KEYS if key in rest})


def line(value: object) -> bytes:
    """A value on a line of its own, masked; NaN and infinities as text, since JSON has none."""
    return msgspec.json.encode(plain(masked(value))) + b"\n"


_KEYS: Final = ("schema_version", "verdict", "policy", "totals", "runs", "coverage", "gates", "problems", "reasons")


def _rest(document: Document, policy: Policy) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": document.verdict,
        "policy": {
            "digest": policy.digest,
            "sources": list(policy.sources),
            "rules": [rule.id for rule in policy.rules],
            "expectations": [expectation.id for expectation in policy.expectations],
        },
        "totals": msgspec.structs.asdict(document.totals),
        "coverage": msgspec.structs.asdict(document.coverage),
        "gates": [],
        "problems": [_problem(problem) for problem in document.problems],
        "reasons": list(document.reasons),
    }


def _problem(problem: Problem) -> dict[str, object]:
    return {"code": problem.code, "where": problem.where, "message": problem.message}


def _run(result: RunResult, values: bool) -> dict[str, object]:
    run = result.run
    start, end = times(run)
    return {
        "trace_id": run.trace_id,
        "span_id": run.top.span_id,
        "agent": agent(run),
        "conversation": run.top.conversation,
        "service": run.top.service,
        "start": timestamp(start),
        "duration": duration(start, end),
        "complete": run.complete,
        "verdict": result.verdict,
        "calls": [
            {**record(call, values=values), "verdict": verdict} for call, verdict in zip(run.calls, result.call_verdicts, strict=True)
        ],
        "findings": [_finding(finding) for finding in result.findings],
        "expectations": [_expectation(expectation, values) for expectation in result.expectations],
    }


def agent(run: Run) -> str | None:
    """The name of the run's agent: its top's, or that of the one agent below it; None where there are several, or none that is named."""
    if run.top.kind == "agent":
        return run.top.name
    agents = {scope.id for scope in run.scopes if scope.kind == "agent"}
    names = {scope.name for scope in run.scopes if scope.kind == "agent" and scope.parent not in agents}
    return names.pop() if len(names) == 1 else None


def times(run: Run) -> tuple[int | None, int | None]:
    """Start and end of the run: of its top, or of its calls where the top records none."""
    starts = [call.start_ns for call in run.calls if call.start_ns is not None]
    ends = [call.end_ns for call in run.calls if call.end_ns is not None]
    start = min(starts, default=None) if run.top.start_ns is None else run.top.start_ns
    return start, max(ends, default=None) if run.top.end_ns is None else run.top.end_ns


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "kind": finding.kind,
        "enforcement": finding.enforcement,
        "severity": finding.severity,
        "message": finding.message,
        "explanation": finding.explanation,
        "cause": finding.cause,
        "tool": finding.tool,
        "call": finding.call,
        "span_id": finding.span_id,
        "path": finding.path,
    }


def _expectation(result: ExpectationResult, values: bool) -> dict[str, object]:
    return {
        "id": result.id,
        "agent": result.agent,
        "span_id": result.span_id,
        "verdict": result.verdict,
        "score": result.score,
        "score_bounds": result.score_bounds,
        "grade": result.grade,
        "metrics": msgspec.structs.asdict(result.metrics),
        "reasons": list(result.reasons),
        "tolerated": list(result.tolerated),
        "expected_tools": list(result.expected_tools),
        "exact": result.exact,
        "alignment": [_pair(pair, result, values) for pair in result.alignment],
    }


def _pair(pair: Pair, result: ExpectationResult, values: bool) -> dict[str, object]:
    return {
        "expected": pair.expected,
        "actual": pair.actual if pair.actual is None or pair.actual >= len(result.calls) else result.calls[pair.actual],
        "match": pair.match,
        "unknown": pair.unknown,
        "differences": [_difference(difference, values) for difference in pair.differences],
    }


def _difference(difference: Difference, values: bool) -> dict[str, object]:
    """A side that is missing, or hidden, has no key."""
    shown: dict[str, object] = {"path": difference.path}
    if values:
        sides = (("expected", difference.expected), ("actual", difference.actual))
        shown.update((name, side) for name, side in sides if side is not MISSING)
    return {**shown, "why": difference.why}


def plain(value: object) -> object:
    """The value as types that JSON has."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, (Fraction, float)):
        number = float(value)
        return number if math.isfinite(number) else ("NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity")
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Matcher):
        return plain(masked(value.spelled()))
    return str(value)
