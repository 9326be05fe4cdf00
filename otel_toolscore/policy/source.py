"""Bytes -> the one document in them, YAML or JSON."""

from __future__ import annotations

import codecs
from typing import Final

from otel_toolscore.policy import json_text, yaml_text
from otel_toolscore.policy.entries import LARGEST_FILE, Limits, Unreadable
from otel_toolscore.policy.faults import Faults, Placed
from otel_toolscore.policy.nodes import Node

OTHER_ENCODINGS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def read_document(data: bytes, faults: Faults, *, expected: str = "a mapping that begins with `version: 1`") -> Node | None:
    """The document in a file's bytes; None where there is none, and then there is a fault that says why.

    `expected` says what an empty file should hold.
    """
    text = decoded(data, faults)
    if text is None:
        return None
    try:
        node = from_text(text, faults)
    except Unreadable as limit:
        faults.add(limit.place, limit.message)
        return None
    if node is None and not faults.found:
        faults.add(Placed(line=1, column=1), f"the file is empty; expected {expected}")
    return node


def from_text(text: str, faults: Faults) -> Node | None:
    """The document in a text: JSON where it is JSON, else YAML (of which `{version: 1}` may look like JSON at first)."""
    named_json = faults.file.endswith(".json")
    if named_json or text.lstrip().startswith(("{", "[")):
        tried = Faults(faults.file)
        try:
            node = json_text.parse(text, tried, Limits())
        except json_text.NotJson as no:
            if named_json:
                faults.add(no.place, f"not JSON: expected {no.expected}")
                return None
        else:
            faults.found += tried.found
            return node
    return yaml_text.parse(text, faults, Limits())


def decoded(data: bytes, faults: Faults) -> str | None:
    """The text of UTF-8 bytes, without a byte order mark; None after a fault."""
    if len(data) > LARGEST_FILE:
        faults.add(Placed(), f"too big: more than {LARGEST_FILE // 1024 // 1024} MiB")
        return None
    encoding = next((name for mark, name in OTHER_ENCODINGS if data.startswith(mark)), None)
    if encoding is not None:
        faults.add(Placed(line=1, column=1), f"not UTF-8 but {encoding}; save the file as UTF-8")
        return None
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode("utf-8", "replace")) + 1
        place = Placed(line=before.count(b"\n") + 1, column=column)
        faults.add(place, f"not UTF-8: byte 0x{error.object[error.start]:02x}")
        return None
