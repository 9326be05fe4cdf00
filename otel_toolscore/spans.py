"""The span record that every reader produces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

UNSPECIFIED: Final = 0
INTERNAL: Final = 1
SERVER: Final = 2
CLIENT: Final = 3
PRODUCER: Final = 4
CONSUMER: Final = 5

STATUS_UNSET: Final = 0
STATUS_OK: Final = 1
STATUS_ERROR: Final = 2

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with lone surrogates, which no encoding can carry, replaced."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SpanEvent(msgspec.Struct, frozen=True):
    """An event of a span."""

    name: str
    time_ns: int | None
    attributes: Mapping[str, object]


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One span as it was exported. Ids are lower-case hex where the source had bytes or hex, else the source's own text."""

    trace_id: str
    span_id: str
    parent_id: str | None = None
    name: str = ""
    kind: int = INTERNAL
    start_ns: int | None = None
    end_ns: int | None = None
    attributes: Mapping[str, object] = {}
    """Values are JSON types: text, numbers, booleans, None, lists, dicts (kvlist), and bytes as base64 text."""
    events: tuple[SpanEvent, ...] = ()
    status: int = STATUS_UNSET
    status_message: str = ""
    resource: Mapping[str, object] = {}
    scope_name: str = ""
    """Name of the instrumentation scope."""
    scope_version: str = ""
    parent_remote: bool | None = None
    """Whether the parent is in another process; None where the source does not say."""
    dropped_attributes: int = 0
    where: str = ""
    """Where it was read: file and line or offset."""

    @property
    def service(self) -> str | None:
        """`service.name` of the resource; None where it is not text."""
        name = self.resource.get("service.name")
        return name if isinstance(name, str) else None
