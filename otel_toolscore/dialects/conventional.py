"""Frameworks that follow the conventions and differ in nothing but which setting captures content."""

from __future__ import annotations

from typing import Final

from otel_toolscore.dialects.dialect import Dialect, Part
from otel_toolscore.spans import Span


def _conventional(name: str, title: str, scopes: tuple[str, ...], hint: str, left_out: str = "arguments and results") -> Dialect:
    exact = frozenset(scope for scope in scopes if not scope.endswith("*"))
    beginnings = tuple(scope[:-1] for scope in scopes if scope.endswith("*"))

    def read(span: Span) -> Part | None:
        if span.scope_name not in exact and not span.scope_name.startswith(beginnings):
            return None
        return Part() if any(key.startswith("gen_ai.") for key in span.attributes) else None

    return Dialect(
        name=name,
        title=title,
        scopes=scopes,
        needles=(),
        recognised="as the GenAI conventions, by the instrumentation scope",
        name_from="gen_ai.tool.name",
        id_from="gen_ai.tool.call.id",
        arguments_from="gen_ai.tool.call.arguments",
        result_from="gen_ai.tool.call.result",
        error_from="error.type, status, exception event",
        left_out=left_out,
        hint=hint,
        read=read,
    )


CONVENTIONAL: Final = (
    _conventional("agent_framework", "Microsoft Agent Framework", ("agent_framework*",), "set ENABLE_SENSITIVE_DATA=true"),
    _conventional(
        "semantic_kernel",
        "Semantic Kernel",
        ("semantic_kernel*", "Microsoft.SemanticKernel*"),
        "set SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true",
    ),
    _conventional(
        "autogen",
        "AutoGen",
        ("autogen-core", "autogen_core*"),
        "AutoGen records neither; the messages of an instrumented model client carry the arguments",
    ),
    _conventional(
        "extensions_ai",
        "Microsoft.Extensions.AI",
        ("Experimental.Microsoft.Extensions.AI*",),
        "set EnableSensitiveData = true on the client that UseOpenTelemetry adds",
    ),
    _conventional(
        "adot",
        "AWS Distro for OpenTelemetry",
        ("amazon.opentelemetry.distro*",),
        "its log handler moves content from spans to log events; score an export from before it, or turn that handler off",
    ),
)
