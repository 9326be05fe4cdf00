"""What is whole of a JSON document that breaks off."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|"', re.DOTALL)
_CLOSING: Final = {"{": "}", "[": "]"}
_SPAN_LISTS: Final = frozenset({"spans", "data"})
"""Names of the lists that hold spans (or, under `data`, traces); a list at the top holds records."""


def whole_records(text: str) -> str | None:
    """The document cut after the last whole record of a list of spans, and closed; None where there is no whole record.

    `text` is the beginning of a JSON document. A record that is itself cut is left out, since half a span would seem to be a
    span whose arguments were not captured.
    """
    stack: list[tuple[str, str]] = []
    name = before = ""
    cut, closing = 0, ""
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in _CLOSING:
            stack.append((word, name))
            name = ""
        elif word in ("}", "]"):
            if not stack:
                break
            stack.pop()
            if word == "}" and stack and stack[-1][0] == "[" and (len(stack) == 1 or stack[-1][1] in _SPAN_LISTS):
                cut = token.end()
                closing = "".join(_CLOSING[opened] for opened, _ in reversed(stack))
        elif word == '"':  # a string that does not end
            break
        elif word == ":":
            name = before[1:-1]
        elif word == ",":
            name = ""
        before = word
    return text[:cut] + closing if cut else None
