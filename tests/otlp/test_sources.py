"""Paths: files, folders, globs, standard input, and what is said of those that hold no spans."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from export_documents import document, otlp_span, read, span_id

from otel_toolscore.model import Problem
from otel_toolscore.otlp import InputError, NotSpansError, read_path
from otel_toolscore.otlp.sources import EXPECTED, MAX_PROBLEMS
from otel_toolscore.spans import Span

ONE = json.dumps(document(otlp_span(1)))
TWO = json.dumps(document(otlp_span(2)))


def ids(path: str | Path) -> list[str]:
    return [item.span_id for item in read_path(path) if isinstance(item, Span)]


def test_the_name_says_nothing(tmp_path: Path) -> None:
    """What a file holds is told from its content, whatever it is called."""
    (tmp_path / "notes.txt").write_bytes(gzip.compress(ONE.encode()))
    assert ids(tmp_path / "notes.txt") == [span_id(1)]


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    """Every file with spans below a folder is read, sorted; others and hidden ones are passed over without a word."""
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.json").write_text(TWO)
    (tmp_path / "b" / "c.json").write_text(ONE)
    (tmp_path / "b" / "README.md").write_text("# about")
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / ".git" / "d.json").write_text(ONE)
    found = list(read_path(tmp_path))
    assert [item.span_id for item in found if isinstance(item, Span)] == [span_id(2), span_id(1)]
    assert all(isinstance(item, Span) for item in found)


def test_a_broken_file_in_a_folder_is_a_problem(tmp_path: Path) -> None:
    """A file that should hold spans and does not is told; the others are read."""
    (tmp_path / "a.json").write_text(ONE)
    (tmp_path / "b.json").write_text('{"resourceSpans": [{"resource": ')
    found = list(read_path(tmp_path))
    assert ids(tmp_path) == [span_id(1)]
    assert [item.code for item in found if isinstance(item, Problem)] == ["unreadable_file"]


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the system is told with the file's name; in a folder it is a problem."""
    (tmp_path / "a.json").write_text(ONE)
    (tmp_path / "b.json").write_text(TWO)

    def refuse(stream: object, name: str) -> object:
        if name.endswith("a.json"):
            raise PermissionError(13, "Permission denied")
        return original(stream, name)  # type: ignore[arg-type]

    from otel_toolscore.otlp import sources

    original = sources.read_stream
    monkeypatch.setattr(sources, "read_stream", refuse)
    with pytest.raises(InputError, match=r"a\.json: cannot be read: Permission denied"):
        list(read_path(tmp_path / "a.json"))
    found = list(read_path(tmp_path))
    assert found[0] == Problem("unreadable_file", str(tmp_path / "a.json"), "cannot be read: Permission denied")
    assert isinstance(found[1], Span)


def test_a_folder_without_spans(tmp_path: Path) -> None:
    """A folder in which nothing holds spans is refused, with what was expected."""
    with pytest.raises(InputError) as empty:
        list(read_path(tmp_path))
    assert str(empty.value) == f"{tmp_path}: it is empty; {EXPECTED}"
    (tmp_path / "README.md").write_text("# about")
    with pytest.raises(InputError) as none:
        list(read_path(tmp_path))
    assert str(none.value) == f"{tmp_path}: none of its 1 files holds spans; {EXPECTED}"


