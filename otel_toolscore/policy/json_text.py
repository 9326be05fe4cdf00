"""JSON text -> nodes with places."""

from __future__ import annotations

import bisect
import json
import re
from typing import Final

from otel_toolscore.policy.entries import Entries, Limits, scalar_fault
from otel_toolscore.policy.faults import Faults, Placed
from otel_toolscore.policy.nodes import ListNode, MapNode, Node, ScalarNode

SPACE: Final = re.compile(r"[ \t\r\n]*")
STRING: Final = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
WORD: Final = re.compile(r"true|false|null")


class NotJson(ValueError):  # noqa: N818 - says what the text is, which may be no error: it can still be YAML
    """The text is not one JSON document; with the place and what was expected there."""

    def __init__(self, place: Placed, expected: str) -> None:
        self.place, self.expected = place, expected
        super().__init__(expected)


def parse(text: str, faults: Faults, limits: Limits) -> Node:
    """The one document of a JSON text; raises `NotJson`, and `Unreadable` beyond the limits."""
    return _Parser(text, faults, limits).document()


class _Parser:
    def __init__(self, text: str, faults: Faults, limits: Limits) -> None:
        self.text, self.faults, self.limits = text, faults, limits
        self.at = 0
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, offset: int) -> Placed:
        line = bisect.bisect_right(self.starts, offset)
        return Placed(line=line, column=offset - self.starts[line - 1] + 1)

    def fail(self, expected: str) -> NotJson:
        return NotJson(self.place(self.at), expected)

    def skip(self) -> None:
        space = SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at

    def next_is(self, character: str) -> bool:
        self.skip()
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        return False

    def take(self, pattern: re.Pattern[str]) -> str | None:
        token = pattern.match(self.text, self.at)
        if token is None:
            return None
        self.at = token.end()
        return token.group()

    def document(self) -> Node:
        node = self.value(1)
        self.skip()
        if self.at < len(self.text):
            raise self.fail("the end of the file after the document")
        return node

    def value(self, depth: int) -> Node:
        self.skip()
        start = self.place(self.at)
        self.limits.depth(depth, start)
        if self.next_is("{"):
            return self.mapping(start, depth)
        if self.next_is("["):
            return self.items(start, depth)
        if self.text.startswith('"', self.at):
            return self.string()
        token = self.take(NUMBER) or self.take(WORD)
        if token is None:
            raise self.fail("a value")
        node = ScalarNode(text=token, plain=True, line=start.line, column=start.column)
        scalar_fault(node, self.faults)
        return node

    def string(self) -> ScalarNode:
        start = self.place(self.at)
        token = self.take(STRING)
        if token is None:
            raise self.fail("text in double quotes, with control characters escaped")
        text = token[1:-1] if "\\" not in token else json.loads(token)
        node = ScalarNode(text=text, line=start.line, column=start.column)
        scalar_fault(node, self.faults)
        return node

    def items(self, start: Placed, depth: int) -> ListNode:
        items: list[Node] = []
        while not (not items and self.next_is("]")):
            items.append(self.value(depth + 1))
            if self.next_is(","):
                continue
            if self.next_is("]"):
                break
            raise self.fail("`,` or `]`")
        return ListNode(items=tuple(items), line=start.line, column=start.column)

    def mapping(self, start: Placed, depth: int) -> MapNode:
        entries = Entries(self.faults)
        first = True
        while not (first and self.next_is("}")):
            first = False
            self.skip()
            key = self.string()
            if not self.next_is(":"):
                raise self.fail("`:`")
            entries.add(key, self.value(depth + 1))
            if self.next_is(","):
                continue
            if self.next_is("}"):
                break
            raise self.fail("`,` or `}`")
        return MapNode(pairs=entries.pairs, line=start.line, column=start.column)
