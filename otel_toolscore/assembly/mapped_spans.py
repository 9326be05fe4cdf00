"""A policy's own span kinds (`spans:`): how to read spans that no dialect knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from otel_toolscore.dialects import values
from otel_toolscore.dialects.dialect import Reading
from otel_toolscore.dialects.names import split
from otel_toolscore.dialects.outcome import signs
from otel_toolscore.model import MISSING, NOT_CAPTURED, Truth
from otel_toolscore.spans import Span

if TYPE_CHECKING:
    from otel_toolscore.policy.records import SpanMapping

DIALECT: Final = "policy"


class _Tests(Protocol):
    """A matcher, as far as it is used here."""

    def test(self, value: object, *, accuse: bool, attributes: Mapping[str, tuple[object, ...]] = ...) -> Truth:
        """Whether the value fits."""


def read_mapped(span: Span, mappings: Sequence[SpanMapping]) -> Reading | None:
    """What the span says by the first mapping that matches it; None where none does."""
    mapping = next((mapping for mapping in mappings if _matches(span, mapping)), None)
    if mapping is None:
        return None
    recorded = values.text(span.attributes.get(mapping.tool)) or values.text(span.name)
    name = split(recorded) if recorded is not None else None
    result = values.result(span.attributes.get(mapping.result)) if mapping.result is not None else NOT_CAPTURED
    left = signs(span, result, mcp=False)
    return Reading(
        role="tool",
        dialect=DIALECT,
        tool=name.tool if name is not None else None,
        server=name.server if name is not None else None,
        recorded_name=recorded,
        call_id=values.identifier(span.attributes.get(mapping.id)) if mapping.id is not None else None,
        arguments=values.arguments(span.attributes.get(mapping.args)) if mapping.args is not None else NOT_CAPTURED,
        result=result,
        outcome=left.outcome or "ok",
        error=left.error,
        error_type=left.error_type,
    )


def _matches(span: Span, mapping: SpanMapping) -> bool:
    return all(_test(matcher, span.attributes.get(key, MISSING)) for key, matcher in mapping.attributes)


def _test(matcher: object, value: object) -> bool:
    tester: _Tests = matcher  # type: ignore[assignment]
    return tester.test(value, accuse=True) is True
