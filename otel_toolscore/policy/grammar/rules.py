"""Rules, with their waivers."""

from __future__ import annotations

from typing import Final

from otel_toolscore.model import SEVERITIES
from otel_toolscore.policy.grammar.anchors import unanchored
from otel_toolscore.policy.grammar.constraints import CONSTRAINTS, NOT_YET, constraint_of
from otel_toolscore.policy.grammar.kinds import Choice, ListOf, MapOf, Text
from otel_toolscore.policy.grammar.patterns import PATTERN, WHEN
from otel_toolscore.policy.grammar.shapes import Given, Key, Shape
from otel_toolscore.policy.grammar.values import DAY, IDENTIFIER
from otel_toolscore.rules.rule import Rule, Waiver

TEXT: Final = Text()
ONE_LINE: Final = Text("one line of text", r"^[^\r\n]*[^ \t\r\n][^\r\n]*$")
SEVERITY: Final = Choice(SEVERITIES)

WAIVER: Final = Shape(
    name="waiver",
    title="a waiver",
    meaning="What a rule does not find: calls for which all that is given certainly holds.",
    keys=(
        Key("call", PATTERN, "The calls that are excused.", also=("pattern", "forbid", "allow")),
        Key("when", WHEN, "The scopes in which calls are excused."),
        Key("until", DAY, "The last day (UTC) on which it holds, by the start of the call.", default="for ever", also=("expires",)),
        Key("reason", TEXT, "Why, for people: a ticket, a name.", also=("message", "comment", "why")),
    ),
    build=lambda given: Waiver(**given.values),
    at_least_one=("call", "when"),
)


def build_rule(given: Given) -> Rule:
    """The record of a rule."""
    constraint = next(key.name for key in CONSTRAINTS if key.name in given)
    return Rule(
        constraint=constraint_of(constraint, given.get(constraint)),
        waivers=given.get("except", ()),
        labels=dict(given.get("labels", ())),
        where=given.where,
        **given.only("id", "severity", "message", "enforcement", "when", "runbook"),
    )


def check_rule(given: Given) -> None:
    """Warn of what lets through more than it seems."""
    allow = given.node.get("allow")
    for place, message in unanchored(allow) if allow is not None else ():
        given.reading.faults.warn(place, message, rule=given.where)


RULE: Final = Shape(
    name="rule",
    title="a rule",
    meaning="What must never, or must always, hold, whatever the task. Exactly one constraint stands in it.",
    keys=(
        Key("id", IDENTIFIER, "Its name in findings, metrics and alerts; unique in the file.", required=True, also=("name",)),
        Key("severity", SEVERITY, "How bad a violation is.", default="high", also=("level", "priority")),
        Key("message", TEXT, "What a violation means, for people.", also=("description", "reason", "title")),
        Key(
            "enforcement",
            Choice(("enforce", "shadow")),
            "`shadow`: reported and counted apart, never fails anything.",
            default="enforce",
            also=("mode", "action"),
        ),
        Key("when", WHEN, "For a call: its own scope or any around it fits.", default="everywhere", also=("if", "match")),
        Key("except", ListOf(WAIVER, "waivers"), "What it does not find.", also=("exceptions", "waivers", "unless")),
        Key("labels", MapOf(TEXT, "names", "texts"), "Carried along for people and routing.", also=("tags",)),
        Key("runbook", ONE_LINE, "Where to read what to do.", also=("runbook_url", "url")),
        *CONSTRAINTS,
    ),
    build=build_rule,
    check=check_rule,
    exactly_one=tuple(key.name for key in CONSTRAINTS),
    unsupported=NOT_YET,
)
