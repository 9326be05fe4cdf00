"""`when`: on which calls a rule is asked, and which scopes a rule or an expectation selects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from otel_toolscore.model import MISSING, Scope, ToolCall
from otel_toolscore.rules.names import compiled, fit_any
from otel_toolscore.rules.truth import NO, YES, Fit, all_hold, known, some_holds, unknown

if TYPE_CHECKING:
    from otel_toolscore.matchers import Matcher
    from otel_toolscore.rules.pattern import When


def holds(when: When | None, around: Sequence[Scope], *, service: str | None, agents: Iterable[str] = (), accuse: bool = True) -> Fit:
    """Whether `when` holds for what happens in the scopes `around` it, innermost first.

    Each part may be met by a scope of its own: the workflow is around the agent. `agents` are further names of agents that
    what happened itself records. `accuse` False is for waivers, which read what was recorded without leniency.
    """
    if when is None:
        return YES
    return all_hold(_inside(when, around, service, agents, accuse))


def agents_of(call: ToolCall) -> tuple[str, ...]:
    """The agents that a call itself names."""
    return call.agent_path if call.agent is None else (*call.agent_path, call.agent)


def selects(when: When | None, scope: Scope, outside: Sequence[Scope]) -> Fit:
    """Whether `when` selects the scope itself, by its own name; `outside` are the scopes around it, innermost first.

    An `agent` selects agent scopes and a `workflow` workflow scopes (with both: agent scopes inside such a workflow); without
    either, the top of a run is selected.
    """
    agent = when.agent if when is not None else None
    workflow = when.workflow if when is not None else None
    if agent is None and workflow is None:
        if outside:
            return NO
    elif scope.kind != ("agent" if agent is not None else "workflow"):
        return NO
    if when is None:
        return YES
    return all_hold(_on_scope(when, scope, outside))


def _inside(when: When, around: Sequence[Scope], service: str | None, agents: Iterable[str], accuse: bool) -> Iterator[Fit]:
    if when.agent is not None:
        yield _agent_around(when.agent, agents, around)
    if when.workflow is not None:
        yield _workflow_around(when.workflow, around)
    if when.service is not None:
        yield _service(when.service, service)
    if when.input is not None:
        yield _input(when.input, [scope.input for scope in around if scope.input is not None], around, accuse)
    for key, matcher in when.attributes:
        yield _attribute(key, matcher, around, accuse)


def _on_scope(when: When, scope: Scope, outside: Sequence[Scope]) -> Iterator[Fit]:
    if when.agent is not None:
        yield _named(when.agent, scope)
    if when.workflow is not None:
        yield _workflow_around(when.workflow, outside) if when.agent is not None else _named(when.workflow, scope)
    if when.service is not None:
        yield _service(when.service, scope.service)
    if when.input is not None:
        inputs = [each.input for each in (scope, *outside) if each.input is not None]
        yield _input(when.input, inputs[:1], (scope,), True)
    for key, matcher in when.attributes:
        yield _attribute(key, matcher, (scope, *outside), True)


def _named(patterns: tuple[str, ...], scope: Scope) -> Fit:
    if scope.name is None:
        return unknown(f"{scope.kind}_unknown")
    return known(compiled(patterns).fit(scope.name))


def _agent_around(patterns: tuple[str, ...], agents: Iterable[str], around: Sequence[Scope]) -> Fit:
    scopes = [scope.name for scope in around if scope.kind == "agent"]
    recorded = {*agents, *(name for name in scopes if name is not None)}
    if fit_any(patterns, recorded):
        return YES
    # An agent without a name may be any; where no agent is recorded at all, there may still be one.
    return unknown("agent_unknown") if None in scopes or not recorded else NO


def _workflow_around(patterns: tuple[str, ...], around: Sequence[Scope]) -> Fit:
    return some_holds(_named(patterns, scope) for scope in around if scope.kind == "workflow")


def _service(patterns: tuple[str, ...], service: str | None) -> Fit:
    return unknown("service_unknown") if service is None else known(compiled(patterns).fit(service))


def _input(matcher: Matcher, inputs: Sequence[str], around: Sequence[Scope], accuse: bool) -> Fit:
    if not inputs:
        return unknown("input_not_captured")
    attributes = _attributes(around)
    truths = (matcher.test(text, accuse=accuse, attributes=attributes) for text in inputs)
    return some_holds(Fit(truth, None if truth is not None else "input_not_comparable") for truth in truths)


def _attributes(around: Sequence[Scope]) -> Mapping[str, tuple[object, ...]]:
    return around[0].attributes if around else {}


def _attribute(key: str, matcher: Matcher, around: Sequence[Scope], accuse: bool) -> Fit:
    """Any of the values recorded for the key, on any of the scopes, fits; where there is none, the matcher sees that."""
    recorded = [value for scope in around for value in scope.attributes.get(key, ())]
    attributes = _attributes(around)
    truths = (matcher.test(value, accuse=accuse, attributes=attributes) for value in recorded or (MISSING,))
    return some_holds(Fit(truth, None if truth is not None else "attribute_not_comparable") for truth in truths)
