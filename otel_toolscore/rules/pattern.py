"""PATTERN: what a rule says of one call, in three-valued logic and in two polarities.

A pattern *accuses* where a match is what a rule finds, and *excuses* where a match is what lets a call pass. Accusing is lenient
in reading the call (look-alike names, text that could not be parsed, any one of several variants); excusing takes only what was
captured, as it was recorded, and only if every variant agrees. What cannot be known is unknown in both.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from otel_toolscore.matchers import Matcher, attributes_asked, test_anywhere, test_at, test_text
from otel_toolscore.model import Evidence, Outcome, ToolCall, Truth, Variant
from otel_toolscore.paths import Path
from otel_toolscore.rules.names import Names, compiled
from otel_toolscore.rules.size import beyond, too_large
from otel_toolscore.rules.truth import NO, YES, Fit, all_hold, known, some_holds, unknown

ArgumentTests: TypeAlias = tuple[tuple[Path, Matcher], ...]


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on one call; what is None is not asked, what is given is anded."""

    tool: tuple[str, ...] | None = None
    """Names or globs, one of which fits."""
    server: tuple[str, ...] | None = None
    agent: tuple[str, ...] | None = None
    """On the nearest agent."""
    args: ArgumentTests | None = None
    """Empty: the call takes no arguments."""
    any_arg: Matcher | None = None
    result: Matcher | ArgumentTests | None = None
    outcome: tuple[Outcome, ...] | None = None
    allow_extra_fields: bool = True


