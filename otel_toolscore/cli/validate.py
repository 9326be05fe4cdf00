"""`otel-toolscore validate`: whether policies can be understood."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from otel_toolscore.cli.output import say

if TYPE_CHECKING:
    from otel_toolscore.policy import Policy


@click.command("validate")
@click.argument("policies", nargs=-1, metavar="POLICY...")
@click.option("--expect", "expected", multiple=True, metavar="FILE", help="Also check a file for `score --expect`.")
@click.option("--forbid", "forbidden", multiple=True, metavar="FILE", help="Also check a file for `score --forbid`.")
def command(policies: tuple[str, ...], expected: tuple[str, ...], forbidden: tuple[str, ...]) -> int:
    """Check policies, and all that they extend, without any trace.

    Every fault is told with its file, line and column, and the exit code is 2. For a sound file one line says what it
    holds, and warnings go to standard error.

    Example: otel-toolscore validate toolscore.yaml
    """
    from otel_toolscore.policy import load

    if not (policies or expected or forbidden):
        raise click.UsageError("no POLICY given; for example: otel-toolscore validate toolscore.yaml")
    sound = [
        *(is_sound(name, partial(load, [name])) for name in policies),
        *(is_sound(name, partial(load, [], expect=name)) for name in expected),
        *(is_sound(name, partial(load, [], forbid=name)) for name in forbidden),
    ]
    return 0 if all(sound) else 2


def is_sound(name: str, read: Callable[[], Policy]) -> bool:
    """Tell what a file holds, or all that is wrong with it."""
    from otel_toolscore.policy import PolicyError
    from otel_toolscore.reports.shown import safe

    try:
        policy = read()
    except PolicyError as error:
        say(str(error))
        return False
    click.echo(safe(f"{name}: {summary(policy)}"))
    for warning in policy.warnings:
        say(f"{warning} (warning)")
    return True


def summary(policy: Policy) -> str:
    """What a policy holds, in one line."""
    counts = [counted(len(policy.rules), "rule"), counted(len(policy.expectations), "expectation")]
    if policy.warnings:
        counts.append(counted(len(policy.warnings), "warning"))
    others = ", ".join(policy.sources[:-1])
    return f"ok, {', '.join(counts)}" + (f" (with {others})" if others else "")


def counted(number: int, noun: str) -> str:
    """`1 rule`, `2 rules`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
