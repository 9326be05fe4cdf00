"""What all tests share: a program that a test needs, and how hypothesis runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import hypothesis
import pytest

hypothesis.settings.register_profile("developer", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "developer")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-programs",
        action="store_true",
        help="a test whose program is missing fails (by default it is skipped and the reason printed)",
    )


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """`program(name)`: the path of a program that is not Python; the only way in which a test may be skipped."""

    def find(name: str) -> str:
        path = shutil.which(name)
        if path is not None:
            return path
        reason = f"needs the program {name}, which is not installed"
        if request.config.getoption("--require-programs"):
            pytest.fail(reason)
        pytest.skip(reason)

    return find
