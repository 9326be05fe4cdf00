"""What holds for documents of either spelling: keys are text and occur once, numbers are taken exactly, size is bounded."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from otel_toolscore.policy.faults import Faults, Placed, quoted
from otel_toolscore.policy.nodes import Node, ScalarNode, found
from otel_toolscore.policy.scalars import unreadable_number

LARGEST_FILE: Final = 8 * 1024 * 1024
"""Bytes of the largest file that is read."""
DEEPEST: Final = 64
"""Levels of nesting, aliases followed."""
MOST_REPEATED: Final = 100_000
"""Nodes that aliases may repeat."""

SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Unreadable(ValueError):  # noqa: N818 - says what the document is
    """The document cannot be read beyond a place; nothing of it is used."""

    def __init__(self, place: Placed, message: str) -> None:
        self.place, self.message = place, message
        super().__init__(message)


class Limits(msgspec.Struct):
    """How deep a document may nest and how much its aliases may repeat."""

    deepest: int = DEEPEST
    most_repeated: int = MOST_REPEATED
    repeated: int = 0

    def depth(self, depth: int, place: Placed) -> None:
        """Raise `Unreadable` where a node stands too deep."""
        if depth > self.deepest:
            raise Unreadable(place, f"nested more than {self.deepest} levels deep")

    def repeat(self, nodes: int, place: Placed) -> None:
        """Raise `Unreadable` where aliases repeat too many nodes."""
        self.repeated += nodes
        if self.repeated > self.most_repeated:
            raise Unreadable(place, f"aliases repeat more than {self.most_repeated} values")


class Entries:
    """Collects the pairs of one mapping; a key that cannot stand is a fault, and its pair is left out."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.seen: dict[str, ScalarNode] = {}
        self.found: list[tuple[ScalarNode, Node]] = []

    @property
    def pairs(self) -> tuple[tuple[ScalarNode, Node], ...]:
        """What was added and can stand."""
        return tuple(self.found)

    def add(self, key: Node, value: Node) -> None:
        """Add a pair, or note why it cannot stand."""
        if not isinstance(key, ScalarNode):
            self.faults.add(key, f"a key is text, not {found(key)}")
        elif key.plain and key.text == "<<":
            self.faults.add(key, "merge key `<<`: merging is not read; write the keys out, or use `extends`")
        elif not isinstance(key.value, str):
            self.faults.add(key, f"key {quoted(key.text)} is not text: put it in quotes")
        elif key.text in self.seen:
            first = self.seen[key.text]
            self.faults.add(key, f"duplicate key {quoted(key.text)}: it stands at line {first.line} already")
        else:
            self.seen[key.text] = key
            self.found.append((key, value))


def scalar_fault(node: ScalarNode, faults: Faults) -> None:
    """Note a scalar that cannot be taken as it is written: a number out of range, half of a surrogate pair."""
    why = unreadable_number(node.text) if node.plain else None
    if why is not None:
        faults.add(node, why)
    elif not node.text.isascii() and SURROGATE.search(node.text):
        faults.add(node, "half of a surrogate pair: not a character")
