"""Input that is wrong, each kind with the message and the exit code that a person sees."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from case_format import span_id, trace_id
from command_line import in_process

POLICY = "version: 1\nrules:\n  - {id: no-rm, forbid: {tool: sh, args: {command: {$contains: rm}}}}\n"


def span(number: int, *attributes: dict[str, object], **fields: object) -> dict[str, object]:
    return {
        "traceId": trace_id(1),
        "spanId": span_id(number),
        "name": "execute_tool sh",
        "startTimeUnixNano": str(10**18 + number),
        "endTimeUnixNano": str(10**18 + number + 1),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "sh"}},
            *attributes,
        ],
        **fields,
    }


def arguments(value: object) -> dict[str, object]:
    return {"key": "gen_ai.tool.call.arguments", "value": value}


def export(*spans: dict[str, object]) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return str(path)


def test_broken_json(tmp_path: Path, policy: str) -> None:
    """A file that is not JSON at all is refused, with its name, the place and what was expected."""
    path = tmp_path / "traces.json"
    path.write_text('{"resourceSpans": [{"scopeSpans": ]}')
    done = in_process(["score", str(path), "--policy", policy])
    assert done.code == 2
    assert "traces.json" in done.err
    assert "JSON" in done.err
    assert done.out == ""


def test_json_that_is_not_spans(tmp_path: Path, policy: str) -> None:
    """A JSON document without spans is refused: the message says what was expected."""
    path = tmp_path / "package.json"
    path.write_text('{"name": "left-pad", "version": "1.0.0"}')
    done = in_process(["score", str(path), "--policy", policy])
    assert done.code == 2
    assert "package.json" in done.err
    assert "spans" in done.err


def test_a_broken_record_among_whole_ones(tmp_path: Path, policy: str) -> None:
    """What is whole is scored; what is not is a problem with its line, and keeps the document from passing."""
    path = tmp_path / "traces.jsonl"
    path.write_text(export(span(1, arguments({"stringValue": '{"command": "ls"}'}))) + '\n{"resourceSpans": [\n')
    done = in_process(["score", str(path), "--policy", policy, "--format", "json"])
    document = json.loads(done.out)
    assert (done.code, document["verdict"], document["totals"]["calls"]) == (3, "inconclusive", 1)
    assert [problem["where"].endswith("traces.jsonl:2") or ":2" in problem["where"] for problem in document["problems"]] == [True]


def test_a_policy_with_ten_faults(tmp_path: Path) -> None:
    """All ten are told at once, each with its line and what was expected; nothing is scored."""
    path = tmp_path / "policy.yaml"
    path.write_text(
        "version: 1\n"
        "fail_on: urgent\n"
        "rules:\n"
        "  - {id: a, forbit: sh}\n"
        "  - {id: b, severity: fatal, forbid: sh}\n"
        "  - {id: c, forbid: {tool: sh, args: {command: {$regx: rm}}}}\n"
        "  - {id: d, forbid: {tool: sh, args: {command: {$regex: '('}}}}\n"
        "  - {id: e}\n"
        "  - {id: f, forbid: sh, require: ls}\n"
        "  - {id: g, forbid: sh, forbid: ls}\n"
        "expectations:\n"
        "  - {id: h, order: sorted, calls: []}\n"
        "  - {id: i, calls: [{args: {x: 1}}]}\n"
    )
    done = in_process(["validate", str(path)])
    told = [line for line in done.err.splitlines() if "policy.yaml:" in line]
    lines = [int(line.split("policy.yaml:")[1].split(":")[0]) for line in told]
    assert done.code == 2
    assert lines == [2, 4, 5, 6, 7, 8, 9, 10, 12, 13]
    expected = (
        *(("fail_on", "critical"), ("forbit", "forbid"), ("severity", "high"), ("$regx", "$regex"), ("regular",), ("exactly one",)),
        *(("exactly one", "forbid"), ("duplicate",), ("order", "in_order"), ("tool",)),
    )
    assert [(line, word) for line, words in zip(told, expected, strict=True) for word in words if word not in line] == []
    assert in_process(["score", str(path), "--policy", str(path)]).code == 2


ABSURD = {
    "a number": {"intValue": "5"},
    "an integer beyond 64 bits": {"intValue": "9" * 400},
    "an integer that is none": {"intValue": "seven"},
    "not a number": {"doubleValue": "NaN"},
    "a list": {"arrayValue": {"values": [{"stringValue": "rm"}]}},
    "a list without values": {"arrayValue": {}},
    "no value": {},
    "two values": {"stringValue": "x", "intValue": "1"},
    "another type of value": {"colour": "red"},
    "a value that is null": None,
    "bytes that are not base64": {"bytesValue": "%%%"},
    "a map with entries that are none": {"kvlistValue": {"values": [1, {"key": 2}, {"value": {"stringValue": "x"}}]}},
    "deep nesting in text": {"stringValue": "[" * 100_000},
    "deep nesting in values": None,
    "half a surrogate pair": {"stringValue": '{"command": "\\ud800"}'},
    "a long text": {"stringValue": '{"command": "' + "x" * 1_000_000 + '"}'},
    "control characters": {"stringValue": '{"command": "\u0000\u001b[31m"}'},
}
DEEP: dict[str, object] = {"stringValue": "x"}
for _ in range(300):
    DEEP = {"arrayValue": {"values": [DEEP]}}
ABSURD["deep nesting in values"] = DEEP


@pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD.keys())
def test_absurd_attribute_values(value: object, tmp_path: Path, policy: str) -> None:
    """Whatever stands where the arguments belong, the call is read, and what cannot be known is never a pass of the rule."""
    path = tmp_path / "traces.json"
    path.write_text(export(span(1, arguments(value))))
    done = in_process(["score", str(path), "--policy", policy, "--format", "json", "--values", "show"])
    document = json.loads(done.out)
    (call,) = (call for run in document["runs"] for call in run["calls"])
    assert call["tool"] == "sh"
    captured = call["args_state"] == "captured"
    assert (done.code, document["verdict"]) in ([(0, "pass")] if captured else [(3, "inconclusive"), (1, "fail")])
    assert "\x1b" not in done.out + done.err
    assert "internal error" not in done.err


@pytest.mark.parametrize(
    "fields",
    [
        {"startTimeUnixNano": "tomorrow"},
        {"startTimeUnixNano": "-5"},
        {"endTimeUnixNano": "1"},
        {"startTimeUnixNano": "9" * 30},
        {"parentSpanId": span_id(1)},
        {"kind": "SPAN_KIND_SIDEWAYS"},
        {"kind": 77},
        {"status": "bad"},
        {"events": "none"},
        {"name": 5},
        {"traceId": "xyz"},
        {"spanId": ""},
    ],
    ids=str,
)
def test_absurd_span_fields(fields: dict[str, object], tmp_path: Path, policy: str) -> None:
    """A span with fields that cannot be is read without them or reported with its place; it is never lost without a word."""
    path = tmp_path / "traces.json"
    path.write_text(export({**span(1, arguments({"stringValue": '{"command": "ls"}'})), **fields}))
    done = in_process(["score", str(path), "--policy", policy, "--format", "json"])
    if done.code == 2:
        assert "traces.json" in done.err
        return
    document = json.loads(done.out)
    assert document["totals"]["calls"] == 1 or document["problems"] != []
    assert "internal error" not in done.err


def test_an_unreadable_file(tmp_path: Path, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that exists and cannot be opened is named, with the system's reason."""
    path = tmp_path / "traces.json"
    path.write_text(export(span(1)))
    if os.geteuid() == 0:
        # Nothing is unreadable to root: the system's answer is given in its place.
        real = os.open

        def refuse(name: object, *rest: object, **more: object) -> int:
            if str(name) == str(path):
                raise PermissionError(13, "Permission denied", str(path))
            return real(name, *rest, **more)  # type: ignore[arg-type]

        def refuse_open(name: object, *rest: object, **more: object) -> object:
            if str(name) == str(path):
                raise PermissionError(13, "Permission denied", str(path))
            return real_open(name, *rest, **more)  # type: ignore[call-overload]

        import builtins
        import io

        real_open = io.open
        monkeypatch.setattr(os, "open", refuse)
        monkeypatch.setattr(builtins, "open", refuse_open)
        monkeypatch.setattr(io, "open", refuse_open)
    else:
        path.chmod(0)
    done = in_process(["score", str(path), "--policy", policy])
    assert done.code == 2
    assert "traces.json" in done.err
    assert "ermission denied" in done.err


