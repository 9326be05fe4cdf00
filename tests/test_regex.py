"""Regular expressions and globs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore import regex


def test_found_and_fits() -> None:
    """An expression is found anywhere, or fits the whole; a dot is a newline too."""
    assert regex.compiled("b.c").found_in("ab\ncd")
    assert not regex.compiled("b.c").fits("ab\ncd")
    assert regex.compiled(".b.c.").fits("ab\ncd")
    assert regex.compiled("(?i)É").fits("é")
    assert regex.compiled("^$").fits("")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?<=a)b", "invalid perl operator: (?<="),
        ("(", "missing ): ("),
        (r"(a)\1", r"invalid escape sequence: \1"),
        ("a{1001}", "invalid repetition size: {1001}"),
        ("((((a{100}){100}){100}){100})", "invalid repetition size: {100}"),
        ("\ud800", "a surrogate that is not half of a pair"),
    ],
)
def test_refused(pattern: str, reason: str, capfd: pytest.CaptureFixture[str]) -> None:
    """What RE2 does not take is refused with its reason, and nothing is printed."""
    with pytest.raises(regex.RegexError) as caught:
        regex.compiled(pattern)
    assert str(caught.value) == reason
    assert capfd.readouterr() == ("", "")


def test_linear() -> None:
    """An expression that takes exponential time elsewhere is answered at once."""
    assert not regex.compiled("(a*)*b").found_in("a" * 200_000)
    assert not regex.glob("*a*a*a*a*a*b").fits("a" * 200_000)


def test_surrogates() -> None:
    """Halves of a pair are one character, a lone one is the replacement character."""
    assert regex.compiled("\U0001f600").fits("\ud83d\ude00")
    assert regex.compiled("a.b").fits("a\ud800b")
    assert not regex.compiled("[a-z]+").fits("a\ud800b")
    assert not regex.compiled(r"\?").found_in("\ud800")


def test_glob() -> None:
    """Only the star and the question mark have a meaning."""
    assert regex.glob("get_*").fits("get_\nuser")
    assert regex.glob("a?c").fits("a\u00e9c")
    assert not regex.glob("a?c").fits("ac")
    assert not regex.glob("get_*").fits("forget_user")


@given(st.text())
def test_glob_of_other_characters_is_the_text(text: str) -> None:
    """Every other character stands for itself."""
    plain = text.replace("*", "").replace("?", "")
    assert regex.glob(plain).fits(plain)
    assert not regex.glob(plain).fits(plain + "x")
    assert regex.glob(f"*{plain}*").fits(f"x{plain}y")
