"""`validate`, `schema` and `init` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import in_process

from otel_toolscore.policy import json_schema, load

TRACES = Path(__file__).parent.parent.parent / "examples" / "support" / "traces"


def test_a_sound_policy(tmp_path: Path) -> None:
    """One line says what a file holds; warnings go to standard error."""
    path = tmp_path / "p.yaml"
    path.write_text(
        "extends: [toolscore:recommended]\n"
        "rules: [{id: a, allow: [{tool: x, args: {y: {$contains: z}}}]}]\n"
        "expectations: [{id: e, calls: []}]\n"
    )
    done = in_process(["validate", str(path), "toolscore:recommended"])
    assert done.code == 0
    assert done.out.splitlines() == [
        f"{path}: ok, 7 rules, 1 expectation, 1 warning (with toolscore:recommended)",
        "toolscore:recommended: ok, 6 rules, 0 expectations",
    ]
    assert done.err.startswith(f"{path}:2:46: `$contains` in `allow`")
    assert done.err.endswith("(warning)\n")


def test_every_fault_of_every_file(tmp_path: Path) -> None:
    """All files are checked; faults go to standard error, and the exit code is 2."""
    good, bad, missing = tmp_path / "good.yaml", tmp_path / "bad.yaml", tmp_path / "missing.yaml"
    good.write_text("version: 1")
    bad.write_text("version: 2\nrules: [{id: a}]")
    done = in_process(["validate", str(bad), str(missing), str(good)])
    assert done.code == 2
    assert done.out == f"{good}: ok, 0 rules, 0 expectations\n"
    lines = done.err.splitlines()
    assert lines[0] == f"{bad}:1:10: `version`: expected `1`, found `2`"
    assert lines[1].startswith(f"{bad}:2:9: a rule needs exactly one of")
    assert lines[2] == f"{missing}: cannot be read: No such file or directory"


def test_short_forms_are_checked_as_what_they_are_for(tmp_path: Path) -> None:
    """A bare list is a list of expected or of forbidden calls, and no policy."""
    path = tmp_path / "list.yaml"
    path.write_text("- {tool: a, reason: b}")
    assert in_process(["validate", "--expect", str(path), "--forbid", str(path)]).out == (
        f"{path}: ok, 0 rules, 1 expectation\n{path}: ok, 1 rule, 0 expectations\n"
    )
    done = in_process(["validate", str(path)])
    assert done.code == 2
    assert "a bare list of calls is given with --expect or --forbid" in done.err


def test_nothing_to_validate() -> None:
    """Without a file there is nothing to check, which is a fault of usage."""
    done = in_process(["validate"])
    assert done.code == 2
    assert "no POLICY given" in done.err


def test_schema(tmp_path: Path) -> None:
    """The JSON Schema is printed, or written to a file."""
    assert json.loads(in_process(["schema"]).out) == json_schema()
    assert in_process(["schema", "-o", str(tmp_path / "s.json")]).out == ""
    assert json.loads((tmp_path / "s.json").read_text()) == json_schema()


def test_init_without_traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A starter is written, and not over a file that is there."""
    monkeypatch.chdir(tmp_path)
    done = in_process(["init"])
    assert (done.code, done.out) == (0, "")
    assert done.err == "wrote toolscore.yaml: 0 tools, 0 expectations\n"
    assert load(["toolscore.yaml"]).rules[0].id == "recommended-repeated-call"
    Path("toolscore.yaml").write_text("mine")
    done = in_process(["init"])
    assert done.code == 2
    assert "toolscore.yaml exists; --force replaces it" in done.err
    assert Path("toolscore.yaml").read_text() == "mine"
    assert in_process(["init", "--force"]).code == 0
    assert Path("toolscore.yaml").read_text() != "mine"


def test_init_from_traces(tmp_path: Path) -> None:
    """From traces, each agent is expected to do what it did, and the file says nothing of values unless asked."""
    path = tmp_path / "p.yaml"
    done = in_process(["init", str(TRACES / "refund.json"), "-o", str(path)])
    assert done.code == 0
    policy = load([path])
    assert [expectation.when.agent for expectation in policy.expectations if expectation.when] == [("support",)]
    assert "issue_refund" in policy.tools
    assert "ada@example.com" not in path.read_text()
    shown = in_process(["init", str(TRACES / "refund.json"), "-o", "-", "--values", "show"])
    assert "ada@example.com" in shown.out
    assert shown.err == ""


def test_what_init_writes_passes_on_what_it_was_written_from(tmp_path: Path) -> None:
    """The traces meet the expectations that were written from them."""
    path = tmp_path / "p.yaml"
    assert in_process(["init", str(TRACES / "refund.json"), "-o", str(path)]).code == 0
    done = in_process(["score", str(TRACES / "refund.json"), "--policy", str(path), "--format", "json"])
    scored = [expectation["verdict"] for run in json.loads(done.out)["runs"] for expectation in run["expectations"]]
    assert scored
    assert set(scored) == {"pass"}


def test_init_of_what_is_no_trace(tmp_path: Path) -> None:
    """What cannot be read is told, and nothing is written."""
    path = tmp_path / "p.yaml"
    done = in_process(["init", str(tmp_path / "none.json"), "-o", str(path)])
    assert done.code == 2
    assert "none.json" in done.err
    assert not path.exists()


def test_init_to_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A file that cannot be written is told before anything is read."""
    done = in_process(["init", "-o", str(tmp_path / "none" / "p.yaml")])
    assert done.code == 2
    assert "cannot be written" in done.err
