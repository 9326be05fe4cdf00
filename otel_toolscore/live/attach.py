"""Adds a span processor to a tracer provider, whoever made it, and leaves everything else on it as it is."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from opentelemetry import trace
from opentelemetry.sdk.trace import ConcurrentMultiSpanProcessor, SpanProcessor

logger = logging.getLogger("otel_toolscore")

T = TypeVar("T")

KEEPING: Final = {"replace_default_processor": False}
"""Phoenix's provider takes its own exporter off at the first processor that is added without this word."""


class NotATracerProviderError(TypeError):
    """What was given takes no span processors."""


def add(provider: Any, processor: SpanProcessor) -> None:
    """Adds the processor behind those that are there. Raises NotATracerProviderError."""
    method = getattr(provider, "add_span_processor", None)
    if method is None:
        raise NotATracerProviderError(f"{described(provider)} has no add_span_processor: it is not a tracer provider of the SDK")
    method(processor, **{name: value for name, value in KEEPING.items() if name in _parameters(method)})
    inner = getattr(provider, "provider", provider)
    if isinstance(getattr(inner, "_active_span_processor", None), ConcurrentMultiSpanProcessor):
        logger.warning("%s runs its processors in threads without context: `expecting` is not seen there", described(provider))


def _parameters(method: Callable[..., Any]) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(method).parameters)
    except (TypeError, ValueError):
        return frozenset()


class ByProvider(Generic[T]):
    """What belongs to a tracer provider, as long as that lives; by identity, for some providers cannot be hashed."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[weakref.ref[Any], T]] = {}

    def get(self, provider: Any) -> T | None:
        """What was put for the provider."""
        kept = self._kept.get(id(provider))
        return kept[1] if kept is not None and kept[0]() is provider else None

    def put(self, provider: Any, value: T) -> None:
        """Keeps the value for the provider."""
        self._kept = {key: kept for key, kept in self._kept.items() if kept[0]() is not None}
        self._kept[id(provider)] = (weakref.ref(provider), value)


def described(provider: Any) -> str:
    """A provider's type and the processors on it, for a person."""
    kind = type(provider)
    inner = getattr(provider, "provider", provider)
    processors = getattr(getattr(inner, "_active_span_processor", None), "_span_processors", ())
    names = ", ".join(type(processor).__name__ for processor in processors)
    return f"{kind.__module__}.{kind.__qualname__}" + (f" ({names})" if names else "")


def is_set() -> bool:
    """Whether the global tracer provider was set."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


_waiting: list[Callable[[Any], object]] = []
_waiting_lock = threading.Lock()  # protects _waiting and the wrapping of the API's setter


def when_set(then: Callable[[Any], object]) -> bool:
    """Calls `then` with the global tracer provider: at once where there is one (True), else when it is set (False).

    The API tells nobody that its provider was set. Its setter is wrapped until then, and given back afterwards.
    """
    with _waiting_lock:
        if not is_set():
            _waiting.append(then)
            if len(_waiting) == 1:
                _wrap_setter()
            return False
    then(trace.get_tracer_provider())
    return True


def _wrap_setter() -> None:
    setter: Any = trace._set_tracer_provider

    @functools.wraps(setter)
    def set_and_tell(*args: Any, **more: Any) -> Any:
        done = setter(*args, **more)
        with _waiting_lock:
            if not is_set():
                return done
            if trace._set_tracer_provider is set_and_tell:
                trace._set_tracer_provider = setter
            told = _waiting[:]
            _waiting.clear()
        provider = trace.get_tracer_provider()
        for then in told:
            _tell(then, provider)
        return done

    trace._set_tracer_provider = set_and_tell


def _tell(then: Callable[[Any], object], provider: Any) -> None:
    """Whoever sets the provider is not to hear of what goes wrong here."""
    try:
        then(provider)
    except Exception:
        logger.exception("the tracer provider that was set cannot be scored")
