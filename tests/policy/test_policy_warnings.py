"""What is allowed, but probably not meant."""

from __future__ import annotations

import pytest

from otel_toolscore.policy import load, loads
from otel_toolscore.policy.grammar.anchors import anchored


def warnings(text: str) -> list[str]:
    return list(loads(text, "p.yaml").warnings)


@pytest.mark.parametrize(
    ("expression", "whole"),
    [
        ("^ls$", True),
        (r"\Als\z", True),
        ("(?i)^ls$", True),
        ("^(ls|cat)$", True),
        ("^[|]$", True),
        (r"^a\|b$", True),
        (r"^a\\$", True),
        ("ls", False),
        ("^ls", False),
        ("ls$", False),
        (r"^ls\$", False),
        ("^ls$|cat", False),
        ("^ls|cat$", False),
        ("(?m)^ls$", False),
        (r"^ls\\z", False),
        (r"^[(]|ls$", False),
    ],
)
def test_what_is_anchored(expression: str, whole: bool) -> None:
    """Anchors at both ends, and no alternative beside them."""
    assert anchored(expression) is whole


def test_text_that_is_found_anywhere_does_not_allow() -> None:
    """`$contains` and an unanchored `$regex` in `allow` are warned of, at any depth; not in `forbid`, and not below `$not`."""
    found = warnings(
        """
rules:
  - id: a
    allow:
      - {tool: sh, args: {command: {$regex: ls}}}
      - {tool: sh, args: {command: {$regex: '^ls$'}}}
      - {tool: sh, any_arg: {$any_of: [{$contains: ls}, {$fullmatch: x}]}}
      - {tool: sh, args: {command: {$not: {$contains: rm}}}}
  - {id: f, forbid: {tool: sh, args: {command: {$regex: rm}}}}
""",
    )
    assert found == [
        "p.yaml:5:37: `$regex` in `allow` lets through every text in which it is found; `$fullmatch` fits the whole of it",
        "p.yaml:7:41: `$contains` in `allow` lets through every text that has it somewhere; `$fullmatch` or `$glob` fits the whole of it",
    ]


def test_a_rule_that_is_replaced_takes_its_warnings_along() -> None:
    """A warning is of a rule that holds."""
    files = {
        "b.yaml": "rules: [{id: a, allow: [{args: {x: {$contains: y}}}]}]",
        "p.yaml": "extends: [b.yaml]\nrules: [{id: a, allow: [{args: {x: y}}]}]",
    }
    assert len(load(["b.yaml"], read=lambda name: files[name].encode()).warnings) == 1
    assert load(["p.yaml"], read=lambda name: files[name].encode()).warnings == ()


def test_an_expected_call_is_no_glob() -> None:
    """`*` in the name of an expected call is probably not meant."""
    assert warnings("expectations: [{id: e, calls: [{tool: get_*}]}]") == [
        "p.yaml:1:33: `tool`: an expected call names one tool; `*` is taken as it stands"
    ]


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("forbid: sh", "forbid: sh"),
        ("forbid: {tool: sh, args: {x: 1, y: 2}}", "forbid: {args: {y: 2, x: 1.0}, tool: sh}"),
        ("forbid: 'sh*'", "forbid: {tool: [sh, shell], args: {x: 1}}"),
        ("forbid: '*'", "forbid: {any_arg: x}"),
        ("forbid: {tool: [a, 'SH*']}", "forbid: {tool: 'shell_?*'}"),
        ("forbid: 'sh*'", "severity: low, forbid: sh"),
        ("forbid: 'sh*'", "enforcement: shadow, forbid: sh"),
        ("forbid: 'sh*'", "when: {agent: a}, forbid: sh"),
        ("when: {agent: a}, forbid: 'sh*'", "when: {agent: a}, forbid: sh"),
        ("limit: {call: a, max: 3}", "limit: {max: 3.0, call: {tool: a}}"),
    ],
)
def test_a_rule_that_another_shadows(wide: str, narrow: str) -> None:
    """The narrower of two rules is warned of, whichever comes first."""
    first = warnings(f"rules:\n  - {{id: w, {wide}}}\n  - {{id: n, {narrow}}}\n")
    second = warnings(f"rules:\n  - {{id: n, {narrow}}}\n  - {{id: w, {wide}}}\n")
    assert first == ["p.yaml:3:5: rule `n` finds nothing that `w` does not find already (p.yaml:2:5)"]
    assert len(second) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("forbid: sh", "forbid: ls"),
        ("forbid: 'sh?'", "forbid: 'shell*'"),
        ("severity: low, forbid: 'sh*'", "severity: critical, forbid: sh"),
        ("enforcement: shadow, forbid: 'sh*'", "forbid: sh"),
        ("when: {agent: a}, forbid: 'sh*'", "when: {agent: b}, forbid: sh"),
        ("when: {agent: a}, forbid: 'sh*'", "forbid: sh"),
        ("except: [{call: shy}], forbid: 'sh*'", "forbid: sh"),
        ("forbid: {tool: 'sh*', args: {x: 1}}", "forbid: sh"),
        ("forbid: {tool: 'sh*', outcome: ok}", "forbid: {tool: sh, args: {x: 1}}"),
        ("forbid: 's*h'", "forbid: sah"),
        ("require: a", "forbid: a"),
        ("limit: {call: a, max: 3}", "limit: {call: a, max: 4}"),
    ],
)
def test_rules_that_both_find_something(one: str, other: str) -> None:
    """No warning where each rule may find what the other does not, or finds it more severely."""
    assert warnings(f"rules:\n  - {{id: w, {one}}}\n  - {{id: n, {other}}}\n") == []


def test_many_rules_are_compared_quickly() -> None:
    """Thousands of rules on tools of their own do not take the square of their number."""
    rules = "\n".join(f"  - {{id: r{number}, forbid: tool_{number}}}" for number in range(3000))
    assert warnings(f"rules:\n{rules}\n  - {{id: last, forbid: 'tool_17*'}}\n")[0].startswith("p.yaml:19:5: rule `r17` finds nothing")
