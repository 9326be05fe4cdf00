"""Live equals offline: each case, played through the SDK, gives the findings that scoring its exported spans gives."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml
from case_format import Case, load_cases
from opentelemetry.sdk.trace import SpanProcessor
from replay import Exported, Replay

from otel_toolscore.engine import score_runs
from otel_toolscore.live.memory import TraceMemory
from otel_toolscore.model import RunResult
from otel_toolscore.otlp.sdk import runs_of
from otel_toolscore.policy import Policy, PolicyError, loads
from otel_toolscore.processor import ToolScoreProcessor


class Nothing(SpanProcessor):
    """A processor that is there."""


def replayable(case: Case) -> bool:
    """Whether the SDK can make the case's spans, and a policy that can be loaded scores them."""
    if "policy" not in case.document or not case.document.get("input", {}).get("spans") or joins_traces(case):
        return False
    return not cannot_be_loaded(case)


def cannot_be_loaded(case: Case) -> bool:
    """Whether the case is about a policy that is refused."""
    try:
        loads(yaml.safe_dump(case.document["policy"]))
    except PolicyError:
        return True
    return False


def joins_traces(case: Case) -> bool:
    """Whether a server's span lost its link to the client's, and is in a trace of its own.

    In one process, where the SDK carries the link, there is no such span; what another process lost is found in the data of both.
    """
    sessions = {(span.get("trace", 1), (span.get("attrs") or {}).get("mcp.session.id")) for span in case.document["input"]["spans"]}
    return len({trace for trace, session in sessions if session is not None}) > 1


CASES = [case for case in load_cases() if replayable(case)]

ORDERS = {
    "scorer first": lambda scorer, exported: [scorer, Nothing(), exported],
    "exporter first": lambda scorer, exported: [exported, Nothing(), scorer],
    "in the middle": lambda scorer, exported: [Nothing(), scorer, exported],
}


def told(results: list[RunResult]) -> Counter[Any]:
    """Everything that the results say, each with the span that it is about."""
    found: Counter[Any] = Counter()
    for result in results:
        run = result.run
        found["run", run.key, result.verdict, run.complete] += 1
        for call, verdict in zip(run.calls, result.call_verdicts, strict=True):
            found["call", call.span_id, call.tool, call.agent_path, call.outcome, repr(call.arguments), verdict] += 1
        for finding in result.findings:
            about = run.calls[finding.call].span_id if finding.call is not None else finding.span_id
            found["finding", finding.rule, finding.kind, finding.cause, about] += 1
        for each in result.expectations:
            found["expectation", each.id, each.agent, each.span_id, each.verdict, each.score, each.reasons] += 1
    return found


def play(policy: Policy, document: dict[str, Any], order: str, *, late: bool = False) -> tuple[list[RunResult], list[Any]]:
    """What was last said of the runs of each trace, and what was exported."""
    final: dict[str, dict[str, RunResult]] = {}
    scorer = ToolScoreProcessor(policy, on_result=lambda result: final[result.run.trace_id].__setitem__(result.run.key, result))
    whole = scorer._scorer._whole

    def scored(memory: TraceMemory, **more: Any) -> list[RunResult]:
        final[f"{memory.trace_id:032x}"] = {}
        return whole(memory, **more)

    scorer._scorer._whole = scored  # type: ignore[method-assign]
    exported = Exported()
    Replay(ORDERS[order](scorer, exported), late=late).play(document["input"])
    scorer.shutdown()
    assert scorer.errors.by_type == {}
    return [result for results in final.values() for result in results.values()], exported.spans


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_live_equals_offline(case: Case, order: str) -> None:
    """The same runs, calls, findings and expectations, wherever the processor stands."""
    policy = loads(yaml.safe_dump(case.document["policy"]))
    live, spans = play(policy, case.document, order)
    offline = score_runs(policy, runs_of(spans, policy)).runs
    assert told(live) == told(list(offline))


def of_one_process(case: Case) -> bool:
    return not any("resource" in span for span in case.document["input"]["spans"])


@pytest.mark.parametrize("case", [case for case in CASES if of_one_process(case)], ids=lambda case: case.name)
def test_live_equals_offline_where_spans_show_late_what_they_are(case: Case) -> None:
    """The same, where no span has any attribute before its end."""
    policy = loads(yaml.safe_dump(case.document["policy"]))
    live, spans = play(policy, case.document, "scorer first", late=True)
    assert told(live) == told(list(score_runs(policy, runs_of(spans, policy)).runs))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_call_has_its_verdict_on_its_span(case: Case, order: str) -> None:
    """The verdict on a call's outermost span is the one that the call has in the end.

    A span that ended while a span around it could still record the same call says nothing. Where a later call makes the run larger
    than the agent that the call was in, a rule that looks back over the run can find more than it could when the call ended.
    """
    policy = loads(yaml.safe_dump(case.document["policy"]))
    live, spans = play(policy, case.document, order)
    told_by = {f"{span.context.span_id:016x}": span for span in spans}
    for result in live:
        for call, verdict in zip(result.run.calls, result.call_verdicts, strict=True):
            around = told_by.get(call.parent_span_id or "")
            within = around is not None and f"{around.context.span_id:016x}" in {other.span_id for other in result.run.calls}
            told_verdict = (told_by[call.span_id].attributes or {}).get("toolscore.verdict")
            if result.run.top.kind in ("enclosing", "trace") and call.agent is not None and looks_back(policy, result, call.span_id):
                assert told_verdict is not None
            else:
                assert told_verdict == verdict or (told_verdict is None and within), (call.tool, told_verdict, verdict)


def looks_back(policy: Policy, result: RunResult, span_id: str) -> bool:
    """Whether everything that was found about the call is of rules on histories."""
    rules = {finding.rule for finding in result.findings if finding.call is not None and finding.span_id == span_id}
    return bool(rules) and all(hasattr(rule.constraint, "per") for rule in policy.rules if rule.id in rules)


def test_most_cases_are_replayed() -> None:
    """What is left out is little: spans that one process cannot have, and policies that cannot be loaded."""
    scored = [case for case in load_cases() if "policy" in case.document and case.document.get("input", {}).get("spans")]
    refused = [case for case in scored if case not in CASES and not joins_traces(case)]
    assert all(cannot_be_loaded(case) for case in refused)
    assert len(CASES) > 200
