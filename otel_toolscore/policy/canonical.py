"""One form for all policies that mean the same, and the digest over it."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from otel_toolscore.matchers import Matcher
from otel_toolscore.paths import Path
from otel_toolscore.policy.records import Policy

NOT_PART: Final = frozenset({"where", "sources", "digest", "warnings"})
"""Fields that say where a policy comes from, not what it means."""
UNORDERED: Final = frozenset({"args", "result", "attributes", "same"})
"""Fields whose pairs come from the keys of a mapping."""


def canonical(value: object) -> Any:
    """A record, or a value in one, as JSON types; equal for what means the same."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, tuple | list):
        return [canonical(item) for item in value]
    if isinstance(value, Path):
        return value.text
    if isinstance(value, msgspec.Struct):
        return {"record": type(value).__name__, **dict(given_fields(value))}
    if isinstance(value, Mapping):
        return {"mapping": sorted(([key, canonical(item)] for key, item in value.items()), key=written)}
    if isinstance(value, Matcher):
        return {"matcher": canonical(value.spelled())}
    if isinstance(value, Fraction | float):
        return int(value) if value == value // 1 else str(value)
    return str(value)


def given_fields(record: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields that mean something and differ from their defaults."""
    for name, default, default_written in defaults(type(record)):
        value = getattr(record, name)
        if value is default:
            continue
        made = canonical(value)
        if name in UNORDERED and isinstance(made, list):
            made.sort(key=written)
        if written(made) != default_written:
            yield name, made


@functools.cache
def defaults(record: type[msgspec.Struct]) -> tuple[tuple[str, object, str], ...]:
    """The fields of a record that mean something, each with its default, as it is and as text; without one, with what nothing equals."""
    found: list[tuple[str, object, str]] = []
    for field in msgspec.structs.fields(record):
        value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        if field.name not in NOT_PART:
            found.append((field.name, value, "" if field.required else written(canonical(value))))
    return tuple(found)


def written(made: object) -> str:
    """A canonical value as text."""
    return json.dumps(made, sort_keys=True, separators=(",", ":"))


def digest(policy: Policy) -> str:
    """SHA-256 (hex) over the canonical form: independent of key order, comments, spelling, and of how files are laid out."""
    return hashlib.sha256(written(canonical(policy)).encode()).hexdigest()
