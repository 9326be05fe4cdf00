"""`instrument`: scoring in one line, on the tracer provider that is there; and without a line, under `opentelemetry-instrument`."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from typing import Any

from opentelemetry import trace

from otel_toolscore.live import attach
from otel_toolscore.live.policy_in_force import PolicySource
from otel_toolscore.model import RunResult
from otel_toolscore.processor import ToolScoreProcessor

logger = logging.getLogger("otel_toolscore")

_attached: attach.ByProvider[ToolScoreProcessor] = attach.ByProvider()


def instrument(
    policy: PolicySource | None = None,
    provider: Any = None,
    *,
    meter_provider: Any = None,
    logger_provider: Any = None,
    on_result: Callable[[RunResult], None] | None = None,
) -> ToolScoreProcessor:
    """Scores the spans of a tracer provider (None: the global one, now or when it is set), beside what it does already.

    The other arguments are `ToolScoreProcessor`'s. A provider that is scored already stays as it is. Raises as the processor does,
    and NotATracerProviderError for what takes no span processors.
    """
    processor = ToolScoreProcessor(policy, meter_provider=meter_provider, logger_provider=logger_provider, on_result=on_result)
    if processor.policy is None:
        return processor
    if provider is not None:
        return _attach(processor, provider)
    if not attach.when_set(functools.partial(_attach, processor)):
        logger.info("scoring starts when the global tracer provider is set")
        return processor
    return _attached.get(trace.get_tracer_provider()) or processor


def _attach(processor: ToolScoreProcessor, provider: Any) -> ToolScoreProcessor:
    there = _attached.get(provider)
    if there is not None and there._running:
        logger.warning("%s is scored already; the first policy stays in force", attach.described(provider))
        processor.shutdown()
        return there
    described = attach.described(provider)
    attach.add(provider, processor)
    _attached.put(provider, processor)
    logger.info("scoring the spans of %s", described)
    return processor


def pre_instrument() -> None:
    """The entry point of `opentelemetry-instrument`: scores if TOOLSCORE_POLICY names a policy.

    A policy that cannot be used is logged with all its faults: raised here, it would stop the application's instrumentation.
    """
    if not os.environ.get("TOOLSCORE_POLICY", "").strip():
        return
    try:
        instrument()
    except Exception as error:
        logger.error("nothing is scored: %s", error)
