"""The attribute keys that a policy asks for, so that a reader keeps those and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from otel_toolscore.matchers import Matcher, attributes_asked
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.pattern import When


def attribute_keys(policy: Policy) -> frozenset[str]:
    """Every attribute key that a `when.attributes` or a `$attr` of the policy names."""
    return frozenset(keys_in([*policy.expectations, *policy.rules]))


def keys_in(value: object) -> Iterator[str]:
    """The attribute keys named anywhere inside a record or a value."""
    if isinstance(value, Matcher):
        yield from attributes_asked(value)
    elif isinstance(value, msgspec.Struct):
        if isinstance(value, When):
            yield from (key for key, _ in value.attributes)
        for name in value.__struct_fields__:
            yield from keys_in(getattr(value, name))
    elif isinstance(value, Mapping):
        yield from keys_in(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from keys_in(item)
