"""Where the command line writes: results to standard output or a file, words for people to standard error."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from typing import Final

import click

from otel_toolscore.reports.shown import safe

STDOUT: Final = "-"


class OutputError(Exception):
    """A file that cannot be written; the message names it."""


def say(text: str) -> None:
    """Lines for people on standard error, masked."""
    for line in text.splitlines():
        click.echo(safe(line), err=True)


def write(chunks: Iterable[bytes], path: str = STDOUT) -> None:
    """Write all of it to a file, or to standard output (`-`).

    A file appears whole, or stays as it was: it is written beside its place and then put there. Raises OutputError.
    """
    if path == STDOUT:
        _write_stdout(chunks)
        return
    try:
        _write_file(chunks, os.path.realpath(path))
    except OSError as error:
        raise _refused(path, error) from None


def _write_stdout(chunks: Iterable[bytes]) -> None:
    out = sys.stdout.buffer
    try:
        for chunk in chunks:
            out.write(chunk)
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # what is buffered is not tried again at exit
        raise OutputError("the output was closed before all of it was written") from None
    except OSError as error:
        raise _refused("standard output", error) from None


def check(path: str) -> None:
    """Raise OutputError where a file cannot be written, before work is done for it."""
    if path == STDOUT:
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise OutputError(f"{path}: cannot be written: it is a folder")
    if not os.path.isdir(folder):
        raise OutputError(f"{path}: cannot be written: there is no folder {folder}")
    if not os.access(target if os.path.exists(target) else folder, os.W_OK):
        raise OutputError(f"{path}: cannot be written: Permission denied")


def _write_file(chunks: Iterable[bytes], target: str) -> None:
    if os.path.exists(target) and not os.path.isfile(target):  # a device or pipe has no place to be put in
        with open(target, "wb") as stream:
            stream.writelines(chunks)
        return
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}.")
    try:
        with open(handle, "wb") as stream:
            stream.writelines(chunks)
        os.chmod(beside, _mode(target))
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _mode(target: str) -> int:
    """Permissions of the file that is there, else those that a new file gets."""
    with contextlib.suppress(OSError):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _refused(path: str, error: OSError) -> OutputError:
    return OutputError(f"{path}: cannot be written: {error.strerror or type(error).__name__}")
