"""Rules that can find nothing which another rule does not find already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from otel_toolscore.model import SEVERITIES
from otel_toolscore.policy.canonical import canonical, written
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule


class Compared(msgspec.Struct, frozen=True):
    """A rule with what is compared of it, in the canonical form."""

    rule: Rule
    constraint: str
    when: str
    waivers: str

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the rule forbids, folded; empty where it forbids no tools by name."""
        constraint = self.rule.constraint
        tools = constraint.pattern.tool if isinstance(constraint, Forbid) else None
        return tuple(tool.casefold() for tool in tools or ())

    @property
    def asks_only_for_tools(self) -> bool:
        """Whether it forbids tools altogether."""
        constraint = self.rule.constraint
        return isinstance(constraint, Forbid) and constraint.pattern == Pattern(tool=constraint.pattern.tool)


def shadowed(rules: tuple[Rule, ...]) -> Iterator[tuple[Rule, Rule]]:
    """(rule, the other one that shadows it). Of two that are the same, the later is shadowed.

    A rule shadows another when it finds whatever the other finds, at least as severely: the constraint is the same, or both forbid
    and the one asks for nothing but tools whose globs take in all of the other's; and its `when` is the same or absent.
    """
    compared = [Compared(rule, *(written(canonical(part)) for part in (rule.constraint, rule.when, rule.waivers))) for rule in rules]
    same: dict[str, list[int]] = defaultdict(list)
    named: dict[str, list[int]] = defaultdict(list)
    wide: list[int] = []
    for number, each in enumerate(compared):
        same[each.constraint].append(number)
        if each.asks_only_for_tools:
            for tool in each.tools:
                (wide if "*" in tool else named[tool]).append(number)
    for number, each in enumerate(compared):
        candidates = {*same[each.constraint], *wide, *(other for tool in each.tools for other in named[tool])} - {number}
        for other in sorted(candidates):
            if shadows(compared[other], each) and (other < number or not shadows(each, compared[other])):
                yield each.rule, compared[other].rule
                break


def shadows(other: Compared, one: Compared) -> bool:
    """Whether `other` finds whatever `one` finds."""
    if other.rule.enforcement == "shadow" and one.rule.enforcement == "enforce":
        return False
    if SEVERITIES.index(other.rule.severity) < SEVERITIES.index(one.rule.severity):
        return False
    if other.rule.waivers and other.waivers != one.waivers:
        return False
    if other.constraint == one.constraint:
        return other.when == one.when or (other.rule.when is None and isinstance(one.rule.constraint, Forbid))
    everywhere = other.rule.when is None or other.when == one.when
    return everywhere and isinstance(one.rule.constraint, Forbid) and other.asks_only_for_tools and covers(other.tools, one.tools)


def covers(wide: tuple[str, ...], narrow: tuple[str, ...]) -> bool:
    """Whether every tool that the narrow names and globs mean is meant by the wide ones; no names at all mean any tool."""
    if "*" in wide:
        return True
    return bool(narrow) and all(any(takes_in(glob, name) for glob in wide) for name in narrow)


def takes_in(glob: str, name: str) -> bool:
    """Whether every name that `name` matches is matched by `glob`: the same, or `glob` is a beginning and one `*`."""
    if glob == name:
        return True
    beginning = glob.removesuffix("*")
    if beginning == glob or set(beginning) & set("*?"):
        return False
    literal = name[: min(name.find(wild) % (len(name) + 1) for wild in "*?")]
    return literal.startswith(beginning)
