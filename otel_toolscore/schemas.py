"""JSON Schemas of arguments: whether a value is valid, and what a schema says of the field at a place.

Schemas come from policies and from traces, so none of them is trusted: no reference is fetched, regular expressions have
a backtracking limit. What tools of the field write is understood too: `nullable: true` (OpenAPI) and type names in
capitals (Gemini).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from otel_toolscore.identity_cache import IdentityCache
from otel_toolscore.model import MISSING
from otel_toolscore.paths import joined

MAX_DEPTH: Final = 100
"""Levels of a value that is validated and of a schema; how many `$ref`, `allOf` and single alternatives are followed."""
MAX_ERRORS: Final = 50
BACKTRACK_LIMIT: Final = 100_000

_TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_DATA_KEYWORDS: Final = frozenset({"enum", "const", "default", "example", "examples"})
_UNDECIDED: Final = frozenset({"BacktrackLimitExceeded", "RegexEngineFailure"})
_WHY: Final = {
    "additionalItems": "has more items than the schema allows",
    "anyOf": "fits none of the schema's alternatives",
    "const": "is not the schema's constant",
    "contains": "lacks an item that the schema asks for",
    "enum": "is not one of the schema's values",
    "exclusiveMaximum": "is not below the schema's maximum",
    "exclusiveMinimum": "is not above the schema's minimum",
    "format": "does not have the schema's format",
    "maxItems": "has more items than the schema's maximum",
    "maxLength": "is longer than the schema's maximum",
    "maxProperties": "has more properties than the schema's maximum",
    "maximum": "is above the schema's maximum",
    "minItems": "has fewer items than the schema's minimum",
    "minLength": "is shorter than the schema's minimum",
    "minProperties": "has fewer properties than the schema's minimum",
    "minimum": "is below the schema's minimum",
    "multipleOf": "is not a multiple of the schema's number",
    "not": "fits what the schema excludes",
    "oneOf": "does not fit exactly one of the schema's alternatives",
    "pattern": "does not match the schema's pattern",
    "propertyNames": "has a property whose name the schema does not allow",
    "type": "is not of the schema's type",
    "unevaluatedItems": "has an item that the schema does not allow",
    "uniqueItems": "has equal items",
}


class SchemaError(ValueError):
    """The schema cannot be used, or cannot be applied to this value; the text says why, without values of arguments.

    `path` are the keys and indices from the schema to what is wrong in it; empty where that is not known.
    """

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path


class Invalid(msgspec.Struct, frozen=True):
    """One place where a value is not as its schema says."""

    path: str
    """`$.a[0].b`"""
    why: str
    """What is wrong, without any value of the arguments."""


class Field:
    """What a schema says of one place. A place that the schema does not describe has no field (None)."""

    __slots__ = ("_children", "_parts", "_root", "allows_null", "default", "numeric")

    def __init__(self, root: object, schema: object) -> None:
        self._root = root
        self._parts = tuple(_parts(root, schema))
        self._children: dict[str | int, Field | None] = {}
        types = _types(root, schema)
        self.numeric: bool = bool(types - {"null"}) and types <= {"integer", "number", "null"}
        """Whether only numbers (and perhaps null) are valid."""
        self.allows_null: bool = "null" in types
        self.default: object = next((part["default"] for part in self._parts if "default" in part), MISSING)
        """The default value; MISSING where none is given."""

    def requires(self, name: str) -> bool:
        """Whether the object must have the property."""
        return any(name in part["required"] for part in self._parts if isinstance(part.get("required"), list))

    def entry(self, name: str) -> Field | None:
        """The property of an object."""
        if name not in self._children:
            self._children[name] = self._combined(list(self._entry_schemas(name)))
        return self._children[name]

    def item(self, index: int) -> Field | None:
        """The item of a list."""
        if index not in self._children:
            self._children[index] = self._combined(list(self._item_schemas(index)))
        return self._children[index]

    def _entry_schemas(self, name: str) -> Iterator[object]:
        for part in self._parts:
            properties = part.get("properties")
            if isinstance(properties, Mapping) and name in properties:
                yield properties[name]
            elif isinstance(part.get("additionalProperties"), Mapping):
                yield part["additionalProperties"]

    def _item_schemas(self, index: int) -> Iterator[object]:
        for part in self._parts:
            items = part.get("items")
            first = part.get("prefixItems", items if isinstance(items, list) else [])
            if isinstance(first, list) and index < len(first):
                yield first[index]
            elif isinstance(items, Mapping):
                yield items
            elif isinstance(part.get("additionalItems"), Mapping):
                yield part["additionalItems"]

    def _combined(self, schemas: list[object]) -> Field | None:
        if not schemas:
            return None
        return Field(self._root, schemas[0] if len(schemas) == 1 else {"allOf": schemas})


_FIELDS: Final[IdentityCache[Field]] = IdentityCache()


def field(schema: object) -> Field | None:
    """What the schema says of a whole value; None where it is no object. Kept, since one schema judges many calls."""
    return _FIELDS.get(schema, lambda: Field(schema, schema)) if isinstance(schema, Mapping) else None


def _parts(root: object, schema: object) -> Iterator[Mapping[str, Any]]:
    """The schema, and what it says through `$ref`, `allOf` and an alternative that is the only one beside null."""
    pending = [schema]
    seen: set[int] = set()
    while pending and len(seen) < MAX_DEPTH:
        current = pending.pop()
        if not isinstance(current, Mapping) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        inner = [_resolved(root, current)] if "$ref" in current else []
        inner += _listed(current, "allOf")
        for keyword in ("anyOf", "oneOf"):
            others = [branch for branch in _listed(current, keyword) if not _only_null(branch)]
            inner += others if len(others) == 1 else []
        pending.extend(reversed(inner))


def _types(root: object, schema: object, depth: int = 0) -> frozenset[str]:
    """The JSON types that the schema may take, as far as it says so."""
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return _TYPES
    allowed = _TYPES
    named = schema.get("type")
    if named is not None:
        names = {str(name).lower() for name in (named if isinstance(named, list) else [named])}
        allowed = frozenset(names | ({"integer"} if "number" in names else set()) | ({"null"} if schema.get("nullable") is True else set()))
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list):
        allowed &= frozenset().union(*(_types_of(value) for value in values)) | ({"null"} if schema.get("nullable") is True else set())
    if "$ref" in schema:
        allowed &= _types(root, _resolved(root, schema), depth + 1)
    for branch in _listed(schema, "allOf"):
        allowed &= _types(root, branch, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        branches = _listed(schema, keyword)
        if branches:
            allowed &= frozenset().union(*(_types(root, branch, depth + 1) for branch in branches))
    return allowed


def _types_of(value: object) -> frozenset[str]:
    names = {
        bool: ("boolean",),
        int: ("integer", "number"),
        float: ("integer", "number"),
        str: ("string",),
        list: ("array",),
        dict: ("object",),
    }
    return frozenset(names.get(type(value), ("null",)))


def _only_null(schema: object) -> bool:
    return isinstance(schema, Mapping) and (schema.get("type") in ("null", "NULL", ["null"]) or schema.get("const", 0) is None)


def _listed(schema: Mapping[str, Any], keyword: str) -> list[object]:
    found = schema.get(keyword)
    return list(found) if isinstance(found, list) else []


def _resolved(root: object, schema: Mapping[str, Any]) -> object:
    """What a `$ref` inside the same document points to; None for any other."""
    pointer = schema["$ref"]
    if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
        return None
    found: object = root
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and token in found:
            found = found[token]
        elif isinstance(found, list) and token.isdecimal() and int(token) < len(found):
            found = found[int(token)]
        else:
            return None
    return found


def check(schema: object) -> None:
    """`SchemaError` where the schema cannot be used to validate."""
    _VALIDATORS.get(schema, lambda: _validator(schema))


def validate(schema: object, value: object) -> tuple[Invalid, ...]:
    """Where the value is not as the schema says, in the order of the schema, at most `MAX_ERRORS` places.

    `SchemaError` where that cannot be said: the schema is not valid or refers to something outside of it, or the value is
    nested more than `MAX_DEPTH` levels deep or not JSON.
    """
    validator = _VALIDATORS.get(schema, lambda: _validator(schema))
    found: dict[Invalid, None] = {}
    try:
        for error in validator.iter_errors(_plain(value, 0)):
            if type(error.kind).__name__ in _UNDECIDED:
                raise SchemaError("a regular expression of the schema takes too long on this value")
            found.update(dict.fromkeys(_invalid(error)))
            if len(found) >= MAX_ERRORS:
                break
    except SchemaError:
        raise
    except ValueError:
        raise SchemaError("the value is not JSON") from None
    return tuple(found)[:MAX_ERRORS]


_VALIDATORS: Final[IdentityCache[Any]] = IdentityCache()


def _validator(schema: object) -> Any:
    # Imported here because it takes longer to load than most runs need it.
    import jsonschema_rs  # noqa: PLC0415

    try:
        return jsonschema_rs.validator_for(
            _standard(_plain(schema, 0)),
            retriever=_refused,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT),
        )
    except SchemaError as error:
        raise SchemaError(f"the schema cannot be used: {str(error).removeprefix('the value is ')}") from None
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        reason = getattr(error, "message", None) or str(error).partition("\n")[0]
        raise SchemaError(f"the schema cannot be used: {reason}", tuple(getattr(error, "instance_path", ()))) from None


def _refused(_uri: str) -> Any:
    raise ValueError("references to other documents are not followed")


def _plain(value: Any, depth: int) -> Any:
    """The value as the validator takes it; the value itself where nothing has to be changed."""
    if depth > MAX_DEPTH:
        raise SchemaError(f"the value is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_plain(key, depth): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return value


def _standard(schema: Any) -> Any:
    """The schema with what other dialects write turned into JSON Schema: `nullable` and type names in capitals."""
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value if key in _DATA_KEYWORDS else _standard(value) for key, value in schema.items()}
    named = found.get("type")
    if isinstance(named, str | list):
        names = [
            name.lower() if isinstance(name, str) and name.lower() in _TYPES else name
            for name in ([named] if isinstance(named, str) else named)
        ]
        if schema.get("nullable") is True:
            names = [*names, *([] if "null" in names else ["null"])]
            if isinstance(found.get("enum"), list) and None not in found["enum"]:
                found["enum"] = [*found["enum"], None]
        found["type"] = names if len(names) != 1 or isinstance(named, list) else names[0]
    return found


def _invalid(error: Any) -> Iterator[Invalid]:
    """The places that an error of the validator is about; its own message is not used, since it shows values."""
    path = "$"
    for step in error.instance_path:
        path = f"{path}[{step}]" if isinstance(step, int) else joined(path, step)
    details = error.kind.as_dict()
    if error.kind.name == "required":
        yield Invalid(joined(path, details["property"]), "is required by the schema and missing")
    elif error.kind.name in ("additionalProperties", "unevaluatedProperties"):
        yield from (Invalid(joined(path, name), "is not a property that the schema allows") for name in details["unexpected"])
    else:
        yield Invalid(path, _WHY.get(error.kind.name, "is not allowed by the schema"))
