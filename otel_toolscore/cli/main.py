"""`otel-toolscore`: finds the command, and turns what goes wrong into a message and an exit code.

Exit codes: 0 pass, 1 fail, 2 the policy, the usage or the input is wrong (or the program is), 3 inconclusive or unscored.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final, NoReturn

import click

from otel_toolscore.cli.output import OutputError, say

WRONG: Final = 2
INTERRUPTED: Final = 130
DEBUG: Final = "TOOLSCORE_DEBUG"

COMMANDS: Final = ("score", "calls", "init", "validate", "test", "schema")
"""In the order of the help; `command` of the module of the same name."""


class Commands(click.Group):
    """A group whose commands are loaded by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"otel_toolscore.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="otel-toolscore", message="%(prog)s %(version)s")
def group() -> None:
    """Score the tool calls of AI agents from their OpenTelemetry spans.

    Example: otel-toolscore score traces.json --policy toolscore.yaml
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; `arguments` are those of the process unless given."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. No exception leaves it, other than the exit of a command."""
    try:
        code = group.main(args=None if arguments is None else list(arguments), prog_name="otel-toolscore", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        error.show()
        return WRONG
    except click.ClickException as error:
        say(error.format_message())
        return WRONG
    except (KeyboardInterrupt, click.Abort):
        say("interrupted")
        return INTERRUPTED
    except OutputError as error:
        say(str(error))
        return WRONG
    except Exception as error:
        return expected_or_bug(error)
    return code if isinstance(code, int) else 0


def expected_or_bug(error: Exception) -> int:
    """Say what went wrong: the error's own words where it was foreseen, else that it is a bug and where. The exit code."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    if isinstance(error, _foreseen()):
        say(str(error))
        return WRONG
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(os.path.dirname(place.filename))}/{os.path.basename(place.filename)}:{place.lineno}"
    say(f"internal error: {type(error).__name__} at {where}; this is a bug, please report it with what {DEBUG}=1 shows")
    return WRONG


def _foreseen() -> tuple[type[Exception], ...]:
    """The exceptions whose message is for the user, of the modules that were loaded: others cannot have raised theirs."""
    named = (("otel_toolscore.otlp", "InputError"), ("otel_toolscore.policy", "PolicyError"))
    return tuple(getattr(sys.modules[module], name) for module, name in named if module in sys.modules)
