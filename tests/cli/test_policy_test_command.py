"""`otel-toolscore test`: what is printed, what is told apart, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Output, in_a_process, in_process

import otel_toolscore.policy_tests

POLICY = """version: 1
rules:
  - {id: no-a, forbid: a}
  - {id: no-b, forbid: b}
"""
PASSES = "policy: refund.yaml\ntests:\n  - {name: no-lookup, calls: [{tool: a}], expect: {violations: [[no-a, a]]}}\n"
FAILS = """policy: refund.yaml
tests:
  - {name: fine, calls: [{tool: c}]}
  - {name: wrong, calls: [{tool: b}], expect: {violations: [no-a]}}
"""


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "refund.yaml").write_text(POLICY)
    (tmp_path / "refund_test.yaml").write_text(PASSES)
    return tmp_path


def test_one_line_each(folder: Path) -> None:
    """File, name, PASS; the summary and the rules that nothing covers go to standard error."""
    assert in_process(["test", "refund_test.yaml"]) == Output(
        0,
        "refund_test.yaml: no-lookup: PASS\n",
        "refund.yaml:4:5: uncovered: no test makes the rule `no-b` find a violation (warning)\n1 passed, 1 rule uncovered\n",
    )


def test_a_failure_says_what_differs(folder: Path) -> None:
    """Below FAIL stands what is missing and what is too much; the exit code is 1."""
    (folder / "refund_test.yaml").write_text(FAILS)
    done = in_process(["test", "refund_test.yaml"])
    assert done.code == 1
    assert done.out == (
        "refund_test.yaml: fine: PASS\n"
        "refund_test.yaml: wrong: FAIL\n"
        "    no violation of no-a\n"
        "    unexpected violation of no-b, tool b, call 0: the call of `b` is one that the rule forbids\n"
    )
    assert "1 passed, 1 failed, 1 rule uncovered" in done.err


@pytest.mark.parametrize(
    ("name", "text", "line", "detail"),
    [
        ("refund_test.yaml", "policy: refund.yaml\ntest: []\n", "refund_test.yaml: ERROR", "unknown key `test`"),
        ("refund.yaml", "version: 1\nrules: [{id: x, forbit: a}]\n", "refund_test.yaml: ERROR", "unknown key `forbit`"),
        ("refund_test.yaml", "policy: none.yaml\ntests: []\n", "refund_test.yaml: ERROR", "none.yaml: cannot be read"),
        ("refund_test.yaml", PASSES.replace("no-a", "no-c"), "refund_test.yaml: no-lookup: ERROR", "the policy has no rule `no-c`"),
        (
            "refund_test.yaml",
            "policy: refund.yaml\ntests: [{name: traced, trace: none.json}]\n",
            "refund_test.yaml: traced: ERROR",
            "none.json",
        ),
        (
            "refund_test.yaml",
            "policy: refund.yaml\ntests: [{name: traced, trace: refund.yaml}]\n",
            "refund_test.yaml: traced: ERROR",
            "refund.yaml",
        ),
    ],
)
def test_what_is_broken_is_an_error_and_no_failure(folder: Path, name: str, text: str, line: str, detail: str) -> None:
    """A broken test, policy or trace is ERROR with its reason; the exit code is 2, whatever else failed, and the rest is run."""
    (folder / name).write_text(text)
    (folder / "other_test.yaml").write_text("policy: toolscore:recommended\ntests: [{name: fails, calls: [], expect: {verdict: fail}}]")
    done = in_process(["test", "refund_test.yaml", "other_test.yaml"])
    assert done.code == 2
    assert line in done.out.splitlines()
    assert detail in done.out
    assert "refund_test.yaml: FAIL" not in done.out
    assert "other_test.yaml: fails: FAIL" in done.out
    assert "1 failed, 1 could not be run" in done.err


def test_folders_are_searched(folder: Path) -> None:
    """*_test.yaml of a folder and all below it, hidden folders excepted, each once and in order."""
    for name in ("b/z_test.yaml", "b/a/y_test.yaml", ".hidden/x_test.yaml", "b/other.yaml"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("policy: toolscore:recommended\ntests: [{name: t, calls: []}]")
    done = in_process(["test", ".", "refund_test.yaml"])
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["b/a/y_test.yaml", "b/z_test.yaml", "refund_test.yaml"]


def test_only_some_tests(folder: Path) -> None:
    """-k takes those with the text in their name, and then nothing is said of what is uncovered."""
    (folder / "refund_test.yaml").write_text(FAILS)
    assert in_process(["test", "-k", "fin", "."]) == Output(0, "refund_test.yaml: fine: PASS\n", "1 passed\n")
    assert in_process(["test", "-k", "nothing", "."]) == Output(5, "", "no test was found\n")


def test_no_test_ends_with_five(folder: Path) -> None:
    """As pytest does."""
    (folder / "empty").mkdir()
    assert in_process(["test", "empty"]) == Output(5, "", "no test was found\n")
    (folder / "refund_test.yaml").write_text("policy: refund.yaml\ntests: []\n")
    assert in_process(["test", "."]).code == 5


@pytest.mark.parametrize("words", [["test"], ["test", "none_test.yaml"], ["test", "--what", "x"]])
def test_wrong_usage_ends_with_four(folder: Path, words: list[str]) -> None:
    """No path, a path that is not there, an option that there is not."""
    done = in_process(words)
    assert done.code == 4
    assert "Usage: " in done.err
    assert done.out == ""


def test_a_bug_ends_with_three_and_an_interruption_with_two(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug is told as one, without a traceback; neither is taken for a failed test."""

    def breaks(*_: object) -> None:
        raise RuntimeError

    def interrupts(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(otel_toolscore.policy_tests, "judge", breaks)
    done = in_process(["test", "."])
    assert (done.code, "internal error: RuntimeError" in done.err) == (3, True)
    monkeypatch.setattr(otel_toolscore.policy_tests, "judge", interrupts)
    assert in_process(["test", "."]).code == 2


def test_a_trace_is_judged_as_score_judges_it(folder: Path) -> None:
    """The runs of an export, with indices of the run's calls; what could not be read leaves the verdict open."""
    span = '{"trace_id": "%032x", "span_id": "%016x", "name": "t", '
    span += '"start_time": "2026-01-01T00:00:0%dZ", "end_time": "2026-01-01T00:00:0%dZ", '
    span += '"attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "%s"}}'
    (folder / "trace.jsonl").write_text("\n".join(span % (1, number, number, number + 1, tool) for number, tool in ((1, "c"), (2, "a"))))
    (folder / "refund_test.yaml").write_text(
        "policy: refund.yaml\ntests: [{name: traced, trace: trace.jsonl, expect: {violations: [[no-a, a, 1]], verdict: fail}}]"
    )
    assert in_process(["test", "."]).out == "refund_test.yaml: traced: PASS\n"
    (folder / "trace.jsonl").write_text("\n".join([span % (1, 1, 1, 2, "c"), '{"trace_id": ']))
    (folder / "refund_test.yaml").write_text(
        "policy: refund.yaml\ntests: [{name: cut, trace: trace.jsonl, expect: {verdict: inconclusive}}]"
    )
    assert in_process(["test", "."]).out == "refund_test.yaml: cut: PASS\n"


def test_in_a_process_of_its_own(folder: Path) -> None:
    """The module ends with the same codes."""
    assert in_a_process(["test", "refund_test.yaml"], folder).code == 0
    assert in_a_process(["test"], folder).code == 4
