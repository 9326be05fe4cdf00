"""The composite score of the metrics, and its grade. Exact: weights are taken as they are written, so 0.4 + 0.3 + 0.2 is 0.9."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from otel_toolscore.model import Grade, Metrics

DEFAULT_WEIGHTS: Final[Mapping[str, Fraction]] = MappingProxyType(
    {
        "selection_accuracy": Fraction(4, 10),
        "argument_f1": Fraction(3, 10),
        "sequence_accuracy": Fraction(2, 10),
        "redundant_rate": Fraction(1, 10),
        "required_call_recall": Fraction(0),
    }
)
"""Weights of the metrics in the score; given ones are merged over them, and their sum is made 1."""

GRADES: Final[tuple[tuple[Grade, Fraction], ...]] = (
    ("A", Fraction(9, 10)),
    ("B", Fraction(8, 10)),
    ("C", Fraction(7, 10)),
    ("D", Fraction(6, 10)),
)
"""The least score of each grade; below the last it is F."""


def merged(weights: Mapping[str, float | Fraction]) -> dict[str, Fraction]:
    """The weights over the defaults, as they are written, with a sum of 1.

    ValueError where one is not a finite number of at least 0, belongs to no metric, or where all are 0.
    """
    found = dict(DEFAULT_WEIGHTS)
    for name, weight in weights.items():
        if name not in DEFAULT_WEIGHTS:
            raise ValueError(f"weights: {name!r} is no metric of the score; they are {', '.join(DEFAULT_WEIGHTS)}")
        found[name] = _exact(name, weight)
    total = sum(found.values())
    if not total:
        raise ValueError("weights: at least one must be more than 0")
    return {name: weight / total for name, weight in found.items()}


def _exact(name: str, weight: object) -> Fraction:
    try:
        if isinstance(weight, bool):
            raise ValueError
        exact = Fraction(str(weight))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"weights: {name} must be a number") from None
    if exact < 0:
        raise ValueError(f"weights: {name} must not be negative")
    return exact


def composite(metrics: Metrics, weights: Mapping[str, Fraction]) -> Fraction | None:
    """The weighted mean of the metrics that there are (redundant_rate as 1 - rate); None where they have no weight."""
    total = weight_of_all = Fraction(0)
    for name, weight in weights.items():
        value: Fraction | None = getattr(metrics, name)
        if value is not None:
            total += weight * (1 - value if name == "redundant_rate" else value)
            weight_of_all += weight
    return total / weight_of_all if weight_of_all else None


def grade(score: Fraction) -> Grade:
    """A from 0.9, B from 0.8, C from 0.7, D from 0.6, else F."""
    return next((letter for letter, least in GRADES if score >= least), "F")
