"""Scores the traces beside this file with the command line, step by step; ends with 0 when every step came to what it announces."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent

STEPS: tuple[tuple[str, str, int], ...] = (
    (
        "A support agent refunds an order. One call is three spans (the agent's, the MCP client's, the MCP server's), and is counted once.",
        "score support/traces/refund.json --policy support/toolscore.yaml",
        0,
    ),
    (
        "Another run: a refund before the order was looked up, too high, and a shell command that nobody asked for.",
        "score support/traces/shell-command.json --policy support/toolscore.yaml",
        1,
    ),
    (
        "A third run, whose instrumentation records no arguments: what needs them stays open, it does not pass.",
        "score support/traces/without-arguments.jsonl --policy support/toolscore.yaml",
        3,
    ),
    (
        "Without a policy, a bare list of the calls that each run should make.",
        "score support/traces/refund.json --expect support/expected.yaml --forbid support/forbidden.yaml",
        0,
    ),
    ("What was read from the spans, one JSON object a call.", "calls support/traces/refund.json", 0),
)
"""(what it shows, words of the command, the exit code it ends with)"""

MEANING = {0: "pass", 1: "fail", 2: "wrong policy, usage or input", 3: "inconclusive"}


def main() -> int:
    unexpected = 0
    for number, (about, words, code) in enumerate(STEPS, 1):
        print(f"\n{number}. {about}\n\n$ otel-toolscore {words}\n", flush=True)
        done = subprocess.run([sys.executable, "-m", "otel_toolscore", *shlex.split(words)], cwd=EXAMPLES, check=False)
        print(f"\nexit code {done.returncode}: {MEANING.get(done.returncode, 'unknown')}", flush=True)
        if done.returncode != code:
            print(f"this step should end with {code}", file=sys.stderr)
            unexpected += 1
    print("\nThe same in Python:\n", flush=True)
    done = subprocess.run([sys.executable, "support/score_in_python.py"], cwd=EXAMPLES, check=False)
    unexpected += done.returncode != 0
    print("\nThe files are in examples/support; README.md says what to read next.")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
