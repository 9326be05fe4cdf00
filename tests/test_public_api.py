"""What `from otel_toolscore import ...` offers: these names, each of them documented, tested, and loaded when it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import otel_toolscore
from otel_toolscore.matchers import OPERATORS, Matcher, build

ROOT = Path(__file__).parent.parent

NAMES = {
    *("evaluate", "assert_tools", "EvaluationResult", "ToolScoreAssertionError", "ToolCall"),
    *("score_tool_call", "ExpectedCall", "FieldRule"),
    *("instrument", "ToolScoreProcessor", "expecting", "from_otel"),
    *("Policy", "PolicyError"),
    *("Matcher", "ANY", "Eq", "Not", "OneOf", "Regex", "FullMatch", "Glob", "Contains", "Gt", "Gte", "Lt", "Lte", "Approx", "IsType"),
    *("Exists", "Len", "All", "Some", "AnyOf", "Unordered", "IgnoreCase", "Date", "PathUnder", "HostIn", "Attr", "Literal"),
}


def test_the_public_names_are_these() -> None:
    """A name that comes or goes is a change for users."""
    assert set(otel_toolscore.__all__) == NAMES
    assert list(otel_toolscore.__all__) == sorted(otel_toolscore.__all__)
    assert dir(otel_toolscore) == otel_toolscore.__all__


def test_no_public_name_is_a_module() -> None:
    """A module of the same name would take its place as soon as anything imports it."""
    assert not NAMES & {path.stem for path in (ROOT / "otel_toolscore").iterdir()}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_can_be_imported(name: str) -> None:
    """In a process of its own, so that no other import helps."""
    script = f"from otel_toolscore import {name}; print(getattr({name}, '__doc__', None) is not None)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def test_another_name_is_an_attribute_error() -> None:
    """The lazy lookup refuses what is not public, so that `hasattr` and typing errors behave."""
    with pytest.raises(AttributeError, match="module 'otel_toolscore' has no attribute 'evalute'"):
        _ = otel_toolscore.evalute  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_documented(name: str) -> None:
    """docs/python.md names it."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert f"`{name}" in text


def test_every_public_name_is_used_in_a_test() -> None:
    """By name, in some other test module."""
    used = {
        node.id if isinstance(node, ast.Name) else node.attr
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.name != Path(__file__).name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name | ast.Attribute)
    }
    assert NAMES - used == set()


def test_every_operator_has_a_public_matcher() -> None:
    """What a policy can say of a value, Python can."""
    arguments = {"$any": True, "$exists": True, "$type": "string", "$len": 1, "$date": "2026-01-01T00:00:00Z", "$attr": "key"}
    arguments |= {"$gt": 1, "$gte": 1, "$lt": 1, "$lte": 1, "$approx": 1, "$one_of": [1], "$unordered": [1], "$any_of": [1]}
    arguments |= {"$host_in": ["a.example"], "$path_under": "/srv"}
    public = {getattr(otel_toolscore, name) for name in NAMES}
    public_types = {value if isinstance(value, type) else type(value) for value in public}
    matchers = {operator: build({operator: arguments.get(operator, "x")}) for operator in OPERATORS}
    assert {operator for operator, matcher in matchers.items() if type(matcher) not in public_types} == set()
    assert all(isinstance(matcher, Matcher) for matcher in matchers.values())
