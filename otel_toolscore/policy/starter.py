"""A policy to start from: what the runs of some traces did, written down as what they should do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from otel_toolscore.compare import equal
from otel_toolscore.credentials import masked
from otel_toolscore.matchers import OPERATORS
from otel_toolscore.model import Run, ToolCall
from otel_toolscore.policy.writing import entry, flow, word
from otel_toolscore.schemas import SchemaError, check

HEADER: Final = """\
# What the tool calls of your agents should be, and what they must never be.
#
# {validate}   whether it can be understood
# {score}   what it says of traces (found from any folder below this one)
version: 1

# What holds for any agent: loops, arguments that the tool's schema refuses, destructive commands, private keys, cloud metadata.
extends: [toolscore:recommended]
"""

EXAMPLES: Final = """\

# Which calls a run should make. Without `args` the arguments are not checked; `{}` means that there are none.
# expectations:
#   - id: refund
#     when: {agent: support-*}
#     calls:
#       - {tool: search_orders, args: {customer: ada@example.com}}
#       - {tool: issue_refund, args: {order_id: {$fullmatch: 'A-\\d+'}, amount: {$gt: 0, $lte: 100}}}
#       - any_of: [{tool: send_email}, {tool: send_sms}]

# What must never, or must always, hold, whatever the task.
# rules:
#   - id: refunds-need-a-person
#     severity: critical
#     message: a refund above 500
#     forbid: {tool: issue_refund, args: {amount: {$gt: 500}}}
#   - id: verify-first
#     before: {call: issue_refund, needs: verify_customer, same: {customer_id: customer_id}}
"""


class Seen(msgspec.Struct, frozen=True):
    """The calls of each scope (or run) that one expectation is about."""

    agent: str | None
    calls: tuple[tuple[ToolCall, ...], ...]
    subagents: bool = True


def starter(runs: Sequence[Run], *, name: str = "toolscore.yaml", values: bool = False) -> str:
    """The text of a policy. With `values`, the arguments that were captured stand in the expected calls, but for credentials."""
    validate = f"otel-toolscore validate {word(name)}"
    header = HEADER.replace("{validate}", validate).replace("{score}", "otel-toolscore score traces.json".ljust(len(validate)))
    if not any(run.calls for run in runs):
        return header + EXAMPLES
    lines = [*tool_lines(runs), *expectation_lines(runs, values), *allow_lines(runs)]
    return header + "\n".join(lines) + "\n"


def tool_lines(runs: Sequence[Run]) -> Iterator[str]:
    """The tools that were called, with the server and the schema that the traces recorded."""
    counts = Counter(call.tool for run in runs for call in run.calls)
    yield "\n# The tools that were called."
    yield "tools:"
    for tool in sorted(counts):
        yield from entry(tool, known_of(tool, runs), 2)


def known_of(tool: str, runs: Sequence[Run]) -> dict[str, object]:
    """Server and schema of a tool, where every trace that has one says the same."""
    servers = {call.server for run in runs for call in run.calls if call.tool == tool}
    schemas = [run.tool_schemas[tool] for run in runs if tool in run.tool_schemas]
    known: dict[str, object] = {}
    if len(servers) == 1 and None not in servers:
        known["server"] = servers.pop()
    if schemas and all(equal(schemas[0], other) for other in schemas) and usable(schemas[0]):
        known["parameters"] = schemas[0]
    return known


def usable(schema: object) -> bool:
    """Whether a recorded schema can stand in a policy: it can be used, and holds no credential."""
    try:
        check(schema)
    except SchemaError:
        return False
    return isinstance(schema, Mapping) and masked(schema) == schema


def expectation_lines(runs: Sequence[Run], values: bool) -> Iterator[str]:
    """What each agent did (or each run, where no agent is named), as an expectation that all of it meets."""
    yield "\n# What was seen, as what is expected. Look through it: a trace shows what an agent did, not what it should have done."
    yield "expectations:"
    taken: set[str] = set()
    for seen in sights(runs):
        yield from entry_of(seen, fresh(seen.agent or "run", taken), values)


def sights(runs: Sequence[Run]) -> list[Seen]:
    """The calls of each agent's own scopes, by its name, and those that no named agent made; without agents, all of each run."""
    by_agent: dict[str, list[tuple[ToolCall, ...]]] = {}
    of_tops: list[tuple[ToolCall, ...]] = []
    outside = False
    for run in runs:
        agents = {scope.id: scope.name for scope in run.scopes if scope.kind == "agent"}
        nearest = [nearest_agent(call, run) for call in run.calls]
        for identity, name in agents.items():
            if name is not None:
                own = tuple(call for call, agent in zip(run.calls, nearest, strict=True) if agent == identity)
                by_agent.setdefault(name, []).append(own)
        of_tops.append(tuple(call for call, agent in zip(run.calls, nearest, strict=True) if agent in {None, run.top.id}))
        outside = outside or any(agent is None or agents[agent] is None for agent in nearest)
    if not by_agent:
        return [Seen(None, tuple(run.calls for run in runs))]
    seen = [Seen(agent, tuple(calls)) for agent, calls in by_agent.items()]
    return [Seen(None, tuple(of_tops), subagents=False), *seen] if outside else seen


