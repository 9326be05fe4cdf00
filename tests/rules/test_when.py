"""`when` and `except`."""

from __future__ import annotations

import datetime as dt

import pytest
from written import MILLISECOND, NOT_CAPTURED, START, call, judged, pattern, scope, when

from otel_toolscore.model import Scope, Truth
from otel_toolscore.rules.forbid import Forbid
from otel_toolscore.rules.pattern import When
from otel_toolscore.rules.rule import Waiver
from otel_toolscore.rules.when import holds, selects

ANY = Forbid(pattern("*"))
BOSS = scope("top", name="boss", service="web", input="please refund", attributes={"case": ("refund-1",), "tags": (["a", "b"],)})
HELPER = scope("sub", name="helper", parent="top")
FLOW = scope("flow", "workflow", "orders")
NAMELESS = scope("x")


@pytest.mark.parametrize(
    ("condition", "around", "expected"),
    [
        (when(agent="helper"), [HELPER, BOSS], True),
        (when(agent="boss"), [HELPER, BOSS], True),
        (when(agent="b*"), [HELPER, BOSS], True),
        (when(agent=["x", "helper"]), [HELPER, BOSS], True),
        (when(agent="intern"), [HELPER, BOSS], False),
        (when(agent="Boss"), [HELPER, BOSS], False),
        (when(agent="intern"), [NAMELESS, BOSS], None),
        (when(agent="boss"), [NAMELESS, BOSS], True),
        (when(agent="boss"), [], None),
        (when(agent="boss"), [FLOW], None),
        (when(workflow="orders"), [HELPER, FLOW], True),
        (when(workflow="orders"), [HELPER, BOSS], False),
        (when(workflow="orders"), [scope("w", "workflow")], None),
        (when(agent="helper", workflow="orders"), [HELPER, FLOW], True),
        (when(agent="helper", workflow="other"), [HELPER, FLOW], False),
        (when(service="agents"), [BOSS], True),
        (when(service="web"), [BOSS], False),
        (when(input={"$contains": "refund"}), [HELPER, BOSS], True),
        (when(input={"$contains": "order"}), [HELPER, BOSS], False),
        (when(input={"$contains": "refund"}), [HELPER], None),
        (when(attributes={"case": "refund-1"}), [HELPER, BOSS], True),
        (when(attributes={"case": "refund-2"}), [HELPER, BOSS], False),
        (when(attributes={"absent": "x"}), [BOSS], False),
        (when(attributes={"absent": {"$exists": False}}), [BOSS], True),
        (when(attributes={"case": {"$not": "refund-2"}}), [BOSS], True),
        (when(agent="boss", attributes={"case": "refund-2"}), [NAMELESS], False),
    ],
)
def test_when_on_a_call(condition: When, around: list[Scope], expected: Truth) -> None:
    """Each part may be met by a scope around the call; what is not recorded is unknown."""
    assert holds(condition, around, service="agents").truth is expected


def test_the_call_itself_may_name_its_agent() -> None:
    """Where no agent span is around it, but its own span says whose it is."""
    assert holds(when(agent="boss"), [], service=None, agents=("boss",)).truth is True
    assert holds(when(agent="boss"), [], service=None, agents=("other",)).truth is False


def test_an_unknown_service_is_unknown() -> None:
    """Not false."""
    assert holds(when(service="web"), [BOSS], service=None).truth is None


