"""A run as it is judged when one of its scopes, or the run itself, ends."""

from __future__ import annotations

from typing import NamedTuple

from otel_toolscore.engine.runs import KeptCall, KeptRun, Surroundings
from otel_toolscore.engine.scopes import Inside


class View(NamedTuple):
    """The run's calls in their order, and where they are."""

    run: KeptRun
    calls: list[KeptCall]
    surroundings: list[Surroundings]
    """Of each call, by what is known of the scopes now."""
    inside: Inside


def view_of(run: KeptRun) -> View:
    """The run as it is known by now."""
    calls = run.in_order()
    surroundings = [run.surroundings(kept.call) for kept in calls]
    return View(run, calls, surroundings, Inside(each.scopes for each in surroundings))
