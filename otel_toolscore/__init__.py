"""Scores the tool calls that AI agents make, as their OpenTelemetry spans record them.

Every public name is loaded when it is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_toolscore.autoinstrument import instrument
    from otel_toolscore.compare import FieldRule
    from otel_toolscore.evaluation import ToolScoreAssertionError, assert_tools, evaluate
    from otel_toolscore.expected import ExpectedCall
    from otel_toolscore.live.expecting import expecting
    from otel_toolscore.matchers import (
        ANY,
        All,
        AnyOf,
        Approx,
        Attr,
        Contains,
        Date,
        Eq,
        Exists,
        FullMatch,
        Glob,
        Gt,
        Gte,
        HostIn,
        IgnoreCase,
        IsType,
        Len,
        Literal,
        Lt,
        Lte,
        Matcher,
        Not,
        OneOf,
        PathUnder,
        Regex,
        Some,
        Unordered,
    )
    from otel_toolscore.model import ToolCall
    from otel_toolscore.one_call import score_tool_call
    from otel_toolscore.otlp.sdk import from_otel
    from otel_toolscore.policy import Policy, PolicyError
    from otel_toolscore.processor import ToolScoreProcessor
    from otel_toolscore.results import EvaluationResult

_HOMES = {
    "autoinstrument": ("instrument",),
    "compare": ("FieldRule",),
    "evaluation": ("ToolScoreAssertionError", "assert_tools", "evaluate"),
    "expected": ("ExpectedCall",),
    "matchers": (
        *("ANY", "All", "AnyOf", "Approx", "Attr", "Contains", "Date", "Eq", "Exists", "FullMatch", "Glob", "Gt", "Gte", "HostIn"),
        *("IgnoreCase", "IsType", "Len", "Literal", "Lt", "Lte", "Matcher", "Not", "OneOf", "PathUnder", "Regex", "Some", "Unordered"),
    ),
    "live.expecting": ("expecting",),
    "model": ("ToolCall",),
    "one_call": ("score_tool_call",),
    "otlp.sdk": ("from_otel",),
    "policy": ("Policy", "PolicyError"),
    "processor": ("ToolScoreProcessor",),
    "results": ("EvaluationResult",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ANY",
    "All",
    "AnyOf",
    "Approx",
    "Attr",
    "Contains",
    "Date",
    "Eq",
    "EvaluationResult",
    "Exists",
    "ExpectedCall",
    "FieldRule",
    "FullMatch",
    "Glob",
    "Gt",
    "Gte",
    "HostIn",
    "IgnoreCase",
    "IsType",
    "Len",
    "Literal",
    "Lt",
    "Lte",
    "Matcher",
    "Not",
    "OneOf",
    "PathUnder",
    "Policy",
    "PolicyError",
    "Regex",
    "Some",
    "ToolCall",
    "ToolScoreAssertionError",
    "ToolScoreProcessor",
    "Unordered",
    "assert_tools",
    "evaluate",
    "expecting",
    "from_otel",
    "instrument",
    "score_tool_call",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
