"""What `evaluate` says of the calls beyond the composite: names, repetition, failures, the path taken, credentials.

Each function gives one group of `EvaluationResult.metrics`; docs/metrics.md has the formulas. Numbers are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from otel_toolscore.align.evidence import arguments_of, names_of, unusable
from otel_toolscore.compare import canonical, compare_arguments
from otel_toolscore.credentials import find, masked
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.model import ToolCall, Truth
from otel_toolscore.paths import joined

ONE = Fraction(1)


def called_names(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]) -> list[str]:
    """The name of each call: as it is expected where it is, else as it was recorded."""
    wanted = {call.name for call in expected}
    return [next(iter(sorted(names_of(call) & wanted)), call.recorded_name or call.tool) for call in calls]


def invocation_accuracy(expected: set[str], called: set[str]) -> Fraction:
    """Over the sets of names: (hits - half of the extra and the missed ones) / expected, within 0 and 1."""
    if not expected or not called:
        return Fraction(expected == called)
    wrong = len(expected ^ called)
    return min(ONE, max(Fraction(0), (len(expected & called) - Fraction(wrong, 2)) / len(expected)))


def tool_correctness(expected: set[str], called: set[str]) -> dict[str, object]:
    """Which of the expected tools were called at all, and which others."""
    share = Fraction(len(expected & called), len(expected)) if expected else Fraction(not called)
    return {
        "tool_correctness": share,
        "expected_tools": sorted(expected),
        "called_tools": sorted(called),
        "missing_tools": sorted(expected - called),
        "extra_tools": sorted(called - expected),
        "correct_count": len(expected & called),
        "total_expected": len(expected),
    }


def trajectory(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], *, strict: bool) -> dict[str, object]:
    """How far the calls follow the expected steps, position by position; null where that hangs on arguments that are not known."""
    steps = [_step_met(step, call, strict) for step, call in zip(expected, calls, strict=False)]
    met = steps.count(True)
    rate = Fraction(met, len(expected)) if expected else Fraction(not calls)
    efficiency = Fraction(len(expected), len(calls)) if len(calls) > len(expected) else Fraction(bool(calls) or not expected)
    known = None not in steps
    return {
        "trajectory_accuracy": rate * efficiency if known else None,
        "step_match_rate": rate if known else None,
        "path_efficiency": efficiency,
        "correct_steps": met,
        "total_expected_steps": len(expected),
    }


def _step_met(step: ExpectedCall, call: ToolCall, strict: bool) -> Truth:
    if step.name not in names_of(call) or (step.server and call.server and step.server != call.server):
        return False
    if not step.arguments:
        return True
    recorded = arguments_of(call)
    if not recorded:
        return False if unusable(call) else None
    found = compare_arguments(step.arguments, recorded[0], rules=step.field_rules, allow_extra=True, strict=strict)
    if found.differences:
        return False
    return None if found.unknown else True


def repetition(calls: Sequence[ToolCall], *, strict: bool) -> dict[str, object]:
    """Calls that repeat an earlier one, that failed, and that repeat the failed one right before them."""
    forms = [_form(call, strict) for call in calls]
    seen: set[object] = set()
    identical = 0
    for form in forms:
        identical += form in seen
        if form is not None:
            seen.add(form)
    failed = [call.outcome == "error" for call in calls]
    retries = sum(failed[index] and forms[index] is not None and forms[index] == forms[index + 1] for index in range(len(calls) - 1))
    return {
        "total_calls": len(calls),
        "identical_count": identical,
        "identical_rate": _share(identical, len(calls)),
        "error_count": sum(failed),
        "error_rate": _share(sum(failed), len(calls)),
        "retry_after_error_count": retries,
    }


def _form(call: ToolCall, strict: bool) -> object:
    """Equal for calls with the same tool, server and arguments; None where the arguments are not known."""
    if call.arguments.state != "captured":
        return None
    return call.tool, call.server, canonical(call.arguments.value, strict)


def _share(count: int, total: int) -> Fraction:
    return Fraction(count, total) if total else Fraction(0)


def credentials_passed(calls: Sequence[ToolCall]) -> dict[str, object]:
    """Credentials in the arguments of the calls: where and of which kind, never what they are."""
    secrets = [
        {"index": index, "tool": call.tool, "path": path, "kind": kind}
        for index, call in enumerate(calls)
        for path, kind in _credentials(call.arguments.value if call.arguments.state == "captured" else call.arguments.text)
    ]
    return {"secret_count": len(secrets), "secrets": secrets}


def _credentials(value: object) -> Iterator[tuple[str, str]]:
    """Paths at which masking changes a text, and what was found there."""
    pending: list[tuple[str, object, object]] = [("$", value, masked(value))]
    while pending:
        path, original, shown = pending.pop()
        if isinstance(original, str):
            if original != shown:
                yield path, next((one.kind for one in find(original)), "secret")
        elif isinstance(original, dict) and isinstance(shown, dict):
            pairs = list(zip(original.items(), shown.items(), strict=True))
            yield from ((joined(path, safe), "secret") for (key, _), (safe, _) in pairs if key != safe)
            pending.extend((joined(path, safe), item, other) for (_, item), (safe, other) in reversed(pairs))
        elif isinstance(original, list) and isinstance(shown, list):
            pending.extend((f"{path}[{index}]", *both) for index, both in reversed(list(enumerate(zip(original, shown, strict=True)))))
