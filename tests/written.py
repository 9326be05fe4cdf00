"""Short ways to write calls, runs, patterns and rules in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from otel_toolscore.engine import Bounds, Engine, score_runs
from otel_toolscore.engine.offline import document
from otel_toolscore.matchers import build
from otel_toolscore.model import Document, Evidence, Finding, Run, Scope, ToolCall, Variant
from otel_toolscore.paths import Path
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.pattern import ArgumentTests, Pattern, When
from otel_toolscore.rules.rule import Constraint, Rule

MILLISECOND = 1_000_000
START = 1_790_000_000_000_000_000


def captured(value: object) -> Evidence:
    return Evidence("captured", value)


def unreadable(cause: str, text: str | None = None) -> Evidence:
    return Evidence("unreadable", cause=cause, text=text)  # type: ignore[arg-type]


NOT_CAPTURED = Evidence("not_captured")


def call(tool: str, args: object = None, start: int = 0, end: int | None = None, **more: Any) -> ToolCall:
    """A call at `start` ms, of 5 ms; `args` None: captured and empty; an Evidence as it is."""
    evidence = args if isinstance(args, Evidence) else captured({} if args is None else args)
    fields: dict[str, Any] = {
        "start_ns": START + start * MILLISECOND,
        "end_ns": START + (start + 5 if end is None else end) * MILLISECOND,
        "trace_id": "t",
        "span_id": f"s{start:06}",
        "service": "agents",
        "dialect": "genai",
    }
    return ToolCall(tool=tool, arguments=evidence, **(fields | more))


def variant(tool: str, args: object = NOT_CAPTURED, server: str | None = None, recorded_name: str | None = None) -> Variant:
    return Variant(tool, server, recorded_name or tool, args if isinstance(args, Evidence) else captured(args))


def scope(id: str, kind: str = "agent", name: str | None = None, parent: str | None = None, **more: Any) -> Scope:  # noqa: A002
    return Scope(id=id, kind=kind, name=name, parent=parent, span_id=id, **more)  # type: ignore[arg-type]


def run(*calls: ToolCall, scopes: Sequence[Scope] = (), trace: str = "t", **more: Any) -> Run:
    """A run of the calls; without scopes, the run of a trace without any."""
    top = scopes or (scope(f"trace:{trace}", "trace", service="agents"),)
    return Run(trace_id=trace, scopes=tuple(top), calls=calls, **more)


def tests(arguments: Mapping[str, object] | None) -> ArgumentTests | None:
    return None if arguments is None else tuple((Path.parse(path), build(wanted)) for path, wanted in arguments.items())


def names(given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def pattern(tool: str | Sequence[str] | None = None, args: Mapping[str, object] | None = None, **more: Any) -> Pattern:
    """`args` and `result` as a policy writes them."""
    for key in ("server", "agent", "outcome"):
        if key in more:
            more[key] = names(more[key])
    if "any_arg" in more:
        more["any_arg"] = build(more["any_arg"])
    if "result" in more:
        result = more["result"]
        more["result"] = tests(result) if isinstance(result, dict) and not any(key[:1] == "$" for key in result) else build(result)
    return Pattern(tool=names(tool), args=tests(args), **more)


def when(**parts: Any) -> When:
    for key in ("agent", "workflow", "service"):
        if key in parts:
            parts[key] = names(parts[key])
    if "input" in parts:
        parts["input"] = build(parts["input"])
    if "attributes" in parts:
        parts["attributes"] = tuple((key, build(value)) for key, value in parts["attributes"].items())
    return When(**parts)


def same(**paths: str) -> tuple[tuple[Path, Path], ...]:
    return tuple((Path.parse(ours), Path.parse(theirs)) for ours, theirs in paths.items())


def rule(constraint: Constraint, **more: Any) -> Rule:
    return Rule(id=more.pop("id", "r"), constraint=constraint, **more)


def scored(rules: Rule | Sequence[Rule], *runs: Run, **policy: Any) -> Document:
    given = (rules,) if isinstance(rules, Rule) else tuple(rules)
    return score_runs(Policy(rules=given, **policy), runs)


def findings(document: Document) -> list[Finding]:
    return [finding for each in document.runs for finding in each.findings]


def said(document: Document) -> list[tuple[str, int | None]]:
    """(kind, call) of every finding."""
    return [(finding.kind, finding.call) for finding in findings(document)]


def judged(constraint: Constraint, *calls: ToolCall, **more: Any) -> list[tuple[str, int | None]]:
    """What one rule says of the calls of one run: (kind, call)."""
    about = {key: more.pop(key) for key in ("scopes", "complete", "tool_schemas") if key in more}
    tools = {"tools": more.pop("tools")} if "tools" in more else {}
    return said(scored(rule(constraint, **more), run(*calls, **about), **tools))


def fed_one_by_one(policy: Policy, *runs: Run, bounds: Bounds | None = None) -> Document:
    """The same as `score_runs`, every call fed alone in the order of ends, as a processor learns of them."""
    engine = Engine(policy, bounds)
    engine.feed([msgspec.structs.replace(each, calls=()) for each in runs])
    calls = sorted(((each, call) for each in runs for call in each.calls), key=lambda pair: (pair[1].end_ns or 0, pair[1].span_id))
    for each, one in calls:
        engine.feed([msgspec.structs.replace(each, calls=(one,))])
    return document(engine, [engine.end_run(each.key) for each in runs])
