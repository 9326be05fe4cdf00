"""What a scored run says to each of its spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otel_toolscore import emit
from otel_toolscore.emit import Attributes, Evaluation
from otel_toolscore.engine import verdicts
from otel_toolscore.model import ExpectationResult, Finding, Run, RunResult, Scope, Verdict


def scopes_within(run: Run, scope: Scope) -> frozenset[str]:
    """Ids of the scope and of all below it."""
    inside = {scope.id}
    for each in run.scopes:  # outer before inner
        if each.parent in inside:
            inside.add(each.id)
    return frozenset(inside)


def about_span(result: RunResult, span_id: str, digest: str) -> Attributes | None:
    """What is written on the span; None where it is neither a call's outermost span nor a scope's."""
    run = result.run
    for number, call in enumerate(run.calls):
        if call.span_id == span_id:
            found = [finding for finding in result.findings if finding.call == number]
            return emit.attributes_for_call(found, result.call_verdicts[number], digest)
    for scope in run.scopes:
        if scope.span_id == span_id:
            return about_scope(result, scope, digest)
    return None


def about_scope(result: RunResult, scope: Scope, digest: str) -> Attributes:
    """What is written on the span of a scope."""
    top = scope.id == result.run.top.id
    findings = of_scope(result.findings, scope)
    expectations = [each for each in result.expectations if each.span_id == scope.span_id]
    verdict = result.verdict if top else scope_verdict(result, scope)
    return emit.attributes_for_scope(verdict, findings, expectations, digest, emit.totals(result) if top else None)


def of_scope(findings: Sequence[Finding], scope: Scope) -> list[Finding]:
    """Those about the scope itself."""
    return [finding for finding in findings if finding.call is None and finding.tool is None and finding.span_id == scope.span_id]


def scope_verdict(result: RunResult, scope: Scope) -> Verdict:
    """The worst of the calls, scopes and expectations in the scope."""
    inside = scopes_within(result.run, scope)
    spans = {each.span_id for each in result.run.scopes if each.id in inside}
    found: list[Verdict] = [verdict for call, verdict in zip(result.run.calls, result.call_verdicts, strict=True) if call.scope in inside]
    found += [each.verdict for each in result.expectations if each.span_id in spans]
    about = [finding for finding in result.findings if finding.call is None and finding.span_id in spans]
    found.append(verdicts.of_findings(about, applied=False))
    return verdicts.worst(found)


def evaluations(result: RunResult, digest: str, revision: int) -> Iterator[tuple[Evaluation, Finding | ExpectationResult]]:
    """The events of a run that is over, each with what it is about. `revision`: how often the run was scored by now."""
    run = result.run
    by_span = {scope.span_id: scope for scope in run.scopes if scope.span_id is not None}
    for finding in result.findings:
        call = run.calls[finding.call] if finding.call is not None else None
        scope = run.top if finding.kind == "inconclusive" else by_span.get(finding.span_id, run.top) if finding.span_id else run.top
        yield emit.finding_event(finding, call, scope, run.trace_id, digest, revision), finding
    for result_ in result.expectations:
        scope = by_span.get(result_.span_id, run.top) if result_.span_id is not None else run.top
        yield emit.expectation_event(result_, scope, run.trace_id, digest, revision), result_
