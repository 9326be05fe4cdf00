"""What spans and scopes have from those around or below them: conversation, first user message, attributes, schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from otel_toolscore.assembly.forest import NONE, Forest, Node
from otel_toolscore.assembly.scopes import Nesting
from otel_toolscore.compare import canonical, equal

MAX_VALUES: Final = 1_000
"""Different values of one attribute that are kept for a scope, the nearest ones."""

Values = Mapping[str, tuple[object, ...]]


class Conversations(NamedTuple):
    """The conversation that the nearest span or scope names."""

    of_node: Sequence[str | None]
    """By the node itself or a span above it."""
    of_scope: Mapping[int, str | None]


def conversations(forest: Forest, nesting: Nesting) -> Conversations:
    """For each span and each scope the nearest conversation recorded on it or around it."""
    own = [node.reading.conversation if node.reading is not None else None for node in forest.nodes]
    nothing: str | None = None
    of_node = forest.inherited(nothing, lambda index, above: own[index] or above)
    of_scope: dict[int, str | None] = {NONE: None}
    depths = nesting.depths()
    for scope in sorted(nesting.kinds, key=depths.__getitem__):
        here = [own[scope], *(own[each] for each in nesting.same.get(scope, ())), of_node[scope]] if scope < len(forest) else []
        of_scope[scope] = next((each for each in here if each is not None), of_scope[nesting.parents[scope]])
    return Conversations(of_node, of_scope)


def first_inputs(forest: Forest, nesting: Nesting) -> dict[int, str]:
    """For each scope the first thing that the user said, where that was captured.

    It stands on the scope's own span, or in the messages of its first model span. A scope that is not an agent's has it else from the
    first scope inside; an agent does not, since what a sub-agent is told is not what the user said.
    """
    found: dict[int, str] = {}
    for scope in nesting.kinds:
        here = (scope, *nesting.same.get(scope, ())) if scope < len(forest) else ()
        said = next((said for each in here if (said := _said(forest.nodes[each], model=False)) is not None), None)
        if said is not None:
            found[scope] = said
    for index, node in enumerate(forest.nodes):
        scope = nesting.inside[index]
        if scope != NONE and scope not in found and node.role == "model":
            said = _said(node, model=True)
            if said is not None:
                found[scope] = said
    depths = nesting.depths()
    for scope in sorted(nesting.kinds, key=lambda scope: (-depths[scope], scope)):
        parent = nesting.parents[scope]
        if scope in found and parent != NONE and nesting.kinds[parent] != "agent":
            found.setdefault(parent, found[scope])
    return found


def attribute_values(forest: Forest, nesting: Nesting, roots: Mapping[int, Sequence[Node]]) -> dict[int, Values]:
    """For each scope the values of the attributes that were asked for: on its span, on those above, then of its resource.

    The run of a whole trace has no span. It has the values on which all spans agree that lie directly in it, `roots`: so
    the baggage that is copied to each span, and the resource.
    """
    if not any(node.attributes or node.resource for node in forest.nodes):
        return {}
    nothing: Values = {}
    of_node = forest.inherited(nothing, lambda index, above: _added(forest.nodes[index].attributes, above))
    found: dict[int, Values] = {}
    for scope in nesting.kinds:
        if scope < len(forest):
            values = of_node[scope]
            for each in nesting.same.get(scope, ()):
                values = _added(forest.nodes[each].attributes, values)
            found[scope] = _behind(values, forest.nodes[scope].resource)
        else:
            found[scope] = _agreed(roots.get(scope, ()))
    return found


def shared_conversations(forest: Forest, run_of: Sequence[int]) -> dict[int, str]:
    """For each run the conversation that its spans name, if it is a single one."""
    named: dict[int, set[str]] = {}
    for node, run in zip(forest.nodes, run_of, strict=True):
        if node.reading is not None and node.reading.conversation is not None:
            named.setdefault(run, set()).add(node.reading.conversation)
    return {run: next(iter(names)) for run, names in named.items() if len(names) == 1 and run != NONE}


def recorded_schemas(nodes: Iterable[Node]) -> dict[str, object]:
    """The schemas of arguments by tool; a tool for which the spans record different ones has none."""
    found: dict[str, object] = {}
    disputed: set[str] = set()
    for node in nodes:
        if node.reading is not None:
            for name, schema in node.reading.schemas.items():
                if name in found and found[name] is not schema and not equal(found[name], schema, strict=True):
                    disputed.add(name)
                found.setdefault(name, schema)
    return {name: schema for name, schema in found.items() if name not in disputed}


def _said(node: Node, model: bool) -> str | None:
    if node.reading is None:
        return None
    return node.reading.messages.user if model or node.reading.messages.user is not None else node.reading.user_input


def _added(attributes: Mapping[str, object], above: Values) -> Values:
    """The values above, with the span's own before them; the same record where it adds nothing."""
    new = {key: value for key, value in attributes.items() if not any(equal(value, each, strict=True) for each in above.get(key, ())[:1])}
    if not new:
        return above
    made = dict(above)
    for key, value in new.items():
        rest = tuple(each for each in above.get(key, ()) if not equal(value, each, strict=True))
        made[key] = (value, *rest)[:MAX_VALUES]
    return made


def _behind(values: Values, resource: Mapping[str, object]) -> Values:
    made = dict(values)
    for key, value in resource.items():
        if not any(equal(value, each, strict=True) for each in made.get(key, ())):
            made[key] = (*made.get(key, ()), value)
    return made


def _agreed(nodes: Sequence[Node]) -> Values:
    made: dict[str, tuple[object, ...]] = {}
    for recorded in ([node.attributes for node in nodes], [node.resource for node in nodes]):
        for key in recorded[0] if recorded else ():
            forms = {canonical(each[key], strict=True) if key in each else None for each in recorded}
            if len(forms) == 1 and all(key in each for each in recorded):
                made[key] = (*made.get(key, ()), recorded[0][key])
    return made
