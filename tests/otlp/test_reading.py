"""Many paths as one input, and the runs that lost spans."""

from __future__ import annotations

import json
from pathlib import Path

from export_documents import document, otlp_span

from otel_toolscore.model import Run, Scope
from otel_toolscore.otlp import Reading

RUNS = [Run(trace_id=trace * 32, scopes=(Scope(id=trace, kind="trace"),)) for trace in "abc"]


def spans_of(trace: str, **members: object) -> str:
    return json.dumps(document(otlp_span(1, traceId=trace * 32, **members)))


def incomplete(folder: Path) -> list[str]:
    """The first letters of the traces whose runs are marked."""
    reading = Reading([folder])
    assert len(list(reading.spans())) == reading.spans_read
    return [run.trace_id[0] for run in reading.completed(RUNS) if not run.complete]


def test_nothing_is_lost(tmp_path: Path) -> None:
    """Without a problem, runs are as they were."""
    (tmp_path / "a").write_text(spans_of("a"))
    assert incomplete(tmp_path) == []


def test_a_broken_span_of_a_known_trace(tmp_path: Path) -> None:
    """A span that names its trace costs that trace."""
    (tmp_path / "a").write_text("\n".join([spans_of("a"), spans_of("b", spanId=None)]))
    assert incomplete(tmp_path) == ["b"]


def test_a_cut_file(tmp_path: Path) -> None:
    """What is lost of a file may belong to any trace that the file has spans of, and to no other."""
    (tmp_path / "a").write_text("\n".join([spans_of("a"), '{"resourceSpans": [{']))
    (tmp_path / "b").write_text(spans_of("b"))
    assert incomplete(tmp_path) == ["a"]


def test_a_file_that_is_lost(tmp_path: Path) -> None:
    """A file of which nothing can be read may have held spans of every trace."""
    (tmp_path / "a").write_text('{"resourceSpans": [{')
    (tmp_path / "b").write_text(spans_of("b"))
    assert incomplete(tmp_path) == ["a", "b", "c"]


def test_a_broken_attribute_loses_no_span(tmp_path: Path) -> None:
    """The span is there, only less of it."""
    (tmp_path / "a").write_text(spans_of("a", kind="SPAN_KIND_WILD"))
    reading = Reading([tmp_path])
    assert len(list(reading.spans())) == 1
    assert [problem.code for problem in reading.problems] == ["broken_attribute"]
    assert all(run.complete for run in reading.completed(RUNS))
