"""The digest is over what a policy means."""

from __future__ import annotations

import re

import pytest

from otel_toolscore.policy import load, loads

POLICY = """
version: 1
tools: {a: {server: s}, b: {}}
expectations:
  - {id: e, when: {agent: x, attributes: {k: 1, l: 2}}, calls: [{tool: a, args: {x: 5, y: {$gt: 1, $lt: 9}}, fields: {x: {abs_tol: 0.5}}}]}
rules:
  - {id: r, severity: high, forbid: {tool: a, args: {x: 1, y: 2}}, labels: {p: q, s: t}}
"""


@pytest.mark.parametrize(
    "other",
    [
        POLICY.replace("version: 1\n", "# a comment\n"),
        POLICY.replace("{a: {server: s}, b: {}}", "{b: {}, a: {server: s}}"),
        POLICY.replace("attributes: {k: 1, l: 2}", "attributes: {l: 2, k: 1}"),
        POLICY.replace("args: {x: 5, y: {$gt: 1, $lt: 9}}", "args: {y: {$lt: 9, $gt: 1}, x: 5.0}"),
        POLICY.replace("abs_tol: 0.5", "abs_tol: 5e-1, ignore: false"),
        POLICY.replace("severity: high, ", ""),
        POLICY.replace("args: {x: 1, y: 2}", "args: {y: 2, x: 0x1}"),
        POLICY.replace("labels: {p: q, s: t}", "labels: {s: t, p: q}, x-note: anything"),
        POLICY.replace("tool: a, args: {x: 5", "tool: 'a', outcome: ok, times: 1, args: {x: 5"),
        POLICY.replace("\n", "\n\n"),
    ],
)
def test_what_does_not_change_it(other: str) -> None:
    """Comments, order of keys, spelling of numbers, defaults that are written out, and `x-` keys do not change the digest."""
    assert other != POLICY
    assert loads(other).digest == loads(POLICY, "other.yaml").digest


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("x: 5,", "x: '5',"),
        ("x: 5,", "x: true,"),
        ("$gt: 1", "$gte: 1"),
        ("abs_tol: 0.5", "abs_tol: 0.25"),
        ("severity: high", "severity: low"),
        ("id: r,", "id: s,"),
        ("{tool: a, args: {x: 1", "{tool: b, args: {x: 1"),
        ("x: 1, y: 2", "x: 1, y: 3"),
        ("server: s", "server: t"),
        ("version: 1", "version: 1\nfail_on: high"),
        ("when: {agent: x", "include_subagents: true, when: {agent: x"),
        ("calls: [{tool: a,", "calls: [{tool: a, must: true,"),
        ("p: q", "p: r"),
    ],
)
def test_what_changes_it(part: str, other: str) -> None:
    """Anything that means something else changes the digest."""
    changed = POLICY.replace(part, other, 1)
    assert changed != POLICY
    assert loads(changed).digest != loads(POLICY).digest


def test_it_does_not_depend_on_files() -> None:
    """The same rules and expectations in two files have the digest of one file."""
    head, rules = POLICY.split("rules:")
    files = {"one.yaml": POLICY, "base.yaml": head, "two.yaml": "extends: [base.yaml]\nrules:" + rules}
    one, two = (load([name], read=lambda name: files[name].encode()) for name in ("one.yaml", "two.yaml"))
    assert one.digest == two.digest


def test_it_is_a_sha_256() -> None:
    """64 hexadecimal digits."""
    assert re.fullmatch("[0-9a-f]{64}", loads(POLICY).digest)


def test_literal_text_is_not_a_matcher() -> None:
    """A value that looks like a matcher, and the matcher, are different policies."""
    matcher = "rules: [{id: r, forbid: {tool: a, args: {x: {$gt: 1}}}}]"
    literal = "rules: [{id: r, forbid: {tool: a, args: {x: {$literal: {$gt: 1}}}}}]"
    assert loads(matcher).digest != loads(literal).digest
