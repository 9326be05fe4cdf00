"""What of a tree is still to come after some calls: the states of the search for an alignment without a difference.

A state is a plain nested tuple. A leaf's is how often it was called (no higher than matters), a series' the place it has
reached with that part's state, a group's the states of its parts, a choice's the alternative taken with its state, or None
while it is open. `steps` is the derivative of the tree by one call (Brzozowski's derivatives, with interleaving).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias

from otel_toolscore.align.tree import Choice, Leaf, Node, Series, Tree

State: TypeAlias = "int | tuple[State, ...] | tuple[int, State] | None"
Step: TypeAlias = tuple[int, State]
"""The leaf that takes the call, and the state after it."""


class Residual:
    """The states of one tree and the steps between them; `optional` lets every call stay away."""

    def __init__(self, tree: Tree, kind_of: Callable[[int], Hashable], *, optional: bool = False) -> None:
        self.root = tree.root
        self.optional = optional
        self.work = 0
        """Parts of groups gone through so far."""
        self._kind_of = kind_of
        self._kinds: dict[int, Hashable] = {}
        self._steps: dict[tuple[int, State], tuple[Step, ...]] = {}

    def start(self, node: Node) -> State:
        """The state in which nothing of the node has been called."""
        if isinstance(node, Leaf):
            return 0
        if isinstance(node, Choice):
            return None
        if isinstance(node, Series):
            return (0, self.start(node.parts[0])) if node.parts else ()
        return tuple(self.start(part) for part in node.parts)

    def may_end(self, node: Node, state: State) -> bool:
        """Whether nothing more has to be called."""
        if self.optional:
            return True
        if isinstance(node, Leaf):
            return isinstance(state, int) and state >= node.least
        if isinstance(node, Choice):
            if isinstance(state, tuple):
                place, inner = state
                assert isinstance(place, int)
                return self.may_end(node.alternatives[place], inner)
            return any(self.may_end(part, self.start(part)) for part in node.alternatives)
        assert isinstance(state, tuple)
        if isinstance(node, Series):
            if not state:
                return True
            place, inner = state
            assert isinstance(place, int)
            return self.may_end(node.parts[place], inner) and all(self.may_end(part, self.start(part)) for part in node.parts[place + 1 :])
        return all(self.may_end(part, inner) for part, inner in zip(node.parts, state, strict=True))

    def steps(self, node: Node, state: State) -> tuple[Step, ...]:
        """What the next call may be, the earliest in the tree first."""
        key = id(node), state
        known = self._steps.get(key)
        if known is None:
            known = self._steps[key] = tuple(self._derived(node, state))
        return known

    def _derived(self, node: Node, state: State) -> Iterator[Step]:
        if isinstance(node, Leaf):
            assert isinstance(state, int)
            if node.most is None:
                yield node.index, min(state + 1, node.least)
            elif state < node.most:
                yield node.index, state + 1
        elif isinstance(node, Choice):
            taken = range(len(node.alternatives)) if state is None else [state[0]]  # type: ignore[index]
            for place in taken:
                assert isinstance(place, int)
                part = node.alternatives[place]
                inner = self.start(part) if state is None else state[1]  # type: ignore[index]
                for leaf, after in self.steps(part, inner):
                    yield leaf, (place, after)
        elif isinstance(node, Series):
            yield from self._along(node, state)
        else:
            yield from self._beside(node, state)

    def _along(self, node: Series, state: State) -> Iterator[Step]:
        if not state:
            return
        place, inner = state  # type: ignore[misc]
        assert isinstance(place, int)
        while True:
            for leaf, after in self.steps(node.parts[place], inner):
                yield leaf, (place, after)
            if not self.may_end(node.parts[place], inner) or place + 1 == len(node.parts):
                return
            place += 1
            inner = self.start(node.parts[place])

    def _beside(self, node: Node, state: State) -> Iterator[Step]:
        assert isinstance(state, tuple)
        tried = set()
        self.work += len(state)
        for place, (part, inner) in enumerate(zip(node.parts, state, strict=True)):  # type: ignore[union-attr]
            # Of parts that are alike and have come equally far, the first goes on: which of them does makes no difference.
            alike = self.kind(part), inner
            if alike in tried:
                continue
            tried.add(alike)
            for leaf, after in self.steps(part, inner):
                self.work += len(state)
                yield leaf, (*state[:place], after, *state[place + 1 :])

    def kind(self, node: Node) -> Hashable:
        """Equal for nodes that can take each other's calls."""
        known = self._kinds.get(id(node))
        if known is None:
            known = self._kinds[id(node)] = self._kind(node)
        return known

    def _kind(self, node: Node) -> Hashable:
        if isinstance(node, Leaf):
            return "leaf", self._kind_of(node.index), node.least, node.most
        if isinstance(node, Choice):
            return "choice", tuple(self.kind(part) for part in node.alternatives)
        return type(node).__name__, tuple(self.kind(part) for part in node.parts)
