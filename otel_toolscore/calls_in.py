"""Calls as callers of `evaluate` write them, expected and actual: lists of dicts or of records.

A fault names the item and what was expected there, never a value.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, get_args

import msgspec

from otel_toolscore.compare import FieldRule
from otel_toolscore.dialects import names, values
from otel_toolscore.expected import AnyOf, ExpectedCall, Group, Item, OutcomeWanted
from otel_toolscore.matchers import MatcherError, build_expected
from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome, ToolCall
from otel_toolscore.paths import Path, PathError
from otel_toolscore.reports.call_record import record

T = TypeVar("T")

CALL_KEYS: Final = ("tool", "args", "fields", "allow_extra_fields", "server", "outcome", "times", "optional", "must")
ALIASES: Final = {"name": "tool", "arguments": "args", "field_rules": "fields"}
RECORDED_KEYS: Final = frozenset(record(ToolCall(tool=""), values=True)) | {"is_error", "verdict", "description", "reason", "metadata"}
"""Keys of a recorded call, which may stand in an expected one: a recorded run can be what is expected. They are not compared."""
FIELD_KEYS: Final = tuple(field.name for field in msgspec.structs.fields(FieldRule))


def expected_items(expected: Sequence[object]) -> tuple[Item, ...]:
    """The expected calls as records.

    Each item is a dict with `tool` and optionally `args`, `fields`, `allow_extra_fields`, `server`, `outcome`, `times`, `optional`, `must`
    (`name`, `arguments` and `field_rules` are understood too); a dict `{any_of: [...]}` or `{group: [...]}`; an `ExpectedCall`, `AnyOf`
    or `Group`; or a recorded `ToolCall`, whose tool, server and captured arguments are then expected. Arguments may hold matchers,
    as objects or in their `$` spelling. TypeError or ValueError where an item is none of these.
    """
    return tuple(_item(item, f"expected[{index}]") for index, item in enumerate(_items(expected, "expected")))


def actual_calls(actual: Sequence[object]) -> tuple[ToolCall, ...]:
    """The actual calls as records.

    Each item is a `ToolCall` or a dict with `tool` (or `name`), `args` (or `arguments`; an object, or its JSON text), and optionally
    `result`, `error`, `is_error`, `outcome`, `server`, `id`, `error_type`. A call failed when `is_error` is true or `error` is not
    empty. Absent or null arguments are not captured. Other keys are left alone. TypeError or ValueError where an item is neither.
    """
    return tuple(_call(item, f"actual[{index}]") for index, item in enumerate(_items(actual, "actual")))


def items_of(value: object, where: str, of: str) -> Iterable[object]:
    """The items of a list; TypeError where it is something else."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"{where}: expected a list of {of}, got {type(value).__name__}")
    return value


def _items(value: object, where: str) -> Iterable[object]:
    return items_of(value, where, "calls")


def _item(item: object, where: str) -> Item:
    if isinstance(item, ExpectedCall | AnyOf | Group):
        return item
    if isinstance(item, ToolCall):
        return _as_recorded(item, where)
    entry = entry_of(item, where)
    for key in ("any_of", "group"):
        if key in entry:
            if len(entry) > 1:
                raise ValueError(f"{where}: `{key}` stands alone in its item")
            return _compound(key, entry[key], f"{where}.{key}")
    return _expected_call(entry, where)


def _compound(key: str, value: object, where: str) -> Item:
    parts = list(_items(value, where))
    if not parts:
        raise ValueError(f"{where}: expected at least one call")
    if key == "group":
        return Group(tuple(_item(part, f"{where}[{index}]") for index, part in enumerate(parts)))
    return AnyOf(tuple(_alternative(part, f"{where}[{index}]") for index, part in enumerate(parts)))


def _alternative(part: object, where: str) -> tuple[Item, ...]:
    if isinstance(part, list | tuple):
        return tuple(_item(one, f"{where}[{index}]") for index, one in enumerate(part))
    return (_item(part, where),)


def _as_recorded(call: ToolCall, where: str) -> ExpectedCall:
    if call.arguments.state == "unreadable":
        raise ValueError(f"{where}: expected a call whose arguments could be read")
    arguments = call.arguments.value if call.arguments.state == "captured" else None
    return ExpectedCall(call.recorded_name or call.tool, arguments, server=call.server)  # type: ignore[arg-type]


def _expected_call(entry: Mapping[str, Any], where: str) -> ExpectedCall:
    check_keys(entry, CALL_KEYS, where, also=RECORDED_KEYS)
    if entry.get("args_state") == "unreadable":
        raise ValueError(f"{where}: expected a call whose arguments could be read")
    least, most = _times(entry, where)
    return ExpectedCall(
        name=_name(entry, where),
        arguments=_expected_arguments(entry.get("args"), f"{where}.args"),
        field_rules=_field_rules(entry.get("fields") or {}, f"{where}.fields"),
        allow_extra_fields=_flag(entry, "allow_extra_fields", where),
        server=_text(entry, "server", where),
        outcome=_one_of(entry.get("outcome", "any"), get_args(OutcomeWanted), f"{where}.outcome"),
        min_times=0 if _flag(entry, "optional", where) else least,
        max_times=most,
        must=_flag(entry, "must", where),
    )


def _expected_arguments(value: object, where: str) -> Mapping[str, object] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{where}: expected an object (a dict with text as keys) or None, got {type(value).__name__}")
    return {key: _expected_value(item, f"{where}[{key!r}]") for key, item in value.items()}


def _expected_value(value: object, where: str) -> object:
    try:
        return build_expected(value)
    except MatcherError as error:
        raise ValueError(f"{where}: {error}") from None


