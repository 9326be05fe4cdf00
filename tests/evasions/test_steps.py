"""Each step of reading a call leniently is needed: without it, an evasion gets through.

`STEPS` is the mutation run: every normalisation, what takes it away, and the technique of which at least one case then breaks.
All of them break one; a step that is added without a case here is not held by any test of evasions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from evasion_cases import CASES, kinds_of, policy_of

from otel_toolscore import nested_json, paths
from otel_toolscore.compare import equality
from otel_toolscore.dialects import names as dialect_names
from otel_toolscore.dialects import values
from otel_toolscore.matchers import host_in, leniency, literals, logic, path_under, search, text
from otel_toolscore.rules import index, limits, names, pattern

Patch = pytest.MonkeyPatch
UNCHANGED: Any = SimpleNamespace(normalize=lambda _form, given: given, category=unicodedata.category)
NEVER = re.compile(r"(?!)")
ALL_VISIBLE: Any = SimpleNamespace(normalize=unicodedata.normalize, category=lambda _char: "Lo")


def same(given: object, *_: object, **__: object) -> object:
    return given


def nothing(*_: object, **__: object) -> tuple[()]:
    return ()


def only_itself(given: str) -> Iterator[str]:
    yield given


def unstripped_fold(name: str) -> str:
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return visible.casefold()


def cased_fold(name: str) -> str:
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return visible.strip()


def set_all(patch: Patch, name: str, value: object, *modules: object) -> None:
    for module in modules:
        patch.setattr(module, name, value)


def without_last_key(found: Callable[..., Any]) -> Callable[..., Any]:
    """Only the reading in which the last of equal keys counts."""
    return lambda *given: read[:1] if isinstance(read := found(*given), tuple) else read


def without_first_key(found: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: read[-1:] if isinstance(read := found(*given), tuple) else read


def readings_in(patch: Patch, change: Callable[..., Any]) -> None:
    set_all(patch, "readings", change, paths, leniency, literals, logic, search)


STEPS: dict[str, tuple[str, Callable[[Patch], None]]] = {
    "names: NFKC": ("other-letters", lambda patch: patch.setattr(names, "unicodedata", UNCHANGED)),
    "names: characters of the category Cf are dropped": (
        "invisible-characters",
        lambda patch: patch.setattr(names, "unicodedata", ALL_VISIBLE),
    ),
    "names: fillers and selectors are dropped": ("invisible-characters", lambda patch: patch.setattr(names, "_NO_WIDTH", frozenset())),
    "names: trimmed": ("whitespace", lambda patch: patch.setattr(names, "fold", unstripped_fold)),
    "names: case is folded": ("case", lambda patch: patch.setattr(names, "fold", cased_fold)),
    "names: the tool in a folded mcp__SERVER__TOOL": (
        "name-prefixes",
        lambda patch: set_all(patch, "folded_forms", lambda name: (names.fold(name),), names, index),
    ),
    "names: the server in a recorded name": (
        "name-prefixes",
        lambda patch: set_all(patch, "split", lambda name: dialect_names.ToolName(name, None), *_made_runs()),
    ),
    "names: mcp__SERVER__TOOL of a known server": ("name-prefixes", lambda patch: patch.setattr(pattern, "_MCP", "other__")),
    "text: a list's items, and the items joined": ("argument-lists", lambda patch: patch.setattr(leniency, "_list", lambda *_: None)),
    "text: the items joined by a space": ("argument-lists", lambda patch: patch.setattr(leniency, "_list", _items_alone)),
    "text: the list that JSON text is": ("argument-lists", lambda patch: patch.setattr(leniency, "looks_nested", lambda _text: False)),
    "text: numbers as their JSON text": ("numbers-as-text", lambda patch: patch.setattr(leniency, "json_texts", lambda _number: ())),
    "text: what cannot be compared is unknown": (
        "argument-lists",
        lambda patch: patch.setattr(text, "text_truth", _known(leniency.text_truth)),
    ),
    "numbers: text that is a JSON number": ("numbers-as-text", lambda patch: patch.setattr(leniency, "number_in", lambda _text: None)),
    "numbers: space around the text": ("whitespace", lambda patch: patch.setattr(leniency, "trimmed", same)),
    "sums: text that is a JSON number": ("numbers-as-text", lambda patch: patch.setattr(limits, "number_in", lambda _text: None)),
    "literals: space around text": ("whitespace", lambda patch: patch.setattr(equality, "trimmed", same)),
    "literals: case folding trims": ("whitespace", lambda patch: patch.setattr(text, "trimmed", same)),
    "literals: JSON text where an object is expected": ("containers", lambda patch: patch.setattr(literals, "readings", nothing)),
    "literals: an object may have more keys": (
        "containers",
        lambda patch: patch.setattr(literals, "_same_kind", _exact_objects(literals._same_kind)),
    ),
    "lists: JSON text where a list is expected": ("containers", lambda patch: patch.setattr(logic, "readings", nothing)),
    "paths: JSON text on the way is entered": ("nested-json", lambda patch: patch.setattr(paths, "readings", nothing)),
    "JSON text: space and byte order marks before it": ("nested-json", lambda patch: patch.setattr(nested_json, "_AROUND", "")),
    "JSON text: text in text": ("nested-json", lambda patch: patch.setattr(nested_json, "MAX_QUOTINGS", 0)),
    "JSON text: the first of two equal keys": ("nested-json", lambda patch: readings_in(patch, without_last_key(nested_json.readings))),
    "JSON text: the last of two equal keys": ("nested-json", lambda patch: readings_in(patch, without_first_key(nested_json.readings))),
    "JSON text: beyond the bound is not read": ("huge-arguments", lambda patch: readings_in(patch, _nothing_unread(nested_json.readings))),
    "anywhere: JSON text is entered": ("hidden-anywhere", lambda patch: patch.setattr(search, "looks_nested", lambda _text: False)),
    "anywhere: lists and numbers too": ("hidden-anywhere", lambda patch: patch.setattr(search, "_positive", lambda _matcher: False)),
    "anywhere: keys too": ("hidden-anywhere", lambda patch: patch.setattr(pattern, "test_anywhere", _values_alone(search.test_anywhere))),
    "broken text: what is found in it": ("broken-json", lambda patch: patch.setattr(pattern, "test_text", lambda *_, **__: None)),
    "broken text: escapes are resolved": ("broken-json", lambda patch: set_all(patch, "unescapings", only_itself, search, leniency)),
    "arguments: a key twice is not read": ("broken-json", lambda patch: patch.setattr(values, "_DECODER", values.json.JSONDecoder())),
    "hosts: what every parser reads alike": ("url-hosts", lambda patch: patch.setattr(host_in, "certain_host", _urlsplit_host)),
    "hosts: odd texts are searched": ("url-addresses", lambda patch: patch.setattr(host_in, "possible_hosts", nothing)),
    "hosts: percent-encoding": ("url-addresses", lambda patch: patch.setattr(host_in, "unquote", same)),
    "hosts: NFKC": ("url-addresses", lambda patch: patch.setattr(host_in, "unicodedata", UNCHANGED)),
    "hosts: characters that browsers drop": ("url-addresses", lambda patch: patch.setattr(host_in, "_bare", same)),
    "hosts: numeric addresses": ("url-addresses", lambda patch: patch.setattr(host_in, "_ipv4", same)),
    "hosts: addresses embedded in IPv6": ("url-addresses", lambda patch: patch.setattr(host_in, "_EMBEDDING", frozenset())),
    "hosts: other dots": ("url-addresses", lambda patch: set_all(patch, "_DOTS", {}, host_in)),
    "files: dots are resolved": (
        "paths-outside",
        lambda patch: patch.setattr(path_under, "_normal", lambda parts: tuple(filter(None, parts))),
    ),
    "files: percent-encoding": ("paths-outside", lambda patch: patch.setattr(path_under, "unquote", same)),
    "files: look-alike characters": ("paths-outside", lambda patch: patch.setattr(path_under, "unicodedata", UNCHANGED)),
    "files: control characters clear nothing": ("paths-outside", lambda patch: patch.setattr(path_under, "_CONTROL", NEVER)),
    "files: too many writings clear nothing": ("paths-outside", lambda patch: patch.setattr(path_under, "_writings", _few_writings)),
    "files: file URLs": ("paths-inside", lambda patch: patch.setattr(path_under, "_FILE_URL", NEVER)),
    "files: space around": ("paths-inside", lambda patch: patch.setattr(path_under, "trimmed", same)),
    "files: device paths": ("paths-inside", lambda patch: patch.setattr(path_under, "_DEVICE", NEVER)),
    "files: spaces and dots after a name": ("paths-inside", lambda patch: patch.setattr(path_under, "_windows_name", str.casefold)),
    "files: case on Windows": ("paths-inside", lambda patch: patch.setattr(path_under, "_windows_name", lambda name: name.rstrip(" ."))),
    "files: backslashes": ("paths-inside", lambda patch: patch.setattr(path_under, "_possible", _as_written)),
}


def _made_runs() -> list[object]:
    from otel_toolscore.policy_tests import made_runs

    return [made_runs]


def _items_alone(items: Any, test: Any, searches: bool, depth: int) -> Any:
    return leniency.some(leniency._reading(item, test, searches, depth + 1) for item in items)


def _known(test: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **more: test(*given, **more) is True


def _exact_objects(check: Callable[..., Any]) -> Callable[..., Any]:
    return lambda wanted, got, kind, _accuse, pending: check(wanted, got, kind, False, pending)


def _nothing_unread(found: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: () if (read := found(*given)) is nested_json.UNREAD else read


def _values_alone(test: Callable[..., Any]) -> Callable[..., Any]:
    def without_keys(value: Any) -> Any:
        if isinstance(value, dict):
            return [without_keys(item) for item in value.values()]
        return [without_keys(item) for item in value] if isinstance(value, list) else value

    return lambda matcher, value, **more: test(matcher, without_keys(value), **more)


def _urlsplit_host(url: str) -> str | None:
    from urllib.parse import urlsplit

    return (urlsplit(url).netloc.partition("@")[0].partition(":")[0] or None) if "://" in url else None


def _few_writings(given: str) -> tuple[list[str], bool]:
    return [given, path_under.unquote(given)], True


def _as_written(given: str, _root: object, windows: bool) -> list[Any]:
    return [path_under._windows(given) if windows else path_under._posix(given)]


def forget() -> None:
    """What is remembered of names while a step is missing must not be met afterwards."""
    for remembered in (names.fold, names.folded_forms, names.compiled, pattern._accused_name):
        if hasattr(remembered, "cache_clear"):
            remembered.cache_clear()


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    forget()
    with monkeypatch.context() as patch:
        yield patch
    forget()


@pytest.mark.parametrize("name", STEPS)
def test_without_the_step_a_case_breaks(name: str, step: pytest.MonkeyPatch) -> None:
    """Taking the step away lets an evasion through, or makes its twin a finding."""
    file, remove = STEPS[name]
    remove(step)
    policy = policy_of(file)
    cases = [case for case in CASES if case.file == file]
    broken = [
        case
        for case in cases
        if kinds_of(case, case.call, policy) != ([] if case.found == "silent" else [(case.rule, case.found)])
        or kinds_of(case, case.twin, policy)
    ]
    assert broken


def test_the_steps_are_what_breaks_them() -> None:
    """With all steps in place, no case of these techniques breaks."""
    for file in {file for file, _ in STEPS.values()} - {"huge-arguments"}:
        policy = policy_of(file)
        for case in CASES:
            if case.file == file:
                assert kinds_of(case, case.call, policy) == ([] if case.found == "silent" else [(case.rule, case.found)])
