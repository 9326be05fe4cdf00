# ruff: noqa: D102 - what the methods of a kind do is said once, at `Kind`
"""The kind of `tools.NAME.parameters`: a JSON Schema."""

from __future__ import annotations

from typing import Any

from otel_toolscore import schemas
from otel_toolscore.policy.grammar.kinds import REFUSED, Definitions, Reading, Schema, Single, unexpected
from otel_toolscore.policy.nodes import MapNode, Node, place_of, plain


class JsonSchema(Single, frozen=True):
    """A JSON Schema of an object of arguments; read as JSON types."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, MapNode)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, MapNode):
            return unexpected(self, node, label, reading)
        schema = plain(node)
        try:
            schemas.check(schema)
        except schemas.SchemaError as error:
            reading.faults.add(place_of(node, error.path), f"`{label}`: {error}")
            return REFUSED
        return schema

    def described(self) -> str:
        return "a JSON Schema (a mapping)"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {"type": "object"}
