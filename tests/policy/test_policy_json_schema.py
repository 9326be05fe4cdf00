"""The JSON Schema says what the loader says, as far as form goes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sound_policies import EVERY_KEY, sound_texts

from otel_toolscore.policy import PolicyError, json_schema, loads
from otel_toolscore.policy.faults import Faults
from otel_toolscore.policy.grammar.policies import shapes
from otel_toolscore.policy.nodes import plain
from otel_toolscore.policy.source import read_document

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(text: str) -> Any:
    node = read_document(text.encode(), Faults("p"))
    assert node is not None
    return plain(node)


DOCUMENTS = [document(text) for text in sound_texts()]


def loader_takes(value: object) -> bool:
    try:
        loads(json.dumps(value), "p.json", read=lambda _: b"version: 1")
    except PolicyError:
        return False
    return True


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def replaced(value: Any, path: tuple[Any, ...], new: object) -> Any:
    if not path:
        return new
    changed = copy.deepcopy(value)
    at(changed, path[:-1])[path[-1]] = new
    return changed


def test_it_is_a_schema() -> None:
    """It is valid by the draft that it names, and refers to nothing outside of itself."""
    VALIDATOR.check_schema(SCHEMA)
    assert SCHEMA["$schema"].endswith("2020-12/schema")
    references = {found["$ref"] for found in nested(SCHEMA) if isinstance(found.get("$ref"), str)}
    assert references <= {f"#/$defs/{name}" for name in SCHEMA["$defs"]}


def nested(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nested(inner)


def test_every_key_of_the_grammar_is_in_it() -> None:
    """Each table of the grammar is a definition with the same keys, each with its meaning."""
    for shape in shapes():
        properties = SCHEMA["$defs"][shape.name]["properties"]
        assert list(properties) == [key.name for key in shape.keys]
        assert all(properties[key.name]["description"] for key in shape.keys)


def test_one_policy_uses_every_key() -> None:
    """The policy that these tests mutate leaves no key of the grammar out."""
    keys = {key.name for shape in shapes() for key in shape.keys}
    assert keys - {path[-1] for path in places(document(EVERY_KEY)) if path} == set()
    assert loader_takes(document(EVERY_KEY))


@pytest.mark.parametrize("sound", DOCUMENTS)
def test_sound_policies_fit(sound: object) -> None:
    """What the loader takes, the schema takes."""
    assert list(VALIDATOR.iter_errors(sound)) == []
    assert loader_takes(sound)


WRONG = [None, True, 5, -1, 2.5, "", "word", [], {}, [None], {"$regx": 1}, {"k": 1}, ["a", 5]]


@given(st.sampled_from(DOCUMENTS), st.randoms(use_true_random=False))
def test_no_mutation_is_refused_by_the_schema_alone(sound: Any, chance: random.Random) -> None:
    """Whatever is put in whatever place: if the loader takes it, so does the schema."""
    path = chance.choice(list(places(sound)))
    changed = replaced(sound, path, chance.choice(WRONG))
    if loader_takes(changed):
        assert [error.message for error in VALIDATOR.iter_errors(changed)] == []


OWN_KEYS = {"tools", "args", "result", "fields", "labels", "attributes", "same", "parameters", "properties", "default"}
"""Below these, keys are the user's."""


def fixed_mappings(sound: Any) -> list[tuple[Any, ...]]:
    """Where mappings with fixed keys stand."""
    found = []
    for path in places(sound):
        inside_own = any(key in OWN_KEYS and number < len(path) - 1 for number, key in enumerate(path[:-1])) and "fields" not in path[-2:-1]
        if isinstance(at(sound, path), dict) and not inside_own and not (path and path[-1] in OWN_KEYS) and "x-anything" not in path:
            found.append(path)
    return found


