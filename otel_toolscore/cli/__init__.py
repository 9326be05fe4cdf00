"""The command line, one module a command.

Each command's module is loaded when it is called for, and loads what it needs when it runs: `--help` is quick.
"""

from otel_toolscore.cli.main import main

__all__ = ["main"]
