"""Many runs at once, drawn from a seed: their calls come interleaved, one by one, as a service sees them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import reference

from otel_toolscore.model import NOT_CAPTURED, Evidence, Run, RunResult, Scope, ToolCall
from otel_toolscore.policy import Policy, loads

MILLISECOND = 1_000_000
START = 1_790_000_000_000_000_000

POLICY = loads(
    """
version: 1
tools: {pay: {parameters: {type: object, properties: {amount: {type: integer}, order: {type: string}}, required: [amount]}}}
rules:
  - {id: large, forbid: {tool: pay, args: {amount: {$gt: 95}}}}
  - {id: known, allow: [search, verify, pay, mail, close, {tool: shell, args: {command: {$fullmatch: 'ls .*'}}}]}
  - {id: logged, require: {tool: close, outcome: ok}}
  - {id: verified, before: {call: pay, needs: verify, same: {order: order}}}
  - {id: once, before: {call: mail, needs: search, same: {order: order}, once: true}}
  - {id: closed, never_after: {call: pay, after: {tool: close, outcome: ok}}}
  - {id: rate, limit: {call: search, max: 4, within: 400ms}}
  - {id: budget, limit: {call: pay, sum: amount, max: 120, by: order}}
  - {id: again, repeats: {call: {tool: [search, verify]}, max: 3}}
  - {id: valid, valid_arguments: {call: pay}}
""",
    "million.yaml",
)
TOOLS = ("search", "search", "search", "verify", "verify", "pay", "pay", "mail", "shell", "close")


def top_of(number: int) -> Scope:
    return Scope(id=f"top{number}", kind="agent", name="worker", span_id=f"top{number}")


def call_of(seed: int, number: int, step: int) -> ToolCall:
    """The call of a run at a step: the same for the same seed."""
    chance = Random((seed << 40) + (number << 16) + step)
    tool = TOOLS[chance.randrange(len(TOOLS))] if step else "search"
    order = f"A-{chance.randrange(6)}"
    amount: object = chance.randrange(100)
    if chance.random() < 0.05:
        amount = str(amount)
    arguments: dict[str, object] = {"order": order, "amount": amount} if tool == "pay" else {"order": order}
    if tool == "shell":
        arguments = {"command": chance.choice(["ls -l", "ls /srv", "rm x"])}
    evidence = NOT_CAPTURED if chance.random() < 0.03 else Evidence("captured", arguments)
    if tool == "close" and chance.random() < 0.9:
        tool = "verify"
    start = START + (step * 100 + chance.randrange(40)) * MILLISECOND
    return ToolCall(
        tool=tool,
        arguments=evidence,
        outcome=chance.choices(["ok", "error", "unknown"], [90, 7, 3])[0],  # type: ignore[arg-type]
        agent="worker",
        agent_path=("worker",),
        start_ns=start,
        end_ns=start + chance.randrange(1, 60) * MILLISECOND,
        trace_id=f"{number:032x}",
        span_id=f"{number:08x}{step:08x}",
        scope=f"top{number}",
    )


def fed(seed: int, runs: int, calls: int) -> Iterator[Run]:
    """Every call alone, each step of all runs in an order of its own."""
    numbers = list(range(runs))
    scopes = [(top_of(number),) for number in numbers]
    for step in range(calls):
        Random((seed << 20) + step).shuffle(numbers)
        for number in numbers:
            yield Run(trace_id=f"{number:032x}", scopes=scopes[number], calls=(call_of(seed, number, step),))


def whole(seed: int, number: int, calls: int) -> Run:
    """A run with all of its calls."""
    return Run(trace_id=f"{number:032x}", scopes=(top_of(number),), calls=tuple(call_of(seed, number, step) for step in range(calls)))


def found_in(result: RunResult) -> set[tuple[str, int | str, str]]:
    return {(one.rule, one.span_id or "" if one.call is None else one.call, one.kind) for one in result.findings}


def expected_in(run: Run, policy: Policy = POLICY) -> set[tuple[str, int | str, str]]:
    """By the reference. Whether a call fits a pattern is worked out once for each, which changes nothing that is said."""
    remembered: dict[tuple[int, int, bool], object] = {}
    plain = reference.fits

    def fits(pattern: object, here: reference.Here, given: Policy, *, accuse: bool) -> object:
        key = (id(pattern), id(here.call), accuse)
        if key not in remembered:
            remembered[key] = plain(pattern, here, given, accuse=accuse)  # type: ignore[arg-type]
        return remembered[key]

    reference.fits = fits  # type: ignore[assignment]
    try:
        return {(rule, where, kind) for _, rule, where, kind in reference.Judge(policy, [run]).said()}
    finally:
        reference.fits = plain
