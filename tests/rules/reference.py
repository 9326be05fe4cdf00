"""What the rules come to, worked out the slow way: every call against every other, straight from what docs/policy.md says.

Shares with the engine the records, paths, matchers and the comparison of values, and nothing of how it judges.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from otel_toolscore.compare import canonical
from otel_toolscore.compare.equality import number_in
from otel_toolscore.matchers import test_anywhere, test_at, test_text
from otel_toolscore.model import MISSING, Evidence, Run, Scope, ToolCall, Truth, Variant
from otel_toolscore.paths import Path
from otel_toolscore.policy.records import Policy
from otel_toolscore.rules.arguments import ValidArguments
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.limits import Limit, Repeats
from otel_toolscore.rules.order import Before, NeverAfter
from otel_toolscore.rules.pattern import Pattern, When
from otel_toolscore.rules.rule import Rule
from otel_toolscore.schemas import validate

Said = tuple[int, str, int | str, str]
"""(index of the run, rule, index of the call or id of the scope, kind)"""


def both(*parts: Truth) -> Truth:
    return False if False in parts else None if None in parts else True


def either(*parts: Truth) -> Truth:
    return True if True in parts else None if None in parts else False


class Here(NamedTuple):
    """A call in its run."""

    run: int
    number: int
    call: ToolCall
    around: tuple[Scope, ...]

    @property
    def order(self) -> tuple[object, ...]:
        call = self.call
        return (call.start_ns is None, call.start_ns or 0, call.end_ns is None, call.end_ns or 0, call.span_id, call.trace_id)


def folded(name: str) -> str:
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return visible.strip().casefold()


def globbed(pattern: str, name: str) -> bool:
    parts = {"*": ".*", "?": "."}
    return re.fullmatch("".join(parts.get(char, re.escape(char)) for char in pattern), name, re.DOTALL) is not None


def named(patterns: Iterable[str], names: Iterable[str], *, accuse: bool) -> bool:
    change = folded if accuse else str
    return any(globbed(change(pattern), change(name)) for pattern, name in itertools.product(patterns, names))


def arguments(variant: Variant, call: ToolCall) -> Evidence:
    return call.arguments if variant.arguments.state == "not_captured" else variant.arguments


def name_fits(pattern: Pattern, variant: Variant, server: str | None, tools: Mapping[str, Any], *, accuse: bool) -> bool:
    if pattern.tool is None or "*" in pattern.tool:
        return True
    names = {variant.tool, variant.recorded_name}
    full = set() if server is None else {f"mcp__{server}__{variant.tool}"}
    if accuse:
        return named(pattern.tool, names | full, accuse=True)
    if server is None or pattern.server is not None:
        return named(pattern.tool, names, accuse=False)
    declared = {tools[name].server for name in names if name in tools}
    if server in declared and named(pattern.tool, names, accuse=False):
        return True
    explicit = [each for each in pattern.tool if each.startswith("mcp__")]
    return named(explicit, (names | full) - {variant.tool}, accuse=False)


def value_fits(pattern: Pattern, evidence: Evidence, attributes: Mapping[str, tuple[object, ...]], *, accuse: bool) -> Truth:
    parts: list[Truth] = []
    text = evidence.text if evidence.state == "unreadable" else None
    for path, matcher in pattern.args or ():
        if evidence.state == "captured":
            parts.append(test_at(path, matcher, evidence.value, accuse=accuse, attributes=attributes))
        else:
            parts.append(None if text is None else test_text(matcher, text, accuse=accuse))
    if pattern.any_arg is not None:
        if evidence.state == "captured":
            parts.append(test_anywhere(pattern.any_arg, evidence.value, accuse=accuse, attributes=attributes))
        else:
            parts.append(None if text is None else test_text(pattern.any_arg, text, accuse=accuse))
    if pattern.args == () or not pattern.allow_extra_fields:
        if evidence.state == "captured":
            expected = {path.text.split(".")[0].split("[")[0] for path, _ in pattern.args or ()}
            parts.append(isinstance(evidence.value, dict) and set(evidence.value) <= expected)
        else:
            parts.append(None)
    return both(*parts)


def fits(pattern: Pattern, here: Here, policy: Policy, *, accuse: bool) -> Truth:
    call = here.call
    attributes = here.around[0].attributes if here.around else {}
    described: list[Truth] = []
    for variant in call.described():
        server = variant.server or call.server
        of_server: Truth = True
        if pattern.server is not None:
            of_server = None if server is None else named(pattern.server, [server], accuse=accuse)
        name = name_fits(pattern, variant, server, policy.tools, accuse=accuse)
        described.append(both(name, of_server, value_fits(pattern, arguments(variant, call), attributes, accuse=accuse)))
    parts = [either(*described) if accuse else both(*described)]
    if pattern.agent is not None:
        parts.append(None if call.agent is None else named(pattern.agent, [call.agent], accuse=False))
    if pattern.outcome is not None:
        parts.append(True if call.outcome in pattern.outcome else None if call.outcome == "unknown" else False)
    return both(*parts)


def when_holds(when: When | None, here: Here) -> Truth:
    if when is None:
        return True
    parts: list[Truth] = []
    if when.agent is not None:
        scopes = [scope.name for scope in here.around if scope.kind == "agent"]
        recorded = {name for name in (*scopes, here.call.agent, *here.call.agent_path) if name is not None}
        fit = named(when.agent, recorded, accuse=False)
        parts.append(True if fit else None if None in scopes or not recorded else False)
    if when.workflow is not None:
        workflows = [scope.name for scope in here.around if scope.kind == "workflow"]
        parts.append(either(*(None if name is None else named(when.workflow, [name], accuse=False) for name in workflows)))
    if when.service is not None:
        parts.append(None if here.call.service is None else named(when.service, [here.call.service], accuse=False))
    if when.input is not None:
        inputs = [scope.input for scope in here.around if scope.input is not None]
        parts.append(either(*(when.input.test(text, accuse=True) for text in inputs)) if inputs else None)
    for key, matcher in when.attributes:
        values = [value for scope in here.around for value in scope.attributes.get(key, ())] or [MISSING]
        parts.append(either(*(matcher.test(value, accuse=True) for value in values)))
    return both(*parts)


def excused(rule: Rule, here: Here, policy: Policy) -> bool:
    for waiver in rule.waivers:
        start = here.call.start_ns
        day = None if start is None else dt.datetime.fromtimestamp(start // 10**9, dt.timezone.utc).date()
        in_force = waiver.until is None or (day is not None and day <= waiver.until)
        call = waiver.call is None or fits(waiver.call, here, policy, accuse=False) is True
        if in_force and call and when_holds(waiver.when, here) is True:
            return True
    return False


def accused(rule: Rule, pattern: Pattern, here: Here, policy: Policy) -> Truth:
    fit = both(when_holds(rule.when, here), fits(pattern, here, policy, accuse=True))
    return False if fit is not False and excused(rule, here, policy) else fit


def agent_of(here: Here) -> object:
    named = None if here.call.agent is None else ("named", here.call.agent)
    return next((scope.id for scope in here.around if scope.kind == "agent"), named)


def conversation_of(run: Run) -> str | None:
    return next((each.conversation for each in (*run.scopes, *run.calls) if each.conversation is not None), None)


class Judge:
    def __init__(self, policy: Policy, runs: Sequence[Run]) -> None:
        self.policy = policy
        self.runs = runs
        self.calls = [here for number, run in enumerate(runs) for here in placed(number, run)]

    def said(self) -> set[Said]:
        found: set[Said] = set()
        for rule in self.policy.rules:
            if isinstance(rule.constraint, Require):
                found |= {(run, rule.id, scope, kind) for run, scope, kind in self.require(rule, rule.constraint)}
                continue
            for here in self.calls:
                kind = self.kind(rule, here)
                if kind is not None:
                    found.add((here.run, rule.id, here.number, kind))
        return found

    def kind(self, rule: Rule, here: Here) -> str | None:
        constraint = rule.constraint
        if isinstance(constraint, Forbid):
            return of(accused(rule, constraint.pattern, here, self.policy))
        if isinstance(constraint, Allow):
            return self.allow(rule, constraint, here)
        if isinstance(constraint, ValidArguments):
            return of(both(accused(rule, constraint.call, here, self.policy), self.refused(constraint.call, here)))
        if isinstance(constraint, NeverAfter):
            before = either(
                *(
                    both(
                        self.same_unit(constraint.per, here, other),
                        earlier(other, here),
                        fits(constraint.after, other, self.policy, accuse=True),
                    )
                    for other in self.calls
                )
            )
            return of(both(accused(rule, constraint.call, here, self.policy), before))
        if isinstance(constraint, Before):
            return self.before(rule, constraint, here)
        return self.count(rule, constraint, here)

    def allow(self, rule: Rule, constraint: Allow, here: Here) -> str | None:
        when = when_holds(rule.when, here)
        allowed = either(*(fits(pattern, here, self.policy, accuse=False) for pattern in constraint.patterns))
        if when is False or allowed is True or excused(rule, here, self.policy):
            return None
        return "inconclusive" if None in (when, allowed) else "violation"

    def refused(self, pattern: Pattern, here: Here) -> Truth:
        parts: list[Truth] = []
        for variant in accused_variants(pattern, here, self.policy):
            evidence = arguments(variant, here.call)
            server = variant.server or here.call.server
            schema: object = None
            for name in (variant.recorded_name, variant.tool):
                tool = self.policy.tools.get(name)
                if tool is not None and tool.parameters is not None and (None in (server, tool.server) or server == tool.server):
                    schema = tool.parameters
                    break
            if schema is None:
                parts.append(False)
            elif evidence.state == "captured":
                parts.append(bool(validate(schema, evidence.value)))
            else:
                parts.append(True if evidence.cause == "malformed" else None)
        return either(*parts)

    def require(self, rule: Rule, constraint: Require) -> Iterable[tuple[int, str, str]]:
        for number, run in enumerate(self.runs):
            for scope in run.scopes:
                chosen = self.chosen(rule.when, scope, run)
                inside = [here for here in self.calls if here.run == number and scope in here.around]
                met = either(*(fits(constraint.pattern, here, self.policy, accuse=False) for here in inside))
                if chosen is False or met is True:
                    continue
                yield number, scope.id, "violation" if met is False and chosen is True and run.complete else "inconclusive"

    @staticmethod
    def chosen(when: When | None, scope: Scope, run: Run) -> Truth:
        if when is None or when.agent is None:
            return scope is run.scopes[0]
        if scope.kind != "agent":
            return False
        return None if scope.name is None else named(when.agent, [scope.name], accuse=False)

    def same_unit(self, per: str, one: Here, other: Here) -> Truth:
        if per == "conversation":
            conversation = conversation_of(self.runs[one.run])
            return one.run == other.run or (conversation is not None and conversation == conversation_of(self.runs[other.run]))
        if one.run != other.run:
            return False
        if per == "run" or one is other:
            return True
        agents = agent_of(one), agent_of(other)
        return None if None in agents else agents[0] == agents[1]

    def incomplete(self, per: str, here: Here) -> bool:
        """Whether calls before may be missing."""
        if per != "conversation":
            return not self.runs[here.run].complete
        conversation = conversation_of(self.runs[here.run])
        if conversation is None:
            return True
        return any(not run.complete for run in self.runs if conversation_of(run) == conversation)

    def before(self, rule: Rule, constraint: Before, here: Here) -> str | None:
        fit = accused(rule, constraint.call, here, self.policy)
        if fit is False:
            return None
        met, missing = self.admitted_once(rule, constraint, here) if constraint.once else self.admitted(constraint, here)
        if met is False and not missing and self.incomplete(constraint.per, here):
            met = None
        if met is True:
            return None
        return "violation" if met is False and fit is True else "inconclusive"

    def needed(self, constraint: Before, other: Here) -> Truth:
        fit = fits(constraint.needs, other, self.policy, accuse=False)
        if constraint.needs.outcome is None:
            fit = both(fit, {"ok": True, "unknown": None}.get(other.call.outcome, False))
        return fit

    def offers(self, constraint: Before, other: Here, value: object) -> Truth:
        """Whether every variant of the call has the values."""
        parts: list[Truth] = []
        for variant in other.call.described():
            evidence = arguments(variant, other.call)
            if evidence.state != "captured":
                return None if constraint.same else True
            parts.append(value in rows([path for _, path in constraint.same], evidence.value))
        return both(*parts)

    def wants(self, constraint: Before, here: Here) -> tuple[set[object] | None, bool]:
        """The values that earlier calls must have (None: not known), and whether one is missing or null."""
        wanted: set[object] = set()
        unknown = missing = False
        for variant in accused_variants(constraint.call, here, self.policy):
            evidence = arguments(variant, here.call)
            if constraint.same and evidence.state != "captured":
                unknown = True
                continue
            for row in rows([path for path, _ in constraint.same], evidence.value):
                missing = missing or any(value in (canonical(MISSING), None) for value in row)
                wanted.add(row)
        return (None if unknown else wanted), missing

    def admitted(self, constraint: Before, here: Here) -> tuple[Truth, bool]:
        wanted, missing = self.wants(constraint, here)
        if missing:
            return False, True
        others = [
            (other, both(self.same_unit(constraint.per, here, other), earlier(other, here), self.needed(constraint, other)))
            for other in self.calls
        ]
        if wanted is None:
            return (None if any(fit is not False for _, fit in others) else False), False
        return both(*(either(*(both(fit, self.offers(constraint, other, value)) for other, fit in others)) for value in wanted)), False

    def admitted_once(self, rule: Rule, constraint: Before, here: Here) -> tuple[Truth, bool]:
        """Every asker in its order, up to the call: what is left for it of what came earlier."""
        used: list[tuple[Here, set[object] | None, bool]] = []
        answer: tuple[Truth, bool] = (False, False)
        askers = [each for each in self.calls if self.same_unit(constraint.per, here, each) is not False]
        for asker in sorted(askers, key=lambda each: each.order):
            fit = both(accused(rule, constraint.call, asker, self.policy), self.same_unit(constraint.per, here, asker))
            if fit is False:
                continue
            answer = self.left(constraint, here, asker, used)
            if asker is here:
                break
            if answer[0] is not False:
                used.append((asker, self.wants(constraint, asker)[0], fit is True and answer[0] is True))
        return answer

    def left(self, constraint: Before, here: Here, asker: Here, used: list[tuple[Here, set[object] | None, bool]]) -> tuple[Truth, bool]:
        wanted, missing = self.wants(constraint, asker)
        if missing:
            return False, True
        others = [
            (other, both(self.same_unit(constraint.per, here, other), earlier(other, asker), self.needed(constraint, other)))
            for other in self.calls
        ]
        others = [(other, fit) for other, fit in others if fit is not False]
        if wanted is None:
            return (None if len(others) > sum(certain for _, _, certain in used) else False), False
        parts: list[Truth] = []
        for value in wanted:
            supply = [both(fit, self.offers(constraint, other, value)) for other, fit in others]
            surely = sum(certain and values is not None and value in values for _, values, certain in used)
            perhaps = sum(not certain and (values is None or value in values) for _, values, certain in used)
            if supply.count(True) - surely - perhaps > 0:
                parts.append(True)
            else:
                parts.append(None if supply.count(True) + supply.count(None) - surely > 0 else False)
        return both(*parts), False

    def count(self, rule: Rule, constraint: Limit | Repeats, here: Here) -> str | None:
        own = accused(rule, constraint.call, here, self.policy)
        if own is False:
            return None
        counted = [
            (other, both(accused(rule, constraint.call, other, self.policy), self.same_unit(constraint.per, here, other)))
            for other in self.calls
        ]
        counted = [(other, fit) for other, fit in counted if fit is not False and (other is here or self.so_far(constraint, other, here))]
        part = part_of(constraint, here)
        counted = [(other, fit) for other, fit in counted if part_of(constraint, other) == part]
        mine = self.groups(constraint, here)
        everyones = [group for other, _ in counted for group in self.groups(constraint, other) or ()]
        over, may_be_over = [], []
        for group in [*everyones, "a new one"] if mine is None else mine:
            low, high, unknown = self.total(constraint, here, group, counted)
            over.append(low > constraint.max)
            may_be_over.append(unknown or high > constraint.max)
        if own is True and (all(over) if mine is None else any(over)):
            return "violation"
        return "inconclusive" if any(may_be_over) else None

    def so_far(self, constraint: Limit | Repeats, other: Here, here: Here) -> bool:
        within = constraint.within_ns if isinstance(constraint, Limit) else None
        if within is None:
            return other.order < here.order
        if other.call.start_ns is None or here.call.start_ns is None:
            return True
        return other.order < here.order and here.call.start_ns - within < other.call.start_ns

    def total(self, constraint: Limit | Repeats, here: Here, group: object, counted: list[tuple[Here, Truth]]) -> tuple[Any, Any, bool]:
        low = high = Fraction(0)
        unknown = False
        for other, fit in counted:
            if other is not here:
                groups = self.groups(constraint, other)
                timed = (
                    isinstance(constraint, Repeats)
                    or constraint.within_ns is None
                    or (other.call.start_ns is not None and here.call.start_ns is not None)
                )
                fit = both(fit, None if groups is None else group in groups, True if timed else None)
            else:
                fit = True
            amount = self.amount(constraint, other)
            if fit is False:
                continue
            if amount is None:
                unknown = True
                continue
            low += amount if fit is True else min(amount, 0)
            high += amount if fit is True else max(amount, 0)
        return low, high, unknown

    def groups(self, constraint: Limit | Repeats, here: Here) -> list[object] | None:
        if isinstance(constraint, Limit) and constraint.by is None:
            return ["all"]
        found: list[object] = []
        for variant in accused_variants(constraint.call, here, self.policy):
            evidence = arguments(variant, here.call)
            if evidence.state == "captured":
                if isinstance(constraint, Repeats):
                    found.append(canonical(evidence.value))
                else:
                    assert constraint.by is not None
                    found += [canonical(value) for _, value in constraint.by.candidates(evidence.value, nested_text=True)]
        return found or None

    def amount(self, constraint: Limit | Repeats, here: Here) -> Fraction | None:
        if isinstance(constraint, Repeats) or constraint.sum is None:
            return Fraction(1)
        sums = []
        for variant in accused_variants(constraint.call, here, self.policy):
            evidence = arguments(variant, here.call)
            if evidence.state != "captured":
                return None
            total = Fraction(0)
            for _, value in constraint.sum.candidates(evidence.value, nested_text=True):
                number: Any = number_in(value) if isinstance(value, str) else value
                if value is MISSING or value is None:
                    continue
                if number is None or isinstance(number, bool) or not isinstance(number, int | float):
                    return None
                total += Fraction(str(number))
            sums.append(total)
        return max(sums)


def placed(number: int, run: Run) -> list[Here]:
    scopes = {scope.id: scope for scope in run.scopes}
    found = []
    for index, call in enumerate(sorted(run.calls, key=lambda each: Here(0, 0, each, ()).order)):
        around = []
        scope = scopes.get(call.scope or "", run.scopes[0])
        while scope is not None:
            around.append(scope)
            scope = scopes.get(scope.parent or "")  # type: ignore[assignment]
        found.append(Here(number, index, call, tuple(around)))
    return found


def of(truth: Truth) -> str | None:
    return "violation" if truth is True else "inconclusive" if truth is None else None


def earlier(other: Here, here: Here) -> Truth:
    if other is here:
        return False
    if other.call.end_ns is None or here.call.start_ns is None:
        return None
    return other.call.end_ns <= here.call.start_ns


def part_of(constraint: Limit | Repeats, here: Here) -> object:
    call = here.call
    return (call.server and folded(call.server), folded(call.tool)) if isinstance(constraint, Repeats) else None


def accused_variants(pattern: Pattern, here: Here, policy: Policy) -> list[Variant]:
    """Those that fit by themselves; where none does, those that may."""
    only = Pattern(
        tool=pattern.tool, server=pattern.server, args=pattern.args, any_arg=pattern.any_arg, allow_extra_fields=pattern.allow_extra_fields
    )
    variants = here.call.described()
    if len(variants) == 1:
        return list(variants)
    truths = []
    for variant in variants:
        alone = ToolCall(
            tool=variant.tool,
            server=variant.server or here.call.server,
            recorded_name=variant.recorded_name,
            arguments=arguments(variant, here.call),
        )
        truths.append((variant, fits(only, here._replace(call=alone), policy, accuse=True)))
    return [variant for variant, truth in truths if truth] or [variant for variant, truth in truths if truth is None]


def rows(paths: list[Path], value: object) -> list[tuple[object, ...]]:
    """All values at each path with all at each other."""
    return list(itertools.product(*([canonical(found, strict=True) for _, found in path.candidates(value)] for path in paths)))