def test_globs(tmp_path: Path) -> None:
    """A glob names files, `**` any depth; they are read sorted. A file whose name looks like a glob is that file."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "b.json").write_text(ONE)
    (tmp_path / "a.json").write_text(TWO)
    (tmp_path / "[c].txt").write_text(ONE)
    assert ids(tmp_path / "*.json") == [span_id(2)]
    assert ids(tmp_path / "**" / "*.json") == [span_id(2), span_id(1)]
    assert ids(tmp_path / "[c].txt") == [span_id(1)]


def test_no_match(tmp_path: Path) -> None:
    """A pattern or name that nothing matches is refused by its own words."""
    with pytest.raises(InputError) as error:
        list(read_path(tmp_path / "*.json"))
    assert str(error.value) == f"{tmp_path}/*.json: no file matches"
    with pytest.raises(InputError) as error:
        list(read_path(tmp_path / "a.json"))
    assert str(error.value) == f"{tmp_path}/a.json: no such file or folder"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads what is piped in; a pipe gives as little at a time as it likes."""

    class Pipe(io.RawIOBase):
        left = ONE.encode()

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            target = memoryview(buffer)  # type: ignore[arg-type]
            data, Pipe.left = Pipe.left[:1], Pipe.left[1:]
            target[: len(data)] = data
            return len(data)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Pipe())))
    (found,) = read_path("-")
    assert found.where == "<stdin> resourceSpans[0].scopeSpans[0].spans[0]"


@pytest.mark.parametrize(
    ("data", "looks"),
    [
        (b"<!DOCTYPE html><p>", "looks like HTML"),
        (b"<html>not spans</html>", "looks like HTML"),
        (b'<?xml version="1.0"?>', "looks like XML"),
        (b"PK\x03\x04...", "looks like a ZIP archive"),
        (b"\x7fELF\0\0", "looks like a binary file"),
        (b"# Title\n\ntext", "looks like text"),
        (gzip.compress(b"hello", mtime=0), "looks like text"),
        (b'{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}', "looks like an object with the keys 'a', 'b', 'c', 'd', 'e', ..."),
        (b"[1]", "[0]: neither an object nor a list of objects"),
        (b'{"resourceMetrics": []}', "holds OTLP metrics, not traces"),
        (b'{"resource_logs": []}', "holds OTLP logs, not traces"),
        (b'{"resourceSpans": [{"resource": ', "line 1: expected a whole JSON document; it ends inside a value (line 1)"),
        (b'{"resourceSpans": 5}', "resourceSpans: expected a list"),
    ],
)
def test_a_file_that_holds_no_spans(data: bytes, looks: str) -> None:
    """The refusal names the file, what it looks like and what was expected."""
    with pytest.raises(NotSpansError) as error:
        read(data, "page.html")
    assert str(error.value) == f"page.html: not spans: {looks}; {EXPECTED}"


def test_a_damaged_gzip_is_refused() -> None:
    """A gzip of which nothing can be unpacked holds nothing."""
    with pytest.raises(InputError, match=r"^traces\.json: the gzip stream is damaged$"):
        read(b"\x1f\x8b\x08\0junkjunkjunk")


@pytest.mark.parametrize("data", [b"", b"\n\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_told(data: bytes) -> None:
    """No content is a problem, not an error: an exporter may have just begun."""
    assert read(data) == [Problem("empty_file", "traces.json", "the file is empty")]


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"resourceSpans": []}', b'{"resourceSpans": null}', b'{"batches": []}'])
def test_a_document_without_spans(data: bytes) -> None:
    """A document of a known shape may be empty."""
    assert read(data) == []


def test_other_signals_beside_traces_are_passed_over() -> None:
    """Lines with metrics and logs among traces are no problem."""
    assert [type(item) for item in read("\n".join([ONE, '{"resourceLogs": []}', '{"resourceMetrics": []}', TWO]))] == [Span, Span]


def test_problems_are_bounded() -> None:
    """A file of which most lines are broken tells the first, and how many more there are."""
    found = read("\n".join([ONE, *(["{"] * (MAX_PROBLEMS + 5))]))
    assert len(found) == MAX_PROBLEMS + 2
    assert found[-1] == Problem("more_problems", "traces.json", "5 more records could not be read")


def test_a_long_file_of_something_else_is_given_up() -> None:
    """After a thousand records without a span the file is refused."""
    with pytest.raises(NotSpansError, match="line 1: looks like an object with the keys 'level'"):
        read('{"level": "info"}\n' * (MAX_PROBLEMS * 2))
