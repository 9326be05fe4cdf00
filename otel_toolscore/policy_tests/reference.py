"""The tables of keys in the documentation of policy tests, from the tables of the grammar."""

from __future__ import annotations

import re
from typing import Final

from otel_toolscore.policy.reference import section
from otel_toolscore.policy_tests.grammar import CALL, EXPECT, FILE, TEST

MARK: Final = re.compile(r"(<!-- test keys: begin[^>]*-->\n).*?(<!-- test keys: end -->)", re.DOTALL)
"""What stands between a pair of these comments is written from the tables."""
LINK: Final = re.compile(r"\[([^\]]*)\]\(#[^)]*\)")
"""Links to the parts of another page."""


def current(page: str) -> str:
    """A page of the documentation with its tables as they should be."""
    tables = "\n\n".join("\n".join(section(shape)) for shape in (FILE, TEST, EXPECT, CALL))
    tables = LINK.sub(r"\1", tables)
    return MARK.sub(lambda mark: f"{mark[1]}{tables}\n{mark[2]}", page)
