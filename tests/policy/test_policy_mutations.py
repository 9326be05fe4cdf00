"""Whatever is done to a policy: it loads, or it is refused with a place; nothing else happens."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sound_policies import sound_texts

from otel_toolscore.policy import Fault, PolicyError, load

TEXTS = sound_texts()
PIECES = [
    *('"', "'", "[", "]", "{", "}", ":", ",", "-", "\n", "  ", "\t", "#", "&a", "*a", "!!str", "<<: ", "|", ">", "? ", "---\n", "%", "\\"),
    *("null", "~", "NO", "yes", "1_000", ".inf", ".nan", "0x1F", "1e999", "9" * 50, "-1", "''", "{}", "[]", "{$regex: '('}", "{$not: }"),
    *("\x00", "\x85", "\u2028", "\ufeff", "\ud800", "\U0001f600", "ä", "x-", "id: r", "forbid: a", "$", "$any", "extends: [p.yaml]\n"),
]
PLACE = re.compile(r"p\.yaml(:\d+:\d+)?: \S")


def loaded_or_refused(data: bytes) -> None:
    def read(name: str) -> bytes:
        return data if name == "p.yaml" else b"version: 1"

    for fault in [*faults(["p.yaml"], read=read), *faults([], expect="p.yaml", read=read), *faults([], forbid="p.yaml", read=read)]:
        assert PLACE.match(str(fault)), fault
        assert str(fault).isprintable()
        assert len(fault.message) < 1000


def faults(paths: list[str], **how: Any) -> tuple[Fault, ...]:
    try:
        load(paths, **how)
    except PolicyError as error:
        return error.faults
    return ()


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False), st.integers(1, 4))
def test_mutated_text(text: str, chance: random.Random, times: int) -> None:
    """Pieces put in, taken out, moved and doubled, anywhere in the text."""
    for _ in range(times):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 1, 2, 5, 30, 200]))
        part = text[start:end]
        text = text[:start] + chance.choice([chance.choice(PIECES), "", part * 2, chance.choice(PIECES) + part]) + text[end:]
        if chance.random() < 0.2:
            other = chance.randrange(len(text) + 1)
            text = text[:other] + part + text[other:]
    loaded_or_refused(text.encode("utf-8", "surrogatepass"))


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
def test_mutated_lines(text: str, chance: random.Random) -> None:
    """Lines swapped, dropped, doubled and indented otherwise."""
    lines = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 5)):
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        match chance.randrange(4):
            case 0:
                lines[at], lines[other] = lines[other], lines[at]
            case 1:
                lines[at] = ""
            case 2:
                lines.insert(other, lines[at])
            case _:
                lines[at] = " " * chance.randrange(6) + lines[at].lstrip(" ")
    loaded_or_refused("".join(lines).encode())


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
def test_cut_text(text: str, chance: random.Random) -> None:
    """A file that ends early."""
    loaded_or_refused(text.encode()[: chance.randrange(len(text))])


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    """A file that is no policy at all."""
    loaded_or_refused(data)


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
def test_swapped_words(text: str, chance: random.Random) -> None:
    """Words of the format in each other's places."""
    words = re.findall(r"[$\w-]+", text)
    for _ in range(chance.randint(1, 3)):
        old, new = chance.choice(words), chance.choice(words)
        text = re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", lambda _, new=new: new, text, count=chance.randint(1, 3))
    loaded_or_refused(text.encode())
