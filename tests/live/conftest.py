"""Fixtures of the tests of scoring in a running process."""

from __future__ import annotations

import logging

import pytest
from opentelemetry import trace
from opentelemetry.util._once import Once


@pytest.fixture
def no_global_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process as it is before anyone set a tracer provider."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's shell reaches a test, and the package's log is heard."""
    for name in ("ENABLED", "POLICY", "IDLE_TIMEOUT", "MAX_TRACES", "MAX_SPANS", "MAX_SERIES"):
        monkeypatch.delenv(f"TOOLSCORE_{name}", raising=False)
    logging.getLogger("otel_toolscore").setLevel(logging.NOTSET)
