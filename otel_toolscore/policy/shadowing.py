"""Rules that can find nothing which another rule does not find already."""

from __future__ import annotations

from collections.abc import Iterator

from otel_toolscore.model import SEVERITIES
from otel_toolscore.policy.canonical import canonical
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule


def shadowed(rules: tuple[Rule, ...]) -> Iterator[tuple[Rule, Rule]]:
    """(rule, the other one that shadows it). Of two that are the same, the later is shadowed.

    A rule shadows another when it finds whatever the other finds, at least as severely: the constraint is the same, or both forbid and the
    one asks for nothing but tools whose globs take in all of the other's; and its `when` is the same or absent.
    """
    for index, rule in enumerate(rules):
        for other_index, other in enumerate(rules):
            if other_index != index and shadows(other, rule) and (other_index < index or not shadows(rule, other)):
                yield rule, other
                break


def shadows(other: Rule, rule: Rule) -> bool:
    """Whether `other` finds whatever `rule` finds."""
    if other.enforcement == "shadow" and rule.enforcement == "enforce":
        return False
    if SEVERITIES.index(other.severity) < SEVERITIES.index(rule.severity):
        return False
    if other.waivers and canonical(other.waivers) != canonical(rule.waivers):
        return False
    if canonical(other.constraint) == canonical(rule.constraint):
        return bool(canonical(other.when) == canonical(rule.when))
    if not isinstance(other.constraint, Forbid) or not isinstance(rule.constraint, Forbid):
        return False
    everywhere = other.when is None or canonical(other.when) == canonical(rule.when)
    return everywhere and covers(other.constraint.pattern, rule.constraint.pattern)


def covers(wide: Pattern, narrow: Pattern) -> bool:
    """Whether a pattern that asks for nothing but a tool takes in every call that the narrow one matches."""
    if wide != Pattern(tool=wide.tool) or wide.tool is None:
        return False
    if wide.tool == ("*",):
        return True
    return narrow.tool is not None and all(any(takes_in(glob, name) for glob in wide.tool) for name in narrow.tool)


def takes_in(glob: str, name: str) -> bool:
    """Whether every name that `name` matches is matched by `glob`: the same, or `glob` is a beginning and one `*`."""
    glob, name = glob.casefold(), name.casefold()
    if glob == name:
        return True
    beginning = glob.removesuffix("*")
    if beginning == glob or set(beginning) & set("*?"):
        return False
    literal = name[: min(name.find(wild) % (len(name) + 1) for wild in "*?")]
    return literal.startswith(beginning)
