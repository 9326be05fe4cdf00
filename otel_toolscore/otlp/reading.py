"""Many paths as one input: their spans, what could not be read, and which traces lost spans by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from otel_toolscore.model import Problem, Run
from otel_toolscore.otlp.sources import files_of
from otel_toolscore.spans import Span

LOST_SPANS: Final = frozenset({"cut_record", "broken_record", "broken_span", "unreadable_file", "more_problems"})
"""Codes of problems by which spans are missing."""


class Reading:
    """Reads paths; `problems` and `spans_read` are whole once `spans` is exhausted."""

    def __init__(self, paths: Iterable[str | Path]) -> None:
        self._paths = tuple(paths)
        self._lost: set[str] = set()
        self._any_lost = False
        self.problems: list[Problem] = []
        self.spans_read = 0

    def spans(self) -> Iterator[Span]:
        """The spans of all paths in order. Raises InputError where a path cannot be read at all."""
        for path in self._paths:
            for items in files_of(path):
                yield from self._file(items)

    def _file(self, items: Iterator[Span | Problem]) -> Iterator[Span]:
        traces: set[str] = set()
        of_any_trace = False
        for item in items:
            if isinstance(item, Span):
                traces.add(item.trace_id)
                self.spans_read += 1
                yield item
                continue
            self.problems.append(item)
            if item.code in LOST_SPANS:
                if item.trace_id is None:
                    of_any_trace = True
                else:
                    self._lost.add(item.trace_id)
        if of_any_trace:
            self._lost |= traces
            self._any_lost = self._any_lost or not traces

    def completed(self, runs: Iterable[Run]) -> tuple[Run, ...]:
        """The runs, those marked incomplete that may lack spans: a problem names their trace, or is of a file that holds spans of it.

        A file of which nothing could be read may have held spans of any trace.
        """
        return tuple(
            msgspec.structs.replace(run, complete=False) if run.complete and (self._any_lost or run.trace_id in self._lost) else run
            for run in runs
        )
