from __future__ import annotations

from pathlib import Path

import pytest
from run_commands import CommandLine


@pytest.fixture(name="cli")
def _cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    for name in ("TOOLSCORE_DEBUG", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return CommandLine(tmp_path, capsysbinary)
