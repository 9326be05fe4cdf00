"""valid_arguments: calls whose arguments their JSON Schema refuses."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from otel_toolscore.model import MISSING, Evidence, Missing, Variant
from otel_toolscore.rules.judge import Answer, Situation, cut, inconclusive, shown, violation
from otel_toolscore.rules.pattern import Pattern, accused_variants, evidence_of, unreadable
from otel_toolscore.rules.truth import NO, YES, Fit, all_hold, some_holds, unknown
from otel_toolscore.schemas import SchemaError, validate


class ValidArguments(msgspec.Struct, frozen=True):
    """Violated when the arguments do not validate; silent where there is no schema."""

    call: Pattern


class ValidArgumentsJudge:
    """A call with arguments that its schema refuses is a violation; so is one whose arguments are no JSON object."""

    def __init__(self, constraint: ValidArguments) -> None:
        self.accused: Pattern | None = constraint.call
        self._call = constraint.call
        self.naming: tuple[Pattern, ...] | None = (constraint.call,)

    def judge(self, situation: Situation, fit: Fit) -> Answer | None:
        """Inconclusive where the arguments, or what the schema makes of them, are not known."""
        if fit.truth is False:
            return None
        call = situation.call
        variants = accused_variants(self._call, call, situation.context)
        found = [_refused(variant, evidence_of(variant, call), situation) for variant in variants]
        both = all_hold((fit, some_holds(refusal.fit for refusal in found)))
        if both.truth is False:
            return None
        what = f"the arguments of {shown(call)} are not as their schema says"
        if both.truth is None:
            return inconclusive(what, both)
        refusal = next(refusal for refusal in found if refusal.fit.truth is True)
        return violation(f"{what}: {refusal.why}", refusal.fit.path)


class _Refusal(NamedTuple):
    """Whether the schema refuses the arguments, and what is wrong with them."""

    fit: Fit
    why: str = ""


def _refused(variant: Variant, evidence: Evidence, situation: Situation) -> _Refusal:
    schema = _schema(variant, situation)
    if schema is MISSING:
        return _Refusal(NO)
    if evidence.cause == "malformed":
        return _Refusal(YES, "they are not a JSON object")
    if evidence.state != "captured":
        return _Refusal(unknown(unreadable("arguments", evidence)))
    try:
        faults = validate(schema, evidence.value)
    except SchemaError:
        return _Refusal(unknown("schema_unusable"))
    if not faults:
        return _Refusal(NO)
    path = cut(faults[0].path)
    return _Refusal(Fit(True, None, path), f"`{path}` {faults[0].why}")


def _schema(variant: Variant, situation: Situation) -> object | Missing:
    """The policy's schema for the tool, else the one recorded on the trace."""
    server = variant.server or situation.call.server
    names = (variant.recorded_name, variant.tool)
    for name in names:
        of_server = situation.context.servers.get(name)
        if name in situation.context.parameters and (server is None or of_server is None or of_server == server):
            return situation.context.parameters[name]
    return next((situation.schemas[name] for name in names if name in situation.schemas), MISSING)