@pytest.mark.parametrize("path", ["missing.json", "missing-*.json", "missing/"])
def test_no_path_matches(path: str, tmp_path: Path, policy: str) -> None:
    """A path that leads nowhere is named; nothing is scored."""
    done = in_process(["score", str(tmp_path / path), "--policy", policy])
    assert done.code == 2
    assert path.rstrip("/") in done.err
    assert done.out == ""


def test_an_empty_folder(tmp_path: Path, policy: str) -> None:
    """A folder in which nothing can be read is named."""
    (tmp_path / "traces").mkdir()
    done = in_process(["score", str(tmp_path / "traces"), "--policy", policy])
    assert done.code == 2
    assert "traces" in done.err


def test_an_empty_file(tmp_path: Path, policy: str) -> None:
    """A file without anything in it never passes."""
    path = tmp_path / "traces.json"
    path.write_text("")
    done = in_process(["score", str(path), "--policy", policy])
    assert done.code in (2, 3)
    assert done.err != ""


def test_a_policy_that_is_not_there(tmp_path: Path) -> None:
    """The policy's name is told."""
    path = tmp_path / "traces.json"
    path.write_text(export(span(1)))
    done = in_process(["score", str(path), "--policy", str(tmp_path / "none.yaml")])
    assert done.code == 2
    assert "none.yaml" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["score"], "PATH"),
        (["score", "x.json", "--format", "xml"], "json"),
        (["score", "x.json", "--min-score", "0.9"], "--expect"),
        (["score", "x.json", "--expect", "e.yaml", "--min-score", "9"], "0 to 1"),
        (["score", "x.json", "--polcy", "p.yaml"], "--polcy"),
        (["scroe", "x.json"], "scroe"),
        (["score", "x.json", "--report", "docx=a"], "docx"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_usage(words: list[str], told: str) -> None:
    """The message names the word that is wrong, and the exit code is 2."""
    done = in_process(words)
    assert done.code == 2
    assert told in done.err
