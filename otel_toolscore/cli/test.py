"""`otel-toolscore test`: whether policies find what they should."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from otel_toolscore.cli.output import say

if TYPE_CHECKING:
    from otel_toolscore.model import Problem
    from otel_toolscore.policy import Policy
    from otel_toolscore.policy_tests import PolicyTest, PolicyTestFile
    from otel_toolscore.policy_tests.made_runs import Made

PASSED: Final = 0
FAILED: Final = 1
INTERRUPTED: Final = 2
INTERNAL: Final = 3
USAGE: Final = 4
NONE_FOUND: Final = 5
SUFFIX: Final = "_test.yaml"


class PytestCodes(click.Command):
    """A command whose exit codes are pytest's, also where it is used wrongly or breaks."""

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any) -> click.Context:
        """As click does; what is wrong with the words ends with USAGE."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            error.show()
            raise click.exceptions.Exit(USAGE) from None

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; an interruption ends with INTERRUPTED, a bug with INTERNAL."""
        from otel_toolscore.cli.main import expected_or_bug

        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.show()
            raise click.exceptions.Exit(USAGE) from None
        except (KeyboardInterrupt, click.Abort):
            say("interrupted")
            raise click.exceptions.Exit(INTERRUPTED) from None
        except click.exceptions.Exit:
            raise
        except Exception as error:
            expected_or_bug(error)
            raise click.exceptions.Exit(INTERNAL) from None


@click.command("test", cls=PytestCodes)
@click.argument("paths", nargs=-1, required=True, metavar="POLICY_TEST...")
@click.option("-k", "word", default="", metavar="TEXT", help="Only tests with this in their name.")
def command(paths: tuple[str, ...], word: str) -> int:
    """Run unit tests of policies.

    POLICY_TEST is a file of tests, or a folder, in which *_test.yaml are looked for. One line is printed for each test:
    PASS, FAIL with what is other than expected below it, or ERROR where the test or its policy is broken. A rule that no
    test made find a violation is uncovered, which is a warning.

    Exit codes, as pytest's: 0 all passed, 1 some failed, 2 some could not be run, 3 internal error, 4 wrong usage, 5 there was no test.

    Example: otel-toolscore test policies/
    """
    runner = Runner(word)
    for path in list(files(paths)):
        runner.file(path)
    runner.warn_of_uncovered()
    say(runner.summary())
    return runner.code()


def files(paths: Sequence[str]) -> Iterator[str]:
    """The files of tests, each once; those of folders in the order of their paths. Raises UsageError where there is no such path."""
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise click.UsageError(f"no such file or folder: {', '.join(missing)}")
    seen: set[str] = set()
    for path in paths:
        for name in _below(path) if os.path.isdir(path) else [path]:
            if os.path.realpath(name) not in seen:
                seen.add(os.path.realpath(name))
                yield name


def _below(folder: str) -> list[str]:
    found = []
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(here, name) for name in names if name.endswith(SUFFIX)]
    return sorted(os.path.normpath(name) for name in found)


class Runner:
    """Runs tests and prints what they come to."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._counts: Counter[str] = Counter()
        self._policies: dict[tuple[str, ...], Policy] = {}
        self._fired: set[str] = set()

    def file(self, path: str) -> None:
        """Run the tests of a file."""
        from otel_toolscore.policy import PolicyError, load
        from otel_toolscore.policy.files import read_file
        from otel_toolscore.policy_tests import load as load_tests

        try:
            tests = load_tests(path, read_file(path))
            named = tuple(_beside(path, name) for name in tests.policies)
            if named not in self._policies:
                self._policies[named] = load(named)
        except (PolicyError, OSError) as error:
            self._tell(path, "", "ERROR", _lines(error))
            return
        for test in tests.tests:
            if self._word in test.name:
                self._test(tests, test, self._policies[named])

    def _test(self, file: PolicyTestFile, test: PolicyTest, policy: Policy) -> None:
        from otel_toolscore.otlp import InputError
        from otel_toolscore.policy_tests import judge, runs_of, unknown_ids

        wrong = unknown_ids(test, policy)
        if wrong:
            self._tell(file.name, test.name, "ERROR", [f"{test.where}: {each}" for each in wrong])
            return
        problems: Sequence[Problem] = ()
        try:
            runs = runs_of(test) if test.trace is None else None
            if runs is None:
                runs, problems = _traced(_beside(file.name, test.trace or ""), policy)
        except InputError as error:
            self._tell(file.name, test.name, "ERROR", _lines(error))
            return
        result = judge(test, policy, runs, problems)
        self._fired |= result.fired
        self._tell(file.name, test.name, "FAIL" if result.differences else "PASS", result.differences)

    def _tell(self, path: str, name: str, word: str, details: Sequence[str]) -> None:
        from otel_toolscore.reports.shown import safe

        self._counts[word] += 1
        click.echo(safe(": ".join(part for part in (path, name, word) if part)))
        for detail in details:
            click.echo(safe(f"    {detail}"))

    def warn_of_uncovered(self) -> None:
        """Name the rules that no test made find a violation. With only some of the tests run, nothing can be said."""
        from otel_toolscore.policy_tests import uncovered

        if self._word:
            return
        told = {rule.where: rule.id for policy in self._policies.values() for rule in uncovered(policy, self._fired)}
        self._counts["uncovered"] = len(told)
        for where, rule in told.items():
            say(f"{where}: uncovered: no test makes the rule `{rule}` find a violation (warning)")

    def summary(self) -> str:
        """How many tests came to what."""
        words = (("PASS", "passed"), ("FAIL", "failed"), ("ERROR", "could not be run"))
        parts = [f"{self._counts[word]} {said}" for word, said in words if self._counts[word]]
        if self._counts["uncovered"]:
            parts.append(f"{self._counts['uncovered']} {'rules' if self._counts['uncovered'] > 1 else 'rule'} uncovered")
        return ", ".join(parts) if any(self._counts[word] for word, _ in words) else "no test was found"

    def code(self) -> int:
        """The exit code: what could not be run outweighs what failed."""
        if self._counts["ERROR"]:
            return INTERRUPTED
        if self._counts["FAIL"]:
            return FAILED
        return PASSED if self._counts["PASS"] else NONE_FOUND


def _beside(file: str, name: str) -> str:
    """A path that a file names, from where the command runs; a built-in policy's name as it is."""
    from otel_toolscore.policy.resolve import BUILT_IN_PREFIX

    return name if name.startswith(BUILT_IN_PREFIX) else os.path.normpath(os.path.join(os.path.dirname(file), name))


def _lines(error: Exception) -> list[str]:
    if isinstance(error, OSError):
        return [f"cannot be read: {error.strerror or type(error).__name__}"]
    return str(error).splitlines()


def _traced(path: str, policy: Policy) -> tuple[list[Made], Sequence[Problem]]:
    """The runs of an export, and what of it could not be read. Raises InputError where nothing can."""
    from otel_toolscore.assemble import assemble
    from otel_toolscore.otlp import Reading
    from otel_toolscore.policy import attribute_keys
    from otel_toolscore.policy_tests.made_runs import Made

    reading = Reading([path])
    assembly = assemble(reading.spans(), runs=policy.runs, attributes=attribute_keys(policy), mappings=policy.spans)
    runs = reading.completed(assembly.runs)
    return [Made(run, tuple(range(len(run.calls)))) for run in runs], reading.problems
