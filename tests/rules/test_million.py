"""Interleaved runs, one call at a time: the engine says what the reference says, and keeps no more than its bounds.

`tests/bench/million.py` does the same with a million calls of 10,000 runs.
"""

from __future__ import annotations

from interleaved import POLICY, expected_in, fed, found_in, whole

from otel_toolscore.engine import Bounds, Engine

SEED, RUNS, CALLS = 7, 40, 30


def test_every_run_is_judged_as_the_reference_judges_it() -> None:
    """Each rule finds something in some run, and the findings of every run are those of the reference."""
    engine = Engine(POLICY)
    for run in fed(SEED, RUNS, CALLS):
        engine.feed([run])
    seen = set()
    for number in range(RUNS):
        run = whole(SEED, number, CALLS)
        found = found_in(engine.end_run(run.key))
        assert found == expected_in(run), number
        seen |= {(rule, kind) for rule, _, kind in found}
    assert {rule for rule, kind in seen if kind == "violation"} == {rule.id for rule in POLICY.rules}
    assert len({rule for rule, kind in seen if kind == "inconclusive"}) >= 7
    assert not engine.hits


def test_no_more_runs_are_kept_than_the_bound() -> None:
    """The run that was longest without a call is closed as incomplete, and counted; what is missing is then never a violation."""
    bound = 10
    engine = Engine(POLICY, Bounds(runs=bound))
    closed = []
    for run in fed(SEED, RUNS, CALLS):
        engine.feed([run])
        closed += engine.take_closed()
        assert len(engine._memory.runs) <= bound
    assert engine.hits["runs"] == len(closed) > RUNS
    assert not any(result.run.complete for result in closed)
    needing = {"logged", "verified", "once"}
    assert not any(rule in needing and kind == "violation" for result in closed for rule, _, kind in found_in(result))


def test_a_long_run_keeps_no_more_than_its_bounds() -> None:
    """Calls beyond the bound are judged, but not kept; the rules' memories stay within theirs."""
    engine = Engine(POLICY, Bounds(calls=50, history=16))
    run = whole(SEED, 1, 400)
    for call in run.calls:
        engine.feed([type(run)(trace_id=run.trace_id, scopes=run.scopes, calls=(call,))])
    (kept,) = engine._memory.runs.values()
    assert len(kept.calls) == 50
    assert engine.hits["calls"] == 350
    assert all(len(unit._accused) <= 16 for unit in kept.units.values())
