# ruff: noqa: D102 - what the methods of a kind do is said once, at `Kind`
"""Mappings whose keys are fixed: each is a table of keys, with what is built from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from otel_toolscore.policy.faults import Placed, closest, did_you_mean, listed, quoted
from otel_toolscore.policy.grammar.kinds import REFUSED, Definitions, Kind, Reading, Schema, read_value, unexpected
from otel_toolscore.policy.nodes import MapNode, Node, ScalarNode

IGNORED = "x-"
"""What the keys of a fixed mapping begin with that are not read."""


class Key(msgspec.Struct, frozen=True):
    """One row of a table: a key, what it may hold and what it means."""

    name: str
    kind: Kind
    meaning: str
    default: str = ""
    """As the reference shows it; empty where the key is required or its absence means that nothing is asked."""
    required: bool = False
    also: tuple[str, ...] = ()
    """Words that people write for it; only used to say what was probably meant."""


class Given(msgspec.Struct, frozen=True):
    """What one mapping gives: values of the keys that could be read, and where each key stands."""

    node: MapNode
    values: dict[str, Any]
    reading: Reading

    def __contains__(self, key: str) -> bool:
        return self.node.get(key) is not None

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key; the default where it is not given (or was refused)."""
        return self.values.get(key, default)

    def only(self, *keys: str) -> dict[str, Any]:
        """The values of those of the keys that are given: an absent key leaves a record's own default."""
        return {key: self.values[key] for key in keys if key in self.values}

    def place(self, key: str) -> Placed:
        """Where a key stands; the mapping where it is absent."""
        return self.node.key(key) or self.node

    def fault(self, key: str, message: str) -> None:
        """Note a fault at a key."""
        self.reading.faults.add(self.place(key), message)

    @property
    def where(self) -> str:
        """`file:line:column` of the mapping."""
        return self.reading.faults.where(self.node)


def nothing_more(given: Given) -> None:
    """The check of a mapping whose keys do not depend on each other."""


class Shape(msgspec.Struct, frozen=True):
    """A mapping with a fixed set of keys."""

    name: str
    """Its name in the JSON Schema and the reference."""
    title: str
    """With its article: `a rule`."""
    meaning: str
    keys: tuple[Key, ...]
    build: Callable[[Given], Any]
    check: Callable[[Given], None] = nothing_more
    """Notes what is wrong between keys; also called where single keys were refused."""
    exactly_one: tuple[str, ...] = ()
    at_least_one: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    """Keys of the format that this release does not read."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, MapNode)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, MapNode):
            return unexpected(self, node, label, reading)
        before = len(reading.faults.found)
        known = {key.name: key for key in self.keys}
        values: dict[str, Any] = {}
        for name, value_node in node.pairs:
            if name.text in known:
                value = read_value(known[name.text].kind, value_node, name.text, reading, name)
                if value is not REFUSED:
                    values[name.text] = value
            elif not name.text.startswith(IGNORED):
                self.refuse(name, reading)
        self.check_presence(node, reading)
        given = Given(node, values, reading)
        self.check(given)
        return REFUSED if len(reading.faults.found) > before else self.build(given)

    def suggestion(self, word: str) -> str | None:
        """The key that was probably meant."""
        synonyms = {other: key.name for key in self.keys for other in key.also}
        return synonyms.get(word.casefold()) or closest(word, [key.name for key in self.keys])

    def refuse(self, name: ScalarNode, reading: Reading) -> None:
        if name.text in self.unsupported:
            reading.faults.add(name, f"`{name.text}` is not supported yet")
            return
        question = did_you_mean(self.suggestion(name.text))
        known = listed(key.name for key in self.keys)
        reading.faults.add(name, f"unknown key {quoted(name.text)} in {self.title}{question} (expected {known})")

    def check_presence(self, node: MapNode, reading: Reading) -> None:
        names = [name.text for name, _ in node.pairs]
        guesses = {self.suggestion(name) for name in names if not name.startswith(IGNORED) and all(name != key.name for key in self.keys)}
        for key in self.keys:
            if key.required and key.name not in names and key.name not in guesses:
                reading.faults.add(node, f"{self.title} needs `{key.name}`: {key.kind.described()}")
        if self.at_least_one and not (set(names) | guesses) & set(self.at_least_one):
            reading.faults.add(node, f"{self.title} needs {listed(self.at_least_one)}")
        if self.exactly_one:
            self.check_exactly_one(node, names, bool(guesses & set(self.exactly_one)) or bool(set(names) & set(self.unsupported)), reading)

    def check_exactly_one(self, node: MapNode, names: list[str], guessed: bool, reading: Reading) -> None:
        given = [name for name in names if name in self.exactly_one]
        if not given and not guessed:
            reading.faults.add(node, f"{self.title} needs exactly one of {listed(self.exactly_one)}; it has none")
        for surplus in given[1:]:
            message = f"{self.title} has exactly one of {listed(self.exactly_one)}; `{given[0]}` stands in it already"
            reading.faults.add(node.key(surplus) or node, message)

    def parts(self) -> tuple[Kind, ...]:
        return tuple(key.kind for key in self.keys)

    def described(self) -> str:
        return f"{self.title} (a mapping)"

    def schema(self, defs: Definitions) -> Schema:
        if self.name not in defs:
            defs[self.name] = {}
            defs[self.name] = self.definition(defs)
        return {"$ref": f"#/$defs/{self.name}"}

    def definition(self, defs: Definitions) -> Schema:
        """The JSON Schema of the mapping itself."""
        made: Schema = {
            "description": self.meaning,
            "type": "object",
            "properties": {key.name: {"description": key.meaning, **key.kind.schema(defs)} for key in self.keys},
            "patternProperties": {f"^{IGNORED}": {}},
            "additionalProperties": False,
        }
        required = [key.name for key in self.keys if key.required]
        if required:
            made["required"] = required
        if self.exactly_one:
            made["oneOf"] = [{"required": [name]} for name in self.exactly_one]
        if self.at_least_one:
            made["anyOf"] = [{"required": [name]} for name in self.at_least_one]
        return made


class ByKey(msgspec.Struct, frozen=True):
    """One of several mappings, told apart by a key that only one of them has."""

    by_key: tuple[tuple[str, Shape], ...]
    otherwise: Shape

    def takes(self, node: Node) -> bool:
        return isinstance(node, MapNode)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, MapNode):
            return unexpected(self, node, label, reading)
        shape = next((shape for key, shape in self.by_key if node.get(key) is not None), self.otherwise)
        return shape.read(node, label, reading)

    def parts(self) -> tuple[Kind, ...]:
        return (self.otherwise, *(shape for _, shape in self.by_key))

    def described(self) -> str:
        return " or ".join([self.otherwise.title, *(f"`{key}`" for key, _ in self.by_key)])

    def schema(self, defs: Definitions) -> Schema:
        return {"anyOf": [kind.schema(defs) for kind in self.parts()]}


class Later(msgspec.Struct, frozen=True):
    """A kind that is defined further down, because it holds itself."""

    find: Callable[[], Kind]

    def takes(self, node: Node) -> bool:
        return self.find().takes(node)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        return self.find().read(node, label, reading)

    def parts(self) -> tuple[Kind, ...]:
        return (self.find(),)

    def described(self) -> str:
        return self.find().described()

    def schema(self, defs: Definitions) -> Schema:
        return self.find().schema(defs)
