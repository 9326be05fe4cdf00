"""Runs the command line in this process, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from otel_toolscore.cli.main import run

START = 1_790_000_000_000_000_000


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    def document(self) -> dict[str, Any]:
        return json.loads(self.out)  # type: ignore[no-any-return]


class CommandLine:
    """Runs commands in an empty folder."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self._capture = capture

    def __call__(self, *arguments: str) -> Done:
        self._capture.readouterr()
        try:
            code = run(arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        out, err = self._capture.readouterr()
        return Done(code, out.decode(), err.decode())

    def file(self, name: str, content: object) -> str:
        """Write a file, as JSON unless it is text; its path from the folder."""
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text)
        return name


def process(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "otel_toolscore", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )


def tool_span(number: int, tool: str, arguments: object = None, **members: Any) -> dict[str, Any]:
    """A flat span of a tool call, in a trace of its own unless told otherwise."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = json.dumps(arguments)
    return {
        "trace_id": f"{number:032x}",
        "span_id": f"{number:016x}",
        "name": f"execute_tool {tool}",
        "start_time": START + number * 10**9,
        "end_time": START + number * 10**9 + 5_000_000,
        **members,
        "attributes": {**attributes, **members.get("attributes", {})},
    }
