"""A stream of bytes as JSON records: one document, JSON Lines, or documents one after another.

JSON Lines are read a line at a time; a document that spans lines is read whole. A record that is not JSON becomes a problem
with its line, what is whole of it is kept, and reading goes on with the next.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from otel_toolscore.model import Problem
from otel_toolscore.otlp import nodes
from otel_toolscore.otlp.nodes import MalformedError, Node, members
from otel_toolscore.otlp.salvage import whole_records

_OPENING = re.compile(r"^[{\[]", re.MULTILINE)
_SEPARATORS = re.compile(r"[\s,\]}]*")
_SPACE = re.compile(r"\s*")


class Record(NamedTuple):
    """One JSON value and where it stands."""

    node: Node
    where: str


def records(stream: BinaryIO, name: str) -> Iterator[Record | Problem]:
    """The records of a stream that is called `name`. Lets the errors of the stream itself (OSError, EOFError) through."""
    number, line = _first_line(stream)
    if not line:
        return
    try:
        first = nodes.node(line)
    except MalformedError:
        yield from _documents(line + b"\n" + stream.read(), name, number)
        return
    rest = _numbered(stream, number + 1)
    second = next(rest, None)
    yield Record(first, name if second is None else f"{name}:{number}")
    if second is not None:
        yield from _line(second[1], f"{name}:{second[0]}")
        for number, line in rest:
            yield from _line(line, f"{name}:{number}")


def _first_line(stream: BinaryIO) -> tuple[int, bytes]:
    """The first line that is not blank, with its number; b"" where there is none."""
    return next(_numbered(stream, 1), (0, b""))


def _numbered(lines: Iterable[bytes], start: int) -> Iterator[tuple[int, bytes]]:
    return ((number, stripped) for number, line in enumerate(lines, start) if (stripped := line.strip()))


def _line(line: bytes, where: str) -> Iterator[Record | Problem]:
    """The record of one line."""
    try:
        yield Record(nodes.node(line), where)
    except MalformedError as error:
        text = nodes.decoded(line)
        ended = error.position >= len(text.rstrip()) or error.args[0].startswith("unterminated string")
        yield _broken(text, error, where, f"column {error.position + 1}", ended=ended)
        yield from _salvaged(text[: error.position], where)


def _broken(text: str, error: MalformedError, where: str, place: str, *, ended: bool) -> Problem:
    if not text.lstrip().startswith(("{", "[")):
        return Problem("broken_record", where, "expected a JSON object or list")
    if ended:
        return Problem("cut_record", where, f"expected a whole JSON document; it ends inside a value ({place})")
    return Problem("broken_record", where, f"expected JSON: {error} at {place}")


def _salvaged(text: str, where: str) -> Iterator[Record]:
    whole = whole_records(text)
    if whole is not None:
        with contextlib.suppress(MalformedError):
            yield Record(nodes.first(whole, 0)[0], where)


def _documents(data: bytes, name: str, start: int) -> Iterator[Record | Problem]:
    """The documents of a text that is not JSON Lines from its first line on, which has the number `start`."""
    try:
        yield Record(nodes.node(data), name)
        return
    except MalformedError:
        pass
    if _is_lines(data):
        for number, line in _numbered(io.BytesIO(data), start):
            yield from _line(line, f"{name}:{number}")
    else:
        yield from _concatenated(nodes.decoded(data), name, start)


def _is_lines(data: bytes) -> bool:
    """Whether the second line is an object by itself, so that only the first is broken."""
    lines = _numbered(io.BytesIO(data), 1)
    next(lines, None)
    second = next(lines, None)
    if second is None:
        return False
    try:
        return members(nodes.node(second[1])) is not None
    except MalformedError:
        return False


def _concatenated(text: str, name: str, line: int) -> Iterator[Record | Problem]:
    """Documents one after another, with or without space between them; other text between them is a problem.

    After a broken document, reading goes on at the next line that opens an object or list at its very beginning.
    """
    position, counted, resuming = 0, 0, False
    end = len(text.rstrip())
    while True:
        found = (_SEPARATORS if resuming else _SPACE).match(text, position)
        position = found.end() if found else position
        if position >= end:
            return
        line, counted = line + text.count("\n", counted, position), position
        where = f"{name}:{line}"
        if text[position] in "{[":
            try:
                value, position = nodes.first(text, position)
            except MalformedError as error:
                at = line + text.count("\n", position, min(error.position, end))
                yield _broken(text[position], error, f"{name}:{at}", f"line {at}", ended=error.position >= end)
                yield from _salvaged(text[position : error.position], where)
                failed = max(error.position, position + 1)
            else:
                yield Record(value, where)
                continue
        else:
            yield Problem("broken_record", where, "expected a JSON object or list")
            failed = position + 1
        following = _OPENING.search(text, failed)
        if following is None:
            return
        position, resuming = following.start(), True
