"""YAML 1.2 core scalars: what an unquoted word is, and nothing more (`NO`, `on`, `1_000`, `12:30` and dates are text)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
TRUE: Final = frozenset({"true", "True", "TRUE"})
FALSE: Final = frozenset({"false", "False", "FALSE"})
DECIMAL: Final = re.compile(r"[-+]?[0-9]+")
BASED: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE](?P<exponent>[-+]?[0-9]+))?")
INFINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
NAN: Final = frozenset({".nan", ".NaN", ".NAN"})

LARGEST_DIGITS: Final = 3_500
"""Longest number, in characters: its decimal form stays within what every supported Python converts without being asked."""
LARGEST_EXPONENT: Final = 4_000


def unreadable_number(text: str) -> str | None:
    """Why an unquoted scalar is a number that cannot be taken exactly as it is written; None for everything else."""
    if len(text) > LARGEST_DIGITS and (FLOAT.fullmatch(text) or BASED.fullmatch(text)):
        return f"a number of more than {LARGEST_DIGITS} digits; put it in quotes if it is text"
    found = FLOAT.fullmatch(text)
    if found is None or DECIMAL.fullmatch(text):
        return None
    exponent = found["exponent"]
    if exponent is not None and len(exponent) > len(str(LARGEST_EXPONENT)) + 1:
        return "a number whose exponent is out of range"
    value = float(text)
    if value in {float("inf"), float("-inf")} or (value == 0 and Fraction(text) != 0):
        return "a number that is out of range; infinity is written .inf"
    return None


def scalar(text: str) -> object:
    """The value of an unquoted scalar: None, bool, int, float or str."""
    if text in NULLS:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    if DECIMAL.fullmatch(text):
        return int(text)
    if BASED.fullmatch(text):
        return int(text[2:], 8 if text[1] == "o" else 16)
    if FLOAT.fullmatch(text):
        return float(text)
    if INFINITE.fullmatch(text):
        return float("-inf") if text.startswith("-") else float("inf")
    return float("nan") if text in NAN else text


def exact(text: str) -> Fraction | None:
    """The exact value of an unquoted finite number; None where the scalar is none."""
    if BASED.fullmatch(text):
        return Fraction(int(text[2:], 8 if text[1] == "o" else 16))
    return Fraction(text) if FLOAT.fullmatch(text) else None
