"""The pytest fixture `toolscore`: the tool calls that a test's code made, from the spans that its instrumentation wrote.

The spans are kept in memory; nothing is exported, and what else listens to the tracer provider goes on as before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from otel_toolscore.model import Document, ToolCall
    from otel_toolscore.policy import Policy
    from otel_toolscore.results import EvaluationResult


class ToolScore:
    """What a test saw so far. Spans count from the start of the test, once they have ended."""

    def __init__(self, attach: Callable[[Any], Any], find_policy: Callable[[], Policy]) -> None:
        self._attach = attach
        self._find_policy = find_policy
        self._lock = threading.Lock()  # protects _spans
        self._spans: list[ReadableSpan] = []
        self.provider: Any = attach(None)
        """The tracer provider whose spans are kept: the global one. For an instrumentation that wants to be given one."""

    def attach(self, provider: Any) -> None:
        """Keeps the spans of a further tracer provider too, for code that does not use the global one."""
        self._attach(provider)

    def keep(self, span: ReadableSpan) -> None:
        """Takes a span that ended."""
        with self._lock:
            self._spans.append(span)

    def clear(self) -> None:
        """Forgets what was kept."""
        with self._lock:
            self._spans.clear()

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """The spans that ended, in that order."""
        with self._lock:
            return tuple(self._spans)

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls, in the order in which they started."""
        from otel_toolscore.otlp.sdk import from_otel  # noqa: PLC0415 - a test run that makes no use of the fixture stays as it was

        return from_otel(self.spans)

    def score(self, expected: Any, **options: Any) -> EvaluationResult:
        """What `otel_toolscore.evaluate(expected, calls, **options)` says of the calls."""
        from otel_toolscore.evaluation import evaluate  # noqa: PLC0415

        return evaluate(expected, self.calls, **options)

    def assert_policy(self, policy: Policy | str | Path | None = None, *, allow_inconclusive: bool = False) -> Document:
        """Fails the test unless the policy's verdict on all runs is `pass`; gives the scored document.

        `policy` is one or its file; None: the ini option `toolscore_policy`, TOOLSCORE_POLICY, or the nearest toolscore.yaml.
        An inconclusive verdict fails too, unless it is allowed, and so does a test in which nothing was scored.
        """
        from otel_toolscore.engine import score_runs  # noqa: PLC0415
        from otel_toolscore.evaluation import ToolScoreAssertionError  # noqa: PLC0415
        from otel_toolscore.otlp.sdk import runs_of  # noqa: PLC0415
        from otel_toolscore.policy import Policy, load  # noqa: PLC0415

        chosen = self._find_policy() if policy is None else policy if isinstance(policy, Policy) else load([str(policy)])
        document = score_runs(chosen, runs_of(self.spans, chosen))
        allowed = ("pass", "inconclusive") if allow_inconclusive else ("pass",)
        if document.verdict not in allowed:
            raise ToolScoreAssertionError("\n".join(told(document)))
        return document


def told(document: Document) -> Iterator[str]:
    """Why a document's verdict is what it is, one finding or expectation a line."""
    yield f"the verdict is {document.verdict}" + (f": {'; '.join(document.reasons)}" if document.reasons else "")
    for result in document.runs:
        for finding in result.findings:
            where = f" ({finding.tool})" if finding.tool is not None else ""
            text = ": ".join(part for part in (finding.message, finding.explanation) if part)
            yield f"  {finding.kind} of {finding.rule}{where}: {text}"
        for expectation in result.expectations:
            if expectation.verdict != "pass":
                yield f"  expectation {expectation.id}: {expectation.verdict}"
                yield from (f"    {reason}" for reason in expectation.reasons)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini option that names the policy of `toolscore.assert_policy()`."""
    parser.addini("toolscore_policy", "policy file (or built-in name) for toolscore.assert_policy(), relative to the root folder")


@pytest.fixture
def toolscore(request: pytest.FixtureRequest) -> Iterator[ToolScore]:
    """The tool calls of this test; see `ToolScore`."""
    from otel_toolscore.live.collector import Collector, collector_of  # noqa: PLC0415

    listening: list[Collector] = []

    def find_policy() -> Policy:
        return _policy_of(request.config)

    def attach(provider: Any) -> Any:
        provider, collector = collector_of(provider)
        if collector not in listening:
            listening.append(collector)
            collector.listeners.append(keep)
        return provider

    def keep(span: ReadableSpan) -> None:
        seen.keep(span)

    seen = ToolScore(attach, find_policy)
    try:
        yield seen
    finally:
        for collector in listening:
            collector.listeners.remove(keep)


def _policy_of(config: pytest.Config) -> Policy:
    from otel_toolscore.live.policy_in_force import policy_in_force  # noqa: PLC0415

    named = str(config.getini("toolscore_policy") or "")
    path = config.rootpath / named
    policy, _ = policy_in_force((str(path) if path.is_file() else named) if named else None, start=config.rootpath)
    return policy
