"""One form for all policies that mean the same, and the digest over it."""

from __future__ import annotations

import datetime as dt
import enum
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
    if isinstance(value, Matcher):
        return {"matcher": canonical(value.spelled())}
    if isinstance(value, Path):
        return value.text
    if isinstance(value, msgspec.Struct):
        return {"record": type(value).__name__, **dict(given_fields(value))}
    if isinstance(value, Mapping):
        return {"mapping": sorted(([key, canonical(item)] for key, item in value.items()), key=written)}
    if isinstance(value, tuple | list):
        return [canonical(item) for item in value]
    if isinstance(value, Fraction | float) and value == value // 1:
        return int(value)
    if isinstance(value, Fraction | dt.date):
        return str(value)
    return repr(value) if isinstance(value, enum.Enum) else value


def given_fields(record: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields that differ from their defaults."""
    for field in msgspec.structs.fields(record):
        value = getattr(record, field.name)
        made = canonical(value)
        if field.name in NOT_PART or (not field.required and written(made) == written(default_of(field))):
            continue
        yield field.name, sorted(made, key=written) if field.name in UNORDERED and isinstance(made, list) else made


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    """The canonical form of a field's default."""
    made = field.default_factory
    return canonical(field.default if made is msgspec.NODEFAULT else made())


def written(made: object) -> str:
    """A canonical value as text."""
    return json.dumps(made, sort_keys=True, separators=(",", ":"))


def digest(policy: Policy) -> str:
    """SHA-256 (hex) over the canonical form: independent of key order, comments, spelling, and of how files are laid out."""
    return hashlib.sha256(written(canonical(policy)).encode()).hexdigest()
