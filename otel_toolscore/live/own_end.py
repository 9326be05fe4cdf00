"""An `end` for one span, which is heard before the span has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class OwnEnd:
    """Put on a span as its `end`: judges the span, gives it back what was there before, and ends it.

    Whoever calls the span's `end` calls this, also through a wrapper that was put on it before or after. `ending` holds the ids of
    the spans that are just being ended so.
    """

    __slots__ = ("_before", "_ending", "_judge", "_once", "_span")

    def __init__(self, span: Any, judge: Callable[[Any, int], None], ending: set[int]) -> None:
        self._span = span
        self._judge = judge
        self._ending = ending
        self._before = vars(span).get("end")
        self._once = [True]

    def __call__(self, end_time: int | None = None) -> None:
        """Ends the span."""
        span, before = self._span, self._before
        if vars(span).get("end") is self:
            if before is None:
                del span.end
            else:
                span.end = before
        if end_time is None:
            end_time = time.time_ns()  # what follows is not part of the span's duration
        try:
            self._once.pop()  # at most one of several callers gets it
        except IndexError:
            self._end(end_time)
            return
        span_id = span.get_span_context().span_id
        try:
            self._judge(span, end_time)
        finally:
            self._ending.add(span_id)
            try:
                self._end(end_time)
            finally:
                self._ending.discard(span_id)

    def _end(self, end_time: int) -> None:
        if self._before is not None:
            self._before(end_time)
        else:
            type(self._span).end(self._span, end_time)
