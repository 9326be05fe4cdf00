"""How calls do against an expectation: one alignment, its metrics, the score and the verdict."""

from __future__ import annotations

from otel_toolscore.score.composite import DEFAULT_WEIGHTS, composite, grade, merged
from otel_toolscore.score.scoring import Scored, score_calls, score_question

__all__ = ["DEFAULT_WEIGHTS", "Scored", "composite", "grade", "merged", "score_calls", "score_question"]
