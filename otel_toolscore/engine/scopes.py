"""Where calls stand among the scopes of a run, and which scopes are selected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from otel_toolscore.model import Scope
from otel_toolscore.rules.pattern import When
from otel_toolscore.rules.truth import Fit
from otel_toolscore.rules.when import selects


class Selected(NamedTuple):
    """A scope that is selected, or may be."""

    scope: Scope
    fit: Fit


def around(scope: str | None, scopes: Mapping[str, Scope], top: Scope | None) -> tuple[Scope, ...]:
    """The scope and those around it, innermost first; the run's top where the scope is not known."""
    found: dict[str, Scope] = {}
    here = scopes.get(scope) if scope is not None else None
    while here is not None and here.id not in found:
        found[here.id] = here
        here = scopes.get(here.parent) if here.parent is not None else None
    if not found and top is not None:
        return (top,)
    return tuple(found.values())


def selected(when: When | None, scopes: Mapping[str, Scope]) -> list[Selected]:
    """The scopes that `when` selects or may select, outer before inner."""
    found = []
    for scope in scopes.values():
        outside = around(scope.parent, scopes, None)
        fit = selects(when, scope, outside)
        if fit.truth is not False:
            found.append(Selected(scope, fit))
    return found


class Inside:
    """Which of a run's calls are in which scope."""

    def __init__(self, surroundings: Iterable[Sequence[Scope]]) -> None:
        """`surroundings`: for each call, the scopes around it, innermost first."""
        self._all: dict[str, list[int]] = {}
        self._own: dict[str, list[int]] = {}
        for number, scopes in enumerate(surroundings):
            own = True
            for scope in scopes:
                self._all.setdefault(scope.id, []).append(number)
                if own:
                    self._own.setdefault(scope.id, []).append(number)
                own = own and scope.kind != "agent"

    def calls(self, scope: Scope, *, include_subagents: bool = True) -> list[int]:
        """Indices of the calls in the scope; without sub-agents, of those that no agent inside the scope made."""
        return (self._all if include_subagents else self._own).get(scope.id, [])
