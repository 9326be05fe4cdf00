# ruff: noqa: D102 - what the methods of a kind do is said once, at `Kind`
"""The format of a file of policy tests: tables of keys, from which documents are read with every fault and its place."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, NamedTuple, get_args

import msgspec

from otel_toolscore.dialects import values
from otel_toolscore.matchers.date import instant
from otel_toolscore.model import NOT_CAPTURED, Evidence, Verdict
from otel_toolscore.policy.faults import Faults, PolicyError, quoted
from otel_toolscore.policy.grammar.kinds import (
    REFUSED,
    Choice,
    Definitions,
    Either,
    Flag,
    ListOf,
    MapOf,
    Number,
    OneOrMany,
    Reading,
    Schema,
    Single,
    Text,
    unexpected,
)
from otel_toolscore.policy.grammar.patterns import OUTCOMES
from otel_toolscore.policy.grammar.shapes import Given, Key, Shape
from otel_toolscore.policy.grammar.values import IDENTIFIER, Literal, duration
from otel_toolscore.policy.nodes import ListNode, MapNode, Node, ScalarNode, plain
from otel_toolscore.policy.source import read_document
from otel_toolscore.policy_tests.records import FIRST_START_NS, GivenCall, PolicyTest, PolicyTestFile, Wanted

SECOND_NS: Final = 10**9
LASTS_NS: Final = SECOND_NS // 2
"""How long a call takes unless it says otherwise; the next one starts a second after it did."""
EPOCH_S: Final = (dt.date(1970, 1, 1).toordinal() - 1) * 86_400
NAME: Final = Text("a name")


class RecordedArguments(Single, frozen=True):
    """The arguments: a mapping, or the text that the span recorded."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, MapNode) or (isinstance(node, ScalarNode) and isinstance(node.value, str))

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        return values.arguments(plain(node)) if self.takes(node) else unexpected(self, node, label, reading)

    def described(self) -> str:
        return "a mapping of arguments to values, or the text that was recorded"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {"type": ["object", "string"]}


class RecordedResult(Single, frozen=True):
    """The result: any value; text is read as the text that the span recorded."""

    def takes(self, node: Node) -> bool:
        del node
        return True

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        del label, reading
        value = plain(node)
        return Evidence("captured", None) if value is None else values.result(value)

    def described(self) -> str:
        return "any value"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {}


def moment(text: str) -> int:
    """A point in time, in nanoseconds since 1970: so long after the first call's (`5m`), or a date and time (RFC 3339)."""
    if "-" not in text:
        return FIRST_START_NS + duration(text)
    seconds = instant(text)
    if seconds is None:
        raise ValueError(f"{quoted(text)} is not a date and time")
    return int((seconds - EPOCH_S) * SECOND_NS)


MOMENT: Final = Text(
    "a time after the first call's or a date", r"^([0-9]{1,9}([.][0-9]{1,9})?(ms|s|m|h|d)|[0-9]{4}-[^ \t\r\n]+)$", moment, "90s"
)
DURATION: Final = Text("a duration", r"^[0-9]{1,9}([.][0-9]{1,9})?(ms|s|m|h|d)$", duration, example="2s")


class Untimed(NamedTuple):
    """A call as it is written: when it starts may depend on the call before."""

    call: GivenCall
    start_ns: int | None
    lasts_ns: int


def build_call(given: Given) -> Untimed:
    """What a call says."""
    start = given.get("start")
    call = GivenCall(
        arguments=given.get("args", NOT_CAPTURED),
        result=given.get("result", NOT_CAPTURED),
        outcome=given.get("outcome", "error" if "error" in given else "ok"),
        **given.only("tool", "server", "error", "agent", "conversation", "service", "run"),
    )
    return Untimed(call, FIRST_START_NS + int(start * SECOND_NS) if isinstance(start, Fraction) else start, given.get("duration", LASTS_NS))


def check_call(given: Given) -> None:
    """An error is the outcome `error`."""
    if "error" in given and given.get("outcome", "error") != "error":
        given.fault("outcome", "`outcome`: a call with an `error` has the outcome `error`")