class When(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on scopes."""

    agent: tuple[str, ...] | None = None
    workflow: tuple[str, ...] | None = None
    service: tuple[str, ...] | None = None
    input: Matcher | None = None
    attributes: tuple[tuple[str, Matcher], ...] = ()


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a pattern is judged by, besides the call."""

    servers: Mapping[str, str] = {}
    """Tool name -> the server that the policy says it is of."""
    parameters: Mapping[str, object] = {}
    """Tool name -> the JSON Schema of its arguments, as the policy has it."""
    attributes: Mapping[str, tuple[object, ...]] = {}
    """Attributes of the scope around the call, for `$attr`."""


NO_CONTEXT: Final = Context()

_MCP: Final = "mcp__"


def fits(pattern: Pattern, call: ToolCall, *, accuse: bool, context: Context = NO_CONTEXT) -> Truth:
    """Whether the call matches the pattern; None where that cannot be known."""
    return examine(pattern, call, accuse=accuse, context=context).truth


def examine(pattern: Pattern, call: ToolCall, *, accuse: bool, context: Context = NO_CONTEXT) -> Fit:
    """As `fits`, with the cause where it is unknown and the argument path that decided."""
    variants = call.described()
    test = _variant if accuse else _recorded_variant
    if len(variants) == 1:
        described = test(pattern, variants[0], call, context)
    else:
        combined = some_holds if accuse else all_hold
        described = combined(test(pattern, variant, call, context) for variant in variants)
    if described.truth is False or (pattern.agent is None and pattern.outcome is None and pattern.result is None):
        return described
    rest = all_hold(_rest(pattern, call, accuse, context))
    return described if rest.truth is True else all_hold((described, rest))


def evidence_of(variant: Variant, call: ToolCall) -> Evidence:
    """The arguments that go with a variant: its own, or the call's where its span recorded none."""
    return call.arguments if variant.arguments.state == "not_captured" else variant.arguments


def accused_variants(pattern: Pattern, call: ToolCall, context: Context) -> Sequence[Variant]:
    """The variants for which an accusing pattern holds; where there are none, those for which it may hold."""
    variants = call.described()
    if len(variants) == 1:
        return variants
    truths = [(variant, _variant(pattern, variant, call, context).truth) for variant in variants]
    return [variant for variant, truth in truths if truth is True] or [variant for variant, truth in truths if truth is None]


def unreadable(what: str, evidence: Evidence) -> str:
    """The cause of not knowing `what` (arguments or result), where it was not captured as a value."""
    return f"{what}_not_captured" if evidence.state == "not_captured" else f"{what}_{evidence.cause or 'unreadable'}"


def _variant(pattern: Pattern, variant: Variant, call: ToolCall, context: Context) -> Fit:
    """One variant, where the pattern accuses."""
    if pattern.tool is not None and not _accused_name(pattern.tool, variant.tool, variant.recorded_name, variant.server or call.server):
        return NO
    return _where_and_what(pattern, variant, call, context, accuse=True)


@functools.lru_cache(maxsize=4096)
def _accused_name(patterns: tuple[str, ...], tool: str, recorded_name: str, server: str | None) -> bool:
    names = compiled(patterns)
    if names.fit_folded(tool) or (recorded_name != tool and names.fit_folded(recorded_name)):
        return True
    return server is not None and names.fit_folded(f"{_MCP}{server}__{tool}")


def _recorded_variant(pattern: Pattern, variant: Variant, call: ToolCall, context: Context) -> Fit:
    """One variant, where the pattern excuses."""
    server = variant.server or call.server
    if pattern.tool is not None and not _excused_name(compiled(pattern.tool), variant, server, context, named=pattern.server is not None):
        return NO
    return _where_and_what(pattern, variant, call, context, accuse=False)


def _excused_name(names: Names, variant: Variant, server: str | None, context: Context, *, named: bool) -> bool:
    """Exact; a name alone excuses a call of a known server only where the policy says that the tool is of that server."""
    if names.any:
        return True
    fit = names.fit(variant.tool) or names.fit(variant.recorded_name)
    if named or server is None:
        return fit
    if fit and server in (context.servers.get(variant.tool), context.servers.get(variant.recorded_name)):
        return True
    explicit = tuple(pattern for pattern in names.patterns if pattern.startswith(_MCP))
    if not explicit:
        return False
    forms = {variant.recorded_name, f"{_MCP}{server}__{variant.tool}"} - {variant.tool}
    return any(compiled(explicit).fit(form) for form in forms)


def _where_and_what(pattern: Pattern, variant: Variant, call: ToolCall, context: Context, *, accuse: bool) -> Fit:
    """The server and the arguments of one variant."""
    arguments = _arguments(pattern, evidence_of(variant, call), accuse, context)
    if pattern.server is None:
        return arguments
    return all_hold((_server(pattern, variant.server or call.server, accuse=accuse), arguments))


def _server(pattern: Pattern, server: str | None, *, accuse: bool) -> Fit:
    if server is None:
        return unknown("server_unknown")
    names = compiled(pattern.server or ())
    return known(names.fit_folded(server) if accuse else names.fit(server))


def _rest(pattern: Pattern, call: ToolCall, accuse: bool, context: Context) -> Iterator[Fit]:
    """What is asked of the call as a whole."""
    if pattern.agent is not None:
        yield unknown("agent_unknown") if call.agent is None else known(compiled(pattern.agent).fit(call.agent))
    if pattern.outcome is not None:
        yield outcome_fits(pattern.outcome, call.outcome)
    if pattern.result is not None:
        tests = pattern.result
        parts = (
            _at_paths(tests, call.result, "result", accuse, context)
            if isinstance(tests, tuple)
            else (_value(tests, call.result, "result", accuse, context),)
        )
        yield all_hold(parts)._replace(path=None)


def outcome_fits(wanted: tuple[Outcome, ...], outcome: Outcome) -> Fit:
    """Whether the outcome is one of those wanted; an outcome that is not known may be any."""
    if outcome in wanted:
        return YES
    return unknown("outcome_unknown") if outcome == "unknown" else NO


def _arguments(pattern: Pattern, evidence: Evidence, accuse: bool, context: Context) -> Fit:
    if pattern.args is None and pattern.any_arg is None and pattern.allow_extra_fields:
        return YES
    return all_hold(_argument_tests(pattern, evidence, accuse, context))


def _argument_tests(pattern: Pattern, evidence: Evidence, accuse: bool, context: Context) -> Iterator[Fit]:
    if pattern.args == () or not pattern.allow_extra_fields:
        yield _no_others(pattern.args or (), evidence)
    if pattern.args:
        yield from _at_paths(pattern.args, evidence, "arguments", accuse, context)
    if pattern.any_arg is not None:
        yield _anywhere(pattern.any_arg, evidence, accuse, context)


def _no_others(tests: ArgumentTests, evidence: Evidence) -> Fit:
    """No top-level argument but those that the paths begin with."""
    if evidence.state != "captured":
        return unknown(unreadable("arguments", evidence))
    arguments = evidence.value
    if not isinstance(arguments, Mapping):
        return NO
    if any(not path.steps for path, _ in tests):
        return YES
    named = {_top(path, arguments) for path, _ in tests}
    return known(all(key in named for key in arguments))


def _top(path: Path, arguments: Mapping[str, object]) -> str | None:
    """The top-level argument that the path goes through."""
    present = [key for key, _ in path.steps[0].keys if key in arguments]
    leading = (key for key in present if path.select({key: arguments[key]}))
    return next(leading, present[0] if present else None)


def _at_paths(tests: ArgumentTests, evidence: Evidence, what: str, accuse: bool, context: Context) -> Iterator[Fit]:
    for path, matcher in tests:
        if evidence.state != "captured":
            yield _in_text(matcher, evidence, what, accuse)._replace(path=path.text)
            continue
        value = evidence.value
        needed = value.get(path.only) if path.only is not None and isinstance(value, Mapping) else value
        if too_large(needed):
            yield unknown(f"{what}_too_large", path.text)
            continue
        truth = test_at(path, matcher, value, accuse=accuse, attributes=context.attributes)
        yield Fit(truth, None if truth is not None else _why_open(matcher, needed, what, context), path.text)


def _value(matcher: Matcher, evidence: Evidence, what: str, accuse: bool, context: Context) -> Fit:
    """The matcher on the value as a whole."""
    if evidence.state != "captured":
        return _in_text(matcher, evidence, what, accuse)
    if too_large(evidence.value):
        return unknown(f"{what}_too_large")
    truth = matcher.test(evidence.value, accuse=accuse, attributes=context.attributes)
    return Fit(truth, None if truth is not None else _why_open(matcher, evidence.value, what, context))


def _anywhere(matcher: Matcher, evidence: Evidence, accuse: bool, context: Context) -> Fit:
    if evidence.state != "captured":
        return _in_text(matcher, evidence, "arguments", accuse)
    if too_large(evidence.value):
        return unknown("arguments_too_large")
    truth = test_anywhere(matcher, evidence.value, accuse=accuse, attributes=context.attributes)
    return Fit(truth, None if truth is not None else _why_open(matcher, evidence.value, "arguments", context))


def _why_open(matcher: Matcher, value: object, what: str, context: Context) -> str:
    """Why a matcher cannot tell of what was captured."""
    if not all(context.attributes.get(key) for key in attributes_asked(matcher)):
        return "attribute_not_recorded"
    return f"{what}_too_large" if beyond(matcher, value) else f"{what}_not_comparable"


def _in_text(matcher: Matcher, evidence: Evidence, what: str, accuse: bool) -> Fit:
    """What was not captured as a value is unknown; where the matcher accuses, finding it in the text is enough."""
    if evidence.state == "unreadable" and evidence.text is not None:
        if too_large(evidence.text):
            return unknown(f"{what}_too_large")
        truth = test_text(matcher, evidence.text, accuse=accuse)
        if truth is not None:
            return known(truth)
    return unknown(unreadable(what, evidence))
