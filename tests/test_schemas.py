"""JSON Schemas of arguments."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from json_values import nested, values

from otel_toolscore.model import MISSING
from otel_toolscore.schemas import Field, Invalid, SchemaError, check, field, validate

PAYMENT = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
        "currency": {"enum": ["EUR", "USD"]},
        "order id": {"type": "string", "pattern": "^A-[0-9]+$", "minLength": 3},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "minItems": 1},
    },
    "required": ["amount"],
    "additionalProperties": False,
    "$defs": {"line": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
}


class TestValidate:
    """Where a value is not as its schema says, in words that hold no value."""

    def test_valid(self) -> None:
        """A valid value has no invalid places; 5.0 is an integer."""
        assert validate(PAYMENT, {"amount": 5, "currency": "EUR", "lines": [{"n": 5.0}]}) == ()

    def test_every_place(self) -> None:
        """All invalid places are given, each with its path."""
        value = {"amount": 250, "currency": "s3cret", "order id": "s3cret", "lines": [{"n": "s3cret"}, {}], "s3.x": 1, "more": 2}
        found = validate(PAYMENT, value)
        assert set(found) == {
            Invalid("$.amount", "is above the schema's maximum"),
            Invalid("$.currency", "is not one of the schema's values"),
            Invalid('$["order id"]', "does not match the schema's pattern"),
            Invalid("$.lines[0].n", "is not of the schema's type"),
            Invalid("$.lines[1].n", "is required by the schema and missing"),
            Invalid('$["s3.x"]', "is not a property that the schema allows"),
            Invalid("$.more", "is not a property that the schema allows"),
        }
        assert "s3cret" not in "".join(invalid.path + invalid.why for invalid in found)

    @pytest.mark.parametrize(
        ("schema", "value", "why"),
        [
            ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 5, "fits none of the schema's alternatives"),
            ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, 5, "does not fit exactly one of the schema's alternatives"),
            ({"not": {"type": "string"}}, "x", "fits what the schema excludes"),
            ({"const": 1}, 2, "is not the schema's constant"),
            ({"multipleOf": 2}, 3, "is not a multiple of the schema's number"),
            ({"uniqueItems": True}, [1, 1.0], "has equal items"),
            ({"maxLength": 1}, "xy", "is longer than the schema's maximum"),
            (False, 1, "is not allowed by the schema"),
        ],
    )
    def test_why(self, schema: Any, value: object, why: str) -> None:
        """Each keyword has its words."""
        assert validate(schema, value) == (Invalid("$", why),)

    @pytest.mark.parametrize(
        ("schema", "valid", "invalid"),
        [
            ({"type": "string", "nullable": True}, None, 5),
            ({"type": "string", "nullable": True, "enum": ["a"]}, None, "b"),
            ({"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}}, {"n": 1}, {"n": "x"}),
            ({"properties": {"nullable": {"type": "string"}}}, {"nullable": "x"}, {"nullable": None}),
            ({"enum": [{"type": "STRING", "nullable": True}]}, {"type": "STRING", "nullable": True}, {"type": "string"}),
        ],
    )
    def test_other_dialects(self, schema: Any, valid: object, invalid: object) -> None:
        """OpenAPI's `nullable` and type names in capitals are understood; data in a schema is left alone."""
        assert validate(schema, valid) == ()
        assert validate(schema, invalid) != ()

    @pytest.mark.parametrize(
        ("schema", "reason"),
        [
            ({"type": "strnig"}, "the schema cannot be used: "),
            ({"$ref": "#/nowhere"}, "the schema cannot be used: Pointer '/nowhere' does not exist"),
            ({"pattern": "("}, "the schema cannot be used: "),
            ({"$ref": "http://schemas.invalid/x"}, "references to other documents are not followed"),
            ({"$ref": "file:///etc/hostname"}, "references to other documents are not followed"),
            ({"$schema": "http://schemas.invalid/meta"}, "the schema cannot be used: "),
            ({"maxLength": -1}, "the schema cannot be used: "),
            (5, "the schema cannot be used: "),
            (nested(500, True)[1], "the schema cannot be used: nested more than 100 levels deep"),
            ({"title": "\ud800", "type": 5}, "the schema cannot be used: "),
        ],
    )
    def test_unusable_schema(self, schema: Any, reason: str) -> None:
        """A schema that cannot be used is refused with the reason; nothing is fetched."""
        with pytest.raises(SchemaError) as caught:
            validate(schema, {"a": 1})
        assert reason in str(caught.value)
        assert "\n" not in str(caught.value)
        with pytest.raises(SchemaError):
            check(schema)

    def test_check(self) -> None:
        """A usable schema is accepted."""
        check(PAYMENT)
        check(True)
        check({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}, "$ref": "#/definitions/a"})

    @pytest.mark.parametrize("value", nested(10_000, 1))
    def test_deep_value(self, value: object) -> None:
        """A value that is nested too deeply is not judged."""
        with pytest.raises(SchemaError, match="the value is nested more than 100 levels deep"):
            validate({"type": ["object", "array"]}, value)

    def test_foreign_value(self) -> None:
        """A value that is not JSON is not judged."""
        with pytest.raises(SchemaError, match="the value is not JSON"):
            validate({"properties": {"a": {"type": "array"}}}, {"a": {1, 2}})

    def test_absurd_values(self) -> None:
        """Huge numbers, NaN and lone surrogates are values like others."""
        schema = {"additionalProperties": {"type": ["integer", "string"], "maximum": 10, "maxLength": 1}}
        found = validate(schema, {"a": 10**400, "b": "\ud800", "c": math.nan, "d": "\ud800\ud800"})
        assert {invalid.path for invalid in found} == {"$.a", "$.c", "$.d"}

    def test_slow_pattern(self) -> None:
        """A pattern that takes exponential time is given up, and that is no answer."""
        with pytest.raises(SchemaError, match="takes too long"):
            validate({"pattern": "^((?=a)a|a)+b$"}, "a" * 40 + "!")

    def test_many_errors(self) -> None:
        """The places are bounded in number."""
        assert len(validate({"items": {"type": "string"}}, list(range(1000)))) == 50

    def test_recursive_schema(self) -> None:
        """Schemas that refer to themselves are used."""
        schema = {"properties": {"a": {"$ref": "#"}}, "additionalProperties": False}
        assert validate(schema, {"a": {"a": {}}}) == ()
        assert validate(schema, {"a": {"a": {"b": 1}}}) == (Invalid("$.a.a.b", "is not a property that the schema allows"),)
        assert validate({"$ref": "#"}, 1) == ()

    @given(values)
    def test_any_value(self, value: object) -> None:
        """Every value is judged."""
        assert validate({}, value) == ()
        assert validate(False, value) == (Invalid("$", "is not allowed by the schema"),)


