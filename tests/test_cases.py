"""Behaviour as data: every case of tests/cases through the command line, and the form of the cases themselves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from case_format import EXPECT_KEYS, Case, faults_of_form, load_cases
from case_judge import differences, faults
from command_line import Output, in_a_process, in_process

CASES = load_cases()

NOT_SUPPORTED = {
    "flow demands that a value came from an earlier result": "the constraint `flow`",
    "a credential in the arguments is a finding; its value is never printed": "the constraint `secrets`",
}
"""about -> what is missing. Each of these must fail: a case that passes has to leave the list."""


def supported() -> list[Case]:
    return [case for case in CASES if case.about not in NOT_SUPPORTED]


@pytest.mark.parametrize("case", supported(), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path) -> None:
    """What the case says comes out."""
    assert faults(case.document, in_process, tmp_path) == [], case.about


@pytest.mark.parametrize("case", [case for case in CASES if case.about in NOT_SUPPORTED], ids=lambda case: case.name)
def test_case_that_is_not_supported_fails(case: Case, tmp_path: Path) -> None:
    """A case is listed as not supported only as long as it fails, and it fails without a traceback."""
    found = faults(case.document, in_process, tmp_path)
    assert found, f"passes now, so it must leave NOT_SUPPORTED: {case.about}"
    assert not any("traceback" in fault for fault in found)


def test_a_case_of_each_file_in_a_process_of_its_own(tmp_path: Path) -> None:
    """The installed module gives what the command line gives in process."""
    firsts = {case.file: case for case in reversed(supported())}
    assert {file: faults(case.document, in_a_process, tmp_path) for file, case in firsts.items()} == {file: [] for file in firsts}


def test_cases_are_well_formed() -> None:
    """Keys are of the closed format, and every case says what it shows."""
    assert {case.name: found for case in CASES if (found := list(faults_of_form(case)))} == {}


def test_every_case_shows_something_of_its_own() -> None:
    """No two cases have the same `about`."""
    assert [about for about, count in Counter(case.about for case in CASES).items() if count > 1] == []


def test_the_list_of_what_is_not_supported_names_cases() -> None:
    """An entry that fits no case is a mistake."""
    assert set(NOT_SUPPORTED) <= {case.about for case in CASES}


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"about": "x", "input": {"spans": []}, "expect": {"exit": 0}, "polciy": {}}, "unknown key 'polciy'"),
        ({"about": "x", "input": {"spans": []}, "expect": {"exist": 0}}, "unknown key 'exist'"),
        ({"about": "", "input": {"spans": []}, "expect": {"exit": 0}}, "one sentence"),
        ({"about": "x", "input": {"spans": []}, "expect": {}}, "what must come out"),
        ({"about": "x", "expect": {"exit": 0}}, "either `input` is scored"),
        ({"about": "x", "input": {"spans": [{"id": 1, "nam": "a"}]}, "expect": {"exit": 0}}, "unknown key 'nam'"),
        ({"about": "x", "container": "xml", "input": {"spans": []}, "expect": {"exit": 0}}, "container is one of"),
    ],
)
def test_lint_finds(document: dict[str, object], fault: str) -> None:
    """The lint of the cases sees each way in which one can be written wrongly."""
    assert any(fault in found for found in faults_of_form(Case("x", 0, document)))


def test_judge_sees_a_difference_in_every_part() -> None:
    """No part of `expect` is passed over: a wrong value in any of them is a fault."""
    run = {"verdict": "pass", "calls": [{"tool": "a", "start_unix_nano": "1"}], "findings": [], "expectations": []}
    printed = json.dumps({"verdict": "pass", "runs": [run], "coverage": {"unused_rules": []}, "problems": []})
    wrong = {
        "exit": 1,
        "verdict": "fail",
        "run_count": 2,
        "calls": [{"tool": "b"}],
        "violations": [["r", "a"]],
        "inconclusive": [["r", "a"]],
        "expectations": [{"id": "e"}],
        "expectation_count": 1,
        "why": ["$.x"],
        "runs": [{"verdict": "fail"}],
        "coverage": {"unused_rules": ["r"]},
        "problems": 1,
        "stderr": ["word"],
        "output_lacks": ["verdict"],
    }
    assert set(wrong) == EXPECT_KEYS
    for part, value in wrong.items():
        assert len(list(differences({part: value}, Output(0, printed, "")))) == 1, part
