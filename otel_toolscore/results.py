"""What `evaluate` gives back, and how it is told to a person."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final

import msgspec

from otel_toolscore.compare import Matcher
from otel_toolscore.credentials import mask, masked
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import MISSING, Difference, Grade, Pair, ToolCall, Verdict
from otel_toolscore.reports.call_record import record
from otel_toolscore.score import DEFAULT_WEIGHTS

MAX_ROWS: Final = 20
MAX_DIFFERENCES: Final = 6
MAX_VALUE: Final = 80
"""Bounds of what is told: rows of the alignment, differences of a row, characters of a value."""

_LAST_KEY: Final = re.compile(r"""([^.\[\]"']+)["'\]]*$""")
_COMPOSITE: Final = ("selection_accuracy", "argument_f1", "sequence_accuracy", "redundant_rate", "required_call_recall")


class EvaluationResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the actual calls compare with the expected ones."""

    DEFAULT_WEIGHTS: ClassVar[Mapping[str, float]] = MappingProxyType({name: float(weight) for name, weight in DEFAULT_WEIGHTS.items()})
    """Weights of the metrics in the score, where `evaluate` is given none."""
    RECORD_SCHEMA_VERSION: ClassVar[str] = "1"
    """Version of what `to_dict` gives; it changes when a reader of the old layout would go wrong."""

    score: float | None
    """The composite, 0 to 1; None where no metric could be computed."""
    grade: Grade | None
    """A from 0.9, B from 0.8, C from 0.7, D from 0.6, else F; None where unknowns leave it open."""
    score_bounds: tuple[float, float] | None
    """Lowest and highest score that the unknowns allow; None where nothing is unknown."""
    verdict: Verdict
    """`pass` where there is no difference at all, `inconclusive` where that hangs on what is unknown."""
    metrics: Mapping[str, Any]
    """All metrics in their groups (docs/metrics.md)."""
    weights: Mapping[str, float]
    """The weights as they were applied: merged over the defaults and normalised."""
    reasons: tuple[str, ...]
    """What is wrong, without values."""
    expected: tuple[ExpectedCall, ...]
    """The expected calls as the alignment resolved them."""
    actual: tuple[ToolCall, ...]
    alignment: tuple[Pair, ...]
    """Which expected call is which actual call, by index."""
    exact: bool
    """False where the alignment is not proven optimal."""

    @property
    def selection_accuracy(self) -> float:
        """Share of the actual calls whose tool is expected."""
        return float(self.metrics["selection_accuracy"])

    @property
    def argument_f1(self) -> float | None:
        """F1 of the arguments over the aligned calls; None where arguments that count are unknown."""
        value: float | None = self.metrics["argument_metrics"]["f1"]
        return value

    @property
    def sequence_accuracy(self) -> float:
        """One minus the normalised edit distance of the tool names."""
        return float(self.metrics["sequence_metrics"]["sequence_accuracy"])

    @property
    def redundant_rate(self) -> float:
        """Share of the actual calls that are beyond what is expected of their tool."""
        return float(self.metrics["efficiency_metrics"]["redundant_rate"])

    @property
    def required_call_recall(self) -> float | None:
        """Share of the expected calls that were made and did not fail; None where nothing is expected."""
        value: float | None = self.metrics["required_call_recall"]
        return value

    @property
    def policy_violations(self) -> list[dict[str, Any]]:
        """The calls that `forbidden` forbids: `index`, `tool`, `args`, `rule` (its index) and `reason` of each."""
        return list(self.metrics["policy_metrics"]["violations"])

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON types, with credentials masked."""
        whole = {
            "schema_version": self.RECORD_SCHEMA_VERSION,
            "score": self.score,
            "score_bounds": self.score_bounds,
            "grade": self.grade,
            "verdict": self.verdict,
            "weights": dict(self.weights),
            "selection_accuracy": self.selection_accuracy,
            "argument_f1": self.argument_f1,
            "sequence_accuracy": self.sequence_accuracy,
            "redundant_rate": self.redundant_rate,
            "required_call_recall": self.required_call_recall,
            "metrics": self.metrics,
            "reasons": self.reasons,
            "calls": {
                "expected": [_expected_record(call) for call in self.expected],
                "actual": [record(call, values=True) for call in self.actual],
            },
            "alignment": [
                {
                    "expected": pair.expected,
                    "actual": pair.actual,
                    "match": pair.match,
                    "unknown": pair.unknown,
                    "differences": [_difference_record(difference) for difference in pair.differences],
                }
                for pair in self.alignment
            ],
            "exact": self.exact,
        }
        plain = masked(json_types(whole))
        assert isinstance(plain, dict)
        return plain

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        bounds = [] if self.score_bounds is None else [("score_bounds", self.score_bounds)]
        return [
            ("score", self.score),
            *bounds,
            ("grade", self.grade),
            ("verdict", self.verdict),
            *((name, getattr(self, name)) for name in _COMPOSITE),
            ("policy_violations", len(self.policy_violations)),
            ("reasons", [mask(reason) for reason in self.reasons]),
        ]

    def __repr__(self) -> str:
        return f"EvaluationResult({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


def told(result: EvaluationResult) -> Iterator[str]:
    """The calls side by side, one row a line, summary first; bounded, with credentials masked.

    `=` a matched call, `~` one with differences, `-` a missing one, `+` one that is not expected, `?` one that is not known.
    """
    yield "  ".join(f"{name} {_number(getattr(result, name))}" for name in _COMPOSITE)
    rows = [pair for pair in result.alignment if pair.match != "matched" or pair.unknown]
    if not rows:
        yield "every call is matched"
    for pair in rows[:MAX_ROWS]:
        yield from _row(pair, result)
    if len(rows) > MAX_ROWS:
        yield f"... and {len(rows) - MAX_ROWS} more calls that differ (`to_dict()` has all)"


def _row(pair: Pair, result: EvaluationResult) -> Iterator[str]:
    wanted = None if pair.expected is None else result.expected[pair.expected]
    made = None if pair.actual is None else result.actual[pair.actual]
    if made is None and wanted is not None:
        yield f"  - expected[{pair.expected}] {shown_call(wanted.name, wanted.arguments)}: was not called"
    elif wanted is None and made is not None:
        yield f"  + actual[{pair.actual}] {shown_call(made.tool, _arguments(made))}: is not expected"
    elif made is not None:
        mark = "?" if pair.unknown else "~"
        order = ": is out of order" if pair.match == "out_of_order" else ""
        yield f"  {mark} expected[{pair.expected}] is actual[{pair.actual}] {shown_call(made.tool, _arguments(made))}{order}"
    for difference in pair.differences[:MAX_DIFFERENCES] if wanted is not None and made is not None else ():
        yield f"      {shown_difference(difference)}"
    if len(pair.differences) > MAX_DIFFERENCES:
        yield f"      ... and {len(pair.differences) - MAX_DIFFERENCES} more differences"


def _arguments(call: ToolCall) -> Mapping[str, object] | None:
    value = call.arguments.value
    return value if isinstance(value, dict) else None


def shown_call(name: str, arguments: Mapping[str, object] | None) -> str:
    """`tool(name=value, ...)` on one line; `tool(...)` where the arguments are not known or not checked."""
    if arguments is None:
        return f"{name}(...)"
    listed = ", ".join(f"{mask(key)}={shown(value, key)}" for key, value in list(arguments.items())[:MAX_DIFFERENCES])
    return f"{name}({listed}{', ...' if len(arguments) > MAX_DIFFERENCES else ''})"


def difference_key(difference: Difference) -> str:
    """The last key of the path, which may call the value a credential."""
    key = _LAST_KEY.search(difference.path)
    return key[1] if key else ""


def shown_difference(difference: Difference) -> str:
    """`path: expected X, got Y`, or why, where a side is missing."""
    name = difference_key(difference)
    if difference.expected is MISSING or difference.actual is MISSING:
        side = difference.actual if difference.expected is MISSING else difference.expected
        return f"{difference.path}: {difference.why}" + ("" if side is MISSING else f" ({shown(side, name)})")
    return f"{difference.path}: expected {shown(difference.expected, name)}, got {shown(difference.actual, name)}"


def shown(value: object, key: str = "") -> str:
    """The value at a key on one line, bounded; credentials are masked, those that the key calls one too."""
    plain = masked({key: json_types(value)})
    assert isinstance(plain, dict)
    text = json.dumps(next(iter(plain.values())), ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}..."


def json_types(value: object) -> object:
    """The value as types that JSON has: matchers by their `$` spelling, numbers as floats, NaN, infinities and other objects as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Fraction | float):
        number = float(value)
        return number if number - number == 0 else str(number)
    if isinstance(value, Matcher):
        return json_types(value.spelled())
    if isinstance(value, Mapping):
        return {str(key): json_types(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_types(item) for item in value]
    return repr(value)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _expected_record(call: ExpectedCall) -> dict[str, object]:
    return {
        "tool": call.name,
        "args": call.arguments,
        "server": call.server,
        "outcome": call.outcome,
        "allow_extra_fields": call.allow_extra_fields,
        "min_times": call.min_times,
        "max_times": call.max_times,
        "must": call.must,
    }


def _difference_record(difference: Difference) -> dict[str, object]:
    sides = {"expected": difference.expected, "actual": difference.actual}
    return {"path": difference.path, **{name: side for name, side in sides.items() if side is not MISSING}, "why": difference.why}