def described(schema: object) -> Field:
    found = field(schema)
    assert found is not None
    return found


class TestField:
    """What a schema says of a place."""

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "integer"},
            {"type": "NUMBER"},
            {"type": ["number", "null"]},
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            {"allOf": [{"$ref": "#/$defs/n"}], "$defs": {"n": {"type": "number"}}},
            {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer"}}},
            {"enum": [1, 2.5]},
            {"const": 5},
            {"type": "integer", "nullable": True},
        ],
    )
    def test_numeric(self, schema: object) -> None:
        """A place is numeric where only numbers, and perhaps null, are valid."""
        assert described(schema).numeric

    @pytest.mark.parametrize(
        "schema",
        [
            {},
            {"type": "string"},
            {"type": ["integer", "string"]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            {"type": "null"},
            {"type": "boolean"},
            {"enum": [1, "1"]},
            {"minimum": 5},
            {"$ref": "http://schemas.invalid/number"},
            {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        ],
    )
    def test_not_numeric(self, schema: object) -> None:
        """Where anything else is valid too, or nothing is said, a place is not."""
        assert not described(schema).numeric

    @pytest.mark.parametrize(
        ("schema", "allowed"),
        [
            ({}, True),
            ({"type": "string"}, False),
            ({"type": "string", "nullable": True}, True),
            ({"type": ["string", "null"]}, True),
            ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
            ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, False),
            ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, False),
            ({"enum": ["a", None]}, True),
            ({"enum": ["a"]}, False),
            ({"enum": ["a"], "nullable": True}, True),
            ({"const": None}, True),
        ],
    )
    def test_allows_null(self, schema: object, allowed: bool) -> None:
        """Null is allowed where the types, or their absence, let it in."""
        assert described(schema).allows_null is allowed

    def test_default(self) -> None:
        """A default is found here or behind references; null is a default too."""
        assert described({"default": 5}).default == 5
        assert described({"default": None}).default is None
        assert described({"type": "string"}).default is MISSING
        assert described({"$ref": "#/$defs/a", "$defs": {"a": {"default": 1}}}).default == 1
        assert described({"default": 2, "allOf": [{"default": 1}]}).default == 2

    def test_entries_and_items(self) -> None:
        """Places below are found through references, `allOf` and an alternative that is the only one beside null."""
        schema = {
            "allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}],
            "properties": {
                "b": {"anyOf": [{"$ref": "#/$defs/line"}, {"type": "null"}]},
                "c": {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
                "d": {"type": "array", "items": [{"type": "integer"}], "additionalItems": {"type": "number"}},
            },
            "additionalProperties": {"type": "number"},
            "$defs": {"line": {"properties": {"n": {"type": "number"}}}},
        }
        whole = described(schema)
        assert whole.requires("a")
        assert not whole.requires("b")
        numeric = {name: entry.numeric for name in ("a", "b", "zzz") if (entry := whole.entry(name)) is not None}
        assert numeric == {"a": True, "b": False, "zzz": True}
        for path, expected in (("b.n", True), ("b.m", None), ("c.0", True), ("c.1", False), ("d.0", True), ("d.1", True)):
            name, step = path.split(".")
            inner = whole.entry(name)
            assert inner is not None
            below = inner.item(int(step)) if step.isdigit() else inner.entry(step)
            assert (below and below.numeric) is expected

    def test_no_schema(self) -> None:
        """What is no schema object says nothing."""
        assert field(None) is None
        assert field(True) is None

    @given(values)
    def test_any_schema(self, schema: object) -> None:
        """Any JSON value may stand where a schema is recorded, without harm."""
        for recorded in (
            schema,
            {"type": schema, "enum": schema, "allOf": schema, "properties": schema, "items": schema, "required": schema},
        ):
            found = field(recorded)
            if found is not None:
                found.entry("a")
                found.item(0)
                found.requires("a")
