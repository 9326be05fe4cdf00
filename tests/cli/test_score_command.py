"""`otel-toolscore score`: from files to a verdict and an exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from run_commands import CommandLine, tool_span

from otel_toolscore.cli.score import EXIT_CODES

NO_SHELL = {"version": 1, "rules": [{"id": "no-shell", "severity": "medium", "forbid": {"tool": "shell"}}]}
NO_LS = {"version": 1, "rules": [{"id": "no-ls", "forbid": {"tool": "shell", "args": {"command": {"$contains": "ls"}}}}]}
SECRET = "AK" + "IAIOSFODNN7EXAMPLE"


@pytest.fixture(name="traces")
def _traces(cli: CommandLine) -> str:
    return cli.file("traces.json", [tool_span(1, "search", {"q": "weather"}), tool_span(2, "shell", {"command": f"ls # {SECRET}"})])


@pytest.mark.parametrize(
    ("policy", "spans", "code", "verdict"),
    [
        (NO_SHELL, [tool_span(1, "search", {})], 0, "pass"),
        (NO_SHELL, [tool_span(1, "shell", {})], 1, "fail"),
        (NO_LS, [tool_span(1, "shell")], 3, "inconclusive"),
        (NO_SHELL, [{**tool_span(1, "x"), "name": "GET /", "attributes": {}}], 3, "unscored"),
    ],
)
def test_the_exit_code_says_the_verdict(cli: CommandLine, policy: object, spans: object, code: int, verdict: str) -> None:
    """0 pass, 1 fail, 3 inconclusive or unscored, in every format."""
    arguments = [cli.file("t.json", spans), "--policy", cli.file("p.yaml", policy)]
    for form in ("table", "json", "jsonl"):
        assert cli("score", *arguments, "--format", form).code == code
    assert cli("score", *arguments, "--format", "json").document()["verdict"] == verdict
    assert EXIT_CODES[verdict] == code


def test_inconclusive_can_be_allowed(cli: CommandLine) -> None:
    """--allow-inconclusive ends with 0 where the verdict is open, not where nothing was scored."""
    policy = cli.file("p.yaml", NO_LS)
    assert cli("score", cli.file("t.json", [tool_span(1, "shell")]), "-p", policy, "--allow-inconclusive").code == 0
    assert cli("score", cli.file("u.json", []), "-p", policy, "--allow-inconclusive").code == 3


def test_an_open_verdict_is_explained(cli: CommandLine) -> None:
    """Where the verdict is open, standard error says why and what to do, for formats that people do not read."""
    done = cli("score", cli.file("t.json", []), "-p", cli.file("p.yaml", NO_LS), "--format", "json")
    assert "unscored: no tool call" in done.err
    done = cli("score", cli.file("t.json", [tool_span(1, "shell")]), "-p", "p.yaml", "--format", "json")
    assert "inconclusive: " in done.err
    assert "arguments" in done.err


def test_a_policy_is_looked_for_upwards(cli: CommandLine, traces: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --policy, the nearest toolscore.yaml above applies, and the output says so."""
    cli.file("toolscore.yaml", NO_SHELL)
    (cli.folder / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(cli.folder / "deep" / "er")
    done = cli("score", f"../../{traces}", "--format", "json")
    assert done.code == 1
    assert done.document()["policy"]["sources"] == ["../../toolscore.yaml"]
    assert "policy: ../../toolscore.yaml" in done.err
    assert "../../toolscore.yaml (1 rule, 0 expectations" in cli("score", f"../../{traces}").out


def test_the_built_in_policy_is_the_last_resort(cli: CommandLine, traces: str) -> None:
    """Where there is no policy at all, toolscore:recommended applies, and the output says so."""
    done = cli("score", traces, "--format", "json")
    assert done.document()["policy"]["sources"] == ["toolscore:recommended"]
    assert "policy: toolscore:recommended" in done.err


def test_lists_need_no_policy(cli: CommandLine, traces: str) -> None:
    """With a list of expected or forbidden calls and no policy, only the list applies."""
    done = cli("score", traces, "--forbid", cli.file("f.json", [{"tool": "shell", "reason": "no shell"}]), "--format", "json")
    assert done.document()["policy"]["sources"] == ["f.json"]
    assert done.code == 1
    assert [finding["message"] for run in done.document()["runs"] for finding in run["findings"]] == ["no shell"]


def test_a_bare_list_is_scored_against_every_run(cli: CommandLine, traces: str) -> None:
    """Every run is scored with all its calls, and every difference fails."""
    done = cli("score", traces, "--expect", cli.file("e.json", [{"tool": "search", "args": {"q": "weather"}}]), "--format", "json")
    assert [expectation["verdict"] for run in done.document()["runs"] for expectation in run["expectations"]] == ["pass", "fail"]
    assert done.code == 1


def test_a_minimum_score_forgives(cli: CommandLine) -> None:
    """With --min-score, a difference in arguments is forgiven while the score reaches it."""
    traces = cli.file("t.json", [tool_span(1, "search", {"q": "weather", "n": 5})])
    expected = cli.file("e.json", [{"tool": "search", "args": {"q": "weather"}}])
    assert cli("score", traces, "--expect", expected).code == 1
    assert cli("score", traces, "--expect", expected, "--min-score", "0.9").code == 0
    assert cli("score", traces, "--expect", expected, "--min-score", "0.95").code == 1


def test_fail_on_overrides_the_policy(cli: CommandLine, traces: str) -> None:
    """--fail-on says from which severity a violation fails; it is part of what the digest is over."""
    policy = cli.file("p.yaml", NO_SHELL)
    high, medium = (cli("score", traces, "-p", policy, "--fail-on", severity, "--format", "json") for severity in ("high", "medium"))
    assert (high.code, medium.code) == (0, 1)
    assert high.document()["policy"]["digest"] != medium.document()["policy"]["digest"]


def test_values_are_hidden_unless_asked_for(cli: CommandLine, traces: str) -> None:
    """Without a terminal, neither table nor JSON shows values; with --values show both do, with credentials masked."""
    policy = cli.file("p.yaml", NO_SHELL)
    for form in ("table", "json", "jsonl"):
        hidden = cli("score", traces, "-p", policy, "--format", form)
        shown = cli("score", traces, "-p", policy, "--format", form, "--values", "show")
        assert "weather" not in hidden.out + hidden.err
        assert "weather" in shown.out
        assert SECRET not in hidden.out + hidden.err + shown.out + shown.err
        assert "[masked AWS access key]" in shown.out


def test_reports_beside_the_output(cli: CommandLine, traces: str) -> None:
    """--report writes further files; -o a file instead of standard output."""
    policy = cli.file("p.yaml", NO_SHELL)
    done = cli("score", traces, "-p", policy, "--report", "json=r.json", "-o", "table.txt")
    assert (done.code, done.out) == (1, "")
    assert json.loads((cli.folder / "r.json").read_text())["verdict"] == "fail"
    assert "FAIL  2 runs, 2 calls" in (cli.folder / "table.txt").read_text()
    assert "\x1b" not in (cli.folder / "table.txt").read_text()


def test_json_lines_hold_a_run_each(cli: CommandLine, traces: str) -> None:
    """One line a run, the rest of the document last."""
    done = cli("score", traces, "-p", cli.file("p.yaml", NO_SHELL), "--format", "jsonl")
    first, second, rest = map(json.loads, done.out.splitlines())
    assert [first["verdict"], second["verdict"], rest["verdict"]] == ["pass", "fail", "fail"]
    assert "runs" not in rest


def test_the_same_input_gives_the_same_bytes(cli: CommandLine, traces: str) -> None:
    """Scoring twice gives the same bytes."""
    arguments = ["score", traces, "-p", cli.file("p.yaml", NO_SHELL), "--format", "json", "--values", "show"]
    assert cli(*arguments) == cli(*arguments)


def test_what_cannot_be_read_is_told(cli: CommandLine) -> None:
    """A broken line is a problem in the document and keeps it from passing."""
    traces = cli.file("t.jsonl", "\n".join([json.dumps(tool_span(1, "search", {})), '{"trace_id": ']))
    done = cli("score", traces, "-p", cli.file("p.yaml", NO_SHELL), "--format", "json")
    assert done.code == 3
    assert [problem["where"] for problem in done.document()["problems"]] == ["t.jsonl:2"]
    assert done.document()["runs"][0]["complete"] is False


def test_a_cut_file_leaves_what_is_missing_open(cli: CommandLine) -> None:
    """A call that an expectation misses may have been in the part of the file that is lost."""
    expected = cli.file("e.json", [{"tool": "search"}, {"tool": "answer"}])
    line = json.dumps(tool_span(1, "search", {}))
    assert cli("score", cli.file("t.jsonl", line), "--expect", expected).code == 1
    done = cli("score", cli.file("t.jsonl", line + '\n{"trace_id": '), "--expect", expected, "--format", "json")
    assert done.code == 3
    assert done.document()["runs"][0]["complete"] is False


USAGE = [
    (["score"], "Missing argument 'PATH...'"),
    (["score", "t.json", "--min-score", "0.5"], "--min-score is for the calls of --expect"),
    (["score", "t.json", "--expect", "e", "--min-score", "1.5"], "expected a number from 0 to 1"),
    (["score", "t.json", "--expect", "e", "--min-score", "lots"], "expected a number from 0 to 1"),
    (["score", "t.json", "--report", "json"], "expected KIND=FILE"),
    (["score", "t.json", "--report", "pdf=x"], "there is no report 'pdf'; there is json"),
    (["score", "t.json", "--fail-on", "fatal"], "'fatal' is not one of"),
    (["score", "t.json", "--gate", "x"], "No such option"),
    (["scoer", "t.json"], "No such command 'scoer'"),
    (["score", "none.json"], "none.json: no such file or folder"),
    (["score", "*.jsonl"], "*.jsonl: no file matches"),
    (["score", "page.html"], "page.html: not spans: looks like HTML; expected OTLP JSON"),
    (["score", "t.json", "-p", "none.yaml"], "none.yaml"),
    (["score", "t.json", "-p", "bad.yaml"], "bad.yaml:1:"),
    (["score", "t.json", "--expect", "none.yaml"], "none.yaml"),
    (["score", "t.json", "-o", "none/x.json"], "none/x.json: cannot be written: there is no folder"),
    (["score", "t.json", "-o", "."], ".: cannot be written: it is a folder"),
    (["score", "t.json", "--report", "json=none/x"], "none/x: cannot be written: there is no folder"),
]


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_what_is_wrong_is_told(cli: CommandLine, arguments: list[str], message: str) -> None:
    """Wrong usage, policies, inputs and outputs end with 2 and a message; nothing is printed as a result."""
    cli.file("t.json", [tool_span(1, "search", {})])
    cli.file("page.html", "<html></html>")
    cli.file("bad.yaml", "rulez: []")
    done = cli(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


def test_every_fault_of_a_policy_is_told(cli: CommandLine) -> None:
    """All faults come at once, each with its place."""
    policy = cli.file("p.yaml", "version: 1\nrules:\n  - {id: a, forbit: x}\n  - {id: b, severity: fatal, forbid: x}\n")
    done = cli("score", cli.file("t.json", []), "-p", policy)
    assert done.code == 2
    assert "p.yaml:3:" in done.err
    assert "p.yaml:4:" in done.err


def test_a_file_is_written_whole_or_not_at_all(cli: CommandLine, traces: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """When writing fails half-way, the file that was there stays, and nothing is left beside it."""
    cli.file("r.json", "before")

    def full(_source: object, _target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    done = cli("score", traces, "-p", cli.file("p.yaml", NO_SHELL), "--format", "json", "-o", "r.json")
    assert done.code == 2
    assert done.err.endswith("r.json: cannot be written: No space left on device\n")
    assert (cli.folder / "r.json").read_text() == "before"
    assert sorted(path.name for path in cli.folder.iterdir()) == ["p.yaml", "r.json", "traces.json"]


def test_a_written_file_keeps_its_permissions(cli: CommandLine, traces: str) -> None:
    """A file that was there keeps its mode; a new one gets what the mask leaves."""
    policy = cli.file("p.yaml", NO_SHELL)
    cli.file("r.json", "before")
    (cli.folder / "r.json").chmod(0o640)
    (cli.folder / "link.json").symlink_to("r.json")
    cli("score", traces, "-p", policy, "--format", "json", "-o", "link.json", "--report", "json=new.json")
    assert (cli.folder / "r.json").stat().st_mode & 0o777 == 0o640
    assert (cli.folder / "link.json").is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert (cli.folder / "new.json").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_device_is_written_to(cli: CommandLine, traces: str) -> None:
    """What is no file has no place to be put in; it is written to as it is."""
    assert cli("score", traces, "-p", cli.file("p.yaml", NO_SHELL), "-o", os.devnull).code == 1
    assert not Path(os.devnull).is_file()


def test_a_bug_is_one_line(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody foresaw ends with 2 and one line, which names no value; the traceback is there when asked for."""
    traces = cli.file("t.json", [])

    def broken(*_: object, **__: object) -> None:
        raise KeyError("correct horse")

    monkeypatch.setattr("otel_toolscore.assemble.assemble", broken)
    done = cli("score", traces)
    assert done.code == 2
    assert done.err.startswith("internal error: KeyError at cli/test_score_command.py:")
    assert "TOOLSCORE_DEBUG=1" in done.err
    assert "horse" not in done.err
    assert len(done.err.splitlines()) == 1
    monkeypatch.setenv("TOOLSCORE_DEBUG", "1")
    assert "Traceback (most recent call last)" in cli("score", traces).err


def test_interrupted(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with 130, without a traceback."""
    traces = cli.file("t.json", [])

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("otel_toolscore.assemble.assemble", interrupt)
    done = cli("score", traces)
    assert (done.code, done.err.strip()) == (130, "interrupted")


def test_warnings_of_a_policy_are_told(cli: CommandLine, traces: str) -> None:
    """What a policy allows but hardly means is told on standard error."""
    policy = cli.file("p.yaml", {"version": 1, "rules": [{"id": "a", "allow": [{"tool": "*", "args": {"q": {"$contains": "x"}}}]}]})
    assert "(warning)" in cli("score", traces, "-p", policy).err
