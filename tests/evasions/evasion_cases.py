"""Reads the cases of evasions, and judges their calls from the text that a span's attribute would hold."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from otel_toolscore.engine import score_runs
from otel_toolscore.policy import Policy, loads
from otel_toolscore.policy_tests import load, runs_of

FOLDER = Path(__file__).parent
KEYS = {"name", "rule", "found", "pad", "call", "twin"}


class Case(NamedTuple):
    """An evasion and its twin."""

    file: str
    name: str
    rule: str
    found: str
    pad: int
    call: dict[str, Any]
    twin: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


@functools.cache
def techniques() -> dict[str, dict[str, Any]]:
    return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))}


def _cases() -> list[Case]:
    cases = []
    for file, technique in techniques().items():
        assert set(technique) == {"technique", "rules", "evasions"}, file
        for given in technique["evasions"]:
            assert {"name", "call", "twin"} <= set(given) <= KEYS, (file, given)
            defaults: dict[str, Any] = {"rule": "r", "found": "violation", "pad": 0}
            cases.append(Case(file=file, **{**defaults, **given}))
    return cases


CASES = _cases()


def policy_of(file: str) -> Policy:
    return loads(json.dumps({"version": 1, "rules": techniques()[file]["rules"]}), f"{file}.json")


def kinds_of(case: Case, call: dict[str, Any], policy: Policy | None = None) -> list[tuple[str, str]]:
    """(rule, kind) of what the case's rule finds in the call."""
    given = dict(call)
    if isinstance(given.get("args"), dict):
        given["args"] = json.dumps(given["args"])
    text = json.dumps({"policy": "p", "tests": [{"name": "t", "calls": [given]}]}).replace("<PAD>", "a" * case.pad)
    (test,) = load("case.json", text.encode()).tests
    document = score_runs(policy or policy_of(case.file), [made.run for made in runs_of(test)])
    return [(finding.rule, finding.kind) for run in document.runs for finding in run.findings if finding.rule == case.rule]
