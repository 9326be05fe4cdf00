"""Ways around a rule: each is found, and its harmless twin is not.

The cases are data, one file for each technique. A rule's id is `r` unless the case names another; `found` is `violation` unless
the case says `inconclusive` (the evidence may hide what is forbidden) or `silent` (it is no evasion). `<PAD>` in a call stands
for `pad` letters.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from evasion_cases import CASES, Case, kinds_of, techniques

FOLDER = Path(__file__).parent


def test_there_are_enough_of_them() -> None:
    """At least twelve techniques of at least five evasions each."""
    assert len(techniques()) >= 12
    assert all(sum(case.file == file and case.found != "silent" for case in CASES) >= 5 for file in techniques())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_evasion_is_found(case: Case) -> None:
    """The rule sees through it, or says that it cannot know."""
    assert kinds_of(case, case.call) == ([] if case.found == "silent" else [(case.rule, case.found)])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_its_harmless_twin_stays_clean(case: Case) -> None:
    """What is written in the same odd way and does no harm is not found."""
    assert kinds_of(case, case.twin) == []
