"""Which expected call is which actual call: the one alignment that everything folds over."""

from __future__ import annotations

from otel_toolscore.align.alignment import Alignment, Existence, Slot
from otel_toolscore.align.evidence import Calls
from otel_toolscore.align.extras import Extra
from otel_toolscore.align.judgement import Judgement, judge
from otel_toolscore.align.question import Question, align

__all__ = ["Alignment", "Calls", "Existence", "Extra", "Judgement", "Question", "Slot", "align", "judge"]