@pytest.mark.parametrize(
    ("condition", "own", "outside", "expected"),
    [
        (None, BOSS, [], True),
        (None, HELPER, [BOSS], False),
        (when(agent="helper"), HELPER, [BOSS], True),
        (when(agent="boss"), HELPER, [BOSS], False),
        (when(agent="boss"), FLOW, [], False),
        (when(agent="boss"), NAMELESS, [], None),
        (when(workflow="orders"), FLOW, [], True),
        (when(workflow="orders"), HELPER, [FLOW], False),
        (when(agent="helper", workflow="orders"), HELPER, [FLOW], True),
        (when(agent="helper", workflow="other"), HELPER, [FLOW], False),
        (when(service="web"), BOSS, [], True),
        (when(input={"$contains": "refund"}), BOSS, [], True),
        (when(agent="helper", input={"$contains": "refund"}), HELPER, [BOSS], True),
        (when(input={"$contains": "refund"}), FLOW, [], None),
        (when(attributes={"case": "refund-1"}), BOSS, [], True),
        (when(attributes={"case": "refund-2"}), BOSS, [], False),
    ],
)
def test_selecting_scopes(condition: When | None, own: Scope, outside: list[Scope], expected: Truth) -> None:
    """An agent or a workflow is selected by its own name, else the top of the run is."""
    assert selects(condition, own, outside).truth is expected


def test_a_rule_is_limited_to_where_its_when_holds() -> None:
    """Calls elsewhere are not its business; where that is not known, its finding is open."""
    scopes = [BOSS, HELPER]
    assert judged(ANY, call("x", scope="top"), call("x", {}, 10, scope="sub"), scopes=scopes, when=when(agent="helper")) == [
        ("violation", 1)
    ]
    assert judged(ANY, call("x"), when=when(agent="helper")) == [("inconclusive", 0)]


class TestWaivers:
    DAY = dt.date(2026, 9, 21)
    """The UTC date of START."""

    def test_it_excuses_what_it_covers(self) -> None:
        """By pattern, by scope, or both."""
        tests = Waiver(call=pattern("x", {"dry_run": True}), reason="no effect")
        assert judged(ANY, call("x", {"dry_run": True}), call("x", {}, 10), waivers=(tests,)) == [("violation", 1)]
        agent = Waiver(when=when(agent="boss"))
        assert judged(ANY, call("x", scope="top"), scopes=[BOSS], waivers=(agent,)) == []

    @pytest.mark.parametrize(
        ("until", "excused"), [(DAY, True), (DAY - dt.timedelta(days=1), False), (dt.date.max, True), (dt.date.min, False)]
    )
    def test_until_is_its_last_day(self, until: dt.date, excused: bool) -> None:
        """Compared with the UTC date on which the call started."""
        assert dt.datetime.fromtimestamp(START / 1e9, dt.timezone.utc).date() == self.DAY
        assert judged(ANY, call("x"), waivers=(Waiver(until=until),)) == ([] if excused else [("violation", 0)])

    def test_the_day_ends_at_midnight(self) -> None:
        """To the nanosecond."""
        midnight = int(dt.datetime(2026, 9, 22, tzinfo=dt.timezone.utc).timestamp()) * 1000 * MILLISECOND
        waiver = (Waiver(until=self.DAY),)
        assert judged(ANY, call("x", start_ns=midnight - 1), waivers=waiver) == []
        assert judged(ANY, call("x", start_ns=midnight), waivers=waiver) == [("violation", 0)]

    def test_it_excuses_only_for_certain(self) -> None:
        """What may be covered is found: an unknown agent, arguments that were not captured, an unknown time."""
        agent = Waiver(when=when(agent="boss"))
        assert judged(ANY, call("x"), waivers=(agent,)) == [("violation", 0)]
        dry = Waiver(call=pattern("x", {"dry_run": True}))
        assert judged(ANY, call("x", NOT_CAPTURED), waivers=(dry,)) == [("violation", 0)]
        ends = Waiver(until=dt.date.max)
        assert judged(ANY, call("x", start_ns=None), waivers=(ends,)) == [("violation", 0)]

    def test_it_reads_strictly(self) -> None:
        """A look-alike or text around the value is not what was excused."""
        dry = Waiver(call=pattern("x", {"mode": "dry"}))
        assert judged(ANY, call("X", {"mode": "dry"}), call("x", {"mode": "dry "}, 10), waivers=(dry,)) == [
            ("violation", 0),
            ("violation", 1),
        ]
