"""Attribute values to evidence: the only place that parses attribute text.

A value is read as it is where it is structured; else as JSON, and once more where that gives a text that is itself a JSON object or
array; else as a Python literal, where the emitter writes such. What cannot be read keeps its text and says why. Nothing is guessed:
a text that ends inside a value is never completed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from otel_toolscore.model import NOT_CAPTURED, Evidence, UnreadableCause
from otel_toolscore.spans import encodable

MAX_DEPTH: Final = 128
"""Nesting beyond this is not read: no argument of a tool is that deep, and what walks values may recurse."""
MAX_LITERAL: Final = 65_536
"""Longest text, in characters, that is read as a Python literal."""

_CUT_AT: Final = frozenset(
    {128, 255, 256, 500, 512, 1000, 1023, 1024, 2000, 2047, 2048, 3000, 4000, 4095, 4096, 5000, 8000, 8191, 8192, 10_000, 12_000, 12_288}
    | {16_000, 16_383, 16_384, 20_000, 25_000, 30_000, 32_000, 32_766, 32_767, 32_768, 40_000, 50_000, 60_000, 64_000, 65_000, 65_535}
    | {65_536, 100_000, 120_000, 128_000, 131_072, 200_000, 250_000, 256_000, 262_144, 500_000, 524_288, 1_000_000, 1_048_576}
)
"""Attribute length limits in use, in characters or bytes."""
_MARKED_CUT: Final = re.compile(r"(?:\[|\(|<|\.\.\.|…)\s*truncated\b[^\n]{0,80}\Z", re.IGNORECASE)
_ELLIPSIS: Final = ("...", "…")
_NUMBER_CUT: Final = re.compile(r"(?:\.|[eE][+-]?)\Z")
_ESCAPE_CUT: Final = re.compile(r"u[0-9a-fA-F]{0,4}\Z")
_LITERALS: Final = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_OPENERS: Final = frozenset("{[")
_LITERAL_OPENERS: Final = frozenset("{[('\"")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_TOKENS: Final = re.compile(
    r"""'[^'\\]*(?:\\.[^'\\]*)*(?P<end>')?|"[^"\\]*(?:\\.[^"\\]*)*(?P<fin>")?|[()\[\]{}]""",
    re.DOTALL,
)
_CONSTANTS: Final = frozenset({"None", "True", "False"})
_ODD_ESCAPE: Final = re.compile(r"\\[^'\"\nabfnrtvxNuU0-7]")
"""An escape that `repr` never writes, and about which Python warns."""

_REDACTED: Final = frozenset(
    f"{opening}{word}{closing}"
    for word in ("redacted", "filtered", "scrubbed", "hidden", "masked", "content redacted")
    for opening, closing in (("<", ">"), ("[", "]"), ("(", ")"), ("{", "}"), ("__", "__"))
) | {"redacted"}
_STARS: Final = re.compile(r"\*{3,}")
_SCRUBBED: Final = re.compile(r"\[Scrubbed due to .{1,80}\]")
_NO_ID: Final = frozenset({"", "unknown", "none", "null", "n/a", "undefined", "<not specified>"})
_NO_ARGUMENTS: Final = frozenset({"", "None", "N/A", "undefined", "<not specified>", "<not serializable>"})
_NO_RESULT: Final = frozenset({"N/A", "undefined", "<not specified>", "<not serializable>"})


class _UnreadableError(Exception):
    def __init__(self, cause: UnreadableCause) -> None:
        self.cause: UnreadableCause = cause


class _NotJsonError(Exception):
    """Text that is not JSON, and whether it ends inside a value."""

    def __init__(self, cut: bool) -> None:
        self.cut = cut


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """How an emitter writes values."""

    literals: bool = False
    """It may write the `repr` of a Python value."""
    plain: bool = False
    """The value is text, whatever it looks like."""
    absent: frozenset[str] = frozenset()
    """Further texts that stand for no value."""


AS_WRITTEN: Final = Style()
PYTHON: Final = Style(literals=True)
PLAIN: Final = Style(plain=True)


def arguments(value: object, style: Style = AS_WRITTEN, rule: Callable[[object], Evidence | None] | None = None) -> Evidence:
    """The arguments of a call, which are an object.

    `rule` says what an emitter means by a value that is readable and not an object; it is given the text, or the value where that is
    structured, and answers None where it does not know.
    """
    standing = _stands_for(value, _NO_ARGUMENTS | style.absent)
    if standing is not None:
        return standing
    recorded = value if isinstance(value, str) else None
    try:
        read = _read(value, style)
    except _UnreadableError as error:
        return Evidence("unreadable", cause=error.cause, text=recorded)
    except _NotJsonError as error:
        known = rule(recorded) if rule is not None and not error.cut else None
        return known or Evidence("unreadable", cause="truncated" if error.cut else "malformed", text=recorded)
    if isinstance(read, dict):
        return Evidence("captured", read)
    standing = _stands_for(read, _NO_ARGUMENTS | style.absent) if isinstance(read, str) else None
    if standing is not None:
        return standing
    known = rule(value if recorded is None else recorded) if rule is not None else None
    cause: UnreadableCause = "truncated" if isinstance(read, str) and _stops_inside(read) else "malformed"
    return known or Evidence("unreadable", cause=cause, text=recorded if recorded is not None else written(read))


def result(value: object, style: Style = AS_WRITTEN) -> Evidence:
    """The result of a call, which may be anything; text that is no JSON is the result itself."""
    standing = _stands_for(value, _NO_RESULT | style.absent)
    if standing is not None:
        return standing
    recorded = value if isinstance(value, str) else None
    try:
        read = _read(value, style)
    except _UnreadableError as error:
        return Evidence("unreadable", cause=error.cause, text=recorded)
    except _NotJsonError as error:
        assert recorded is not None
        if _at_a_limit(recorded) or (error.cut and _opens(recorded)):
            return Evidence("unreadable", cause="truncated", text=recorded)
        return Evidence("captured", encodable(recorded))
    standing = _stands_for(read, _NO_RESULT | style.absent) if isinstance(read, str) else None
    return standing or Evidence("captured", read)


def _stands_for(value: object, absent: frozenset[str]) -> Evidence | None:
    """What no value, or a text in the place of a value, says; None of a value."""
    if value is None:
        return NOT_CAPTURED
    if not isinstance(value, str):
        return None
    blank = value.strip()
    if blank in absent:
        return NOT_CAPTURED
    return Evidence("unreadable", cause="redacted", text=value) if _redacted(blank) else None


def structure(value: object, style: Style = AS_WRITTEN) -> object:
    """The value of an attribute that describes (messages, schemas, wrappers): JSON types, or None where it cannot be read."""
    try:
        return None if value is None else _read(value, style)
    except (_UnreadableError, _NotJsonError):
        return None


def mapping(value: object, style: Style = AS_WRITTEN) -> dict[str, object]:
    """`structure`, where an object is expected; empty where there is none."""
    read = structure(value, style)
    return read if isinstance(read, dict) else {}


def text(value: object) -> str | None:
    """A name; None where the value is no text or blank."""
    if not isinstance(value, str):
        return None
    return encodable(value) if value.strip() else None


def identifier(value: object) -> str | None:
    """An id; None where there is none or a placeholder stands for it. A number is written out."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    written = str(value) if not isinstance(value, int) or abs(value) < 1 << 128 else ""
    return None if written.strip().lower() in _NO_ID else encodable(written)


def written(value: object) -> str:
    """The value as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def unnamed(recorded: str) -> Evidence:
    """Arguments of which the emitter kept a value and dropped its name: the record is incomplete, the call need not be wrong."""
    return Evidence("unreadable", cause="truncated", text=recorded)


def _read(value: object, style: Style) -> object:
    """The value as JSON types; raises _UnreadableError or, for text that is no value, _NotJsonError."""
    if not isinstance(value, str):
        return _plain(value, 0)
    if style.plain:
        return encodable(value)
    read = _parsed(value, style)
    if isinstance(read, str) and read.lstrip()[:1] in _OPENERS:
        try:
            again = _parsed(read, style)
        except _NotJsonError:
            return read
        return again if isinstance(again, dict | list) else read
    return read


def _parsed(source: str, style: Style) -> object:
    try:
        return _json(source)
    except _NotJsonError as error:
        if style.literals:
            return _literal(source, error)
        if not error.cut and (_at_a_limit(source) or (_opens(source) and source.rstrip().endswith(_ELLIPSIS))):
            raise _NotJsonError(cut=True) from None
        raise


def _stops_inside(source: str) -> bool:
    if not _opens(source):
        return False
    try:
        _json(source)
    except _NotJsonError as error:
        return error.cut
    except _UnreadableError:
        return False
    return False


def _json(source: str) -> object:
    try:
        read: object = _DECODER.decode(source.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise _NotJsonError(_ends_inside(error)) from None
    except RecursionError:
        raise _UnreadableError("malformed") from None
    if source.count("{") + source.count("[") > MAX_DEPTH or _SURROGATE.search(source):
        return _plain(read, 0)
    return read


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _UnreadableError("duplicate_key")
    return made


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts in bounded time
        raise _UnreadableError("malformed") from None


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_integer)


def _ends_inside(error: json.JSONDecodeError) -> bool:
    """Whether the text is the beginning of JSON that stops inside a value."""
    rest = error.doc[error.pos :].strip()
    if error.msg.startswith("Unterminated string"):
        return True
    if not rest:
        return bool(error.doc.strip())
    if error.msg.startswith("Invalid \\u"):
        return _ESCAPE_CUT.match(rest) is not None
    if error.pos == 0:
        return False
    return _NUMBER_CUT.match(rest) is not None or any(word.startswith(rest) and word != rest for word in _LITERALS)


def _literal(source: str, error: _NotJsonError) -> object:
    """The Python literal that the text is; else the error that JSON gave, as cut if the literal is."""
    written = source.strip()
    depth, open_at_end = _brackets(source)
    fits = len(source) <= MAX_LITERAL and depth <= MAX_DEPTH and not open_at_end
    if fits and (written[:1] in _LITERAL_OPENERS or written in _CONSTANTS) and not _ODD_ESCAPE.search(source.replace("\\\\", "")):
        try:
            return _plain(ast.literal_eval(written), 0)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, _UnreadableError):
            pass
    raise _NotJsonError(cut=error.cut or _at_a_limit(source) or (_opens(source) and open_at_end))


def _opens(source: str) -> bool:
    return source.lstrip()[:1] in _OPENERS


def _brackets(source: str) -> tuple[int, bool]:
    """How deep brackets nest in a Python literal, quoted text aside, and whether a quote or bracket is open at its end."""
    closers: list[str] = []
    deepest = 0
    for token in _TOKENS.finditer(source):
        first = source[token.start()]
        if first in _CLOSERS:
            closers.append(_CLOSERS[first])
            deepest = max(deepest, len(closers))
        elif first in "'\"":
            if not (token["end"] or token["fin"]):
                return deepest, True
        elif not closers or closers.pop() != first:
            return deepest, False
    return deepest, bool(closers)


def _at_a_limit(source: str) -> bool:
    if len(source) in _CUT_AT or _MARKED_CUT.search(source[-100:]):
        return True
    return not source.isascii() and len(source.encode("utf-8", "replace")) in _CUT_AT


def _plain(value: object, depth: int) -> object:
    """JSON types throughout; raises _UnreadableError where a value is none or too deep."""
    if isinstance(value, str):
        return encodable(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth == MAX_DEPTH:
        raise _UnreadableError("malformed")
    if isinstance(value, Mapping):
        made = {_key(key): _plain(item, depth + 1) for key, item in value.items()}
        if len(made) < len(value):
            raise _UnreadableError("duplicate_key")
        return made
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    raise _UnreadableError("malformed")


def _key(key: object) -> str:
    if isinstance(key, str):
        return encodable(key)
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    raise _UnreadableError("malformed")


def _redacted(blank: str) -> bool:
    return blank.lower() in _REDACTED or _STARS.fullmatch(blank) is not None or _SCRUBBED.fullmatch(blank) is not None
