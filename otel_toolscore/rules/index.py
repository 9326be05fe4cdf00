"""Which rules can a call concern? Asked for every call, so answered by an index over the names in the rules' patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from otel_toolscore.model import ToolCall
from otel_toolscore.rules.names import Names, compiled, folded_forms
from otel_toolscore.rules.pattern import Pattern

MAX_REMEMBERED: Final = 4_096
"""Names of calls for which the answer is remembered; names come from outside, so that they must not fill the memory."""


class RuleIndex:
    """The numbers of the rules that a call can concern, by the names in their patterns.

    It may name too many rules (patterns are tried afterwards), never too few.
    """

    def __init__(self, naming: Sequence[tuple[Pattern, ...] | None]) -> None:
        self._every: list[int] = []
        self._literal: dict[str, list[int]] = {}
        self._globs: list[tuple[Names, int]] = []
        self._remembered: dict[tuple[str, ...], tuple[int, ...]] = {}
        for number, patterns in enumerate(naming):
            self._enter(number, patterns)

    def _enter(self, number: int, patterns: tuple[Pattern, ...] | None) -> None:
        tools = None if patterns is None else [pattern.tool for pattern in patterns]
        if tools is None or any(tool is None or compiled(tool).any for tool in tools):
            self._every.append(number)
            return
        for tool in tools:
            names = compiled(tool or ())
            for literal in names.folded_literals:
                self._literal.setdefault(literal, []).append(number)
            if names.has_globs:
                self._globs.append((names, number))

    def rules(self, call: ToolCall) -> tuple[int, ...]:
        """In ascending order."""
        bare = call.recorded_name is None and call.server is None and not call.variants
        names = (call.tool,) if bare else tuple(names_of(call))
        found = self._remembered.get(names)
        if found is None:
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            found = self._remembered[names] = self._look_up(names)
        return found

    def _look_up(self, names: Iterable[str]) -> tuple[int, ...]:
        found = set(self._every)
        for name in names:
            for folded in folded_forms(name):
                found.update(self._literal.get(folded, ()))
            found.update(number for globs, number in self._globs if globs.fit_folded(name))
        return tuple(sorted(found))


def names_of(call: ToolCall) -> list[str]:
    """Every name by which a pattern can mean the call."""
    names = [call.tool]
    if call.recorded_name is not None:
        names.append(call.recorded_name)
    if call.server is not None:
        names.append(f"mcp__{call.server}__{call.tool}")
    for variant in call.variants:
        names += (variant.tool, variant.recorded_name)
        server = variant.server or call.server
        if server is not None:
            names.append(f"mcp__{server}__{variant.tool}")
    return names
