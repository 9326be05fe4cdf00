"""Large inputs work; how fast they do is measured by tests/bench, not asserted here."""

from __future__ import annotations

import random

from otel_toolscore import evaluate


def test_ten_thousand_calls_of_one_tool() -> None:
    """10,000 calls with all-different arguments against 10,000 expected ones, shuffled: each finds its own."""
    size = 10_000
    expected = [{"tool": "lookup", "args": {"id": index, "kind": f"k{index % 7}"}} for index in range(size)]
    actual = random.Random(1).sample(expected, size)
    result = evaluate(expected, actual)
    assert (result.score, result.argument_f1, result.required_call_recall) == (1.0, 1.0, 1.0)
    assert len(result.alignment) == size


def test_ten_thousand_calls_with_other_arguments_each() -> None:
    """No argument of any call is an expected one: every call is paired all the same, with one difference."""
    size = 10_000
    expected = [{"tool": "lookup", "args": {"id": index}} for index in range(size)]
    actual = [{"tool": "lookup", "args": {"id": -1 - index}} for index in range(size)]
    result = evaluate(expected, actual)
    assert (result.argument_f1, result.selection_accuracy, result.required_call_recall) == (0.0, 1.0, 1.0)
    assert sum(pair.match == "mismatched" for pair in result.alignment) == size


def test_a_loop_of_one_call() -> None:
    """20,000 identical calls where one is expected."""
    result = evaluate([{"tool": "a", "args": {"x": 1}}], [{"tool": "a", "args": {"x": 1}}] * 20_000)
    assert result.metrics["efficiency_metrics"]["identical_count"] == 19_999
    assert result.metrics["sequence_metrics"]["edit_distance"] == 19_999
