"""Streams as records: lines, documents, what is broken and what is cut."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Iterator

import pytest
from export_documents import document, otlp_span, read, span_id
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.model import Problem
from otel_toolscore.otlp import InputError, NotSpansError, read_stream
from otel_toolscore.otlp.salvage import whole_records
from otel_toolscore.spans import Span

LINES = [json.dumps(document(otlp_span(number), service=f"s{number}")) for number in (1, 2, 3)]
FLAT = [{"trace_id": "t", "span_id": f"s{number}", "start_time": number, "name": "n"} for number in (1, 2, 3)]


def ids(found: list[Span | Problem]) -> list[str]:
    return [item.span_id for item in found if isinstance(item, Span)]


def problems(found: list[Span | Problem]) -> list[tuple[str, str, str]]:
    return [(item.code, item.where, item.message) for item in found if isinstance(item, Problem)]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n", "\n  \n"])
def test_json_lines(ending: str) -> None:
    """Each line is a document; blank lines and either line ending are nothing."""
    found = read(ending.join(LINES))
    assert ids(found) == [span_id(1), span_id(2), span_id(3)]
    assert not problems(found)


def test_lines_are_told_by_their_number() -> None:
    """A span says on which line it was; blank lines count."""
    found = read("\n" + LINES[0] + "\n\n" + LINES[1])
    assert [item.where.split()[0] for item in found] == ["traces.json:2", "traces.json:4"]


@pytest.mark.parametrize(
    ("broken", "code", "message"),
    [
        ('{"resourceSpans":[{"resource":{', "cut_record", "expected a whole JSON document; it ends inside a value (column 32)"),
        ('{"resourceSpans":[{"resource', "cut_record", "expected a whole JSON document; it ends inside a value (column 20)"),
        ('{"resourceSpans":[,]}', "broken_record", "expected JSON: expecting value at column 19"),
        ("INFO exporting", "broken_record", "expected a JSON object or list"),
        ('{"level": "info"}', "not_spans", "looks like an object with the keys 'level'"),
        ("7", "not_spans", "neither an object nor a list of objects"),
    ],
)
@pytest.mark.parametrize("position", [0, 1, 3])
def test_a_broken_line_is_told_and_the_rest_is_read(broken: str, code: str, message: str, position: int) -> None:
    """A line that is not a record is a problem with its number, wherever it stands; all other lines are read."""
    lines = [*LINES[:position], broken, *LINES[position:]]
    found = read("\n".join(lines))
    assert ids(found) == [span_id(1), span_id(2), span_id(3)]
    assert problems(found) == [(code, f"traces.json:{position + 1}", message)]


def test_what_is_whole_of_a_cut_line_is_read() -> None:
    """The spans before the cut are kept, the one that is cut is left out."""
    batch = json.dumps(document())
    cut = batch[: batch.index('"t3"')]
    found = read(LINES[0] + "\n" + cut)
    assert ids(found) == [span_id(1), span_id(1), span_id(2)]
    assert [code for code, _, _ in problems(found)] == ["cut_record"]


@pytest.mark.parametrize("indent", [None, 2])
def test_what_is_whole_of_a_cut_document_is_read(indent: int | None) -> None:
    """A single document that breaks off gives its whole spans, with their resource and scope."""
    text = json.dumps(document(), indent=indent)
    found = read(text[: text.index('"t3"')])
    assert ids(found) == [span_id(1), span_id(2)]
    assert all(item.service == "agents" and item.scope_name == "lib" for item in found if isinstance(item, Span))
    assert [code for code, _, _ in problems(found)] == ["cut_record"]


@given(st.integers(0, len("\n".join(LINES)) - 1))
def test_a_cut_loses_only_what_is_cut(position: int) -> None:
    """Wherever JSON Lines break off, every whole line before is read, and at most one problem is told."""
    text = "\n".join(LINES)[:position]
    whole = text.count("\n")
    if position and not whole:
        with contextlib.suppress(NotSpansError):
            assert ids(read(text)) == [span_id(1)]
        return
    found = read(text)
    assert ids(found)[:whole] == [span_id(number + 1) for number in range(whole)]
    assert len(problems(found)) <= 1


@given(st.integers(1, len(json.dumps(FLAT)) - 2), st.text(max_size=3))
def test_damage_in_a_document_never_raises_anything_else(position: int, damage: str) -> None:
    """Text put anywhere into a document leaves it readable, gives problems, or is refused as input."""
    text = json.dumps(FLAT)
    try:
        found = read(text[:position] + damage + text[position:])
    except InputError:
        return
    assert all(isinstance(item, (Span, Problem)) for item in found)


@pytest.mark.parametrize("between", ["\n", "", " ", "\n\n"])
@pytest.mark.parametrize("indent", [None, 4])
def test_documents_one_after_another(between: str, indent: int | None) -> None:
    """Documents need no line of their own."""
    assert ids(read(between.join(json.dumps(span, indent=indent) for span in FLAT))) == ["s1", "s2", "s3"]


def test_text_between_documents() -> None:
    """What a program printed between its spans is one problem for each place; the spans are read."""
    texts = [json.dumps(span, indent=4) for span in FLAT]
    found = read("starting up 1\nversion 2\n" + texts[0] + "\nDone: {} 3\n" + "\n".join(texts[1:]))
    assert ids(found) == ["s1", "s2", "s3"]
    assert problems(found) == [
        ("broken_record", "traces.json:1", "expected a JSON object or list"),
        ("broken_record", "traces.json:9", "expected a JSON object or list"),
    ]


def test_a_broken_document_among_others() -> None:
    """After a document that is broken, reading goes on with the next that begins a line."""
    texts = [json.dumps(span, indent=4) for span in FLAT]
    found = read("\n".join([texts[0], texts[1].replace('"name":', '"name"'), texts[2]]))
    assert ids(found) == ["s1", "s3"]
    assert problems(found) == [("broken_record", "traces.json:11", "expected JSON: expecting ':' delimiter at line 11")]


def test_a_list_with_a_record_a_line() -> None:
    """A broken record in such a list costs that record only."""
    lines = ["[", *(json.dumps(span) + "," for span in FLAT[:2]), json.dumps(FLAT[2]), "]"]
    assert ids(read("\n".join(lines))) == ["s1", "s2", "s3"]
    lines[2] = lines[2].replace(":", "=")
    assert ids(read("\n".join(lines))) == ["s1", "s3"]


def test_nesting_without_end_is_told() -> None:
    """A record that is nested too deeply to be read is a problem; the other lines are read."""
    deep = LINES[1].replace("0.5", "[" * 100_000 + "]" * 100_000)
    found = read("\n".join([LINES[0], deep, LINES[2]]))
    assert ids(found) == [span_id(1), span_id(3)]
    assert problems(found) == [("broken_record", "traces.json:2", "expected JSON: nested too deeply at column 1")]


def test_numbers_of_thousands_of_digits() -> None:
    """A number that is too long to convert stays text; the span is read."""
    (found,) = read(json.dumps(FLAT[0]).replace('"n"', '"n", "attributes": {"x": ' + "9" * 5000 + "}"))
    assert isinstance(found, Span)
    assert found.attributes == {"x": "9" * 5000}


def test_lines_are_read_one_at_a_time() -> None:
    """The first span comes out before the whole stream was read."""

    class Endless(io.RawIOBase):
        taken = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            target = memoryview(buffer)  # type: ignore[arg-type]
            data = (LINES[0] + "\n").encode()[: len(target)]
            target[: len(data)] = data
            Endless.taken += len(data)
            return len(data)

    found: Iterator[Span | Problem] = read_stream(io.BufferedReader(Endless()), "endless")
    assert isinstance(next(found), Span)
    assert Endless.taken < 1_000_000


def test_gzip_members_one_after_another() -> None:
    """Each member is read, also after padding."""
    data = gzip.compress((LINES[0] + "\n").encode()) + b"\0\0" + gzip.compress(LINES[1].encode())
    assert ids(read(data)) == [span_id(1), span_id(2)]


def test_gzip_that_breaks_off() -> None:
    """What could be unpacked is read; that the stream is cut is told."""
    data = gzip.compress("\n".join(LINES).encode())
    found = read(data[:-4])
    assert ids(found) == [span_id(1), span_id(2), span_id(3)]
    assert problems(found) == [("cut_record", "traces.json", "the gzip stream ends early; what comes before was read")]


def test_gzip_that_is_damaged() -> None:
    """Bytes after the stream that are no gzip are told."""
    found = read(gzip.compress("\n".join(LINES).encode()) + b"\x1f\x8bjunk")
    assert ids(found) == [span_id(1), span_id(2), span_id(3)]
    assert problems(found) == [("cut_record", "traces.json", "the gzip stream is damaged; what comes before was read")]


def test_a_record_that_is_cut_is_left_out() -> None:
    """Only whole records of lists of spans are kept, and the brackets around them closed."""
    assert whole_records('[{"a": [{"b": 1}]}, {"a": [{"b": 2}, {"b"') == '[{"a": [{"b": 1}]}]'
    assert whole_records('{"x": {"spans": [{"a": "}]"}, {"a":') == '{"x": {"spans": [{"a": "}]"}]}}'
    assert whole_records('{"attributes": [{"key": "k"}, {"key"') is None
    assert whole_records('[{"a": 1}, {"b": "x]}') == '[{"a": 1}]'
