"""Forbidden calls as callers of `evaluate` write them, as rules of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from otel_toolscore import matchers
from otel_toolscore.calls_in import check_keys, entry_of, items_of, listed, path_at
from otel_toolscore.model import Outcome
from otel_toolscore.paths import Path
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import Pattern
from otel_toolscore.rules.rule import Rule

KEYS: Final = ("tool", "server", "agent", "args", "any_arg", "result", "outcome", "allow_extra_fields", "reason")
_NAMES: Final = ("tool", "server", "agent")


def forbidden_rules(forbidden: Sequence[object]) -> tuple[Rule, ...]:
    """A rule for each item, whose id is the item's index.

    Each item is a tool name or glob, a `Pattern`, or a dict with the keys of a pattern (`tool`, `args`, ...) and a `reason`. Values may be
    matchers, as objects or in their `$` spelling. TypeError or ValueError where an item is none of these.
    """
    return tuple(_rule(item, index) for index, item in enumerate(items_of(forbidden, "forbidden", "patterns")))


def _rule(item: object, index: int) -> Rule:
    where = f"forbidden[{index}]"
    if isinstance(item, str) and item:
        return Rule(id=str(index), constraint=Forbid(Pattern(tool=(item,))))
    if isinstance(item, Pattern):
        return Rule(id=str(index), constraint=Forbid(item))
    entry = entry_of(item, where)
    check_keys(entry, KEYS, where)
    if not set(entry) & set(KEYS[:7]):
        raise ValueError(f"{where}: expected `tool` or another condition; a pattern without any would forbid every call")
    reason = entry.get("reason")
    if reason is not None and not isinstance(reason, str):
        raise TypeError(f"{where}.reason: expected text, got {type(reason).__name__}")
    return Rule(id=str(index), constraint=Forbid(_pattern(entry, where)), message=reason)


def _pattern(entry: Mapping[str, Any], where: str) -> Pattern:
    given: dict[str, Any] = {key: _names(entry[key], f"{where}.{key}") for key in _NAMES if entry.get(key) is not None}
    if entry.get("args") is not None:
        given["args"] = _tests(entry["args"], f"{where}.args")
    if "any_arg" in entry:
        given["any_arg"] = _matcher(entry["any_arg"], f"{where}.any_arg")
    if "result" in entry:
        result = entry["result"]
        paths = isinstance(result, Mapping) and bool(result) and not any(str(key).startswith("$") for key in result)
        given["result"] = _tests(result, f"{where}.result") if paths else _matcher(result, f"{where}.result")
    if entry.get("outcome") is not None:
        outcomes = _names(entry["outcome"], f"{where}.outcome")
        if not set(outcomes) <= set(get_args(Outcome)):
            raise ValueError(f"{where}.outcome: expected one of {listed(get_args(Outcome))}, or a list of them")
        given["outcome"] = outcomes
    extra = entry.get("allow_extra_fields", True)
    if not isinstance(extra, bool):
        raise TypeError(f"{where}.allow_extra_fields: expected True or False, got {type(extra).__name__}")
    return Pattern(**given, allow_extra_fields=extra)


def _names(value: object, where: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(items_of(value, where, "names"))
    if not names or not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"{where}: expected a name (text that is not empty) or a list of names")
    return names  # type: ignore[return-value]


def _tests(value: object, where: str) -> tuple[tuple[Path, matchers.Matcher], ...]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{where}: expected a dict of paths to values or matchers, got {type(value).__name__}")
    return tuple((path_at(path, where), _matcher(item, f"{where}[{path!r}]")) for path, item in value.items())


def _matcher(value: object, where: str) -> matchers.Matcher:
    try:
        return matchers.build(value)
    except matchers.MatcherError as error:
        raise ValueError(f"{where}: {error}") from None
