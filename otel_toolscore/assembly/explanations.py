"""Why each span is or is not a call or a scope, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from otel_toolscore.assembly.forest import Forest, Node
from otel_toolscore.assembly.merge import Group
from otel_toolscore.assembly.scopes import Nesting
from otel_toolscore.dialects import TITLES

SpanKey: TypeAlias = tuple[str, str, int]
"""Trace id, span id, kind."""


class Explanation(NamedTuple):
    """What became of one span."""

    span_id: str
    trace_id: str
    name: str
    why: str


def about_calls(groups: Iterable[Group]) -> dict[SpanKey, str]:
    """What the spans of the groups are: a call each, or further spans of one."""
    said: dict[SpanKey, str] = {}
    for group in groups:
        first = group.nodes[0]
        apart = f", not part of the call around it: {group.apart}" if group.apart else ""
        said[_key(first)] = f"a call{apart}{_by(first)}"
        for node, why in zip(group.nodes[1:], group.why, strict=True):
            said[_key(node)] = f"the same call as span {first.span_id}: {why}"
    return said


def explain(forest: Forest, nesting: Nesting, calls: Mapping[SpanKey, str]) -> Iterator[Explanation]:
    """One explanation a span, in the order of the spans; then the repeated exports."""
    for index, node in enumerate(forest.nodes):
        yield Explanation(node.span_id, node.trace_id, node.name, calls.get(_key(node)) or _other(forest, nesting, index, node))
    for node in forest.repeated:
        yield Explanation(node.span_id, node.trace_id, node.name, "not read: the same span was exported before")


def _other(forest: Forest, nesting: Nesting, index: int, node: Node) -> str:
    reading = node.reading
    kind = nesting.kinds.get(index)
    if index in nesting.same_as:
        return f"the same agent scope as span {forest.nodes[nesting.same_as[index]].span_id}: same name, no tool or model span between"
    if kind in ("agent", "workflow") and reading is not None:
        return f"{kind} scope{f' {reading.name}' if reading.name else ', which does not say its name'}{_by(node)}"
    if kind == "enclosing":
        return "a scope, since it holds calls together that are outside every agent span"
    if reading is None:
        return "neither call nor scope: no dialect knows it"
    if reading.role == "model":
        return f"a model span{_by(node)}: what a model asks for is not a call"
    return f"neither call nor scope: {reading.why}{_by(node)}"


def _key(node: Node) -> SpanKey:
    return node.trace_id, node.span_id, node.kind


def _by(node: Node) -> str:
    if node.reading is None:
        return ""
    return f" ({TITLES.get(node.reading.dialect, node.reading.dialect)})"
