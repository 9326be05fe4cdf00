# ruff: noqa: D102 - what the methods of a kind do is said once, at `Kind`
"""The kinds of values that a key can have. Each knows how it is read, how it is described and what its JSON Schema is."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from otel_toolscore.policy.faults import Faults, closest, did_you_mean, listed, quoted
from otel_toolscore.policy.nodes import ListNode, MapNode, Node, ScalarNode, found
from otel_toolscore.policy.scalars import exact

Schema: TypeAlias = dict[str, Any]
Definitions: TypeAlias = dict[str, Schema]
"""The `$defs` of the JSON Schema, filled as kinds are asked for theirs."""


class Refused(enum.Enum):
    """What a kind gives after it has noted a fault."""

    REFUSED = "refused"


REFUSED: Final = Refused.REFUSED


class Reading(msgspec.Struct, frozen=True):
    """What the kinds share while one file is read."""

    faults: Faults
    outcome: str = "ok"
    """The outcome that an expected call wants where it says none."""


class Kind(Protocol):
    """A kind of value."""

    def takes(self, node: Node) -> bool:
        """Whether the node has the right type; what it holds may still be refused."""
        ...

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        """The value, or REFUSED after noting every fault in it. `label` is the key that it belongs to."""
        ...

    def described(self) -> str:
        """What is expected, in words."""
        ...

    def schema(self, defs: Definitions) -> Schema:
        """The JSON Schema of the value; named parts go into `defs`."""
        ...

    def parts(self) -> tuple[Kind, ...]:
        """The kinds of what is inside."""
        ...


class Single(msgspec.Struct, frozen=True):
    """A kind with no other kind inside."""

    def parts(self) -> tuple[Kind, ...]:
        return ()


def unexpected(kind: Kind, node: Node, label: str, reading: Reading) -> Refused:
    """Note that a value of another type stands here."""
    hint = ""
    if isinstance(node, ScalarNode) and not isinstance(node.value, str) and isinstance(kind, Text | OneOrMany | Choice):
        hint = "; put it in quotes if it is text"
    reading.faults.add(node, f"`{label}`: expected {kind.described()}, found {found(node)}{hint}")
    return REFUSED


def read_value(kind: Kind, node: Node, label: str, reading: Reading, key: ScalarNode | None = None) -> Any:
    """The value of a key or an item; nothing where something belongs is a fault of its own, at the key."""
    if isinstance(node, ScalarNode) and node.empty:
        reading.faults.add(key or node, f"`{label}` is empty: give it a value ({kind.described()}), or leave it out")
        return REFUSED
    return kind.read(node, label, reading)


def is_text(node: Node) -> bool:
    """Whether a node is text."""
    return isinstance(node, ScalarNode) and isinstance(node.value, str)


def at_the_end(pattern: str) -> str:
    """A pattern of JSON Schema for Python, where `$` would also fit before a last line break."""
    return pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern


class Text(Single, frozen=True):
    """Text of a form; `parse` makes the value of it and says in a ValueError what is wrong."""

    what: str = "text"
    pattern: str = r"[^ \t\r\n]"
    """Found somewhere in the text; a regular expression that Python and JSON Schema read alike, with `$` for the very end."""
    parse: Callable[[str], object] = str
    example: str = ""

    def takes(self, node: Node) -> bool:
        return is_text(node)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, ScalarNode) or not is_text(node):
            return unexpected(self, node, label, reading)
        if re.search(at_the_end(self.pattern), node.text) is None:
            reading.faults.add(node, f"`{label}`: expected {self.described()}, found {quoted(node.text)}")
            return REFUSED
        try:
            return self.parse(node.text)
        except ValueError as error:
            reading.faults.add(node, f"`{label}`: {error}")
            return REFUSED

    def described(self) -> str:
        return f"{self.what} such as `{self.example}`" if self.example else self.what

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {"type": "string", "pattern": self.pattern}


class Choice(Single, frozen=True):
    """One of a few words."""

    options: tuple[str, ...]

    def takes(self, node: Node) -> bool:
        return is_text(node)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, ScalarNode) or not is_text(node):
            return unexpected(self, node, label, reading)
        if node.text in self.options:
            return node.text
        question = did_you_mean(closest(node.text, self.options))
        reading.faults.add(node, f"`{label}`: expected {listed(self.options)}, found {quoted(node.text)}{question}")
        return REFUSED

    def described(self) -> str:
        return listed(f"`{option}`" for option in self.options)

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {"enum": list(self.options)}


class Flag(Single, frozen=True):
    """true or false."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, ScalarNode) and isinstance(node.value, bool)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if isinstance(node, ScalarNode) and isinstance(node.value, bool):
            return node.value
        return unexpected(self, node, label, reading)

    def described(self) -> str:
        return "`true` or `false`"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {"type": "boolean"}