def _field_rules(value: object, where: str) -> Mapping[str, FieldRule]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{where}: expected a dict of paths to field rules, got {type(value).__name__}")
    return {path_at(path, where).text: _field_rule(rule, f"{where}[{path!r}]") for path, rule in value.items()}


def _field_rule(rule: object, where: str) -> FieldRule:
    if isinstance(rule, FieldRule):
        return rule
    if not isinstance(rule, Mapping):
        raise TypeError(f"{where}: expected a FieldRule or a dict, got {type(rule).__name__}")
    check_keys(rule, FIELD_KEYS, where)
    try:
        return FieldRule(**rule)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None


def _times(entry: Mapping[str, Any], where: str) -> tuple[int, int | None]:
    times = entry.get("times", 1)
    least, most = (times.get("min", 1), times.get("max")) if isinstance(times, Mapping) and set(times) <= {"min", "max"} else (times, times)
    if not _count(least) or not (most is None or (_count(most) and most >= max(1, least))):
        raise ValueError(f"{where}.times: expected a whole number of at least 1, or {{'min': ..., 'max': ...}}")
    return least, most


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _call(item: object, where: str) -> ToolCall:
    if isinstance(item, ToolCall):
        return item
    entry = entry_of(item, where)
    recorded = _text(entry, "recorded_name", where)
    tool, server = names.split(recorded or _name(entry, where))
    failed = entry.get("is_error") is True or bool(entry.get("error"))
    outcome: Outcome = _one_of(entry.get("outcome") or "ok", get_args(Outcome), f"{where}.outcome")
    error = entry.get("error")
    return ToolCall(
        tool=tool if recorded is None else _name(entry, where),
        server=_text(entry, "server", where) or server,
        recorded_name=recorded or (entry["tool"] if entry["tool"] != tool else None),
        arguments=_arguments(entry, f"{where}.args"),
        result=_recorded(entry, "result") or values.result(entry.get("result")),
        outcome="error" if failed else outcome,
        error=error if isinstance(error, str) and error else None,
        error_type=_text(entry, "error_type", where),
        id=None if entry.get("id") is None else str(entry["id"]),
    )


def _arguments(entry: Mapping[str, Any], where: str) -> Evidence:
    recorded = _recorded(entry, "args")
    if recorded is not None:
        return recorded
    value = entry.get("args")
    if value is not None and not isinstance(value, Mapping | str):
        raise TypeError(f"{where}: expected an object (a dict), its JSON text, or None, got {type(value).__name__}")
    evidence = values.arguments(value)
    if isinstance(value, Mapping) and evidence.state != "captured":
        raise TypeError(
            f"{where}: expected JSON values (None, bool, int, float, str, list, dict with text as keys) at most {values.MAX_DEPTH} deep"
        )
    return evidence


def _recorded(entry: Mapping[str, Any], key: str) -> Evidence | None:
    """The evidence of a call as the `calls` command writes it; None where the item does not say."""
    state = entry.get(f"{key}_state")
    if state == "unreadable":
        return Evidence("unreadable", cause=entry.get(f"{key}_cause"), text=entry.get(f"{key}_text"))
    if state == "not_captured":
        return NOT_CAPTURED
    return Evidence("captured", entry.get(key)) if state == "captured" and key == "result" else None


def entry_of(item: object, where: str) -> dict[str, Any]:
    """The item as a dict with canonical keys; TypeError or ValueError where it is none."""
    if not isinstance(item, Mapping):
        raise TypeError(f"{where}: expected a dict with `tool`, got {type(item).__name__}")
    entry: dict[str, Any] = {}
    for key, value in item.items():
        canonical = ALIASES.get(key, key)
        if not isinstance(canonical, str):
            raise TypeError(f"{where}: expected text as keys, got {type(key).__name__}")
        if canonical in entry:
            raise ValueError(f"{where}: `{canonical}` is given twice, also as `{key}`")
        entry[canonical] = value
    return entry


def _name(entry: Mapping[str, Any], where: str) -> str:
    name = entry.get("tool")
    if name is None:
        raise ValueError(f"{where}: expected `tool`, the name of the tool (there is {listed(entry) or 'nothing'})")
    if not isinstance(name, str) or not name:
        raise TypeError(f"{where}.tool: expected a name (text that is not empty), got {type(name).__name__}")
    return name


def _text(entry: Mapping[str, Any], key: str, where: str) -> str | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{where}.{key}: expected text, got {type(value).__name__}")
    return value or None


def _flag(entry: Mapping[str, Any], key: str, where: str) -> bool:
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise TypeError(f"{where}.{key}: expected True or False, got {type(value).__name__}")
    return value


def _one_of(value: T, known: Sequence[Any], where: str) -> T:
    if value not in known:
        raise ValueError(f"{where}: expected one of {listed(known)}")
    return value


def path_at(path: object, where: str) -> Path:
    """The path that a key is; TypeError or ValueError where it is none."""
    if not isinstance(path, str):
        raise TypeError(f"{where}: expected paths (text) as keys, got {type(path).__name__}")
    try:
        return Path.parse(path)
    except PathError as error:
        raise ValueError(f"{where}[{path!r}]: {error}") from None


def check_keys(entry: Mapping[Any, object], known: Sequence[str], where: str, also: frozenset[str] = frozenset()) -> None:
    """ValueError where a key is not known, with what was probably meant."""
    for key in entry:
        if key not in known and key not in also and not str(key).startswith("x-"):
            guess = difflib.get_close_matches(str(key), (*known, *ALIASES), 1)
            raise ValueError(f"{where}: unknown key {key!r}{f', did you mean {guess[0]!r}?' if guess else ''} (expected {listed(known)})")


def listed(words: Iterable[object]) -> str:
    """The words with commas between them."""
    return ", ".join(map(str, words))
