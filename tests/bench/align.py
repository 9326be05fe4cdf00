"""Seconds and memory that an alignment takes on large inputs: `python tests/bench/align.py [CALLS]`.

One tool, the hardest case; each line says whether the result is proven optimal and, where not, by how much it may fall short.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import AnyOf, ExpectedCall, Item
from otel_toolscore.matchers import Gt
from otel_toolscore.model import NOT_CAPTURED, Evidence, ToolCall
from otel_toolscore.score import score_calls


class Input(NamedTuple):
    items: list[Item]
    calls: list[ToolCall]
    options: dict[str, Any] = {}


def made(arguments: list[dict[str, Any]]) -> list[ToolCall]:
    return [ToolCall(tool="t", arguments=Evidence("captured", value), start_ns=index) for index, value in enumerate(arguments)]


def wanted(arguments: list[dict[str, Any]], **more: Any) -> list[Item]:
    return [ExpectedCall("t", value, **more) for value in arguments]


def own(size: int) -> list[dict[str, Any]]:
    return [{"q": index, "lang": "en", "page": index % 7} for index in range(size)]


def few_values(chance: random.Random, size: int) -> list[dict[str, Any]]:
    return [{f"k{key}": chance.randrange(10) for key in range(5)} for _ in range(size)]


def all_different(size: int) -> Input:
    return Input(wanted([{"q": index} for index in range(size)]), made([{"q": -1 - index} for index in range(size)]))


def all_right(size: int) -> Input:
    return Input(wanted(own(size)), made(own(size)))


def shuffled(size: int) -> Input:
    return Input(wanted(own(size)), made(random.Random(1).sample(own(size), size)))


def shuffled_without_order(size: int) -> Input:
    return Input(wanted(own(size)), made(random.Random(1).sample(own(size), size)), {"order": "any", "extra": "allow"})


def five_of_ten_values(size: int) -> Input:
    chance = random.Random(2)
    return Input(wanted(few_values(chance, size)), made(few_values(chance, size)))


def twice_as_many_calls(size: int) -> Input:
    chance = random.Random(3)
    return Input(wanted(few_values(chance, size // 2)), made(few_values(chance, size)))


def other_keys_each(size: int) -> Input:
    chance = random.Random(4)

    def drawn() -> list[dict[str, Any]]:
        return [{f"k{key}": chance.randrange(4) for key in chance.sample(range(8), chance.randrange(1, 6))} for _ in range(size)]

    return Input(wanted(drawn()), made(drawn()))


def field_rules(size: int) -> Input:
    chance = random.Random(5)
    rules = {"k0": FieldRule(numeric=True), "k1": FieldRule(abs_tol=1), "k2": FieldRule(ignore=True)}
    return Input(wanted(few_values(chance, size), field_rules=rules), made(few_values(chance, size)))


def matchers(size: int) -> Input:
    chance = random.Random(6)
    expected = [{**value, "k0": Gt(chance.randrange(10))} for value in few_values(chance, size)]
    return Input(wanted(expected), made(few_values(chance, size)))


def unknown_arguments(size: int) -> Input:
    chance = random.Random(7)
    calls = [call if chance.random() < 0.9 else ToolCall(tool="t", arguments=NOT_CAPTURED) for call in made(few_values(chance, size))]
    return Input(wanted(few_values(chance, size)), calls, {"min_score": 0.9})


def choices(size: int) -> Input:
    chance = random.Random(8)
    items: list[Item] = [AnyOf(((ExpectedCall("t", one),), (ExpectedCall("u", one),))) for one in few_values(chance, size)]
    return Input(items, [ToolCall(tool=chance.choice("tu"), arguments=Evidence("captured", one)) for one in few_values(chance, size)])


CASES: tuple[Callable[[int], Input], ...] = (
    all_different,
    all_right,
    shuffled,
    shuffled_without_order,
    five_of_ten_values,
    twice_as_many_calls,
    other_keys_each,
    field_rules,
    matchers,
    unknown_arguments,
    choices,
)


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for case in CASES:
        items, calls, options = case(size)
        start, start_cpu = time.perf_counter(), time.process_time()
        result = score_calls(items, calls, id="bench", **options)
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        proven = "exact" if result.exact else f"not proven, bound {result.bound}"
        print(f"{case.__name__:24} {size:>7} calls {seconds:7.2f} s ({cpu:.2f} s of CPU) {peak:>5} MiB  {result.verdict:12} {proven}")


if __name__ == "__main__":
    main()
