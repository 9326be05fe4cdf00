"""docs/live.md names what there is: settings, attributes, metrics, reasons of drops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from agent_spans import agent, call, scored, tracer_of
from recording import Recording

from otel_toolscore import emit
from otel_toolscore.live import scorer
from otel_toolscore.settings import SETTINGS, Settings, from_environment

PAGE = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.variable)
def test_each_setting_has_its_row(setting: object) -> None:
    """Variable, what it takes, and the default."""
    variable, takes = setting.variable, setting.takes  # type: ignore[attr-defined]
    row = re.search(rf"^\| `{variable}` \| (.*?) \| (.*?) \|", PAGE, re.MULTILINE)
    assert row is not None
    assert row[1] == takes
    default = getattr(Settings(), setting.field)  # type: ignore[attr-defined]
    if default != ():
        assert from_environment({variable: row[2]}) == Settings()


def test_no_setting_is_made_up() -> None:
    """What the page names can be set."""
    assert set(re.findall(r"TOOLSCORE_[A-Z_]+", PAGE)) == {setting.variable for setting in SETTINGS}


def test_each_attribute_is_named() -> None:
    """Those of spans, and those of events."""
    assert [name for name in sorted(emit.WRITTEN) if f"`{name}`" not in PAGE] == []
    for name in (emit.EVALUATION_NAME, emit.SCORE_VALUE, emit.SCORE_LABEL, emit.EXPLANATION, emit.CAUSE, emit.REVISION):
        assert f"`{name}`" in PAGE


def test_each_metric_is_named_and_none_is_made_up() -> None:
    """With its unit."""
    recording = Recording()
    processor = scored({"rules": [{"id": "a", "forbid": "x"}], "expectations": [{"id": "e", "calls": []}]}, recording)
    processor.errors.add("a test", ValueError())
    tracer = tracer_of(recording)
    for _ in range(64):
        with agent(tracer):
            call(tracer, "x")
    processor._scorer._drop("evicted")
    data = recording.reader.get_metrics_data()
    assert data is not None
    made = {metric.name: metric.unit for resource in data.resource_metrics for scope in resource.scope_metrics for metric in scope.metrics}
    documented = dict(re.findall(r"^\| `(toolscore\.[a-z_.]+)` \| [a-z -]+, (\S+) \|", PAGE, re.MULTILINE))
    assert made.items() <= documented.items()
    assert documented.keys() - made.keys() <= {"toolscore.inconclusive_findings"}


def test_each_reason_of_a_drop_is_explained() -> None:
    """What the metric's attribute can say."""
    for reason in (scorer.FORGOTTEN, scorer.NEVER_ENDED, scorer.TOO_MANY_SPANS, scorer.TOO_MANY_TRACES):
        assert f"`{reason}`" in PAGE
