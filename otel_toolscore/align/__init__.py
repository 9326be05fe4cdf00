"""Which expected call is which actual call: one alignment, best by the contract's objective, that everything folds over."""

from __future__ import annotations

from otel_toolscore.align.alignment import Alignment, Existence, Slot
from otel_toolscore.align.evidence import Calls
from otel_toolscore.align.extras import Extra
from otel_toolscore.align.judgement import Judgement, judge
from otel_toolscore.align.question import Question, align

__all__ = ["Alignment", "Calls", "Existence", "Extra", "Judgement", "Question", "Slot", "align", "judge"]