CALL: Final = Shape(
    name="given_call",
    title="a call",
    meaning="A call as a span would record it; what is left out was not recorded.",
    keys=(
        Key("tool", NAME, "The tool, as recorded: `issue_refund`, or `mcp__payments__issue_refund`.", required=True, also=("name",)),
        Key("server", NAME, "The MCP server."),
        Key(
            "args",
            RecordedArguments(),
            "The arguments; text is taken as a span's attribute, so that it may be cut off or broken. Absent: not captured.",
            also=("arguments", "parameters", "params"),
        ),
        Key("result", RecordedResult(), "The result; absent: not captured.", also=("output", "returns")),
        Key("outcome", Choice(OUTCOMES), "How it ended.", default="ok", also=("status",)),
        Key("error", Text("the text of an error"), "It failed, with this text."),
        Key("agent", NAME, "The nearest agent.", default="the test's"),
        Key("conversation", NAME, "The conversation; calls of different ones are of different runs.", default="the test's"),
        Key("service", NAME, "`service.name`.", default="the test's"),
        Key("run", NAME, "Calls with different names here are of different runs.", default="one run"),
        Key(
            "start",
            Either((Number(minimum=0), MOMENT)),
            "When it starts: seconds or a duration after 2026-01-01T00:00:00Z, or a date and time.",
            default="a second after the call before",
            also=("time", "at"),
        ),
        Key("duration", DURATION, "How long it takes.", default="500ms"),
    ),
    build=build_call,
    check=check_call,
)


class WantedFinding(Single, frozen=True):
    """A rule, or a list of the rule and the tool, or the call's index, or both."""

    def takes(self, node: Node) -> bool:
        return isinstance(node, ListNode) or (isinstance(node, ScalarNode) and isinstance(node.value, str))

    def read(self, node: Node, label: str, reading: Reading) -> Any:
        if not self.takes(node):
            return unexpected(self, node, label, reading)
        items = node.items if isinstance(node, ListNode) else (node,)
        given = [item.value if isinstance(item, ScalarNode) else item for item in items]
        rule, *rest = given or [None]
        call = rest.pop() if rest and isinstance(rest[-1], int) and not isinstance(rest[-1], bool) else None
        fits = isinstance(rule, str) and len(rest) <= 1 and all(tool is None or isinstance(tool, str) for tool in rest)
        if not fits or (isinstance(call, int) and call < 0):
            reading.faults.add(node, f"`{label}`: expected {self.described()}")
            return REFUSED
        made: dict[str, Any] = {"rule": rule}
        if rest:
            made["tool"] = rest[0]
        if call is not None:
            made["call"] = call
        return Wanted(**made)

    def described(self) -> str:
        return "a rule, or [rule, tool], [rule, call] or [rule, tool, call] with the index of the call from 0"

    def schema(self, defs: Definitions) -> Schema:
        del defs
        return {"type": ["string", "array"]}


FINDINGS: Final = ListOf(WantedFinding(), "findings")
VERDICT: Final = Choice(get_args(Verdict))

EXPECT: Final = Shape(
    name="expect",
    title="`expect`",
    meaning="What must come out: exactly these findings, each once for each call.",
    keys=(
        Key("violations", FINDINGS, "The violations.", default="none", also=("violation", "findings", "fail")),
        Key("inconclusive", FINDINGS, "The inconclusive findings.", default="none", also=("unknown", "open")),
        Key("verdict", VERDICT, "The verdict on all calls together.", default="not checked"),
        Key(
            "expectations",
            MapOf(VERDICT, "ids of expectations", "their worst verdicts"),
            "The verdicts of expectations; `unscored`: it selected nothing.",
            default="not checked",
        ),
    ),
    build=lambda given: dict(given.values),
)


def build_test(given: Given) -> PolicyTest:
    """The record of a test."""
    expect = given.get("expect", {})
    return PolicyTest(
        calls=timed(given.get("calls", ())),
        attributes=dict(given.get("attributes", ())),
        expectations=dict(expect.get("expectations", ())),
        where=given.where,
        **{name: value for name, value in expect.items() if name != "expectations"},
        **given.only("name", "trace", "agent", "workflow", "service", "conversation", "input", "complete", "rules"),
    )


