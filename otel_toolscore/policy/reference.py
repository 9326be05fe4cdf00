"""The tables of keys in the documentation, from the tables of the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from otel_toolscore.matchers import OPERATORS
from otel_toolscore.policy.grammar.policies import shapes
from otel_toolscore.policy.grammar.shapes import Key, Shape

MARK: Final = re.compile(r"(<!-- (keys|operators): begin[^>]*-->\n).*?(<!-- \2: end -->)", re.DOTALL)
"""What stands between a pair of these comments is written from the tables."""
PLURALS: Final = {
    "expectations": "expectation",
    "rules": "rule",
    "span mappings": "span",
    "patterns": "pattern",
    "waivers": "waiver",
    "calls": "call",
    "field rules": "field",
    "what is known of them": "tool",
}
"""Words for many of something -> the name of its table."""


def current(page: str) -> str:
    """A page of the documentation with its tables as they should be."""
    parts = {"keys": reference, "operators": operators}
    return MARK.sub(lambda mark: f"{mark[1]}{parts[mark[2]]()}\n{mark[3]}", page)


def operators() -> str:
    """The table of the `$` operators, as Markdown."""
    rows = [f"| `{name}` | {cell(operator.argument)} | {cell(operator.doc)} |" for name, operator in OPERATORS.items()]
    return "\n".join(["| operator | takes | fits when |", "|---|---|---|", *rows])


def cell(text: str) -> str:
    """Text in a table."""
    return text.replace("|", "\\|")


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
    default = "required" if key.required else key.default if " " in key.default or "`" in key.default else f"`{key.default}`"
    cells = (f"`{key.name}`", linked(key.kind.described()), default.replace("``", ""), key.meaning)
    return "| " + " | ".join(map(cell, cells)) + " |"


def heading(shape: Shape) -> str:
    """The title of a part: `Rule`, `before`."""
    return re.sub(r"^(an?) (.)", lambda found: found[2].upper(), shape.title)


def linked(text: str) -> str:
    """The description of a kind, with a link to the part of each mapping that it names."""
    named = {shape.name: shape for shape in shapes()}
    for shape in named.values():
        text = text.replace(f"{shape.title} (a mapping)", f"[{shape.title}](#{anchor(shape)})")
    for plural, name in PLURALS.items():
        text = re.sub(rf"\b(of|to) {plural}\b", rf"\1 [{plural}](#{anchor(named[name])})", text)
    return text


def anchor(shape: Shape) -> str:
    """What a heading is linked by."""
    return re.sub(r"[^a-z0-9_ -]", "", heading(shape).lower()).replace(" ", "-")
