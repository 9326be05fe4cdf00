"""Kleene's logic: None is unknown, and stays unknown unless the other parts decide."""

from __future__ import annotations

from collections.abc import Iterable

from otel_toolscore.model import Truth


def negated(truth: Truth) -> Truth:
    """Not."""
    return None if truth is None else not truth


def every(truths: Iterable[Truth]) -> Truth:
    """And: False as soon as one is False; True for none at all."""
    unknown = False
    for truth in truths:
        if truth is False:
            return False
        unknown = unknown or truth is None
    return None if unknown else True


def some(truths: Iterable[Truth]) -> Truth:
    """Or: True as soon as one is True; False for none at all."""
    unknown = False
    for truth in truths:
        if truth is True:
            return True
        unknown = unknown or truth is None
    return None if unknown else False
