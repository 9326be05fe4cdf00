"""From a span to what it says of a tool call, an agent or a model, whoever wrote it.

`DIALECTS` is the table, in order of preference; a span that speaks several is read by each, and what they say is put together field
by field.
"""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects.adk import ADK
from otel_toolscore.dialects.dialect import Dialect, Part, Reading, Role
from otel_toolscore.dialects.fold import fold
from otel_toolscore.dialects.gate import Gate
from otel_toolscore.dialects.genai import GENAI
from otel_toolscore.dialects.mcp import MCP
from otel_toolscore.dialects.openinference import OPENINFERENCE
from otel_toolscore.dialects.pydantic_ai import PYDANTIC_AI
from otel_toolscore.dialects.traceloop import TRACELOOP
from otel_toolscore.spans import Span

DIALECTS: Final[tuple[Dialect, ...]] = (MCP, GENAI, ADK, PYDANTIC_AI, OPENINFERENCE, TRACELOOP)
"""Conventions first, then single frameworks, then those who instrument many."""

CONVENTIONS: Final = frozenset({MCP.name, GENAI.name})
TITLES: Final = {dialect.name: dialect.title for dialect in DIALECTS}
"""What people call them."""

_GATE: Final = Gate(DIALECTS)


def read(span: Span) -> Reading | None:
    """What the span says; None for a span that no dialect knows."""
    found = [(dialect, part) for dialect in _GATE.candidates(span) if (part := dialect.read(span)) is not None]
    return fold(span, found, CONVENTIONS) if found else None


__all__ = ["CONVENTIONS", "DIALECTS", "TITLES", "Dialect", "Part", "Reading", "Role", "read"]
