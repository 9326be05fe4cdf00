"""The page about policy tests is that of the grammar, and its tests are sound."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import in_process

from otel_toolscore.policy_tests.reference import current

PAGE = Path(__file__).parents[2] / "docs" / "policy-tests.md"
TEXT = PAGE.read_text(encoding="utf-8")
POLICY = "version: 1\nrules: [{id: looked-up-first, before: {call: issue_refund, needs: search_orders, same: {order_id: id}}}]\n"


def test_the_tables_are_current() -> None:
    """The tables of keys are those of the loader; `python docs/write_tables.py` writes them anew."""
    assert current(TEXT) == TEXT


def test_the_documented_tests_pass(tmp_path: Path) -> None:
    """Each file of tests on the page comes to what it says."""
    (tmp_path / "refund.yaml").write_text(POLICY)
    blocks = re.findall(r"^```yaml\n# (\w+\.yaml)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    done = in_process(["test", str(tmp_path)])
    assert done.code == 0, done.out
    assert [line.rpartition("/")[2] for line in done.out.splitlines()][1:] == re.findall(
        r"^refund_test.yaml: .*: PASS$", TEXT, re.MULTILINE
    )
