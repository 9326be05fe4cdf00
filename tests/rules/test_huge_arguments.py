"""Huge arguments: what is judged takes bounded time whatever the matcher, and what is larger is unknown, with the cause."""

from __future__ import annotations

import json
from typing import Any

import pytest
import written

from otel_toolscore.matchers import OPERATORS
from otel_toolscore.nested_json import MAX_CHARACTERS, MAX_VALUES
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import examine
from otel_toolscore.rules.size import beyond, size_of, too_large

MEGABYTE = 1_000_000

ARGUMENTS: dict[str, Any] = {
    "$any": True,
    "$eq": "rm",
    "$not": {"$regex": "rm"},
    "$one_of": ["rm", ["rm"]],
    "$regex": r"(a*)*b|rm\s+-rf",
    "$fullmatch": "(.*)x(.*)y",
    "$glob": "*a*a*b*",
    "$contains": "rm -rf",
    "$gt": 5,
    "$gte": 5,
    "$lt": 5,
    "$lte": 5,
    "$approx": 5,
    "$type": "array",
    "$exists": True,
    "$len": 5,
    "$all": {"$regex": "rm"},
    "$some": {"$regex": "rm"},
    "$any_of": [{"$regex": "rm"}, {"$contains": "y"}],
    "$unordered": ["a", "b"],
    "$ignore_case": "rm",
    "$date": "2026-01-01",
    "$path_under": "/etc",
    "$host_in": "evil.test",
    "$attr": "k",
    "$literal": {"a": 1},
}

HOSTILE: dict[str, object] = {
    "letters": "a" * MEGABYTE,
    "folders": "../" * (MEGABYTE // 3),
    "percent signs": "%25" * (MEGABYTE // 3),
    "backslashes": '"' + "\\" * (MEGABYTE - 2) + '"',
    "brackets": "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2),
    "users": "http://" + "a@" * (MEGABYTE // 2),
    "escapes": '"' + "\\u0061" * (MEGABYTE // 6) + '"',
    "digits": "[" + "9" * (MEGABYTE - 2) + "]",
    "JSON text": json.dumps(["a"] * (MAX_VALUES - 1)),
    "JSON texts": [f"[{number}]" for number in range(MAX_VALUES - 1)],
}


def test_every_operator_is_tried() -> None:
    """A new operator is tried too."""
    assert set(ARGUMENTS) == set(OPERATORS)


@pytest.mark.parametrize("operator", ARGUMENTS)
def test_a_megabyte_is_judged(operator: str) -> None:
    """At a path and anywhere, on text and lists that are made to be slow: an answer, or the cause why there is none."""
    matcher = {operator: ARGUMENTS[operator]}
    for name, value in HOSTILE.items():
        call = written.call("t", {"x": value})
        for pattern in (written.pattern("t", {"x": matcher}), written.pattern("t", any_arg=matcher)):
            fit = examine(pattern, call, accuse=True)
            assert (fit.cause is None) == (fit.truth is not None), name


@pytest.mark.parametrize(
    "value",
    ["a" * (MAX_CHARACTERS + 1), [0] * (MAX_VALUES + 1), {"k" * MAX_CHARACTERS: "v"}, {"a": {"b": ["x" * MAX_CHARACTERS, "y"]}}],
    ids=["text", "values", "keys", "together"],
)
def test_what_is_larger_is_unknown_with_the_cause(value: object) -> None:
    """Too many characters or too many values are inconclusive, in both polarities, at a path and anywhere."""
    assert too_large(value)
    for pattern in (written.pattern("t", {"x": {"$contains": "rm"}}), written.pattern("t", any_arg={"$contains": "rm"})):
        for accuse in (True, False):
            fit = examine(pattern, written.call("t", {"x": value}), accuse=accuse)
            assert (fit.truth, fit.cause) == (None, "arguments_too_large")
    (finding,) = written.findings(
        written.scored(written.rule(Forbid(written.pattern("t", {"x": "rm"}))), written.run(written.call("t", {"x": value})))
    )
    assert (finding.kind, finding.cause, finding.path) == ("inconclusive", "arguments_too_large", "x")


def test_a_large_neighbour_does_not_matter() -> None:
    """Only what is looked at has to be within the bounds."""
    call = written.call("t", {"note": "a" * 2_000_000, "x": "rm"})
    assert examine(written.pattern("t", {"x": "rm"}), call, accuse=True).truth is True
    assert examine(written.pattern("t", {"x": "ls"}), call, accuse=True).truth is False


def test_results_and_broken_texts_have_the_same_bound() -> None:
    """A result, and text that could not be read, are unknown beyond it."""
    text = "a" * (MAX_CHARACTERS + 1)
    of_result = examine(written.pattern("t", result={"$contains": "b"}), written.call("t", result=written.captured(text)), accuse=True)
    broken = examine(written.pattern("t", {"x": {"$contains": "b"}}), written.call("t", written.unreadable("malformed", text)), accuse=True)
    assert [of_result.cause, broken.cause] == ["result_too_large", "arguments_too_large"]


def test_costly_matchers_look_at_fewer_texts() -> None:
    """Hosts and paths are looked for in the first texts; that the rest was not looked at is told as the cause."""
    many = [f"https://a{number}.test/" for number in range(5_000)]
    pattern = written.pattern("t", {"x": {"$host_in": "evil.test"}})
    fit = examine(pattern, written.call("t", {"x": many}), accuse=True)
    assert (fit.truth, fit.cause) == (None, "arguments_too_large")
    assert examine(pattern, written.call("t", {"x": ["https://evil.test/", *many]}), accuse=True).truth is True
    anywhere = written.pattern("t", any_arg={"$path_under": "/etc"})
    assert examine(anywhere, written.call("t", {"x": many}), accuse=True).cause == "arguments_too_large"
    assert examine(anywhere, written.call("t", {"x": many[:100]}), accuse=True).truth is False


def test_size_counts_all_depths() -> None:
    """Values of every kind, and the characters of texts and keys."""
    assert size_of({"ab": [1, None, "xyz", {"c": True}]}) == (7, 2 + 3 + 1)
    assert not too_large(7)
    assert not beyond(written.build({"$gt": 1}), "abc")
