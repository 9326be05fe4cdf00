"""Policies: what a document says, read strictly, with every fault and its place.

    document (source.py: YAML or JSON -> nodes with places)
      -> grammar/ (tables of keys: nodes -> records, and the JSON Schema and the reference from the same tables)
      -> resolve.py (files that extend each other -> one Policy) -> canonical.py (its digest)

`files.py` is the only module that opens files.
"""

from __future__ import annotations

from otel_toolscore.policy.attributes import attribute_keys
from otel_toolscore.policy.faults import Fault, PolicyError
from otel_toolscore.policy.files import DEFAULT_NAME, discover, load, load_expectations, load_forbidden, loads
from otel_toolscore.policy.json_schema import json_schema
from otel_toolscore.policy.records import Expectation, Policy, SpanMapping, Tool
from otel_toolscore.policy.resolve import BUILT_IN, RECOMMENDED

__all__ = [
    "BUILT_IN",
    "DEFAULT_NAME",
    "RECOMMENDED",
    "Expectation",
    "Fault",
    "Policy",
    "PolicyError",
    "SpanMapping",
    "Tool",
    "attribute_keys",
    "discover",
    "json_schema",
    "load",
    "load_expectations",
    "load_forbidden",
    "loads",
]
