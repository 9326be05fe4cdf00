"""Which spans are looked at: none that a dialect knows is missed, and of others next to nothing is seen."""

from __future__ import annotations

import pytest
from test_replay import CASES

from otel_toolscore.dialects import DIALECTS
from otel_toolscore.dialects.dialect import Dialect
from otel_toolscore.live import recognition
from otel_toolscore.live.recognition import Recognition
from otel_toolscore.policy import loads


def needle(*needles: str, scopes: tuple[str, ...] = ()) -> Dialect:
    words = dict.fromkeys(
        ("title", "recognised", "name_from", "id_from", "arguments_from", "result_from", "error_from", "left_out", "hint"), ""
    )
    return Dialect(name="d", scopes=scopes, needles=needles, read=lambda _span: None, **words)


def test_every_span_that_a_dialect_reads_is_let_through() -> None:
    """For the spans of all cases: what has a reading has a needle among its keys, or in its name."""
    known = Recognition(DIALECTS)
    for case in CASES:
        for span in case.document["input"]["spans"]:
            attributes = span.get("attrs") or {}
            if any(
                key in attributes for key in ("gen_ai.operation.name", "openinference.span.kind", "mcp.method.name", "traceloop.span.kind")
            ):
                assert known.by_keys(attributes) or known.by_name(span["name"]), span


def test_keys_and_names_that_were_met_are_remembered() -> None:
    """A plain span is told from two sets; a needle is told each time."""
    known = Recognition([needle("gen_ai.", "exact", "name:running ")])
    assert not known.by_keys({"http.method": 1, "other": 2})
    assert known.plain_keys == {"http.method", "other"}
    assert not known.by_keys({"http.method": 1})
    assert known.by_keys({"http.method": 1, "gen_ai.tool.name": 2})
    assert known.by_keys({"exact": 1})
    assert known.plain_keys == {"http.method", "other"}
    assert not known.by_name("GET /")
    assert known.by_name("running tool")
    assert known.plain_names == {"GET /"}


def test_scopes_are_read_where_their_spans_may_say_late_what_they_are() -> None:
    """By name or by its beginning; a dialect whose spans have names of their own needs none."""
    known = Recognition([needle("a.", scopes=("exact", "wild.*")), needle("name:x", scopes=("named",))])
    assert [known.scope(name) for name in ("exact", "wild.card", "exactly", "named", "app")] == [True, True, False, False, False]
    known.learn("app")
    assert known.scope("app")
    assert known.scopes["app"]


def test_a_policys_own_spans_are_needles() -> None:
    """The attributes that it matches."""
    policy = loads("version: 1\nspans:\n  - {match: {attributes: {acme.kind: tool}}, call: {tool: acme.tool}}\n")
    assert Recognition([], policy.spans).by_keys({"acme.kind": "tool"})
    assert not Recognition([]).by_keys({"acme.kind": "tool"})


def test_made_up_names_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sets start over, as the same objects."""
    monkeypatch.setattr(recognition, "MAX_REMEMBERED", 100)
    known = Recognition([needle("gen_ai.", scopes=("fixed",))])
    keys, names, scopes = known.plain_keys, known.plain_names, known.scopes
    for number in range(1000):
        known.by_keys({f"k{number}": 1})
        known.by_name(f"n{number}")
        known.scope(f"s{number}")
    assert max(len(keys), len(names), len(scopes)) <= 103
    assert (known.plain_keys is keys, known.plain_names is names, known.scopes is scopes) == (True, True, True)
    assert known.scope("fixed")
