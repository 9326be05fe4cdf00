"""The command as a process: start-up, pipes, terminals and encodings."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_commands import CommandLine, process, tool_span

HEAVY = ("re2", "jsonschema_rs", "rapidfuzz", "yaml", "rich", "google.protobuf", "opentelemetry")
NO_SHELL = {"version": 1, "rules": [{"id": "no-shell", "forbid": {"tool": "shell"}}]}


@pytest.mark.parametrize("words", [["--help"], ["score", "--help"], ["calls", "--help"], ["--version"]])
def test_help_loads_little(words: list[str]) -> None:
    """Help and version load none of the heavy dependencies."""
    loaded = f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    code = f"import sys; from otel_toolscore.cli.main import run; run({words!r}); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert done.stdout


def test_importing_the_package_loads_little() -> None:
    """`import otel_toolscore` loads none of the heavy dependencies."""
    code = f"import sys, otel_toolscore; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_reader_goes_away(cli: CommandLine) -> None:
    """When the reader of a pipe closes it, the command ends with 2 and a message, without a traceback."""
    traces = cli.file("t.json", [tool_span(i, "search", {"q": "x" * 100}) for i in range(1, 3000)])
    command = [sys.executable, "-m", "otel_toolscore", "calls", traces]
    with subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read().decode() == "the output was closed before all of it was written\n"
    assert running.returncode == 2


def test_standard_input(cli: CommandLine) -> None:
    """`-` reads what is piped in."""
    traces = (cli.folder / cli.file("t.json", [tool_span(1, "shell", {})])).read_bytes()
    command = [sys.executable, "-m", "otel_toolscore", "score", "-", "-p", cli.file("p.yaml", NO_SHELL)]
    done = subprocess.run(command, cwd=cli.folder, input=traces, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"FAIL" in done.stdout


def test_an_ascii_output(cli: CommandLine) -> None:
    """Where the output's encoding lacks a character, an escape is written, and marks are ASCII."""
    traces = cli.file("t.json", [tool_span(1, "søk", {})])
    done = process(cli.folder, "score", traces, "-p", cli.file("p.yaml", NO_SHELL), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert b"0 v s\\xf8k" in done.stdout


def on_terminal(folder: Path, *arguments: str, columns: int = 90, **environment: str) -> tuple[int, str]:
    """The exit code and what a terminal of this width was sent."""
    import fcntl
    import struct
    import termios

    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", **environment}
    environment.pop("COLUMNS", None)
    command = [sys.executable, "-m", "otel_toolscore", *arguments]
    running = subprocess.Popen(command, cwd=folder, stdin=side, stdout=side, stderr=side, env=environment)
    os.close(side)
    sent, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([main], [], [], 0.2)[0]:
            if running.poll() is not None:
                break
            continue
        try:
            sent += os.read(main, 65536)
        except OSError:
            break
    os.close(main)
    return running.wait(10), sent.decode()


def test_a_terminal(cli: CommandLine) -> None:
    """On a terminal the table has colours, values and the terminal's width; credentials are masked there too."""
    secret = "AK" + "IAIOSFODNN7EXAMPLE"
    traces = cli.file("t.json", [tool_span(1, "shell", {"command": f"cat {secret} " + "x" * 200})])
    arguments = ["score", traces, "-p", cli.file("p.yaml", NO_SHELL)]
    code, sent = on_terminal(cli.folder, *arguments)
    assert code == 1
    assert "\x1b[1;31mFAIL" in sent
    assert "[masked AWS access key]" in sent
    assert secret not in sent
    assert "x" * 100 not in sent
    _, plain = on_terminal(cli.folder, *arguments, NO_COLOR="1")
    assert "\x1b[1;31m" not in plain
    assert "FAIL" in plain
    _, hidden = on_terminal(cli.folder, *arguments, "--values", "hide")
    assert "cat" not in hidden


def test_calls_on_a_terminal(cli: CommandLine) -> None:
    """On a terminal `calls` shows a table."""
    code, sent = on_terminal(cli.folder, "calls", cli.file("t.json", [tool_span(1, "search", {"q": "weather"})]))
    assert code == 0
    assert "search" in sent
    assert not sent.lstrip().startswith("{")


def test_the_version() -> None:
    """--version says the version of the installed package."""
    from importlib.metadata import version

    done = process(Path.cwd(), "--version")
    assert done.stdout.decode().strip() == f"otel-toolscore {version('otel-toolscore')}"
