"""`Policy.load`: the policy of files, in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from otel_toolscore import Policy, PolicyError
from otel_toolscore.policy import RECOMMENDED


def test_files_are_applied_in_order(tmp_path: Path) -> None:
    """A later file overrides an earlier one, as `extends` does."""
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("version: 1\nrules: [{id: a, severity: low, forbid: x}]\n")
    second.write_text("version: 1\nrules: [{id: a, severity: critical, forbid: y}]\n")
    policy = Policy.load(first, second)
    assert [(rule.id, rule.severity) for rule in policy.rules] == [("a", "critical")]
    assert policy.sources == (str(first), str(second))


def test_built_in_policies_load_by_name() -> None:
    """Without a file there is the recommended policy."""
    assert Policy.load(RECOMMENDED).sources == (RECOMMENDED,)


def test_a_policy_that_cannot_be_understood_is_refused(tmp_path: Path) -> None:
    """Every fault has its place."""
    path = tmp_path / "a.yaml"
    path.write_text("version: 1\nrules: [{id: a, forbit: x}]\n")
    with pytest.raises(PolicyError) as error:
        Policy.load(path)
    assert str(error.value).startswith(f"{path}:2:")
    assert "forbid" in str(error.value)
