"""forbid, allow and require."""

from __future__ import annotations

import datetime as dt

import pytest
from written import NOT_CAPTURED, call, findings, judged, pattern, rule, run, scope, scored, unreadable, variant, when

from otel_toolscore.policy.records import Tool
from otel_toolscore.rules.forbid import Allow, Forbid, Require
from otel_toolscore.rules.rule import Waiver

RM = Forbid(pattern("sh", {"command": {"$regex": r"rm\s+-rf"}}))
TRUNCATED = unreadable("truncated", '{"command": "sudo rm -rf')


class TestForbid:
    def test_a_matching_call_is_a_violation(self) -> None:
        """A call that matches is found, one that does not is not."""
        assert judged(RM, call("sh", {"command": "sudo rm  -rf ."}), call("sh", {"command": "rmdir x"}, 10)) == [("violation", 0)]

    def test_another_tool_is_silent(self) -> None:
        """The pattern's tool is part of it."""
        assert judged(RM, call("bash", {"command": "rm -rf"})) == []

    def test_arguments_that_were_not_captured_are_inconclusive(self) -> None:
        """Absent evidence is neither a pass nor a violation, and the finding says why."""
        document = scored(rule(RM), run(call("sh", NOT_CAPTURED)))
        assert [(each.kind, each.cause) for each in findings(document)] == [("inconclusive", "arguments_not_captured")]

    @pytest.mark.parametrize("cause", ["malformed", "truncated", "redacted", "duplicate_key"])
    def test_unreadable_arguments_are_inconclusive(self, cause: str) -> None:
        """Every way in which arguments cannot be read has a cause of its own."""
        document = scored(rule(RM), run(call("sh", unreadable(cause, "{"))))
        assert [each.cause for each in findings(document)] == [f"arguments_{cause}"]

    def test_text_that_could_not_be_read_is_searched(self) -> None:
        """A call whose arguments were cut off does not slip past a rule that finds its word in the text."""
        assert judged(RM, call("sh", TRUNCATED)) == [("violation", 0)]

    def test_a_tool_that_does_not_match_is_silent_whatever_its_arguments(self) -> None:
        """One false part makes the whole false, unknown parts or not."""
        assert judged(RM, call("ls", NOT_CAPTURED)) == []

    def test_a_pattern_without_arguments_needs_none(self) -> None:
        """Names alone decide where nothing else is asked."""
        assert judged(Forbid(pattern("sh")), call("sh", NOT_CAPTURED)) == [("violation", 0)]

    def test_the_finding_names_the_path_that_decided(self) -> None:
        """Path, tool, span and call of a violation are told, and no value."""
        (finding,) = findings(scored(rule(RM, message="destructive"), run(call("sh", {"command": "rm -rf /secret"}))))
        assert (finding.path, finding.tool, finding.span_id, finding.message) == ("command", "sh", "s000000", "destructive")
        assert "secret" not in finding.explanation

    def test_any_one_variant_accuses(self) -> None:
        """Where merged spans disagree, a match of one of them is enough."""
        both = (variant("sh", {"command": "ls"}), variant("sh", {"command": "rm -rf"}))
        assert judged(RM, call("sh", {"command": "ls"}, variants=both)) == [("violation", 0)]

    def test_a_variant_is_one_description(self) -> None:
        """The name of one span and the arguments of another are no match together."""
        both = (variant("sh", {"command": "ls"}), variant("shell", {"command": "rm -rf"}))
        assert judged(RM, call("sh", {"command": "ls"}, variants=both)) == []

    def test_a_variant_without_arguments_has_the_calls(self) -> None:
        """A span that recorded no arguments is described by those of the call."""
        both = (variant("shell", {"command": "rm -rf"}), variant("sh"))
        assert judged(RM, call("shell", {"command": "rm -rf"}, variants=both)) == [("violation", 0)]


