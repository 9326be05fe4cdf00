"""What a check of one call costs, beside llm-agentspec's guard: `python tests/bench/rules.py [--pairs N] [--profile]`.

Five contracts that both can say, on the same calls, in one process: forbid, forbid by an argument, a limit in a window, an order
with equal values, never after. Cost of one further call after 10, 100 and 1,000 calls of history, in microseconds of CPU time of the
thread. Both sides are given calls that are in order already, and are asked what the call is and remember it: `Engine.feed` here,
`FastGuard.check_call` and `commit` there (`commit` alone judges too; both are told). Rounds alternate, and medians are told.

llm-agentspec comes with the extra `bench`.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import statistics
import time
from collections.abc import Callable
from typing import Any

from otel_toolscore.engine import Engine
from otel_toolscore.model import Evidence, Run, Scope, ToolCall
from otel_toolscore.policy import Policy, loads

HISTORIES = (10, 100, 1_000)
BATCH = 50
"""Further calls that are measured together."""
UNRELATED = 200
SECOND_NS = 1_000_000_000
START_NS = 1_790_000_000_000_000_000
TOOLS = ("search", "read_file", "verify", "issue_refund", "send_email")

RULES: tuple[dict[str, object], ...] = (
    {"id": "never", "forbid": "delete_account"},
    {"id": "large", "forbid": {"tool": "issue_refund", "args": {"amount": {"$gt": 500}}}},
    {"id": "rate", "limit": {"call": "search", "max": 20, "within": "60s"}},
    {"id": "verified", "before": {"call": "issue_refund", "needs": "verify", "same": {"order": "order"}}},
    {"id": "after", "never_after": {"call": "send_email", "after": "close_case"}},
)


def arguments(number: int) -> dict[str, object]:
    return {"order": f"A-{number // 5}", "amount": 10 + number % 90, "text": f"note {number}"}


def call(number: int) -> ToolCall:
    start = START_NS + number * 4 * SECOND_NS
    return ToolCall(
        tool=TOOLS[number % 5],
        arguments=Evidence("captured", arguments(number)),
        start_ns=start,
        end_ns=start + SECOND_NS,
        trace_id="t",
        span_id=f"{number:016x}",
        scope="top",
    )


def policy(unrelated: int = 0) -> Policy:
    more = [{"id": f"other-{number}", "forbid": {"tool": f"other_{number}", "any_arg": {"$regex": "x"}}} for number in range(unrelated)]
    return loads(json.dumps({"version": 1, "rules": [*RULES, *more]}), "bench.json")


class Ours:
    """One further call at a time into an engine with a history."""

    def __init__(self, given: Policy, history: int) -> None:
        self.engine = Engine(given)
        self.run = Run(trace_id="t", scopes=(Scope(id="top", kind="agent", name="a", span_id="top"),))
        self.number = history
        self.engine.feed([self._with(call(number)) for number in range(history)])

    def _with(self, one: ToolCall) -> Run:
        return Run(trace_id="t", scopes=self.run.scopes, calls=(one,))

    def batch(self) -> float:
        runs = [self._with(call(number)) for number in range(self.number, self.number + BATCH)]
        self.number += BATCH
        begun = time.thread_time()
        for run in runs:
            self.engine.feed([run])
        return (time.thread_time() - begun) / BATCH


class Theirs:
    """The same calls through the guard."""

    def __init__(self, history: int, *, check: bool) -> None:
        from agentspec import ContractSet, FastGuard
        from agentspec import matchers as m

        spec: Any = ContractSet("bench")
        spec.must_not_call("delete_account")
        spec.must_not_call("issue_refund", where=m.arg_gt("amount", 500))
        spec.must_call_at_most("search", n=20, per_seconds=60)
        spec.must_precede("verify", "issue_refund", correlate="order")
        spec.never_after("send_email", "close_case")
        self.guard = FastGuard(spec)
        self.check = check
        self.number = history
        for number in range(history):
            self._commit(number)

    def _commit(self, number: int) -> None:
        self.guard.commit(TOOLS[number % 5], arguments(number), timestamp=number * 4.0)

    def batch(self) -> float:
        given = [(TOOLS[number % 5], arguments(number), number * 4.0) for number in range(self.number, self.number + BATCH)]
        self.number += BATCH
        begun = time.thread_time()
        for tool, args, at in given:
            if self.check:
                self.guard.check_call(tool, args, timestamp=at)
            self.guard.commit(tool, args, timestamp=at)
        return (time.thread_time() - begun) / BATCH


def medians(pairs: int, made: dict[str, Callable[[], Any]]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(pairs):
        for name, make in made.items():
            taken[name].append(make().batch() * 1e6)
    return {name: statistics.median(times) for name, times in taken.items()}


def profile() -> None:
    ours = Ours(policy(), 1_000)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(100):
        ours.batch()
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if options.profile:
        profile()
        return
    plain, more = policy(), policy(UNRELATED)
    print(f"{'calls of history':>17} {'ours':>8} {'check + commit':>15} {'commit':>8} {'ratio':>7} {f'with {UNRELATED} more rules':>21}")
    for history in HISTORIES:
        found = medians(
            options.pairs,
            {
                "ours": lambda history=history: Ours(plain, history),
                "check": lambda history=history: Theirs(history, check=True),
                "commit": lambda history=history: Theirs(history, check=False),
                "more": lambda history=history: Ours(more, history),
            },
        )
        added = found["more"] / found["ours"] - 1
        print(
            f"{history:>17,} {found['ours']:>8.1f} {found['check']:>15.1f} {found['commit']:>8.1f} "
            f"{found['ours'] / found['check']:>7.2f} {found['more']:>12.1f} ({added:+.1%})"
        )


if __name__ == "__main__":
    main()
