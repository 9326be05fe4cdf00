"""Scoring what is known as a whole: all runs of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from otel_toolscore.engine import verdicts
from otel_toolscore.engine.bounds import Bounds
from otel_toolscore.engine.incremental import Engine
from otel_toolscore.engine.memory import conversation_of
from otel_toolscore.model import Document, Problem, Run, RunResult, Totals
from otel_toolscore.policy.records import Policy


def score_runs(
    policy: Policy,
    runs: Iterable[Run],
    *,
    problems: Sequence[Problem] = (),
    spans: int = 0,
    tool_spans: int = 0,
    bounds: Bounds | None = None,
) -> Document:
    """Score the runs, which are all there is of them; those of one conversation are judged together, wherever they stand.

    `problems` are what could not be read, `spans` and `tool_spans` how many were. The results stand in the order of the runs.
    """
    given = list(runs)
    engine = Engine(policy, _at_least(bounds or Bounds(), given))
    results: dict[int, RunResult] = {}
    for numbers in _conversations(given):
        engine.feed(given[number] for number in numbers)
        for number in numbers:
            over = number == numbers[-1]
            results[number] = engine.end_run(given[number].key, conversation_over=over)
    return document(engine, [results[number] for number in range(len(given))], problems=problems, spans=spans, tool_spans=tool_spans)


def document(
    engine: Engine, results: Sequence[RunResult], *, problems: Sequence[Problem] = (), spans: int = 0, tool_spans: int = 0
) -> Document:
    """All that the engine's runs came to together."""
    fail_on = engine.policy.fail_on
    never_selected = engine.usage.never_selected()
    verdict = verdicts.of_document(results, fail_on=fail_on, never_selected=never_selected, problems=problems)
    reasons = verdicts.reasons(verdict, results, fail_on=fail_on, never_selected=never_selected, problems=problems, spans=spans)
    return Document(
        verdict=verdict,
        reasons=reasons,
        runs=tuple(results),
        totals=totals(results, spans=spans, tool_spans=tool_spans),
        coverage=engine.usage.coverage(),
        problems=tuple(problems),
    )


def totals(results: Sequence[RunResult], *, spans: int = 0, tool_spans: int = 0) -> Totals:
    """Counts over the runs; findings of shadow rules are counted apart."""
    findings = [finding for result in results for finding in result.findings]
    enforced = [finding.kind for finding in findings if finding.enforcement == "enforce"]
    return Totals(
        spans=spans,
        tool_spans=tool_spans,
        calls=sum(len(result.run.calls) for result in results),
        runs=len(results),
        violations=enforced.count("violation"),
        shadow_violations=sum(finding.enforcement == "shadow" and finding.kind == "violation" for finding in findings),
        inconclusive=enforced.count("inconclusive"),
        merged_spans=sum(result.run.merged_spans for result in results),
    )


def _at_least(bounds: Bounds, runs: Sequence[Run]) -> Bounds:
    """The bounds, and room for what is there already."""
    calls = max((len(run.calls) for run in runs), default=0)
    return msgspec.structs.replace(bounds, runs=max(bounds.runs, len(runs)), calls=max(bounds.calls, calls))


def _conversations(runs: Sequence[Run]) -> list[list[int]]:
    """Indices of the runs, those of one conversation together by their start."""
    together: dict[str, list[int]] = {}
    alone: list[list[int]] = []
    for number, run in enumerate(runs):
        conversation = conversation_of(run)
        if conversation is None:
            alone.append([number])
        elif conversation in together:
            together[conversation].append(number)
        else:
            alone.append(together.setdefault(conversation, [number]))
    for numbers in together.values():
        numbers.sort(key=lambda number: _start(runs[number]))
    return alone


def _start(run: Run) -> int:
    """When the run started: its top, or the first of its calls where the top does not say."""
    starts = [call.start_ns for call in run.calls if call.start_ns is not None]
    return run.top.start_ns if run.top.start_ns is not None else min(starts, default=0)