class TestAllow:
    READ_ONLY = Allow((pattern(["get_*", "list_*"]),))
    ONLY_LS = Allow((pattern("sh", {"command": {"$fullmatch": "ls.*"}}),))

    def test_a_call_that_matches_none_is_a_violation(self) -> None:
        """Everything that is not named is found."""
        assert judged(self.READ_ONLY, call("get_user"), call("drop_table", {}, 10)) == [("violation", 1)]

    def test_one_match_is_enough(self) -> None:
        """Any of the patterns allows."""
        assert judged(Allow((pattern("a"), pattern("b"))), call("b")) == []

    def test_unknown_evidence_is_inconclusive(self) -> None:
        """What may be allowed is neither allowed nor a violation."""
        assert judged(self.ONLY_LS, call("sh", NOT_CAPTURED)) == [("inconclusive", 0)]

    def test_text_that_could_not_be_read_allows_nothing(self) -> None:
        """An excuse is not searched for in text."""
        assert judged(self.ONLY_LS, call("sh", unreadable("truncated", '{"command":"ls'))) == [("inconclusive", 0)]

    def test_what_an_allowed_call_must_not_have_is_searched_in_its_text(self) -> None:
        """`$not` turns the polarity: what is in it accuses."""
        no_rm = Allow((pattern("sh", {"command": {"$not": {"$contains": "rm"}}}),))
        assert judged(no_rm, call("sh", unreadable("truncated", '{"command":"rm -rf /","x":"l'))) == [("violation", 0)]
        assert judged(no_rm, call("sh", unreadable("truncated", '{"command":"ls","x":"l'))) == [("inconclusive", 0)]

    def test_a_look_alike_is_not_allowed(self) -> None:
        """An excusing name is compared exactly."""
        assert judged(self.ONLY_LS, call("SH", {"command": "ls"})) == [("violation", 0)]

    def test_every_variant_has_to_be_allowed(self) -> None:
        """Where merged spans disagree, one of them allowed is not enough."""
        both = (variant("sh", {"command": "ls"}), variant("sh", {"command": "rm"}))
        assert judged(self.ONLY_LS, call("sh", {"command": "ls"}, variants=both)) == [("violation", 0)]

    def test_a_name_does_not_allow_the_same_name_on_another_server(self) -> None:
        """A bare name covers a call of a known server only if the policy says that the tool is of that server."""
        rules = Allow((pattern("refund"),))
        assert judged(rules, call("refund", server="evil")) == [("violation", 0)]
        assert judged(rules, call("refund", server="payments"), tools={"refund": Tool(server="payments")}) == []
        assert judged(rules, call("refund", server="evil"), tools={"refund": Tool(server="payments")}) == [("violation", 0)]
        assert judged(Allow((pattern("refund", server="payments"),)), call("refund", server="payments")) == []
        assert judged(rules, call("refund")) == []

    def test_a_name_with_its_server_allows_the_recorded_form(self) -> None:
        """`mcp__SERVER__TOOL` names the server."""
        recorded = call("refund", server="pay", recorded_name="mcp__pay__refund")
        assert judged(Allow((pattern("mcp__pay__*"),)), recorded) == []
        assert judged(Allow((pattern("mcp__other__*"),)), recorded) == [("violation", 0)]

    def test_when_unknown_is_inconclusive(self) -> None:
        """A call that is not allowed is open where it is not known whether the rule is asked."""
        assert judged(self.READ_ONLY, call("drop"), when=when(agent="intern")) == [("inconclusive", 0)]


class TestRequire:
    LOGGED = Require(pattern("audit_log"))

    def test_a_run_without_a_match_is_a_violation(self) -> None:
        """It is judged when the run ends, on the run; no tool and no call is named."""
        (finding,) = findings(scored(rule(self.LOGGED), run(call("get_user"))))
        assert (finding.kind, finding.tool, finding.call) == ("violation", None, None)

    def test_a_run_without_any_call_is_judged(self) -> None:
        """An agent that called nothing lacks the required call."""
        assert judged(self.LOGGED, scopes=[scope("x", name="x")]) == [("violation", None)]

    def test_a_match_satisfies(self) -> None:
        """One match is enough, wherever it is."""
        assert judged(self.LOGGED, call("get_user"), call("audit_log", {}, 10)) == []

    def test_a_possible_match_is_inconclusive(self) -> None:
        """A match that depends on what was not captured is open."""
        required = Require(pattern("audit_log", {"level": "info"}))
        assert judged(required, call("audit_log", NOT_CAPTURED)) == [("inconclusive", None)]

    def test_an_incomplete_trace_is_inconclusive(self) -> None:
        """The call may have been made where nothing was recorded."""
        document = scored(rule(self.LOGGED), run(call("get_user"), complete=False))
        assert [(each.kind, each.cause) for each in findings(document)] == [("inconclusive", "trace_incomplete")]

    def test_every_selected_agent_needs_a_match(self) -> None:
        """With an agent, each of its scopes is judged; sub-agents count for it."""
        scopes = [scope("top", name="boss"), scope("a", name="helper", parent="top"), scope("b", name="helper", parent="top")]
        calls = [call("audit_log", scope="a"), call("get_user", {}, 10, scope="b")]
        document = scored(rule(self.LOGGED, when=when(agent="helper")), run(*calls, scopes=scopes))
        assert [(each.kind, each.span_id, each.agent) for each in findings(document)] == [("violation", "b", "helper")]
        assert findings(scored(rule(self.LOGGED, when=when(agent="boss")), run(*calls, scopes=scopes))) == []

    def test_an_agent_without_a_name_is_inconclusive(self) -> None:
        """It may be the one that the rule is about."""
        document = scored(rule(self.LOGGED, when=when(agent="boss")), run(scopes=[scope("top")]))
        assert [(each.kind, each.cause) for each in findings(document)] == [("inconclusive", "agent_unknown")]

    def test_a_waiver_covers_a_scope(self) -> None:
        """What excuses by its `when` excuses the scope; one that names a call does not."""
        scopes = [scope("top", name="loadtest-1", start_ns=0)]
        excused = Waiver(when=when(agent="loadtest-*"), until=dt.date(2099, 1, 1))
        assert findings(scored(rule(self.LOGGED, waivers=(excused,)), run(scopes=scopes))) == []
        other = Waiver(call=pattern("audit_log"))
        assert len(findings(scored(rule(self.LOGGED, waivers=(other,)), run(scopes=scopes)))) == 1
