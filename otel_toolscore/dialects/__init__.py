"""From a span to what it says of a tool call, an agent or a model, whoever wrote it.

`DIALECTS` is the table, in order of preference; a span that speaks several is read by each, and what they say is put together field
by field.
"""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects.adk import ADK
from otel_toolscore.dialects.agentops import AGENTOPS
from otel_toolscore.dialects.anthropic_sdk import ANTHROPIC_SDK
from otel_toolscore.dialects.braintrust import BRAINTRUST
from otel_toolscore.dialects.claude_code import CLAUDE_CODE
from otel_toolscore.dialects.conventional import CONVENTIONAL
from otel_toolscore.dialects.copilot import COPILOT
from otel_toolscore.dialects.coze_loop import COZE_LOOP
from otel_toolscore.dialects.crewai import CREWAI
from otel_toolscore.dialects.dialect import Dialect, Part, Reading, Role
from otel_toolscore.dialects.dify import DIFY
from otel_toolscore.dialects.flue import FLUE
from otel_toolscore.dialects.fold import fold
from otel_toolscore.dialects.gate import Gate
from otel_toolscore.dialects.gemini_cli import GEMINI_CLI
from otel_toolscore.dialects.genai import GENAI
from otel_toolscore.dialects.genkit import GENKIT
from otel_toolscore.dialects.haystack import HAYSTACK
from otel_toolscore.dialects.laminar import LAMINAR
from otel_toolscore.dialects.langchain4j import LANGCHAIN4J
from otel_toolscore.dialects.langfuse import LANGFUSE
from otel_toolscore.dialects.langsmith import LANGSMITH
from otel_toolscore.dialects.livekit import LIVEKIT
from otel_toolscore.dialects.logfire import LOGFIRE
from otel_toolscore.dialects.mastra import MASTRA
from otel_toolscore.dialects.mcp import MCP
from otel_toolscore.dialects.mlflow import MLFLOW
from otel_toolscore.dialects.openinference import OPENINFERENCE
from otel_toolscore.dialects.pydantic_ai import PYDANTIC_AI
from otel_toolscore.dialects.sentry import SENTRY
from otel_toolscore.dialects.spring_ai import SPRING_AI
from otel_toolscore.dialects.strands import STRANDS
from otel_toolscore.dialects.traceloop import TRACELOOP
from otel_toolscore.dialects.vercel_ai import VERCEL_AI
from otel_toolscore.dialects.voltagent import VOLTAGENT
from otel_toolscore.spans import Span

DIALECTS: Final[tuple[Dialect, ...]] = (
    *(MCP, GENAI),
    *(ADK, PYDANTIC_AI, STRANDS, CLAUDE_CODE, GEMINI_CLI, COPILOT, VERCEL_AI, ANTHROPIC_SDK, CREWAI, HAYSTACK, MASTRA, LIVEKIT, GENKIT),
    *(SPRING_AI, LANGCHAIN4J, DIFY, VOLTAGENT, FLUE, *CONVENTIONAL),
    *(OPENINFERENCE, TRACELOOP, LANGSMITH, LOGFIRE, LANGFUSE, MLFLOW, BRAINTRUST, AGENTOPS, LAMINAR, SENTRY, COZE_LOOP),
)
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
