"""An expectation as a tree: calls, sequences, groups and alternatives.

Nested sequences and groups that change nothing are dissolved, so that equal expectations have equal trees however they are
written. `order: any` is a group around everything, in which lists of alternatives have no order either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item


class Leaf(msgspec.Struct, frozen=True):
    """One expected call, `least` to `most` times."""

    index: int
    """Into `Tree.leaves`."""
    least: int
    most: int | None


class Series(msgspec.Struct, frozen=True):
    """Parts that follow each other."""

    parts: tuple[Node, ...]


class Parallel(msgspec.Struct, frozen=True):
    """Parts in any order; the calls of different parts may interleave."""

    parts: tuple[Node, ...]


class Choice(msgspec.Struct, frozen=True):
    """Exactly one of the alternatives."""

    index: int
    alternatives: tuple[Node, ...]


Node: TypeAlias = Leaf | Series | Parallel | Choice

Choices: TypeAlias = Mapping[int, int]
"""For each `Choice.index` the alternative that was taken."""


class Tree(msgspec.Struct, frozen=True):
    """A whole expectation."""

    root: Node
    leaves: tuple[ExpectedCall, ...]
    choices: tuple[Choice, ...]
    """By index; a choice inside an alternative has a higher index than the one around it."""


def grow(items: Sequence[Item], order: str) -> Tree:
    """The tree of the items, `in_order` or in `any` order."""
    growth = _Growth()
    root = _dissolved(Series, [growth.node(item) for item in items])
    if order == "any":
        root = without_order(root)
    return Tree(root, tuple(growth.leaves), tuple(growth.choices[index] for index in range(len(growth.choices))))


class _Growth:
    def __init__(self) -> None:
        self.leaves: list[ExpectedCall] = []
        self.choices: dict[int, Choice] = {}
        self.begun = 0

    def node(self, item: Item) -> Node:
        if isinstance(item, ExpectedCall):
            self.leaves.append(item)
            return Leaf(len(self.leaves) - 1, item.min_times, item.max_times)
        if isinstance(item, Group):
            return _dissolved(Parallel, [self.node(part) for part in item.items])
        return self._choice(item)

    def _choice(self, item: AnyOf) -> Choice:
        index = self.begun
        self.begun += 1
        alternatives = tuple(_dissolved(Series, [self.node(part) for part in alternative]) for alternative in item.alternatives)
        self.choices[index] = Choice(index, alternatives or (Series(()),))
        return self.choices[index]


def _dissolved(kind: type[Series] | type[Parallel], parts: Sequence[Node]) -> Node:
    found: list[Node] = []
    for part in parts:
        if isinstance(part, kind):
            found.extend(part.parts)
        elif not isinstance(part, Series | Parallel) or part.parts:
            found.append(part)
    return found[0] if len(found) == 1 else kind(tuple(found))


def without_order(node: Node) -> Node:
    """The same with every sequence as a group."""
    if isinstance(node, Leaf):
        return node
    if isinstance(node, Choice):
        return Choice(node.index, tuple(without_order(part) for part in node.alternatives))
    return _dissolved(Parallel, [without_order(part) for part in node.parts])


def leaves_below(node: Node) -> Iterator[int]:
    """Indices of all leaves below the node, whatever is chosen."""
    if isinstance(node, Leaf):
        yield node.index
    else:
        for part in node.alternatives if isinstance(node, Choice) else node.parts:
            yield from leaves_below(part)


def is_single(choice: Choice) -> bool:
    """Whether every alternative is one call at most once: then the choice is like one call that several tools can meet."""
    leaves = [part for part in choice.alternatives if isinstance(part, Leaf) and part.most == 1]
    return len(leaves) == len(choice.alternatives) and len({leaf.least for leaf in leaves}) == 1


def made_by(tree: Tree, taken: Mapping[int, object]) -> dict[int, int]:
    """The choices that leaves with calls stand for."""
    found: dict[int, int] = {}
    for choice in tree.choices:
        for place, part in enumerate(choice.alternatives):
            if any(leaf in taken for leaf in leaves_below(part)):
                found[choice.index] = place
    return found


def settled(tree: Tree, choices: Choices) -> dict[int, int]:
    """All choices; where nothing was matched to one, its first alternative that needs no call, else its first."""
    found = dict(choices)
    for choice in tree.choices:
        if choice.index not in found:
            needless = (place for place, part in enumerate(choice.alternatives) if needs_none(part))
            found[choice.index] = next(needless, 0)
    return found


def needs_none(node: Node) -> bool:
    """Whether the node is met without any call."""
    if isinstance(node, Leaf):
        return node.least == 0
    if isinstance(node, Choice):
        return any(needs_none(part) for part in node.alternatives)
    return all(needs_none(part) for part in node.parts)


def may_fill(node: Node, calls: Sequence[int]) -> bool:
    """Whether every call that has to be made has enough of the calls given for its leaf (bitsets), each looked at alone."""
    if isinstance(node, Leaf):
        return calls[node.index].bit_count() >= node.least
    if isinstance(node, Choice):
        return any(may_fill(part, calls) for part in node.alternatives)
    return all(may_fill(part, calls) for part in node.parts)


class Unit(msgspec.Struct, frozen=True):
    """What takes calls once the choices are made: an expected call, or a choice between single ones."""

    options: tuple[int, ...]
    """Indices of leaves."""
    least: int
    most: int | None
    choice: int | None = None


class Layout(msgspec.Struct, frozen=True):
    """The units of a tree in the order in which they are written, and which come before which."""

    units: tuple[Unit, ...]
    after: tuple[int, ...]
    """For each unit the bitset of units that come after it."""
    blocks: tuple[int, ...] | None
    """For each unit the number of its block, where the tree is a row of blocks without order inside; else None."""


def lay_out(root: Node, choices: Choices) -> Layout:
    """The units for these choices; single choices need none."""
    units: list[Unit] = []
    spans: list[tuple[int, int, int]] = []
    flat = _place(root, choices, units, spans)
    after = [0] * len(units)
    for start, middle, end in spans:
        later = (1 << end) - (1 << middle)
        for unit in range(start, middle):
            after[unit] |= later
    return Layout(tuple(units), tuple(after), _blocks(after) if flat else None)


def _place(node: Node, choices: Choices, units: list[Unit], spans: list[tuple[int, int, int]]) -> bool:
    """Adds the node's units, and (start, middle, end) where those from start come before those from middle.

    Returns whether the order is one of blocks.
    """
    if isinstance(node, Leaf):
        units.append(Unit((node.index,), node.least, node.most))
        return True
    if isinstance(node, Choice):
        if is_single(node):
            leaves = [part for part in node.alternatives if isinstance(part, Leaf)]
            units.append(Unit(tuple(leaf.index for leaf in leaves), leaves[0].least, 1, node.index))
            return True
        return _place(node.alternatives[choices.get(node.index, 0)], choices, units, spans)
    flat = True
    ends = []
    start = len(units)
    ordered_inside = False
    for part in node.parts:
        before = len(spans)
        flat &= _place(part, choices, units, spans)
        ordered_inside |= len(spans) > before
        ends.append(len(units))
    if isinstance(node, Series):
        for place, middle in enumerate(ends[:-1]):
            first = ends[place - 1] if place else start
            if first < middle < ends[-1]:
                spans.append((first, middle, ends[-1]))
        return flat
    return flat and (not ordered_inside or sum(a < b for a, b in zip([start, *ends], ends, strict=False)) <= 1)


def _blocks(after: Sequence[int]) -> tuple[int, ...]:
    """Numbers blocks by how many units come after them: the fewer, the later."""
    sizes = sorted({mask.bit_count() for mask in after}, reverse=True)
    number = {size: place for place, size in enumerate(sizes)}
    return tuple(number[mask.bit_count()] for mask in after)
