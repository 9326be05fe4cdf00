"""JSON values that are decoded one level at a time.

A node is the text of a JSON value (`msgspec.Raw`) or, where only the standard library can read the text (bare NaN, a lone
surrogate, which is replaced; an integer of thousands of digits), the Python value itself.
"""

from __future__ import annotations

import json
from typing import Final, TypeAlias, cast

import msgspec
from msgspec import Raw

from otel_toolscore.spans import encodable

Node: TypeAlias = object
"""`Raw`, or a Python value as `json.loads` gives it."""

_RAW: Final = msgspec.json.Decoder(Raw)
_OBJECT: Final = msgspec.json.Decoder(dict[str, Raw])
_ARRAY: Final = msgspec.json.Decoder(list[Raw])
_ANY: Final = msgspec.json.Decoder()

_MAX_DIGITS: Final = 4300
"""An integer of more digits stays text: converting it takes time that is quadratic in its length."""

_NULL_BYTES: Final = 4


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


_TOLERANT: Final = json.JSONDecoder(parse_int=cast("type[int]", _integer), strict=False)
_CONCATENATED: Final = json.JSONDecoder(parse_int=cast("type[int]", _integer))


class MalformedError(ValueError):
    """Text that is not JSON.

    `position` is the offset in characters at which it stops being JSON; the message says why, without quoting the text.
    """

    def __init__(self, why: str, position: int) -> None:
        super().__init__(why)
        self.position = position


def node(data: bytes) -> Node:
    """The one JSON value that `data` holds. Raises MalformedError where it holds none, or more than one."""
    try:
        return _RAW.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass  # what the standard library takes besides is read by it
    try:
        return _written(_TOLERANT.decode(decoded(data)))
    except json.JSONDecodeError as error:
        raise MalformedError(_why(error), error.pos) from None
    except RecursionError:
        raise MalformedError("nested too deeply", 0) from None


def decoded(data: bytes) -> str:
    """The text; what is not UTF-8 is read as U+FFFD."""
    return data.decode("utf-8", "replace")


def first(text: str, start: int) -> tuple[Node, int]:
    """The JSON value that begins at `start`, and the offset at which it ends. Raises MalformedError."""
    try:
        value, end = _CONCATENATED.raw_decode(text, start)
        return _written(value), end
    except json.JSONDecodeError as error:
        raise MalformedError(_why(error), error.pos) from None
    except RecursionError:
        raise MalformedError("nested too deeply", start) from None


def _why(error: json.JSONDecodeError) -> str:
    return error.msg[:1].lower() + error.msg[1:].rstrip(": ").removesuffix(" at").removesuffix(" starting")


def members(value: Node) -> dict[str, Node] | None:
    """The members of an object; None where the node is not an object."""
    if isinstance(value, Raw):
        try:
            return cast("dict[str, Node]", _OBJECT.decode(value))
        except msgspec.DecodeError:
            value = python(value)
    return value if isinstance(value, dict) else None


def items(value: Node) -> list[Node] | None:
    """The items of an array; None where the node is not an array."""
    if isinstance(value, Raw):
        try:
            return cast("list[Node]", _ARRAY.decode(value))
        except msgspec.DecodeError:
            value = python(value)
    return value if isinstance(value, list) else None


def member(fields: dict[str, Node], *names: str) -> Node:
    """The first of the named members that is there and not null; None where none is."""
    for name in names:
        found = fields.get(name)
        if isinstance(found, Raw):
            view = memoryview(found)
            if view.nbytes == _NULL_BYTES and view.tobytes() == b"null":
                continue
        if found is not None:
            return found
    return None


def python(value: Node) -> object:
    """The whole value as Python has it. Raises RecursionError where it is nested too deeply."""
    if not isinstance(value, Raw):
        return value
    try:
        return _ANY.decode(value)
    except msgspec.DecodeError:
        return _written(_TOLERANT.decode(decoded(bytes(value))))


def _written(value: object) -> object:
    """The value with text that can be written out again."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {encodable(key): _written(item) for key, item in value.items()}
    return value
