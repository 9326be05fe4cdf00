"""From documents to matchers: the `$` operators, what each takes, and what is wrong with a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from otel_toolscore.compare import Matcher
from otel_toolscore.matchers.date import Date
from otel_toolscore.matchers.faults import Fault, MatcherError, nearest, refused
from otel_toolscore.matchers.host_in import HostIn
from otel_toolscore.matchers.literals import Attr, Eq, Literal, OneOf, Unordered, has_operators
from otel_toolscore.matchers.logic import ANY, TYPES, All, AllOf, AnyOf, Exists, IsType, Len, Not, Some
from otel_toolscore.matchers.numbers import Approx, Gt, Gte, Lt, Lte
from otel_toolscore.matchers.path_under import PathUnder
from otel_toolscore.matchers.text import Contains, FullMatch, Glob, IgnoreCase, Regex

MAX_DEPTH: Final = 100
"""A document with operators that is nested deeper is refused."""

_CONDITION: Final[dict[str, Any]] = {"$ref": "#/$defs/condition"}
_TEXT: Final[dict[str, Any]] = {"type": "string"}
_NUMBER: Final[dict[str, Any]] = {"type": "number"}
_TEXT_OR_TEXTS: Final[dict[str, Any]] = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_ANYTHING: Final[dict[str, Any]] = {}


class Operator(msgspec.Struct, frozen=True):
    """One `$` operator: how it is documented, what it takes, how its matcher is made."""

    name: str
    argument: str
    """What it takes, in words."""
    doc: str
    """When it fits, in one line."""
    schema: Mapping[str, Any]
    """JSON Schema of the argument; refers to `#/$defs/condition` for a value or matcher."""
    build: Callable[[Builder, Any, tuple[str | int, ...]], Matcher | None]
    """From the argument and where it stands; None after noting faults."""


class Builder:
    """Builds the matchers of one document and collects everything that is wrong with it."""

    __slots__ = ("faults",)

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, path: tuple[str | int, ...], message: str, suggestion: str | None = None) -> None:
        """Note a fault."""
        self.faults.append(Fault(path, message, suggestion))

    def made(self, path: tuple[str | int, ...], make: Callable[[], Matcher]) -> Matcher | None:
        """The matcher, or None with its faults noted at the path."""
        try:
            return make()
        except MatcherError as error:
            self.faults.extend(Fault((*path, *fault.path), fault.message, fault.suggestion) for fault in error.faults)
            return None

    def condition(self, document: object, path: tuple[str | int, ...]) -> Matcher | None:
        """A matcher where a value or a matcher may stand: a value becomes that the value equals it."""
        value = self.value(document, path)
        if isinstance(value, Matcher):
            return value
        return Literal(value) if isinstance(document, Mapping) and "$literal" in document else Eq(value)

    def value(self, document: object, path: tuple[str | int, ...]) -> object:
        """An expected value in which objects with operators have become matchers and `$literal` is resolved."""
        if len(path) > MAX_DEPTH:
            self.fault(path[:MAX_DEPTH], f"nested more than {MAX_DEPTH} levels deep")
            return None
        if isinstance(document, Mapping):
            operators = [key for key in document if isinstance(key, str) and key.startswith("$")]
            if operators:
                return self._operators(document, operators, path)
            return {key: self.value(item, (*path, key)) for key, item in document.items()}
        if isinstance(document, list | tuple):
            return [self.value(item, (*path, number)) for number, item in enumerate(document)]
        return document

    def _operators(self, document: Mapping[Any, Any], operators: list[str], path: tuple[str | int, ...]) -> object:
        before = len(self.faults)
        for key in document:
            if key not in operators and not (isinstance(key, str) and key.startswith("x-")):
                message = "an object with operators holds nothing else; an object whose own keys begin with `$` stands under `$literal`"
                self.fault((*path, key), message)
        matchers = [self._operator(operator, document[operator], (*path, operator)) for operator in operators]
        if len(self.faults) > before:
            return None
        if operators == ["$literal"]:
            return document["$literal"]
        built = [matcher for matcher in matchers if matcher is not None]
        return built[0] if len(built) == 1 else AllOf(*built)

    def _operator(self, name: str, argument: object, path: tuple[str | int, ...]) -> Matcher | None:
        operator = OPERATORS.get(name)
        if operator is None:
            meant = nearest(name, OPERATORS)
            known = "" if meant else f" (expected {', '.join(OPERATORS)})"
            self.fault(path, f"unknown operator `{name}`{known}", meant)
            return None
        return operator.build(self, argument, path)

    def items(self, operator: str, argument: object, path: tuple[str | int, ...]) -> list[object] | None:
        """The values of a list argument; None after noting that it is no list."""
        if not isinstance(argument, list | tuple):
            self.fault(path, f"`{operator}` takes a list")
            return None
        return [self.value(item, (*path, number)) for number, item in enumerate(argument)]


def _direct(make: Callable[[Any], Matcher]) -> Callable[[Builder, Any, tuple[str | int, ...]], Matcher | None]:
    """For an operator whose argument the matcher itself takes and checks."""
    return lambda builder, argument, path: builder.made(path, lambda: make(argument))


def _of_condition(make: Callable[[Matcher], Matcher]) -> Callable[[Builder, Any, tuple[str | int, ...]], Matcher | None]:
    def build(builder: Builder, argument: Any, path: tuple[str | int, ...]) -> Matcher | None:
        matcher = builder.condition(argument, path)
        return None if matcher is None else builder.made(path, lambda: make(matcher))

    return build


def _of_items(operator: str, make: Callable[[list[object]], Matcher]) -> Callable[[Builder, Any, tuple[str | int, ...]], Matcher | None]:
    def build(builder: Builder, argument: Any, path: tuple[str | int, ...]) -> Matcher | None:
        items = builder.items(operator, argument, path)
        return None if items is None else builder.made(path, lambda: make(items))

    return build


def _any(builder: Builder, argument: Any, path: tuple[str | int, ...]) -> Matcher | None:
    if argument is not True:
        builder.fault(path, "`$any` takes true")
        return None
    return ANY


def _len(builder: Builder, argument: Any, path: tuple[str | int, ...]) -> Matcher | None:
    length = builder.value(argument, path)
    return builder.made(path, lambda: Len(length))


def _type(argument: Any) -> Matcher:
    names = argument if isinstance(argument, list | tuple) else [argument]
    if not all(isinstance(name, str) for name in names):
        raise refused(f"`$type` takes one of {', '.join(TYPES)}, or a list of them")
    return IsType(*names)


def _approx(builder: Builder, argument: Any, path: tuple[str | int, ...]) -> Matcher | None:
    if not isinstance(argument, Mapping):
        return builder.made(path, lambda: Approx(argument))
    known = ("value", "rel", "abs")
    before = len(builder.faults)
    for key in argument:
        if key not in known and not (isinstance(key, str) and key.startswith("x-")):
            builder.fault((*path, key), "`$approx` takes `value`, `rel` and `abs`", nearest(str(key), known))
    if "value" not in argument:
        builder.fault(path, "`$approx` needs a `value`")
    given = {key: argument[key] for key in known if key in argument}
    matcher = builder.made(path, lambda: Approx(**{"value": 0, **given}))
    return matcher if len(builder.faults) == before else None


def _operator(name: str, argument: str, doc: str, schema: Mapping[str, Any], build: Any) -> tuple[str, Operator]:
    return name, Operator(name, argument, doc, schema, build)


OPERATORS: Final[Mapping[str, Operator]] = dict(
    [
        _operator("$any", "true", "There is a value, whatever it is; null too.", {"const": True}, _any),
        _operator("$eq", "a value", "The value is this one.", _CONDITION, _of_condition(lambda wanted: wanted)),
        _operator(
            "$not",
            "a value or matcher",
            "The matcher does not fit; also on a missing path and another type.",
            _CONDITION,
            _of_condition(Not),
        ),
        _operator(
            "$one_of",
            "a list of values",
            "The value is one of these.",
            {"type": "array", "items": _CONDITION, "minItems": 1},
            _of_items("$one_of", OneOf),
        ),
        _operator("$regex", "a regular expression", "The regular expression is found anywhere in the text.", _TEXT, _direct(Regex)),
        _operator("$fullmatch", "a regular expression", "The regular expression matches the whole text.", _TEXT, _direct(FullMatch)),
        _operator("$glob", "a glob", "The glob fits the whole text: * is any run of characters, ? is one.", _TEXT, _direct(Glob)),
        _operator("$contains", "a text", "The text is found anywhere in the text.", {"type": "string", "minLength": 1}, _direct(Contains)),
        _operator("$gt", "a number", "The number is greater.", _NUMBER, _direct(Gt)),
        _operator("$gte", "a number", "The number is this one or greater.", _NUMBER, _direct(Gte)),
        _operator("$lt", "a number", "The number is less.", _NUMBER, _direct(Lt)),
        _operator("$lte", "a number", "The number is this one or less.", _NUMBER, _direct(Lte)),
        _operator(
            "$approx",
            "a number, or {value, rel, abs}",
            "The number is near: |number - value| <= max(abs, rel * |value|); without tolerances rel is 1e-6.",
            {
                "anyOf": [
                    _NUMBER,
                    {
                        "type": "object",
                        "properties": {"value": _NUMBER, "rel": {"type": "number", "minimum": 0}, "abs": {"type": "number", "minimum": 0}},
                        "required": ["value"],
                        "patternProperties": {"^x-": {}},
                        "additionalProperties": False,
                    },
                ]
            },
            _approx,
        ),
        _operator(
            "$type",
            "a JSON type or a list of them",
            "The value is of this JSON type; 5.0 is an integer too.",
            {"anyOf": [{"enum": list(TYPES)}, {"type": "array", "items": {"enum": list(TYPES)}, "minItems": 1}]},
            _direct(_type),
        ),
        _operator(
            "$exists",
            "true or false",
            "There is a value at the path, null too; false: there is none.",
            {"type": "boolean"},
            _direct(Exists),
        ),
        _operator(
            "$len",
            "an integer or matcher",
            "The length fits: code points of a text, items of a list, keys of an object.",
            {"anyOf": [{"type": "integer", "minimum": 0}, {"$ref": "#/$defs/matcher"}]},
            _len,
        ),
        _operator("$all", "a value or matcher", "Every item of the list fits; an empty list does.", _CONDITION, _of_condition(All)),
        _operator("$some", "a value or matcher", "At least one item of the list fits.", _CONDITION, _of_condition(Some)),
        _operator(
            "$any_of",
            "a list of values and matchers",
            "At least one of them fits.",
            {"type": "array", "items": _CONDITION, "minItems": 1},
            _of_items("$any_of", lambda items: AnyOf(*items)),
        ),
        _operator(
            "$unordered",
            "a list",
            "The list has exactly these items, in any order.",
            {"type": "array", "items": _CONDITION},
            _of_items("$unordered", Unordered),
        ),
        _operator("$ignore_case", "a text", "The text is this one but for case.", _TEXT, _direct(IgnoreCase)),
        _operator(
            "$date", "a date or time", "The text is the same instant, in ISO 8601 or RFC 3339; no offset means UTC.", _TEXT, _direct(Date)
        ),
        _operator(
            "$path_under",
            "an absolute path or a list of them",
            "The text is an absolute path at or below it, after normalising; a relative path is under nothing.",
            _TEXT_OR_TEXTS,
            _direct(PathUnder),
        ),
        _operator(
            "$host_in",
            "a host name or a list of them",
            "The text is a URL with this host; *.x is any host below x.",
            _TEXT_OR_TEXTS,
            _direct(HostIn),
        ),
        _operator(
            "$attr",
            "the name of an attribute",
            "The value equals this attribute of the scope.",
            {"type": "string", "minLength": 1},
            _direct(Attr),
        ),
        _operator("$literal", "a value", "The value is this one, whose keys may begin with $.", _ANYTHING, _direct(Literal)),
    ]
)
"""Every operator by its name, in the order of the documentation."""


def build(document: object) -> Matcher:
    """The matcher of a document where a value or a matcher may stand; a plain value becomes `Eq`.

    `MatcherError` with everything that is wrong. Matchers that are objects already are taken as they are.
    """
    if not has_operators(document):
        return document if isinstance(document, Matcher) else Eq(document)
    builder = Builder()
    matcher = builder.condition(document, ())
    if builder.faults or matcher is None:
        raise MatcherError(builder.faults)
    return matcher


def build_expected(document: object) -> Any:
    """The document with every object that has operators, at any depth, turned into its matcher; the rest stays a value.

    `$literal` becomes the value in it. `MatcherError` with everything that is wrong.
    """
    if not has_operators(document):
        return document
    builder = Builder()
    value = builder.value(document, ())
    if builder.faults:
        raise MatcherError(builder.faults)
    return value


def json_schema() -> dict[str, Any]:
    """The `$defs` of a JSON Schema for `condition` (a value or matcher) and `matcher` (an object with operators)."""
    condition = {"$ref": "#/$defs/condition"}
    operators = {name: {**operator.schema, "description": operator.doc} for name, operator in OPERATORS.items()}
    return {
        "matcher": {
            "type": "object",
            "properties": operators,
            "patternProperties": {"^x-": {}},
            "additionalProperties": False,
            "minProperties": 1,
        },
        "condition": {
            "if": {"type": "object", "not": {"propertyNames": {"not": {"pattern": "^\\$"}}}},
            "then": {"$ref": "#/$defs/matcher"},
            "else": {"items": condition, "additionalProperties": condition},
        },
    }
