"""What the environment may say about scoring in a running process: one variable a setting.

The table `SETTINGS` is what docs/live.md is held to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import msgspec


class SettingError(ValueError):
    """A variable has a value that cannot be understood; the message names the variable and what it takes."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How the processor works, apart from its policy."""

    enabled: bool = True
    """False: nothing is scored, written or counted, and no policy is read."""
    policy: tuple[str, ...] = ()
    """Policy files (or built-in names) for where the code names none."""
    idle_timeout_s: float = 300.0
    """A trace in which nothing happened for so long is closed: what was found in it is published, what it lacks is said."""
    max_traces: int = 1000
    """Traces that are remembered at once; beyond, the one that was idle longest is closed."""
    max_spans: int = 10_000
    """Spans that are remembered of one trace; further ones are dropped and counted, and the trace is incomplete."""
    max_series: int = 1000
    """Combinations of tool, agent and verdict that `toolscore.calls` tells apart; further ones are counted as `_OTHER`."""


class Setting(msgspec.Struct, frozen=True):
    """A variable and the field of `Settings` that it sets."""

    variable: str
    field: str
    takes: str
    read: Callable[[str], object]


TRUE: Final = frozenset({"1", "true", "yes", "on"})
FALSE: Final = frozenset({"0", "false", "no", "off"})


def _switch(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered in TRUE:
        return True
    if lowered in FALSE:
        return False
    raise ValueError(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("TOOLSCORE_ENABLED", "enabled", "true or false", _switch),
    Setting("TOOLSCORE_POLICY", "policy", "policy files or built-in names, separated by commas", _names),
    Setting("TOOLSCORE_IDLE_TIMEOUT", "idle_timeout_s", "a number of seconds above 0", _seconds),
    Setting("TOOLSCORE_MAX_TRACES", "max_traces", "a whole number from 1", _count),
    Setting("TOOLSCORE_MAX_SPANS", "max_spans", "a whole number from 1", _count),
    Setting("TOOLSCORE_MAX_SERIES", "max_series", "a whole number from 1", _count),
)


def from_environment(environ: Mapping[str, str]) -> Settings:
    """The settings that `environ` holds; an empty variable is as good as none. Raises SettingError with every fault at once."""
    given: dict[str, object] = {}
    faults: list[str] = []
    for setting in SETTINGS:
        text = environ.get(setting.variable, "")
        if not text.strip():
            continue
        try:
            given[setting.field] = setting.read(text)
        except ValueError:
            faults.append(f"{setting.variable} takes {setting.takes}")
    if faults:
        raise SettingError("; ".join(faults))
    return msgspec.convert(given, Settings)