def nearest_agent(call: ToolCall, run: Run) -> str | None:
    """`id` of the innermost agent scope around a call; None outside of every agent."""
    scopes = {scope.id: scope for scope in run.scopes}
    at = scopes.get(call.scope or "")
    while at is not None and at.kind != "agent":
        at = scopes.get(at.parent or "")
    return at.id if at is not None else None


def fresh(name: str, taken: set[str]) -> str:
    """An id that is not taken yet."""
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-")[:60] or "agent"
    made, number = stem, 2
    while made in taken:
        made, number = f"{stem}-{number}", number + 1
    taken.add(made)
    return made


def entry_of(seen: Seen, identity: str, values: bool) -> Iterator[str]:
    """The lines of one expectation."""
    yield f"  - id: {word(identity)}"
    if seen.agent is not None:
        yield f"    when: {flow({'agent': seen.agent})}"
    elif not seen.subagents:
        yield "    include_subagents: false"
    first, *others = seen.calls
    same = all([call.tool for call in calls] == [call.tool for call in first] for calls in others)
    if not same:
        yield f"    # {len(seen.calls)} runs, which differ: how often each tool was called."
        yield "    order: any"
    rows = [in_step(calls, values) for calls in zip(*seen.calls, strict=True)] if same else list(counted(seen.calls))
    if not rows:
        yield "    calls: []"
        return
    yield "    calls:"
    yield from (f"      - {flow(row)}" for row in rows)


def in_step(calls: tuple[ToolCall, ...], values: bool) -> dict[str, object]:
    """One expected call for the calls that all runs made at the same step."""
    row: dict[str, object] = {"tool": calls[0].tool}
    arguments = [call.arguments.value for call in calls if call.arguments.state == "captured"]
    if values and len(arguments) == len(calls) and all(equal(arguments[0], other) for other in arguments[1:]):
        row.update(shown(arguments[0]))
    return {**row, **outcome(calls)}


def counted(sequences: tuple[tuple[ToolCall, ...], ...]) -> Iterator[dict[str, object]]:
    """One expected call for each tool, as often as it was called in the runs."""
    for tool in dict.fromkeys(call.tool for calls in sequences for call in calls):
        counts = [sum(call.tool == tool for call in calls) for calls in sequences]
        row: dict[str, object] = {"tool": tool}
        if (min(counts), max(counts)) != (1, 1):
            row["times"] = max(counts) if min(counts) == max(counts) else {"min": min(counts), "max": max(counts)}
        yield {**row, **outcome([call for calls in sequences for call in calls if call.tool == tool])}


def outcome(calls: Sequence[ToolCall]) -> dict[str, object]:
    """How the calls ended, where not all of them ended well."""
    endings = {call.outcome for call in calls}
    return {} if endings == {"ok"} else {"outcome": endings.pop() if len(endings) == 1 else "any"}


def shown(arguments: object) -> dict[str, object]:
    """`args` for these arguments; nothing where they cannot stand there, or hold a credential."""
    if not isinstance(arguments, Mapping) or any(name in OPERATORS for name in arguments) or masked(arguments) != arguments:
        return {}
    return {"args": {name: {"$literal": value} if has_operator(value) else value for name, value in arguments.items()}}


def has_operator(value: object) -> bool:
    """Whether a value would be read as a matcher somewhere inside."""
    if isinstance(value, Mapping):
        return any(str(key).startswith("$") or has_operator(item) for key, item in value.items())
    return isinstance(value, list | tuple) and any(map(has_operator, value))


def allow_lines(runs: Sequence[Run]) -> Iterator[str]:
    """The suggestion to allow nothing but what was seen."""
    tools = sorted({call.tool for run in runs for call in run.calls})
    yield "\n# Nothing but the tools that were seen:"
    yield "# rules:"
    yield "#   - id: only-known-tools"
    yield "#     allow:"
    yield from (f"#       - {flow({'tool': tool})}" for tool in tools)
