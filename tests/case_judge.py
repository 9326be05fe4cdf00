"""Runs a case through the command line and says how what came out differs from what the case expects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from case_format import Document, write_input
from command_line import Output

VALUES = {"args", "args_text", "result", "error"}
"""Parts of a call that the JSON result shows only where it is asked to."""


CommandLine = Callable[[list[str]], Output]


def faults(case: Document, run: CommandLine, folder: Path) -> list[str]:
    """Every difference between what the case expects and what the command line gives; empty where there is none."""
    return list(differences(case["expect"], run(words(case, folder))))


def words(case: Document, folder: Path) -> list[str]:
    """The words after the program's name; the files that they name are written into the folder."""
    if "policy_text" in case:
        path = folder / "policy.yaml"
        path.write_text(case["policy_text"], encoding="utf-8")
        return ["validate", str(path)]
    command = ["score", str(write_input(case, folder)), "--format", "json"]
    if any(VALUES & set(call) for call in case["expect"].get("calls", [])):
        command += ["--values", "show"]
    command += case.get("options", [])
    for key, option in (("policy", "--policy"), ("expect_list", "--expect"), ("forbid_list", "--forbid")):
        if key in case:
            path = folder / f"{key}.yaml"
            path.write_text(yaml.safe_dump(case[key], sort_keys=False), encoding="utf-8")
            command += [option, str(path)]
    return command


def differences(expect: Document, output: Output) -> Iterator[str]:
    """What of `expect` the output does not give."""
    both = output.out + output.err
    if "exit" in expect and output.code != expect["exit"]:
        yield f"exit: wanted {expect['exit']}, got {output.code}: {output.err[-400:]}"
    if "Traceback (most recent call last)" in output.err:
        yield f"a traceback was printed: {output.err[-400:]}"
    for word in expect.get("stderr", []):
        if word.lower() not in both.lower():
            yield f"nothing printed has {word!r}: {output.err[-400:]}"
    for word in expect.get("output_lacks", []):
        if word in both:
            yield f"{word!r} was printed"
    if set(expect) <= {"exit", "stderr", "output_lacks"}:
        return
    try:
        document = json.loads(output.out)
    except ValueError:
        yield f"what was printed is not JSON: {output.out[:200]!r}; {output.err[-400:]}"
        return
    for part, check in CHECKS.items():
        if part in expect:
            yield from check(expect[part], document)


def _verdict(want: str, document: Document) -> Iterator[str]:
    yield from _subset(want, document["verdict"], "verdict")


def _run_count(want: int, document: Document) -> Iterator[str]:
    yield from _subset(want, len(document["runs"]), "run_count")


def _calls(want: list[Document], document: Document) -> Iterator[str]:
    calls = sorted((call for run in document["runs"] for call in run["calls"]), key=lambda call: int(call.get("start_unix_nano") or 0))
    yield from _subset(want, calls, "calls")


def _findings(kind: str, want: list[list[Any]], document: Document) -> Iterator[str]:
    parts = ("rule", "tool", "call")[: max([2, *map(len, want)])]
    found = [[finding.get(part) for part in parts] for run in document["runs"] for finding in run["findings"] if finding["kind"] == kind]
    if sorted(want, key=repr) != sorted(found, key=repr):
        yield f"{kind}: wanted {want}, got {found}"


def _expectations(want: list[Document], document: Document) -> Iterator[str]:
    scored = _scored(document)
    for entry in want:
        found = [one for one in scored if one["id"] == entry["id"] and ("agent" not in entry or one.get("agent") == entry["agent"])]
        if found:
            yield from _subset(entry, found[0], f"expectation {entry['id']}")
        else:
            yield f"expectation {entry['id']}: not scored"


def _expectation_count(want: int, document: Document) -> Iterator[str]:
    yield from _subset(want, len(_scored(document)), "expectation_count")


def _why(want: list[str], document: Document) -> Iterator[str]:
    told = [[one["reasons"], [row["differences"] for row in one["alignment"]]] for one in _scored(document)]
    for word in want:
        if word not in json.dumps(told):
            yield f"no expectation's reasons name {word!r}: {[one['reasons'] for one in _scored(document)]}"


def _runs(want: list[Document], document: Document) -> Iterator[str]:
    for entry in want:
        if all(any(_subset(entry, run, "run")) for run in document["runs"]):
            yield f"no run is like {entry}"


def _coverage(want: Document, document: Document) -> Iterator[str]:
    for key, value in want.items():
        yield from _subset(sorted(value), sorted(document["coverage"][key]), f"coverage.{key}")


def _problems(want: int, document: Document) -> Iterator[str]:
    if len(document["problems"]) < want:
        yield f"problems: wanted at least {want}, got {document['problems']}"


def _scored(document: Document) -> list[Document]:
    return [one for run in document["runs"] for one in run["expectations"]]


CHECKS: dict[str, Callable[[Any, Document], Iterator[str]]] = {
    "verdict": _verdict,
    "run_count": _run_count,
    "calls": _calls,
    "violations": lambda want, document: _findings("violation", want, document),
    "inconclusive": lambda want, document: _findings("inconclusive", want, document),
    "expectations": _expectations,
    "expectation_count": _expectation_count,
    "why": _why,
    "runs": _runs,
    "coverage": _coverage,
    "problems": _problems,
}


def _subset(want: object, got: object, where: str) -> Iterator[str]:
    """Objects may have further keys; lists have the same length; numbers with a fraction are equal to nine places."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            if key in got:
                yield from _subset(value, got[key], f"{where}.{key}")
            else:
                yield f"{where}.{key} is absent"
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (one, other) in enumerate(zip(want, got, strict=True)):
            yield from _subset(one, other, f"{where}[{index}]")
    elif isinstance(want, float) and isinstance(got, int | float) and not isinstance(got, bool):
        if abs(want - got) >= 1e-9:
            yield f"{where}: wanted {want}, got {got}"
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield f"{where}: wanted {want!r}, got {got!r}"
