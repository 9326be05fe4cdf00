"""Spans become calls elsewhere; here calls become findings, scores and verdicts."""

from otel_toolscore.engine.bounds import Bounds
from otel_toolscore.engine.findings import Found
from otel_toolscore.engine.incremental import Engine, ScopeResult
from otel_toolscore.engine.offline import score_runs

__all__ = ["Bounds", "Engine", "Found", "ScopeResult", "score_runs"]
