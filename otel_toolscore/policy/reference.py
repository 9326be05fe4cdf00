"""The tables of keys in the documentation, from the tables of the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from otel_toolscore.policy.grammar.policies import shapes
from otel_toolscore.policy.grammar.shapes import Key, Shape

BEGIN: Final = "<!-- keys: begin (written by `python -m otel_toolscore.policy.reference FILE`) -->"
END: Final = "<!-- keys: end -->"


def reference() -> str:
    """Every table of the format, as Markdown."""
    return "\n\n".join("\n".join(section(shape)) for shape in shapes())


def section(shape: Shape) -> Iterator[str]:
    """The part of one mapping."""
    yield f"### {heading(shape)}"
    yield ""
    yield shape.meaning
    if shape.exactly_one:
        yield f"Exactly one of {', '.join(f'`{name}`' for name in shape.exactly_one)} is given."
    elif shape.at_least_one:
        yield f"At least one of {', '.join(f'`{name}`' for name in shape.at_least_one)} is given."
    yield ""
    yield "| key | value | default | meaning |"
    yield "|---|---|---|---|"
    yield from (row(key) for key in shape.keys)
    if shape.unsupported:
        yield ""
        yield f"Not supported yet, and refused: {', '.join(f'`{name}`' for name in shape.unsupported)}."


def row(key: Key) -> str:
    """The line of one key."""
    default = "required" if key.required else key.default
    cells = (f"`{key.name}`", linked(key.kind.described()), default, key.meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def heading(shape: Shape) -> str:
    """The title of a part: `Rule`, `before`."""
    return re.sub(r"^(an?) (.)", lambda found: found[2].upper(), shape.title)


def linked(text: str) -> str:
    """The description of a kind, with a link to the part of each mapping that it names."""
    for shape in shapes():
        text = text.replace(f"{shape.title} (a mapping)", f"[{shape.title}](#{anchor(shape)})")
    return text


def anchor(shape: Shape) -> str:
    """What a heading is linked by."""
    return re.sub(r"[^a-z0-9_ -]", "", heading(shape).lower()).replace(" ", "-")
