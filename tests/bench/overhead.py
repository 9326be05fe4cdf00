"""What scoring costs a span: each kind of span with the processor beside the same span without it, in one process.

    python tests/bench/overhead.py [--pairs 200] [--profile]

Pairs are measured one after the other, and the median of their differences is told: what else the machine does meets both sides alike.
Times are CPU time of the thread, in microseconds.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from opentelemetry.sdk.trace import SpanProcessor, Tracer, TracerProvider

from otel_toolscore.policy import Policy, loads
from otel_toolscore.processor import ToolScoreProcessor

TOOLS = ("search_orders", "issue_refund", "send_email", "run_shell", "read_file")
CALLS_A_RUN = 20
REQUEST = {f"http.request.header.x{number}": f"value {number}" for number in range(12)}
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support", "gen_ai.conversation.id": "c1"}


def policy() -> Policy:
    """20 rules: four on each of five tools, of every family that a call can meet."""
    rules = []
    for tool in TOOLS:
        rules += [
            {"id": f"{tool}-forbidden", "forbid": {"tool": tool, "args": {"path": {"$regex": "/etc/|\\.ssh/"}}}},
            {"id": f"{tool}-outside", "when": {"agent": "other-*"}, "forbid": {"tool": tool}},
            {"id": f"{tool}-often", "limit": {"call": tool, "max": 100_000}},
            {"id": f"{tool}-after", "never_after": {"call": tool, "after": "log_out"}},
        ]
    return loads(json.dumps({"version": 1, "rules": rules}))


def plain(tracer: Tracer) -> None:
    """A span of something else, with 12 attributes."""
    tracer.start_span("GET /orders", attributes=REQUEST).end()


def tool(tracer: Tracer) -> None:
    """A tool span as instrumentations write it: what it is at the start, arguments and result at the end."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_orders",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_7",
    }
    span = tracer.start_span("execute_tool search_orders", attributes=attributes)
    span.set_attribute("gen_ai.tool.call.arguments", '{"customer": "ada@example.com", "status": "open", "path": "/home/ada"}')
    span.set_attribute("gen_ai.tool.call.result", '[{"order": "A-17"}]')
    span.end()


class Row(NamedTuple):
    """What is measured: `make` runs `count` spans of a kind with this tracer and gives the seconds that they took."""

    name: str
    make: Callable[[Tracer], float]
    count: int


def alone(span: Callable[[Tracer], None], count: int) -> Callable[[Tracer], float]:
    """Spans that are their own traces."""

    def run(tracer: Tracer) -> float:
        begun = time.thread_time()
        for _ in range(count):
            span(tracer)
        return time.thread_time() - begun

    return run


def in_a_run(span: Callable[[Tracer], None], count: int, *, whole: bool = False) -> Callable[[Tracer], float]:
    """Spans below an agent span; `whole` counts the agent span, and with it the scoring of the whole run, in."""

    def run(tracer: Tracer) -> float:
        start = time.thread_time()
        with tracer.start_as_current_span("invoke_agent support", attributes=AGENT):
            begun = time.thread_time()
            for _ in range(count):
                span(tracer)
            done = time.thread_time()
        return time.thread_time() - start if whole else done - begun

    return run


ROWS = (
    Row("plain span", alone(plain, 100), 100),
    Row("plain span in an agent's run", in_a_run(plain, 100), 100),
    Row("tool span, 20 rules", in_a_run(tool, CALLS_A_RUN), CALLS_A_RUN),
    Row(f"tool span, with its share of a run of {CALLS_A_RUN}", in_a_run(tool, CALLS_A_RUN, whole=True), CALLS_A_RUN),
)


def tracers() -> dict[str, Tracer]:
    """Without, with a processor that does nothing, and with the scorer."""
    made = {}
    for name, processor in (("without", None), ("empty processor", SpanProcessor()), ("scored", ToolScoreProcessor(policy()))):
        provider = TracerProvider(shutdown_on_exit=False)
        if processor is not None:
            provider.add_span_processor(processor)
        made[name] = provider.get_tracer("bench")
    return made


def measure(pairs: int) -> None:
    given = tracers()
    print(f"{'':46} {'without':>9} {'empty':>9} {'scored':>9} {'on top':>9} {'share':>8}")
    for row in ROWS:
        taken: dict[str, list[float]] = {name: [] for name in given}
        for _ in range(pairs):
            for name, tracer in given.items():
                taken[name].append(row.make(tracer) / row.count * 1e6)
        without, empty, scored = (taken[name] for name in ("without", "empty processor", "scored"))
        on_top = statistics.median(scored_ - without_ for scored_, without_ in zip(scored, without, strict=True))
        share = statistics.median((scored_ - without_) / without_ for scored_, without_ in zip(scored, without, strict=True))
        medians = (statistics.median(without), statistics.median(empty), statistics.median(scored))
        print(f"{row.name:46} {medians[0]:9.2f} {medians[1]:9.2f} {medians[2]:9.2f} {on_top:9.2f} {share:8.1%}")


def profile() -> None:
    tracer = tracers()["scored"]
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(100):
        in_a_run(tool, CALLS_A_RUN)(tracer)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    profile() if arguments.profile else measure(arguments.pairs)


if __name__ == "__main__":
    main()
