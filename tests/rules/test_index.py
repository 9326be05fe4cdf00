"""Which rules a call can concern, and what correlates arguments."""

from __future__ import annotations

import drawn
from hypothesis import given
from hypothesis import strategies as st
from written import call, pattern, variant

from otel_toolscore.model import MISSING, ToolCall
from otel_toolscore.paths import Path
from otel_toolscore.rules.correlation import MAX_ROWS, rows
from otel_toolscore.rules.index import MAX_REMEMBERED, RuleIndex
from otel_toolscore.rules.pattern import Pattern, fits


def test_literals_globs_and_any() -> None:
    """Rules that cannot name the tool are not asked."""
    index = RuleIndex(
        [(pattern("a"),), (pattern("a*"),), (pattern("b"), pattern("c")), (pattern(),), None, (pattern("*"),), (pattern("A"),)]
    )
    assert index.rules(call("a")) == (0, 1, 3, 4, 5, 6)
    assert index.rules(call("ab")) == (1, 3, 4, 5)
    assert index.rules(call("c")) == (2, 3, 4, 5)
    assert index.rules(call("zzz")) == (3, 4, 5)


def test_every_name_of_the_call_is_looked_up() -> None:
    """The recorded one, that with its server, and those of merged spans."""
    index = RuleIndex([(pattern("mcp__s__*"),), (pattern("inner"),), (pattern("bare"),)])
    assert index.rules(call("bare", server="s")) == (0, 2)
    assert index.rules(call("bare", recorded_name="mcp__s__bare")) == (0, 2)
    assert index.rules(call("outer", variants=(variant("outer"), variant("inner")))) == (1,)


def test_names_from_outside_do_not_fill_the_memory() -> None:
    """What is remembered is bounded, and the answer stays right."""
    index = RuleIndex([(pattern("a*"),)])
    assert all(
        index.rules(call(f"{letter}{number}")) == expected
        for number in range(MAX_REMEMBERED)
        for letter, expected in (("a", (0,)), ("b", ()))
    )


@given(st.lists(drawn.patterns(), max_size=4), drawn.calls(0, "t", drawn.SHAPES[0], timed=True, instant=True))
def test_no_rule_that_fits_is_left_out(patterns: list[Pattern], one: ToolCall) -> None:
    """Whatever fits, in either polarity, is among what the index names."""
    named = RuleIndex([(each,) for each in patterns]).rules(one)
    fitting = {number for number, each in enumerate(patterns) for accuse in (True, False) if fits(each, one, accuse=accuse) is not False}
    assert fitting <= set(named)


def paths(*texts: str) -> list[Path]:
    return [Path.parse(text) for text in texts]


class TestRows:
    def test_one_value_at_each_path(self) -> None:
        """One row."""
        assert rows(paths("a", "b.c"), {"a": 1, "b": {"c": 2}}, nested_text=False) == [(1, 2)]

    def test_what_is_missing_stands_in_its_place(self) -> None:
        """Also where a list is empty or an item lacks it."""
        assert rows(paths("a", "b"), {"a": 1}, nested_text=False) == [(1, MISSING)]
        assert rows(paths("a[*].b"), {"a": [{"b": 1}, {}]}, nested_text=False) == [(1,), (MISSING,)]
        assert rows(paths("a[*].b", "a[*].c"), {"a": []}, nested_text=False) == [(MISSING, MISSING)]

    def test_paths_through_one_list_go_item_by_item(self) -> None:
        """With what is not in the list beside each."""
        value = {"n": 0, "a": [{"b": 1, "c": 2}, {"b": 3, "c": 4}]}
        assert rows(paths("a[*].b", "n", "a[*].c"), value, nested_text=False) == [(1, 0, 2), (3, 0, 4)]

    def test_lists_in_lists(self) -> None:
        """Item by item on every level that they share."""
        value = {"a": [{"k": 1, "b": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}, {"k": 2, "b": [{"x": 5, "y": 6}]}]}
        found = rows(paths("a[*].k", "a[*].b[*].x", "a[*].b[*].y"), value, nested_text=False)
        assert found == [(1, 1, 2), (1, 3, 4), (2, 5, 6)]

    def test_different_lists_are_combined(self) -> None:
        """Everything with everything."""
        assert rows(paths("a[*]", "b[*]"), {"a": [1, 2], "b": [3, 4]}, nested_text=False) == [(1, 3), (1, 4), (2, 3), (2, 4)]

    def test_too_many_are_not_made(self) -> None:
        """None instead of a list that would fill the memory."""
        many = list(range(MAX_ROWS))
        assert rows(paths("a[*]"), {"a": many}, nested_text=False) == [(number,) for number in many]
        assert rows(paths("a[*]", "b[*]"), {"a": many, "b": [1, 2]}, nested_text=False) is None
        assert rows(paths("a[*].x", "a[*].y"), {"a": [{}] * (MAX_ROWS + 1)}, nested_text=False) is None

    def test_json_text_is_entered_where_it_accuses(self) -> None:
        """And nowhere else."""
        assert rows(paths("a.b"), {"a": '{"b": 1}'}, nested_text=True) == [(1,)]
        assert rows(paths("a.b"), {"a": '{"b": 1}'}, nested_text=False) == [(MISSING,)]
