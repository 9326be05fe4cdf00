"""Tightening never turns `fail` into `pass`: neither taking a tolerance away nor adding a rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from case_format import Case
from case_judge import words
from command_line import in_process
from hypothesis import given
from hypothesis import strategies as st
from test_cases import supported

from otel_toolscore.compare import FieldRule
from otel_toolscore.expected import ExpectedCall
from otel_toolscore.matchers import ANY
from otel_toolscore.model import NOT_CAPTURED, Evidence, ToolCall
from otel_toolscore.score import score_calls

TOOLS = st.sampled_from("abc")
ARGUMENTS = st.dictionaries(st.sampled_from("xyz"), st.sampled_from([0, 1, "k", "K", " k"]), max_size=2)
LISTS = st.dictionaries(st.sampled_from("xyz"), st.permutations([1, 2]), max_size=1)
RULES = st.sampled_from(
    [
        FieldRule(ignore=True),
        FieldRule(case_insensitive=True),
        FieldRule(abs_tol=1),
        FieldRule(order_independent_list=True),
        FieldRule(default=0),
    ]
)
WANTED = st.builds(
    ExpectedCall,
    TOOLS,
    st.none() | ARGUMENTS | LISTS | st.dictionaries(st.sampled_from("xyz"), st.just(ANY), max_size=1),
    st.dictionaries(st.sampled_from("xyz"), RULES, max_size=2),
    st.booleans(),
    outcome=st.sampled_from(["any", "ok"]),
    min_times=st.sampled_from([0, 1]),
    max_times=st.sampled_from([1, 3, None]),
)
MADE = st.builds(
    ToolCall,
    tool=TOOLS,
    arguments=st.one_of((ARGUMENTS | LISTS).map(lambda value: Evidence("captured", value)), st.just(NOT_CAPTURED)),
    outcome=st.sampled_from(["ok", "error", "unknown"]),
)

Loose = tuple[list[ExpectedCall], dict[str, Any]]
TIGHTENINGS: dict[str, Callable[[list[ExpectedCall], dict[str, Any]], Loose]] = {
    "order": lambda items, options: (items, {**options, "order": "in_order"}),
    "extra calls": lambda items, options: (items, {**options, "extra": "forbid"}),
    "retries": lambda items, options: (items, {**options, "extra": "forbid" if options["extra"] == "forbid" else "retries"}),
    "space around text": lambda items, options: (items, {**options, "strict": True}),
    "extra fields": lambda items, options: ([msgspec.structs.replace(item, allow_extra_fields=False) for item in items], options),
    "field rules": lambda items, options: ([msgspec.structs.replace(item, field_rules={}) for item in items], options),
    "optional calls": lambda items, options: ([msgspec.structs.replace(item, min_times=1) for item in items], options),
    "repeated calls": lambda items, options: ([msgspec.structs.replace(item, max_times=1) for item in items], options),
    "outcomes": lambda items, options: ([msgspec.structs.replace(item, outcome="ok") for item in items], options),
}


@pytest.mark.parametrize("taken", TIGHTENINGS)
@given(
    items=st.lists(WANTED, max_size=4),
    calls=st.lists(MADE, max_size=4),
    options=st.fixed_dictionaries(
        {"order": st.sampled_from(["in_order", "any"]), "extra": st.sampled_from(["forbid", "retries", "allow"]), "strict": st.booleans()}
    ),
)
def test_taking_a_tolerance_away(taken: str, items: list[ExpectedCall], calls: list[ToolCall], options: dict[str, Any]) -> None:
    """What passes without the tolerance passes with it: in particular nothing that failed passes now."""
    tight_items, tight_options = TIGHTENINGS[taken](items, options)
    tight = score_calls(tight_items, calls, id="e", **tight_options).verdict
    loose = score_calls(items, calls, id="e", **options).verdict
    assert not (loose == "fail" and tight == "pass")
    if tight == "pass":
        assert loose == "pass"


JUDGED = [case for case in supported() if "policy" in case.document and "spans" in case.document.get("input", {})]


@pytest.mark.parametrize("added", [{"forbid": "no-such-tool"}, {"forbid": "*"}, {"allow": ["*"]}, {"require": "no-such-tool"}], ids=str)
def test_adding_a_rule(added: dict[str, Any], tmp_path: Path) -> None:
    """Whatever the rule is, no document that failed passes, and none that was open passes either."""
    assert len(JUDGED) > 40
    turned = []
    for case in JUDGED:
        before, after = verdict(case, tmp_path), verdict(case, tmp_path, added)
        if before in ("fail", "inconclusive") and after == "pass":
            turned.append((case.name, before, after))
    assert turned == []


def verdict(case: Case, folder: Path, added: dict[str, Any] | None = None) -> str:
    """The verdict on a case, with a further rule in its policy."""
    command = words(case.document, folder)
    policy = dict(case.document["policy"])
    if added is not None:
        policy["rules"] = [*policy.get("rules", []), {"id": "added", **added}]
    Path(command[command.index("--policy") + 1]).write_text(yaml.safe_dump(policy), encoding="utf-8")
    return str(json.loads(in_process(command).out)["verdict"])
