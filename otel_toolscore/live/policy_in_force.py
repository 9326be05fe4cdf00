"""Which policy applies in a process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

from otel_toolscore.policy import Policy, discover, load
from otel_toolscore.policy.resolve import RECOMMENDED
from otel_toolscore.settings import Settings, from_environment

PolicySource: TypeAlias = Policy | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def policy_in_force(
    source: PolicySource | None, settings: Settings | None = None, *, start: str | os.PathLike[str] = "."
) -> tuple[Policy, str]:
    """The policy that applies, and where it comes from in words.

    Without `source`: TOOLSCORE_POLICY, else the `toolscore.yaml` of `start` or of the nearest folder above, else the recommended
    policy. Raises PolicyError, or OSError where a file cannot be read.
    """
    if isinstance(source, Policy):
        return source, "the given policy"
    if source is not None:
        paths = [source] if isinstance(source, str | os.PathLike) else list(source)
        return load(paths), ", ".join(map(str, paths))
    settings = settings if settings is not None else from_environment(os.environ)
    if settings.policy:
        return load(settings.policy), f"{', '.join(settings.policy)} (TOOLSCORE_POLICY)"
    found = discover(start)
    if found is not None:
        return load([found]), found
    return load([RECOMMENDED]), f"{RECOMMENDED} (no policy is named and there is no toolscore.yaml)"
