"""The table of dialects as Markdown, for docs/dialects.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from otel_toolscore.dialects.dialect import Dialect

BEGIN: Final = "<!-- dialects: begin -->"
END: Final = "<!-- dialects: end -->"
_CODE: Final = re.compile(r"`[^`]*`|(?<![\w.])[@.]?\w+(?:[._:=]\w+)+|(?<=[ (])\.\w+")
_MANY: Final = 4


def markdown(dialects: Iterable[Dialect]) -> str:
    """Two tables: how each dialect is recognised, and where it keeps what."""
    listed = list(dialects)
    return "\n".join(
        [
            "### How a span is recognised",
            "",
            *_table(
                ("dialect", "emitter", "instrumentation scopes", "recognised by"),
                [(f"`{each.name}`", each.title, _scopes(each), _spelled(each.recognised)) for each in listed],
            ),
            "",
            "### Where it keeps what",
            "",
            *_table(
                ("dialect", "name", "call id", "arguments", "result", "error"),
                [
                    (
                        f"`{each.name}`",
                        *map(_spelled, (each.name_from, each.id_from, each.arguments_from, each.result_from, each.error_from)),
                    )
                    for each in listed
                ],
            ),
            "",
            "### What default settings leave out, and what to do about it",
            "",
            *_table(
                ("dialect", "left out", "to capture it"),
                [(f"`{each.name}`", _spelled(each.left_out), _spelled(each.hint)) for each in listed],
            ),
        ]
    )


def within(document: str, tables: str) -> str:
    """The document with the tables between its markers; raises ValueError where it has no markers."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _scopes(dialect: Dialect) -> str:
    """All of them, or what many have in common."""
    scopes = dialect.scopes
    if len(scopes) > _MANY:
        shared = scopes[0][: next((at for at, letters in enumerate(zip(*scopes, strict=False)) if len(set(letters)) > 1), 0)]
        return f"{len(scopes)} of `{shared}*`"
    return ", ".join(f"`{scope}`" for scope in scopes) or "any"


def _spelled(text: str) -> str:
    """The sentence with what is code set as code."""
    return _CODE.sub(lambda match: match[0] if match[0].startswith("`") else f"`{match[0]}`", text.replace("|", "\\|"))
