"""The demonstration that `make demo` runs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demonstration_agrees_with_itself(program: Callable[[str], str]) -> None:
    """Four runs arrive over OTLP with their verdicts, and the file gives the same."""
    python = program(os.environ.get("FRAMEWORKS_PYTHON", str(ROOT / ".venv-frameworks" / "bin" / "python")))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [python, str(ROOT / "examples" / "live" / "demo.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if "invoke_agent support" in line] == ["pass", "fail", "fail", "fail"]
    calls = {" ".join(line.split()[:3]) for line in lines if "execute_tool" in line}
    assert {"pass execute_tool search_orders", "fail execute_tool delete_customer", "fail execute_tool send_receipt"} <= calls
    assert "reason: issue_refund: $.amount differs" in done.stdout
    assert "10 verdicts, 0 differ" in lines[-1]
