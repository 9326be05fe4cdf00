"""From a path (file, folder, glob, `-`) to spans, whatever the files hold; what they hold is told from their content."""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from otel_toolscore.model import Problem
from otel_toolscore.otlp import otlp_proto, shapes
from otel_toolscore.otlp.compression import GZIP, Gunzip
from otel_toolscore.otlp.documents import records
from otel_toolscore.spans import Span

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN: Final = "-"
STDIN_NAME: Final = "<stdin>"

EXPECTED: Final = (
    "expected OTLP JSON (a document, a list of documents or JSON Lines), OTLP protobuf, flat span objects, span.to_json() documents, "
    "or an export of Tempo, Jaeger, Zipkin or Phoenix; gzip of these"
)

_HEAD: Final = 1 << 16
_MAX_LAYERS: Final = 3
"""A gzip in a gzip in a gzip is read; deeper is not."""

MAX_PROBLEMS: Final = 1000
"""Problems of one file that are told one by one; beyond, only their number."""

_OF_SPANS: Final = frozenset({"broken_span", "broken_attribute"})
"""Problem codes which show that a record has one of the shapes."""

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_JSON_BEGINNINGS: Final = (b"{", b"[")
_JSON_LINE: Final = re.compile(rb"^[ \t]*[{\[]", re.MULTILINE)
_SPAN_WORDS: Final = re.compile(rb"resource_?[Ss]pans|trace_?[Ii][dD]\"")
_LOOKS_LIKE: Final = (
    (b"<!doctype html", "HTML"),
    (b"<html", "HTML"),
    (b"<?xml", "XML"),
    (b"<", "HTML or XML"),
    (b"pk\x03\x04", "a ZIP archive"),
    (b"par1", "a Parquet file"),
    (b"sqlite format 3", "an SQLite database"),
    (b"%pdf", "a PDF document"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"bzh", "bzip2"),
    (b"\xfd7zxz", "xz"),
)


class InputError(Exception):
    """Input that cannot be read at all: no file, no permission, no spans in any shape. The message names the file."""


class NotSpansError(InputError):
    """A file whose content is in none of the shapes."""


def read_path(path: str | Path) -> Iterator[Span | Problem]:
    """The spans of a file, a folder (with all below it), a glob or standard input (`-`), and what could not be read.

    In a folder, files that hold no spans are passed over, and a file that cannot be read is a problem; a file that is named (or
    that a glob matches) raises InputError for both. Raises InputError where nothing matches.
    """
    for found in files_of(path):
        yield from found


def files_of(path: str | Path) -> Iterator[Iterator[Span | Problem]]:
    """What `read_path` reads, apart for each file."""
    text = os.fspath(path)
    if text == STDIN:
        yield read_stream(sys.stdin.buffer, STDIN_NAME)
    elif os.path.isdir(text):
        yield from _files_of_folder(text)
    elif glob.has_magic(text) and not os.path.lexists(text):
        matched = sorted(glob.glob(text, recursive=True))
        if not matched:
            raise InputError(f"{text}: no file matches")
        for name in matched:
            yield from _files_of_folder(name) if os.path.isdir(name) else (_read_file(name),)
    else:
        yield _read_file(text)


def _files_of_folder(folder: str) -> Iterator[Iterator[Span | Problem]]:
    seen = 0
    passed_over: list[str] = []
    for name in _files(folder):
        seen += 1
        yield _read_file_of_folder(name, passed_over)
    if seen == len(passed_over):
        looked = "it is empty" if not seen else f"none of its {seen:,} files holds spans"
        raise InputError(f"{folder}: {looked}; {EXPECTED}")


def _read_file_of_folder(name: str, passed_over: list[str]) -> Iterator[Span | Problem]:
    try:
        yield from _read_file(name)
    except InputError as error:
        if isinstance(error, NotSpansError) and not _mentions_spans(name):
            passed_over.append(name)
        else:
            yield Problem("unreadable_file", name, str(error).removeprefix(f"{name}: "))


def _files(folder: str) -> Iterator[str]:
    """All files below a folder in a fixed order, hidden ones left out."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(parent, name) for name in sorted(names) if not name.startswith("."))


def _mentions_spans(name: str) -> bool:
    with open(name, "rb") as stream:
        return _SPAN_WORDS.search(stream.read(_HEAD)) is not None


def _read_file(name: str) -> Iterator[Span | Problem]:
    try:
        with open(name, "rb") as stream:
            yield from read_stream(stream, name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file or folder") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or type(error).__name__}") from None


def read_bytes(data: bytes, name: str) -> Iterator[Span | Problem]:
    """The spans of a file's content; `name` is what problems call it. Raises InputError where it holds none in any shape."""
    return read_stream(io.BytesIO(data), name)


