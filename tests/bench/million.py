"""A million calls over 10,000 interleaved runs: calls a second, memory, and the findings of every run beside the reference.

    python tests/bench/million.py [--runs 10000] [--calls 100] [--seed 1] [--compare 10000]

Calls are drawn from the seed and fed one by one, as a service sees them. `--compare` runs are also judged by the brute-force
reference of tests/rules, which is quadratic in the calls of a run.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "rules"))

from interleaved import POLICY, expected_in, fed, found_in, whole

from otel_toolscore.engine import Engine


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compare", type=int, default=10_000)
    options = parser.parse_args()
    engine = Engine(POLICY)
    before, taken, drawn, findings = megabytes(), 0.0, 0, 0
    for run in fed(options.seed, options.runs, options.calls):
        begun = time.thread_time()
        findings += len(engine.feed([run]))
        taken += time.thread_time() - begun
        drawn += 1
        if drawn % 100_000 == 0:
            print(
                f"{drawn:>9,} calls, {drawn / taken:,.0f} calls/s of CPU, {megabytes() - before:,.0f} MB more than at the start", flush=True
            )
    peak = megabytes()
    same = other = 0
    begun = time.monotonic()
    for number in range(options.runs):
        begun_end = time.thread_time()
        run = whole(options.seed, number, options.calls)
        result = engine.end_run(run.key)
        taken += time.thread_time() - begun_end
        if number < options.compare:
            if found_in(result) == expected_in(run):
                same += 1
            else:
                other += 1
                print(f"run {number} differs: {sorted(found_in(result) ^ expected_in(run), key=repr)[:5]}", flush=True)
        if number % 1_000 == 999:
            print(f"{number + 1:>9,} runs ended, {same:,} as the reference, {other} not, {time.monotonic() - begun:,.0f} s", flush=True)
    print(
        f"{drawn:,} calls, {options.runs:,} open runs, {len(POLICY.rules)} rules: {drawn / taken:,.0f} calls/s of CPU, runs ended included"
    )
    print(f"peak memory {peak:,.0f} MB, of which {peak - before:,.0f} MB for what is open; {findings:,} findings; hits {dict(engine.hits)}")
    print(f"{same:,} of {same + other:,} compared runs agree with the reference")
    raise SystemExit(1 if other else 0)


if __name__ == "__main__":
    main()
