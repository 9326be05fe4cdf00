"""YAML text -> nodes with places: one document, no tags, no merging, aliases within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec
import yaml

from otel_toolscore.policy.entries import Entries, Limits, Unreadable, scalar_fault
from otel_toolscore.policy.faults import Faults, Placed, quoted
from otel_toolscore.policy.nodes import ListNode, MapNode, Node, ScalarNode

NOT_RAW: Final = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML does not take as they are, or that only YAML 1.1 takes for the end of a line."""

LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser in C where PyYAML was built with it; only its events are used."""


Mark: TypeAlias = "yaml.error.Mark | yaml._yaml.Mark"


class _Open(msgspec.Struct):
    """A list or mapping whose end has not come yet."""

    place: Placed
    anchor: str | None
    entries: Entries | None
    items: list[Node] = []
    key: Node | None = None
    size: int = 1
    height: int = 1

    def take(self, node: Node, size: int, height: int) -> None:
        self.size += size
        self.height = max(self.height, height + 1)
        if self.entries is None:
            self.items.append(node)
        elif self.key is None:
            self.key = node
        else:
            self.entries.add(self.key, node)
            self.key = None

    def closed(self) -> Node:
        line, column = self.place.line, self.place.column
        if self.entries is None:
            return ListNode(items=tuple(self.items), line=line, column=column)
        return MapNode(pairs=self.entries.pairs, line=line, column=column)


def parse(text: str, faults: Faults, limits: Limits, *, loader: type = LOADER) -> Node | None:
    """The one document of a YAML text; None after a fault that hides the rest. Raises `Unreadable` beyond the limits."""
    stray = NOT_RAW.search(text)
    if stray is not None:
        before = text[: stray.start()]
        place = Placed(line=before.count("\n") + 1, column=stray.start() - before.rfind("\n"))
        faults.add(place, f"character U+{ord(stray.group()):04X} cannot stand here as it is; write it as an escape in double quotes")
        return None
    try:
        return _Composer(faults, limits).document(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        place = _place(error.problem_mark) if error.problem_mark is not None else Placed()
        faults.add(place, f"not YAML: {error.problem}{_context(error)}")
    except yaml.YAMLError as error:
        faults.add(Placed(), f"not YAML: {error}")
    return None


def _context(error: yaml.MarkedYAMLError) -> str:
    if not error.context:
        return ""
    mark = error.context_mark
    return f" ({error.context}" + (f" that begins at line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ")")


def _place(mark: Mark | None) -> Placed:
    # The types allow events without a mark; a parser that reads text gives each one.
    assert mark is not None
    return Placed(line=mark.line + 1, column=mark.column + 1)


class _Composer:
    def __init__(self, faults: Faults, limits: Limits) -> None:
        self.faults, self.limits = faults, limits
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int, int]] = {}
        self.root: Node | None = None

    def document(self, events: Iterator[yaml.Event]) -> Node | None:
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                self.start(event, documents)
            elif isinstance(event, yaml.ScalarEvent):
                self.scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                self.alias(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self.collection(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                done = self.open.pop()
                self.complete(done.closed(), done.anchor, done.size, done.height)
        return self.root

    def start(self, event: yaml.DocumentStartEvent, documents: int) -> None:
        place = _place(event.start_mark)
        if documents > 1:
            raise Unreadable(place, "a second document: a policy is one document")
        if event.version not in {None, (1, 2)}:
            self.faults.add(place, "`%YAML`: policies are YAML 1.2")
        if event.tags:
            self.faults.add(place, "`%TAG`: tags are not read")

    def refuse_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        if event.tag is not None:
            self.faults.add(_place(event.start_mark), f"tag {quoted(event.tag)}: tags are not read; text is put in quotes")

    def scalar(self, event: yaml.ScalarEvent) -> None:
        self.refuse_tag(event)
        place = _place(event.start_mark)
        node = ScalarNode(text=event.value, plain=event.style in {None, ""}, line=place.line, column=place.column)
        scalar_fault(node, self.faults)
        self.limits.depth(len(self.open) + 1, place)
        self.complete(node, event.anchor, 1, 1)

    def collection(self, event: yaml.CollectionStartEvent) -> None:
        self.refuse_tag(event)
        place = _place(event.start_mark)
        self.limits.depth(len(self.open) + 1, place)
        entries = Entries(self.faults) if isinstance(event, yaml.MappingStartEvent) else None
        self.open.append(_Open(place, event.anchor, entries))

    def alias(self, event: yaml.AliasEvent) -> None:
        place = _place(event.start_mark)
        known = self.anchors.get(str(event.anchor))
        if known is None:
            inside = any(frame.anchor == event.anchor for frame in self.open)
            why = "stands inside its own anchor" if inside else "has no anchor before it"
            raise Unreadable(place, f"alias {quoted(f'*{event.anchor}')} {why}")
        node, size, height = known
        self.limits.repeat(size, place)
        self.limits.depth(len(self.open) + height, place)
        self.add(node, size, height)

    def complete(self, node: Node, anchor: str | None, size: int, height: int) -> None:
        if anchor is not None:
            self.anchors[anchor] = (node, size, height)
        self.add(node, size, height)

    def add(self, node: Node, size: int, height: int) -> None:
        if self.open:
            self.open[-1].take(node, size, height)
        else:
            self.root = node
