"""Where policies are read from: files, and the policies that come with the package."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, TypeAlias

import msgspec

from otel_toolscore.policy.canonical import digest
from otel_toolscore.policy.entries import LARGEST_FILE
from otel_toolscore.policy.faults import PolicyError
from otel_toolscore.policy.lists import expected_layer, forbidden_layer, joined, with_min_score
from otel_toolscore.policy.records import Expectation, Policy
from otel_toolscore.policy.resolve import BUILT_IN_PREFIX, Loader, Read, Reader, in_order, layer_of, resolve
from otel_toolscore.rules.rule import Rule

FilePath: TypeAlias = str | os.PathLike[str]

DEFAULT_NAME: Final = "toolscore.yaml"
"""The file that is looked for where no policy is named."""


def read_file(name: str) -> bytes:
    """The bytes of a file or of a built-in policy; of what is too big, only so much that it is seen to be."""
    if name.startswith(BUILT_IN_PREFIX):
        file = importlib.resources.files(__package__).joinpath(name.removeprefix(BUILT_IN_PREFIX) + ".yaml")
        return file.read_bytes()
    with open(name, "rb") as stream:
        return stream.read(LARGEST_FILE + 1)


def load(
    paths: Iterable[FilePath],
    *,
    expect: FilePath | None = None,
    forbid: FilePath | None = None,
    min_score: Fraction | None = None,
    read: Read = read_file,
) -> Policy:
    """The policy of these files and built-in names, applied in order, as if one file extended them all.

    `expect` and `forbid` add the calls of further files, as `load_expectations` and `load_forbidden` read them; `min_score` is for
    the expectations of `expect`. `read` gives the bytes of a name, or raises OSError.

    Raises PolicyError with every fault of every file.
    """
    loaders = (_loader(paths, read), _loader(_given(expect), read, expected_layer), _loader(_given(forbid), read, forbidden_layer))
    faults = in_order(fault for loader in loaders for fault in loader.faults)
    if faults:
        raise PolicyError(faults)
    policy, expected, forbidden = (resolve(loader.loaded()) for loader in loaders)
    whole = joined(policy, expected=with_min_score(expected, min_score), forbidden=forbidden)
    return msgspec.structs.replace(whole, digest=digest(whole))


def loads(text: str, name: str = "policy", *, read: Read = read_file) -> Policy:
    """The policy of a text; `name` stands in messages, and what it extends is looked for beside it. Raises PolicyError."""
    data = text.encode("utf-8", "surrogatepass")
    return load([name], read=lambda asked: data if asked == name else read(asked))


def load_expectations(path: FilePath, *, read: Read = read_file) -> tuple[Expectation, ...]:
    """The expectations of a file: a bare list of calls, `{calls: [...]}`, or a policy (nothing else of it is used). Raises PolicyError."""
    return resolve(_loader([path], read, expected_layer).loaded()).expectations


def load_forbidden(path: FilePath, *, read: Read = read_file) -> tuple[Rule, ...]:
    """The rules of a file: a bare list of forbidden calls, or a policy (nothing else of it is used). Raises PolicyError."""
    return resolve(_loader([path], read, forbidden_layer).loaded()).rules


def discover(folder: FilePath) -> str | None:
    """The `toolscore.yaml` of a folder or of the nearest one above it; None where there is none."""
    here = os.path.abspath(folder)
    while True:
        path = os.path.join(here, DEFAULT_NAME)
        if os.path.isfile(path):
            return path
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def _given(path: FilePath | None) -> list[FilePath]:
    return [] if path is None else [path]


def _loader(paths: Iterable[FilePath], read: Read, reader: Reader = layer_of) -> Loader:
    loader = Loader(read, reader)
    for path in paths:
        loader.file(os.fspath(path))
    return loader
