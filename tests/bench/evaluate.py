"""Seconds that `evaluate` takes on large inputs: `python tests/bench/evaluate.py [CALLS]`."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

from otel_toolscore import evaluate

Calls = list[dict[str, object]]


def own_arguments(size: int) -> tuple[Calls, Calls]:
    """Each call has arguments of its own, in another order."""
    expected: Calls = [{"tool": "lookup", "args": {"id": index, "kind": f"k{index % 7}"}} for index in range(size)]
    return expected, random.Random(1).sample(expected, size)


def other_arguments(size: int) -> tuple[Calls, Calls]:
    """No argument is the expected one."""
    expected: Calls = [{"tool": "lookup", "args": {"id": index}} for index in range(size)]
    return expected, [{"tool": "lookup", "args": {"id": -1 - index}} for index in range(size)]


def shared_arguments(size: int) -> tuple[Calls, Calls]:
    """Many calls agree in part with many expected ones."""
    chance = random.Random(2)

    def made() -> Calls:
        return [{"tool": "lookup", "args": {key: chance.randrange(20) for key in "abcd"}} for _ in range(size)]

    return made(), made()


def many_tools(size: int) -> tuple[Calls, Calls]:
    """A hundred tools, in another order."""
    expected: Calls = [{"tool": f"t{index % 100}", "args": {"id": index}} for index in range(size)]
    return expected, random.Random(3).sample(expected, size)


CASES: tuple[Callable[[int], tuple[Calls, Calls]], ...] = (own_arguments, other_arguments, shared_arguments, many_tools)


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for case in CASES:
        expected, actual = case(size)
        start = time.perf_counter()
        result = evaluate(expected, actual)
        seconds = time.perf_counter() - start
        print(f"{case.__name__:18} {size:>7} calls {seconds:8.2f} s  score {result.score:.3f}  exact {result.exact}")


if __name__ == "__main__":
    main()
