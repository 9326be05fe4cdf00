"""The environment's settings."""

from __future__ import annotations

import pytest

from otel_toolscore.settings import SETTINGS, SettingError, Settings, from_environment


def test_an_empty_environment_gives_the_defaults() -> None:
    """Nothing set, or set to nothing, is the default."""
    assert from_environment({}) == from_environment({"TOOLSCORE_ENABLED": "", "TOOLSCORE_MAX_SPANS": " "}) == Settings()


def test_each_setting_has_one_variable() -> None:
    """Every field can be set, each by its own variable."""
    assert sorted(setting.field for setting in SETTINGS) == sorted(Settings.__struct_fields__)
    assert len({setting.variable for setting in SETTINGS}) == len(SETTINGS)


def test_values_are_read() -> None:
    """Switches take words, lists are separated by commas, numbers are numbers."""
    assert from_environment(
        {
            "TOOLSCORE_ENABLED": "Off",
            "TOOLSCORE_POLICY": "a.yaml, toolscore:recommended",
            "TOOLSCORE_IDLE_TIMEOUT": "1.5",
            "TOOLSCORE_MAX_TRACES": "2",
            "TOOLSCORE_MAX_SPANS": "3",
            "TOOLSCORE_MAX_SERIES": "4",
        }
    ) == Settings(enabled=False, policy=("a.yaml", "toolscore:recommended"), idle_timeout_s=1.5, max_traces=2, max_spans=3, max_series=4)


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TOOLSCORE_ENABLED", "maybe"),
        ("TOOLSCORE_IDLE_TIMEOUT", "0"),
        ("TOOLSCORE_IDLE_TIMEOUT", "inf"),
        ("TOOLSCORE_MAX_TRACES", "0"),
        ("TOOLSCORE_MAX_SPANS", "1.5"),
        ("TOOLSCORE_MAX_SERIES", "many"),
    ],
)
def test_a_value_that_cannot_be_understood_is_refused(variable: str, text: str) -> None:
    """The message names the variable and what it takes."""
    with pytest.raises(SettingError, match=f"^{variable} takes "):
        from_environment({variable: text})


def test_all_faults_are_told_at_once() -> None:
    """Two wrong variables are one error."""
    with pytest.raises(SettingError, match=r"TOOLSCORE_ENABLED takes true or false; TOOLSCORE_MAX_SPANS takes"):
        from_environment({"TOOLSCORE_ENABLED": "x", "TOOLSCORE_MAX_SPANS": "x"})
