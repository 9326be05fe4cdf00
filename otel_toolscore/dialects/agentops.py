"""AgentOps: spans of decorated functions."""

from __future__ import annotations

from typing import Final

from otel_toolscore import semconv
from otel_toolscore.dialects.keyed import Keys, keyed, kind_of
from otel_toolscore.model import Outcome
from otel_toolscore.spans import Span

_KINDS: Final = (".tool", ".agent", ".workflow")


def _mark(span: Span) -> Outcome | None:
    status = kind_of(span.attributes.get("tool.status"))
    if status in ("failed", "failure", "error"):
        return "error"
    return "ok" if status in ("succeeded", "success") else None


def _named(name: str) -> str:
    for kind in _KINDS:
        name = name.removesuffix(kind)
    return name


AGENTOPS: Final = keyed(
    Keys(
        kind="agentops.span.kind",
        roles={"tool": "tool", "agent": "agent", "workflow": "workflow", "llm": "model"},
        tool=(semconv.TOOL_NAME, "tool.name"),
        call_id=(semconv.TOOL_CALL_ID,),
        arguments=("tool.parameters", "agentops.entity.input"),
        result=("tool.result", "agentops.entity.output"),
        agent=("agent.name",),
        mark=_mark,
        named_as_span=_named,
    ),
    name="agentops",
    title="AgentOps",
    scopes=("agentops",),
    recognised="agentops.span.kind is tool, agent, workflow or llm",
    error_from="tool.status, status, exception event",
    left_out="nothing",
    hint="let it record inputs and outputs",
)
