"""Which shape a JSON record has, and its spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from otel_toolscore.model import Problem
from otel_toolscore.otlp import flat, jaeger, otlp_json, zipkin
from otel_toolscore.otlp.nodes import Node, items, members
from otel_toolscore.spans import Span

UNRECOGNISED: Final = "not_spans"
"""Problem code of a record that has none of the shapes."""

OTHER_SIGNAL: Final = "other_signal"
"""Problem code of a record that holds OTLP metrics, logs or profiles."""

_OTHER_SIGNALS: Final = {
    name: signal for signal in ("Metrics", "Logs", "Profiles") for name in (f"resource{signal}", f"resource_{signal.lower()}")
}


_MAX_KEYS: Final = 5
_MAX_KEY: Final = 40


class Shape(NamedTuple):
    """A shape in which exports hold spans."""

    name: str
    accepts: Callable[[dict[str, Node]], bool]
    spans: Callable[[dict[str, Node], str], Iterator[Span | Problem]]


SHAPES: Final = (
    Shape("OTLP JSON", otlp_json.is_otlp, otlp_json.spans),
    Shape("Jaeger JSON", jaeger.is_jaeger, jaeger.spans),
    Shape("flat spans", flat.is_flat, flat.spans),
    Shape("Zipkin JSON", zipkin.is_zipkin, zipkin.spans),
)
"""In order of preference."""


def spans(node: Node, where: str) -> Iterator[Span | Problem]:
    """The spans of a record that lies at `where`; a list holds records, or lists of them. Nothing for a record that is empty."""
    listed = items(node)
    if listed is None:
        yield from _record(node, where)
        return
    for i, item in enumerate(listed):
        traces = items(item)
        if traces is None:
            yield from _record(item, f"{where} [{i}]")
        for j, inner in enumerate(traces or ()):  # Zipkin lists the spans of each trace
            yield from _record(inner, f"{where} [{i}][{j}]")


def _record(node: Node, where: str) -> Iterator[Span | Problem]:
    fields = members(node)
    if fields is None:
        yield Problem(UNRECOGNISED, where, "neither an object nor a list of objects")
        return
    for shape in SHAPES:
        if shape.accepts(fields):
            yield from shape.spans(fields, where)
            return
    other = next((signal for name, signal in _OTHER_SIGNALS.items() if name in fields), None)
    if other is not None:
        yield Problem(OTHER_SIGNAL, where, f"holds OTLP {other.lower()}, not traces")
    else:
        yield Problem(UNRECOGNISED, where, f"looks like an object with the keys {_keys(fields)}")


def _keys(fields: dict[str, Node]) -> str:
    shown = ", ".join(repr(key[:_MAX_KEY]) for key in list(fields)[:_MAX_KEYS])
    return shown + (", ..." if len(fields) > _MAX_KEYS else "")
