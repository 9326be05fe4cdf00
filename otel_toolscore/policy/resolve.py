"""Files that extend each other -> one policy. What a file's name means is the caller's: bytes come from `read`."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

from otel_toolscore.policy.faults import Fault, Faults, Placed, PolicyError, Warned, closest, did_you_mean, listed, quoted
from otel_toolscore.policy.grammar.kinds import REFUSED, Reading
from otel_toolscore.policy.grammar.policies import POLICY, Layer
from otel_toolscore.policy.nodes import ListNode, MapNode, Node, ScalarNode
from otel_toolscore.policy.records import Expectation, Policy, Tool
from otel_toolscore.policy.shadowing import shadowed
from otel_toolscore.policy.source import read_document
from otel_toolscore.rules.rule import Rule

Reader: TypeAlias = Callable[[Node, Reading], Any]
"""Makes a `Layer` of a document; REFUSED after noting its faults."""
Read: TypeAlias = Callable[[str], bytes]
"""Gives the bytes of a file (or built-in policy) by name; raises OSError where it cannot."""

BUILT_IN_PREFIX: Final = "toolscore:"
RECOMMENDED: Final = "toolscore:recommended"
BUILT_IN: Final = (RECOMMENDED,)
"""Names of the policies that come with the package."""
MOST_FILES: Final = 256
"""Files that one policy may be made of."""


class Loaded(msgspec.Struct, frozen=True):
    """What was read of all files: their layers, those that are extended first."""

    sources: tuple[str, ...]
    layers: tuple[Layer, ...]
    warned: tuple[Warned, ...]


class Loader:
    """Reads files and what they extend, each once, and collects the faults of all of them."""

    def __init__(self, read: Read, reader: Reader | None = None) -> None:
        """`reader` reads the files that are asked for by name, where they may have another form than a policy."""
        self.bytes_of = read
        self.reader = reader or layer_of
        self.faults: list[Fault] = []
        self.warned: list[Warned] = []
        self.sources: list[str] = []
        self.layers: list[Layer] = []
        self.done: set[str] = set()
        self.chain: list[str] = []

    def file(self, name: str, asked: tuple[Faults, Placed] | None = None) -> None:
        """Read a file and, before it, what it extends; `asked` is the place that names it."""
        identity = name if name.startswith(BUILT_IN_PREFIX) else os.path.normpath(name)
        if identity in self.chain:
            chain = " -> ".join([*self.chain[self.chain.index(identity) :], identity])
            self.refuse(name, asked, f"`extends` comes back to where it was: {chain}")
            return
        if identity in self.done:
            return
        if len(self.done) >= MOST_FILES:
            self.refuse(name, asked, f"`extends` leads to more than {MOST_FILES} files")
            return
        self.done.add(identity)
        data = self.bytes(name, asked)
        if data is not None:
            self.chain.append(identity)
            self.text(name, data)
            self.chain.pop()

    def text(self, name: str, data: bytes) -> None:
        """Read the bytes of a file, and before it what it extends."""
        faults = Faults(name)
        root = read_document(data, faults)
        if root is not None:
            self.extended(name, root, faults)
            reader = self.reader if len(self.chain) == 1 else layer_of
            layer = reader(root, Reading(faults))
            if layer is not REFUSED:
                self.layers.append(layer)
                self.sources.append(name)
        self.faults += faults.found
        self.warned += faults.warned

    def extended(self, name: str, root: Node, faults: Faults) -> None:
        """Read what a file names under `extends`."""
        named = root.get("extends") if isinstance(root, MapNode) else None
        for item in named.items if isinstance(named, ListNode) else (named,):
            if not isinstance(item, ScalarNode) or not isinstance(item.value, str) or not item.text.strip():
                continue
            inside = item.text.startswith(BUILT_IN_PREFIX)
            self.file(item.text if inside else os.path.join(os.path.dirname(name), item.text), (faults, item))

    def bytes(self, name: str, asked: tuple[Faults, Placed] | None) -> bytes | None:
        """The bytes of a file; None after a fault."""
        if name.startswith(BUILT_IN_PREFIX) and name not in BUILT_IN:
            question = did_you_mean(closest(name, BUILT_IN))
            self.refuse(name, asked, f"there is no such built-in policy{question} (there is {listed(BUILT_IN)})")
            return None
        try:
            return self.bytes_of(name)
        except (OSError, ValueError) as error:
            self.refuse(name, asked, f"cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}")
            return None

    def refuse(self, name: str, asked: tuple[Faults, Placed] | None, message: str) -> None:
        """Note a fault of a file as a whole, at the place that names it."""
        if asked is None:
            self.faults.append(Fault(name, 0, 0, message))
            return
        faults, place = asked
        self.faults.append(Fault(faults.file, place.line, place.column, f"`extends` {quoted(name)}: {message}"))

    def loaded(self) -> Loaded:
        """All that was read; raises PolicyError with every fault of every file."""
        if self.faults:
            raise PolicyError(in_order(self.faults))
        return Loaded(tuple(self.sources), tuple(self.layers), tuple(self.warned))


def in_order(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault once; files in the order in which they come, within a file by place."""
    once = dict.fromkeys(faults)
    files = list(dict.fromkeys(fault.file for fault in once))
    return sorted(once, key=lambda fault: (files.index(fault.file), fault))


def layer_of(root: Node, reading: Reading) -> Any:
    """What a policy file gives, or REFUSED after noting its faults."""
    if isinstance(root, ListNode):
        reading.faults.add(root, "a policy is a mapping; a bare list of calls is given with --expect or --forbid")
        return REFUSED
    return POLICY.read(root, "the policy", reading)


def resolve(loaded: Loaded) -> Policy:
    """One policy of all layers, still without its digest.

    Later scalars override, what is said of tools is merged, and a later rule or expectation of an id replaces the earlier in place.
    """
    expectations: dict[str, Expectation] = {}
    rules: dict[str, Rule] = {}
    scalars: dict[str, Any] = {}
    for layer in loaded.layers:
        scalars.update({name: value for name in ("runs", "fail_on") if (value := getattr(layer, name)) is not None})
        expectations.update({expectation.id: expectation for expectation in layer.expectations})
        rules.update({rule.id: rule for rule in layer.rules})
    return Policy(
        tools=merged(pair for layer in loaded.layers for pair in layer.tools),
        expectations=tuple(expectations.values()),
        rules=tuple(rules.values()),
        spans=tuple(span for layer in loaded.layers for span in layer.spans),
        sources=loaded.sources,
        warnings=tuple(warnings(loaded.warned, tuple(rules.values()))),
        **scalars,
    )


def merged(tools: Iterable[tuple[str, Tool]]) -> dict[str, Tool]:
    """What all of them say of each tool; of two answers, the later."""
    known: dict[str, Tool] = {}
    for name, tool in tools:
        before = known.get(name, Tool())
        known[name] = Tool(
            server=before.server if tool.server is None else tool.server,
            parameters=before.parameters if tool.parameters is None else tool.parameters,
        )
    return known


def warnings(warned: Iterable[Warned], rules: tuple[Rule, ...]) -> Iterator[str]:
    """`file:line:column: message` of what is allowed but probably not meant; of rules only where no later file replaced them."""
    places = {rule.where for rule in rules}
    yield from dict.fromkeys(str(each.fault) for each in warned if each.rule is None or each.rule in places)
    for rule, other in shadowed(rules):
        yield f"{rule.where}: rule {quoted(rule.id)} finds nothing that {quoted(other.id)} does not find already ({other.where})"
