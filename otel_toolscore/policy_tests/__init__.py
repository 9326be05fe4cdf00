"""Unit tests of policies: calls in, expected findings out.

    load(name, data)      the tests of a file, read as strictly as a policy (grammar.py)
    runs_of(test)         the runs that its calls are (made_runs.py)
    judge(test, ...)      what they come to, and how that differs from what is expected (judging.py)

Nothing here opens a file: bytes, policies and the runs of traces come in as arguments.
"""

from otel_toolscore.policy_tests.grammar import load
from otel_toolscore.policy_tests.judging import Result, judge, uncovered, unknown_ids
from otel_toolscore.policy_tests.made_runs import runs_of
from otel_toolscore.policy_tests.records import GivenCall, PolicyTest, PolicyTestFile, Wanted

__all__ = ["GivenCall", "PolicyTest", "PolicyTestFile", "Result", "Wanted", "judge", "load", "runs_of", "uncovered", "unknown_ids"]