def read_stream(stream: BinaryIO, name: str) -> Iterator[Span | Problem]:
    """The spans of a binary stream; `name` is what problems call it. Raises InputError where it holds none in any shape."""
    layers: list[Gunzip] = []
    head, whole = _peeked(stream)
    while head.startswith(GZIP) and len(layers) < _MAX_LAYERS:
        layers.append(Gunzip(whole))
        head, whole = _peeked(layers[-1])
    faults = (layer.fault for layer in layers if layer.fault)
    if not head.strip():
        fault = next(faults, None)
        if fault is not None:
            raise InputError(f"{name}: {fault}")
        yield Problem("empty_file", name, "the file is empty")
        return
    yield from _read_content(head, whole, name)
    for fault in faults:
        yield Problem("cut_record", name, f"{fault}; what comes before was read")


def _read_content(head: bytes, whole: BinaryIO, name: str) -> Iterator[Span | Problem]:
    if head.lstrip()[:1] not in _JSON_BEGINNINGS and (otlp_proto.is_prefixed(head) or otlp_proto.is_message(head)):
        yield from _read_protobuf(head, whole, name)
        return
    if not _JSON_LINE.search(head):
        raise NotSpansError(f"{name}: not spans: {_looks_like(head)}; {EXPECTED}")
    yield from _read_json(whole, name)


def _read_protobuf(head: bytes, whole: BinaryIO, name: str) -> Iterator[Span | Problem]:
    """Messages with a length before each, or one message. A message that cannot be read shows that the file is something else."""
    prefixed = otlp_proto.is_prefixed(head)
    found = otlp_proto.messages(whole, name) if prefixed else otlp_proto.message(whole.read(), name)
    try:
        first = next(found, None)
        if isinstance(first, Problem) and first.code == "broken_record":
            raise NotSpansError(f"{name}: not spans: looks like OTLP protobuf, but its parts do not fit together; {EXPECTED}")
        if first is not None:
            yield first
        yield from found
    except otlp_proto.ProtobufMissingError:
        raise InputError(f"{name}: looks like OTLP protobuf, which needs one more package: {otlp_proto.INSTALL}") from None


def _peeked(stream: BinaryIO | io.RawIOBase) -> tuple[bytes, BinaryIO]:
    """The beginning of a stream, as UTF-8 where it is text, and the whole of it."""
    head = b""
    while len(head) < _HEAD and (more := stream.read(_HEAD - len(head))):
        head += more
    if head.startswith(_UTF16):
        text = (head + (stream.read() or b"")).decode("utf-16", "replace").encode()
        return text[:_HEAD], io.BytesIO(text)
    head = head.removeprefix(codecs.BOM_UTF8)
    return head, io.BufferedReader(_Rejoined(head, stream), _HEAD)


class _Rejoined(io.RawIOBase):
    """A stream with the beginning that was taken from it put back."""

    def __init__(self, head: bytes, rest: BinaryIO | io.RawIOBase) -> None:
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer).cast("B")
        if self._head:
            part, self._head = self._head[: len(target)], self._head[len(target) :]
        else:
            part = memoryview(self._rest.read(len(target)) or b"")
        target[: len(part)] = part
        return len(part)


def _read_json(stream: BinaryIO, name: str) -> Iterator[Span | Problem]:
    """The spans and problems of a JSON stream; problems are held back until something shows that the stream holds spans."""
    recognised, told = False, 0
    held: list[Problem] = []
    for record in records(stream, name):
        empty = True
        for item in iter((record,)) if isinstance(record, Problem) else shapes.spans(record.node, record.where):
            empty = False
            if isinstance(item, Span):
                recognised = True
            else:
                recognised = recognised or item.code in _OF_SPANS
                told += 1
                if told <= MAX_PROBLEMS:
                    held.append(item)
                elif not recognised:
                    raise _not_spans(name, held[0])
            if recognised:
                yield from (problem for problem in held if problem.code != shapes.OTHER_SIGNAL)
                held.clear()
            if isinstance(item, Span):
                yield item
        recognised = recognised or empty
    if held and not recognised:
        raise _not_spans(name, held[0])
    yield from (problem for problem in held if problem.code != shapes.OTHER_SIGNAL)
    if told > MAX_PROBLEMS:
        yield Problem("more_problems", name, f"{told - MAX_PROBLEMS:,} more records could not be read")


def _not_spans(name: str, refused: Problem) -> NotSpansError:
    place = refused.where.removeprefix(name).strip(" :")
    place = f"line {place}" if place[:1].isdigit() else place
    return NotSpansError(f"{name}: not spans: {f'{place}: ' if place else ''}{refused.message}; {EXPECTED}")


def _looks_like(head: bytes) -> str:
    lowered = head.lstrip().lower()
    for beginning, name in _LOOKS_LIKE:
        if lowered.startswith(beginning):
            return f"looks like {name}"
    return "looks like a binary file" if b"\x00" in head else "looks like text"
