"""A document as it was written: scalars, lists and mappings, each with its place."""

from __future__ import annotations

import math
from typing import TypeAlias

from otel_toolscore.policy.faults import Placed
from otel_toolscore.policy.scalars import scalar


class ScalarNode(Placed, frozen=True, kw_only=True):
    """One scalar; `plain` says that it is unquoted, so that it may be other than text."""

    text: str
    plain: bool = False

    @property
    def empty(self) -> bool:
        """Nothing was written where a value belongs."""
        return self.plain and not self.text

    @property
    def value(self) -> object:
        """None, bool, int, float or str."""
        return scalar(self.text) if self.plain else self.text


class ListNode(Placed, frozen=True, kw_only=True):
    """A list."""

    items: tuple[Node, ...]


class MapNode(Placed, frozen=True, kw_only=True):
    """A mapping, in the order in which it was written; no key occurs twice."""

    pairs: tuple[tuple[ScalarNode, Node], ...]

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        return next((node for name, node in self.pairs if name.text == key), None)

    def key(self, key: str) -> ScalarNode | None:
        """Where a key stands."""
        return next((name for name, _ in self.pairs if name.text == key), None)


Node: TypeAlias = ScalarNode | ListNode | MapNode


def plain(node: Node) -> object:
    """The node as JSON types."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.pairs}


def found(node: Node) -> str:
    """What kind of value a node is, in words; the value itself is not shown."""
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, MapNode):
        return "a mapping"
    if node.empty:
        return "nothing"
    value = node.value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "infinity or NaN"
    return "text" if isinstance(value, str) else "a number"


def step(node: Node, key: object) -> Node | None:
    """The value at a key or index of a node."""
    if isinstance(node, MapNode):
        return node.get(str(key))
    if isinstance(node, ListNode) and isinstance(key, int) and 0 <= key < len(node.items):
        return node.items[key]
    return None


def place_of(node: Node, path: tuple[object, ...], *, of_key: bool = False) -> Placed:
    """Where the value at a key path inside a node stands, or (`of_key`) its last key; as near as the path leads."""
    place: Placed = node
    for depth, part in enumerate(path):
        last = depth == len(path) - 1
        key = node.key(str(part)) if isinstance(node, MapNode) else None
        below = step(node, part)
        if below is None:
            return key or place
        place = key if last and of_key and key is not None else below
        node = below
    return place
