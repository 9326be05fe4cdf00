"""The calls of an agent, scored in Python: the numbers, and an assertion for a test."""

from otel_toolscore import Regex, ToolScoreAssertionError, assert_tools, evaluate

expected = [
    {"tool": "search_orders", "args": {"customer": "ada@example.com"}},
    {"tool": "issue_refund", "args": {"order_id": Regex(r"^A-\d+$"), "amount": 42.5}},
]
actual = [
    {"tool": "search_orders", "args": {"customer": "ada@example.com"}},
    {"tool": "issue_refund", "args": {"order_id": "A-1041", "amount": 95}},
    {"tool": "run_shell", "args": {"command": "ls"}},
]

result = evaluate(expected, actual, forbidden=[{"tool": "run_shell", "reason": "no shell"}])
print(f"score {result.score:.3f}, grade {result.grade}, argument F1 {result.argument_f1:.2f}")
for violation in result.policy_violations:
    print(f"call {violation['index']} is forbidden: {violation['reason']}")

try:
    assert_tools(expected, actual, min_score=0.9)
except ToolScoreAssertionError as error:
    print(error)