class Number(Single, frozen=True):
    """A finite number, read exactly as it is written: a Fraction, or an int where it has to be whole."""

    minimum: int | None = None
    maximum: int | None = None
    whole: bool = False

    def takes(self, node: Node) -> bool:
        return isinstance(node, ScalarNode) and node.plain and exact(node.text) is not None

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        value = exact(node.text) if isinstance(node, ScalarNode) and node.plain else None
        if value is None:
            return unexpected(self, node, label, reading)
        below = self.minimum is not None and value < self.minimum
        above = self.maximum is not None and value > self.maximum
        if below or above or (self.whole and value.denominator != 1):
            reading.faults.add(node, f"`{label}`: expected {self.described()}, found {quoted(getattr(node, 'text', ''))}")
            return REFUSED
        return int(value) if self.whole else value

    def described(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        if self.minimum is not None and self.maximum is not None:
            if self.minimum == self.maximum:
                return f"`{self.minimum}`"
            return f"{noun} from {self.minimum} to {self.maximum}"
        return noun if self.minimum is None else f"{noun}, at least {self.minimum}"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        bounds = {"minimum": self.minimum, "maximum": self.maximum}
        return {"type": "integer" if self.whole else "number", **{name: bound for name, bound in bounds.items() if bound is not None}}


class OneOrMany(msgspec.Struct, frozen=True):
    """One value or a list of at least one; always read as a tuple."""

    kind: Kind
    many: str

    def takes(self, node: Node) -> bool:
        return isinstance(node, ListNode) or self.kind.takes(node)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if isinstance(node, ListNode):
            return ListOf(self.kind, self.many, minimum=1).read(node, label, reading)
        if not self.kind.takes(node):
            return unexpected(self, node, label, reading)
        value = self.kind.read(node, label, reading)
        return value if value is REFUSED else (value,)

    def parts(self) -> tuple[Kind, ...]:
        return (self.kind,)

    def described(self) -> str:
        return f"{self.kind.described()}, or a list of {self.many}"

    def schema(self, defs: Definitions) -> Schema:
        return {"anyOf": [self.kind.schema(defs), ListOf(self.kind, self.many, minimum=1).schema(defs)]}


class ListOf(msgspec.Struct, frozen=True):
    """A list; read as a tuple."""

    kind: Kind
    many: str
    minimum: int = 0
    unique: str | None = None
    """A key of the items whose text must differ from item to item."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, ListNode)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, ListNode):
            return unexpected(self, node, label, reading)
        if len(node.items) < self.minimum:
            reading.faults.add(node, f"`{label}` is an empty list: expected {self.described()}")
            return REFUSED
        if self.unique is not None:
            self.check_unique(node, self.unique, reading)
        values = [read_value(self.kind, item, label, reading) for item in node.items]
        return REFUSED if any(value is REFUSED for value in values) else tuple(values)

    def check_unique(self, node: ListNode, key: str, reading: Reading) -> None:
        seen: dict[str, int] = {}
        for item in node.items:
            name = item.get(key) if isinstance(item, MapNode) else None
            if not isinstance(name, ScalarNode):
                continue
            if name.text in seen:
                reading.faults.add(name, f"duplicate `{key}` {quoted(name.text)}: it stands at line {seen[name.text]} already")
            else:
                seen[name.text] = name.line

    def parts(self) -> tuple[Kind, ...]:
        return (self.kind,)

    def described(self) -> str:
        return f"a list of {self.many}" + (" (at least one)" if self.minimum else "")

    def schema(self, defs: Definitions) -> Schema:
        found_schema: Schema = {"type": "array", "items": self.kind.schema(defs)}
        return {**found_schema, "minItems": self.minimum} if self.minimum else found_schema


class MapOf(msgspec.Struct, frozen=True):
    """A mapping whose keys are free; read as a tuple of pairs. `x-*` keys are keys like any other here."""

    kind: Kind
    keys: str
    """What the keys are, in words."""
    values: str
    parse_key: Callable[[str], object] = str
    """Makes the value of a key; a ValueError says what is wrong with it."""
    minimum: int = 0
    key_schema: Schema | None = None
    """JSON Schema of the keys, where not all can stand."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, MapNode)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not isinstance(node, MapNode):
            return unexpected(self, node, label, reading)
        if len(node.pairs) < self.minimum:
            reading.faults.add(node, f"`{label}` is empty: expected {self.described()}")
            return REFUSED
        pairs = [(self.read_key(key, label, reading), read_value(self.kind, value, key.text, reading, key)) for key, value in node.pairs]
        return REFUSED if any(part is REFUSED for pair in pairs for part in pair) else tuple(pairs)

    def read_key(self, key: ScalarNode, label: str, reading: Reading) -> Any:
        try:
            return self.parse_key(key.text)
        except ValueError as error:
            reading.faults.add(key, f"`{label}`: {error}")
            return REFUSED

    def parts(self) -> tuple[Kind, ...]:
        return (self.kind,)

    def described(self) -> str:
        return f"a mapping of {self.keys} to {self.values}"

    def schema(self, defs: Definitions) -> Schema:
        found_schema: Schema = {"type": "object", "additionalProperties": self.kind.schema(defs)}
        if self.key_schema is not None:
            found_schema["propertyNames"] = self.key_schema
        return {**found_schema, "minProperties": self.minimum} if self.minimum else found_schema


class Either(msgspec.Struct, frozen=True):
    """One of several kinds, told apart by the type of the value."""

    kinds: tuple[Kind, ...]

    def takes(self, node: Node) -> bool:
        return any(kind.takes(node) for kind in self.kinds)

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        kind = next((kind for kind in self.kinds if kind.takes(node)), None)
        return unexpected(self, node, label, reading) if kind is None else kind.read(node, label, reading)

    def parts(self) -> tuple[Kind, ...]:
        return self.kinds

    def described(self) -> str:
        return ", or ".join(kind.described() for kind in self.kinds)

    def schema(self, defs: Definitions) -> Schema:
        return {"anyOf": [kind.schema(defs) for kind in self.kinds]}