@pytest.mark.parametrize("path", fixed_mappings(document(EVERY_KEY)), ids=str)
def test_an_unknown_key_is_refused_by_both(path: tuple[Any, ...]) -> None:
    """In no mapping with fixed keys is an unknown key taken, by the loader or by the schema; an `x-` key is taken by both."""
    sound = document(EVERY_KEY)
    unknown = copy.deepcopy(sound)
    at(unknown, path)["unheard_of"] = 1
    assert not VALIDATOR.is_valid(unknown)
    assert not loader_takes(unknown)
    ignored = copy.deepcopy(sound)
    at(ignored, path)["x-mine"] = {"any": ["thing"]}
    assert VALIDATOR.is_valid(ignored)
    assert loader_takes(ignored)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("version",), 2),
        (("version",), "1"),
        (("runs",), "all"),
        (("fail_on",), "High"),
        (("extends",), [5]),
        (("extends",), 5),
        (("tools", "pay"), None),
        (("tools", "pay", "server"), 5),
        (("tools", "pay", "parameters"), True),
        (("expectations",), {}),
        (("expectations", 0, "id"), 5),
        (("expectations", 0, "id"), " x"),
        (("expectations", 0, "calls"), None),
        (("expectations", 0, "per"), "trace"),
        (("expectations", 0, "order"), "strict"),
        (("expectations", 0, "min_score"), 1.5),
        (("expectations", 0, "required"), "yes"),
        (("expectations", 0, "weights", "argument_f1"), -1),
        (("expectations", 0, "extra_calls"), "maybe"),
        (("expectations", 0, "when", "agent"), []),
        (("expectations", 0, "when", "attributes"), ["k"]),
        (("expectations", 0, "calls", 0, "tool"), ["a"]),
        (("expectations", 0, "calls", 0, "args"), []),
        (("expectations", 0, "calls", 0, "args"), {"$gt": 1}),
        (("expectations", 0, "calls", 0, "args", "amount"), {"$gt": "x"}),
        (("expectations", 0, "calls", 0, "args", "amount"), {"$greater": 1}),
        (("expectations", 0, "calls", 0, "args", "to", 2, "deep"), {"$regex": 5}),
        (("expectations", 0, "calls", 0, "fields", "amount"), True),
        (("expectations", 0, "calls", 0, "fields", "amount", "abs_tol"), -0.1),
        (("expectations", 0, "calls", 0, "outcome"), "failed"),
        (("expectations", 0, "calls", 0, "times"), 0),
        (("expectations", 0, "calls", 0, "times"), {}),
        (("expectations", 0, "calls", 0, "times", "max"), 1.5),
        (("expectations", 0, "calls", 2, "any_of"), []),
        (("expectations", 0, "calls", 2, "any_of", 1, 1, "group"), {}),
        (("expectations", 0, "calls", 2), "a"),
        (("rules", 0, "severity"), "fatal"),
        (("rules", 0, "enforcement"), True),
        (("rules", 0, "labels", "team"), 5),
        (("rules", 0, "runbook"), "a\nb"),
        (("rules", 0, "except"), {}),
        (("rules", 0, "except", 0), {"reason": "r"}),
        (("rules", 0, "except", 0, "until"), "31.1.2027"),
        (("rules", 0, "forbid"), ["a"]),
        (("rules", 0, "forbid"), {}),
        (("rules", 0, "forbid"), {"allow_extra_fields": False}),
        (("rules", 0, "forbid", "args"), {"$contains": "x"}),
        (("rules", 0, "forbid", "result"), {}),
        (("rules", 0, "forbid", "result"), {"$contains": 5}),
        (("rules", 0, "forbid", "result"), {"ok": {"$regx": "x"}}),
        (("rules", 0, "forbid", "outcome"), "any"),
        (("rules", 0, "forbid", "any_arg"), {"$any_of": []}),
        (("rules", 1, "allow"), "a"),
        (("rules", 1, "forbid"), "a"),
        (("rules", 3, "before", "same"), {}),
        (("rules", 3, "before", "once"), 1),
        (("rules", 5, "limit", "within"), "60"),
        (("rules", 5, "limit", "max"), -1),
        (("rules", 6, "repeats", "max"), 1.5),
        (("rules", 6, "repeats", "per"), "trace"),
        (("rules", 7, "valid_arguments"), True),
        (("spans", 0, "match", "attributes"), {}),
        (("spans", 0, "call", "tool"), "a b"),
        (("gates",), []),
        (("cases",), []),
    ],
    ids=str,
)
def test_a_wrong_value_is_refused_by_both(path: tuple[Any, ...], wrong: object) -> None:
    """A value of the wrong type or out of range is refused by the loader and by the schema."""
    changed = replaced(document(EVERY_KEY), path, wrong)
    assert not VALIDATOR.is_valid(changed)
    assert not loader_takes(changed)


@pytest.mark.parametrize(
    "path",
    [
        ("expectations", 0, "id"),
        ("expectations", 0, "calls"),
        ("expectations", 0, "calls", 0, "tool"),
        ("rules", 0, "id"),
        ("rules", 0, "forbid"),
        ("rules", 3, "before", "needs"),
        ("rules", 4, "never_after", "after"),
        ("rules", 5, "limit", "max"),
        ("rules", 6, "repeats", "max"),
        ("spans", 0, "match"),
        ("spans", 0, "call", "tool"),
    ],
    ids=str,
)
def test_a_missing_key_is_refused_by_both(path: tuple[Any, ...]) -> None:
    """A key that is needed is missed by the loader and by the schema."""
    changed = document(EVERY_KEY)
    del at(changed, path[:-1])[path[-1]]
    assert not VALIDATOR.is_valid(changed)
    assert not loader_takes(changed)


@pytest.mark.parametrize("constraint", ["flow", "no_flow", "secrets"])
def test_what_is_not_supported_is_refused_by_both(constraint: str) -> None:
    """A constraint that is not read yet is no part of the schema."""
    changed = {"rules": [{"id": "r", constraint: {"call": "a"}}]}
    assert not VALIDATOR.is_valid(changed)
    assert not loader_takes(changed)