def timed(calls: Iterable[Untimed]) -> tuple[GivenCall, ...]:
    """The calls with their times: one that does not say when it starts does so a second after the one before."""
    done: list[GivenCall] = []
    following = FIRST_START_NS
    for call, given, lasts in calls:
        start = following if given is None else given
        following = start + SECOND_NS
        done.append(msgspec.structs.replace(call, start_ns=start, end_ns=start + lasts))
    return tuple(done)


SCOPE_KEYS: Final = ("agent", "workflow", "service", "conversation", "input", "attributes", "complete")


def check_test(given: Given) -> None:
    """What describes the calls' surroundings cannot stand beside a trace, which has its own; indices are those of calls."""
    if "trace" in given:
        for name in SCOPE_KEYS:
            if name in given:
                given.fault(name, f"`{name}` goes with `calls`; a trace says so itself")
    if "calls" not in given.values:
        return
    count = len(given.get("calls"))
    expect = given.get("expect", {})
    for name in ("violations", "inconclusive"):
        for wanted in expect.get(name, ()):
            if isinstance(wanted.call, int) and wanted.call >= count:
                given.fault("expect", f"`{name}`: there is no call {wanted.call}: the calls are 0 to {count - 1}")


TEST: Final = Shape(
    name="policy_test",
    title="a test",
    meaning="Calls, and what the policy must find in them.",
    keys=(
        Key("name", IDENTIFIER, "Its name in the output; unique in the file.", required=True, also=("id", "test")),
        Key("calls", ListOf(CALL, "calls"), "The calls, in the order in which they start unless they say otherwise.", also=("call",)),
        Key(
            "trace",
            Text("the path of a file"),
            "An export of traces, by its path from this file; instead of `calls`.",
            also=("traces", "file"),
        ),
        Key("agent", NAME, "The agent around all calls.", default="none is recorded"),
        Key("workflow", NAME, "The workflow around all calls.", default="none"),
        Key("service", NAME, "`service.name` of all spans.", default="not recorded"),
        Key("conversation", NAME, "The conversation of all calls.", default="not recorded"),
        Key("input", Text("text", r""), "The first user message.", default="not captured"),
        Key("attributes", MapOf(Literal(), "attribute keys", "values"), "Attributes of the outermost span.", default="none"),
        Key("complete", Flag(), "`false`: spans of the trace are missing.", default="true"),
        Key(
            "rules",
            ListOf(IDENTIFIER, "ids of rules", minimum=1),
            "Only findings of these rules are looked at.",
            default="all rules",
            also=("only",),
        ),
        Key("expect", EXPECT, "What must come out; without it, no finding.", also=("expected", "expects")),
    ),
    build=build_test,
    check=check_test,
    exactly_one=("calls", "trace"),
)

SOURCE: Final = Text("the path of a policy or the name of a built-in one")

FILE: Final = Shape(
    name="policy_tests",
    title="a file of policy tests",
    meaning="Tests of a policy.",
    keys=(
        Key(
            "policy",
            OneOrMany(SOURCE, "these"),
            "The policy: files by their path from this one, or built-in names, applied in order.",
            required=True,
            also=("policies", "rule_files"),
        ),
        Key("tests", ListOf(TEST, "tests", unique="name"), "The tests.", required=True, also=("cases", "test")),
    ),
    build=lambda given: dict(given.values),
)


def load(name: str, data: bytes) -> PolicyTestFile:
    """The tests in the bytes of a file. Raises PolicyError with every fault and its place."""
    faults = Faults(name)
    root = read_document(data, faults, expected="`policy` and `tests`")
    made = FILE.read(root, quoted(name), Reading(faults)) if root is not None else None
    if faults.found or made is None or made is REFUSED:
        raise PolicyError(sorted(faults.found))
    return PolicyTestFile(name=name, policies=made["policy"], tests=made["tests"])
