"""What in an `allow` lets through more than it seems: text that only has to be found somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from otel_toolscore.policy.faults import Placed
from otel_toolscore.policy.nodes import ListNode, MapNode, Node, ScalarNode

CONDITIONS: Final = frozenset({"args", "any_arg", "result"})
"""Keys of a pattern below which matchers stand."""
NOT_LOOKED_INTO: Final = frozenset({"$not", "$literal"})
"""What turns a condition round, or makes a value of it."""

TOKEN: Final = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|[(|)]", re.DOTALL)
FLAGS: Final = re.compile(r"\A(?:\(\?[a-zA-Z]+\))+")


def unanchored(allow: Node) -> Iterator[tuple[Placed, str]]:
    """(place, what is meant to be said) of each `$contains` and each unanchored `$regex` in the patterns of an `allow`."""
    for pattern in allow.items if isinstance(allow, ListNode) else ():
        if isinstance(pattern, MapNode):
            for key, value in pattern.pairs:
                if key.text in CONDITIONS:
                    yield from found_anywhere(value)


def found_anywhere(node: Node) -> Iterator[tuple[Placed, str]]:
    """The same of the matchers inside one value."""
    if isinstance(node, ListNode):
        for item in node.items:
            yield from found_anywhere(item)
    if not isinstance(node, MapNode):
        return
    for key, value in node.pairs:
        if key.text == "$contains":
            yield key, "`$contains` in `allow` lets through every text that has it somewhere; `$fullmatch` or `$glob` fits the whole of it"
        elif key.text == "$regex" and isinstance(value, ScalarNode) and not anchored(value.text):
            yield key, "`$regex` in `allow` lets through every text in which it is found; `$fullmatch` fits the whole of it"
        elif key.text not in NOT_LOOKED_INTO:
            yield from found_anywhere(value)


def anchored(expression: str) -> bool:
    """Whether a regular expression fits only a whole text: anchors at both ends, outside of any alternative."""
    flags = FLAGS.match(expression)
    if flags is not None and "m" in flags.group():
        return False
    body = expression[flags.end() :] if flags is not None else expression
    beginning = body.startswith(("^", r"\A"))
    escaped = len(body[:-1]) - len(body[:-1].rstrip("\\"))
    end = (body.endswith("$") and escaped % 2 == 0) or (body.endswith("z") and escaped % 2 == 1)
    return beginning and end and not alternatives_outside_groups(body)


def alternatives_outside_groups(expression: str) -> bool:
    """Whether a `|` stands outside of every group."""
    depth = 0
    for token in TOKEN.finditer(expression):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if token.group() == "|" and depth == 0:
            return True
    return False
