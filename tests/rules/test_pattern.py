"""PATTERN: names, servers, agents, arguments, results and outcomes, in both polarities."""

from __future__ import annotations

import pytest
from written import NOT_CAPTURED, call, captured, pattern, unreadable, variant

from otel_toolscore.model import ToolCall, Truth
from otel_toolscore.rules.pattern import Context, Pattern, examine, fits


def both(one: Pattern, of: ToolCall) -> tuple[Truth, Truth]:
    """Where it accuses, where it excuses."""
    return fits(one, of, accuse=True), fits(one, of, accuse=False)


@pytest.mark.parametrize(
    ("name", "recorded", "expected"),
    [
        ("delete_repo", "delete_repo", (True, True)),
        ("delete_*", "delete_repo", (True, True)),
        ("delete_????", "delete_repo", (True, True)),
        ("delete_???", "delete_repo", (False, False)),
        ("Delete_Repo", "delete_repo", (True, False)),
        ("delete_repo", " delete_repo\n", (True, False)),
        ("delete_repo", "delete\u200b_repo", (True, False)),
        ("delete_repo", "\uff44elete_repo", (True, False)),
        ("delete_repo", "delete\u00ad_re\ufe0fpo", (True, False)),
        ("DELETE_*", "delete_repo", (True, False)),
        ("delete.repo", "delete_repo", (False, False)),
        ("\uff0a", "delete_repo", (False, False)),
        ("*", "anything", (True, True)),
        ("strasse", "stra\u00dfe", (True, False)),
    ],
)
def test_names(name: str, recorded: str, expected: tuple[Truth, Truth]) -> None:
    """Where it accuses, look-alike spellings are the same name; where it excuses, only the exact one."""
    assert both(pattern(name), call(recorded)) == expected


def test_a_list_of_names_fits_by_any() -> None:
    """One of the names is enough."""
    assert both(pattern(["a", "b"]), call("b")) == (True, True)


def test_both_forms_of_a_name_are_matched() -> None:
    """The bare name and the recorded one, and the full form of a call whose server is known."""
    recorded = call("delete_repo", server="github", recorded_name="mcp__github__delete_repo")
    assert fits(pattern("delete_repo"), recorded, accuse=True) is True
    assert fits(pattern("mcp__github__*"), recorded, accuse=True) is True
    assert fits(pattern("mcp__github__*"), call("delete_repo", server="github"), accuse=True) is True
    assert fits(pattern("mcp__gitlab__*"), recorded, accuse=True) is False


@pytest.mark.parametrize(
    ("server", "recorded", "expected"),
    [
        ("github", "github", (True, True)),
        ("github", None, (None, None)),
        ("github", "gitlab", (False, False)),
        ("GitHub", "github", (True, False)),
    ],
)
def test_servers(server: str, recorded: str | None, expected: tuple[Truth, Truth]) -> None:
    """A server that is not recorded is unknown."""
    assert both(pattern("*", server=server), call("x", server=recorded)) == expected


def test_the_nearest_agent() -> None:
    """A glob on the nearest agent's name; unknown where none is recorded."""
    assert both(pattern(agent="sup*"), call("x", agent="support")) == (True, True)
    assert both(pattern(agent="boss"), call("x", agent="support", agent_path=("boss", "support"))) == (False, False)
    assert both(pattern(agent="sup*"), call("x")) == (None, None)


@pytest.mark.parametrize(
    ("wanted", "outcome", "expected"),
    [
        ("error", "error", True),
        ("error", "ok", False),
        ("error", "unknown", None),
        ("unknown", "unknown", True),
        (["ok", "error"], "unknown", None),
    ],
)
def test_outcomes(wanted: str, outcome: str, expected: Truth) -> None:
    """An unknown outcome may be any, unless it is itself asked for."""
    assert both(pattern(outcome=wanted), call("x", outcome=outcome)) == (expected, expected)


class TestArguments:
    def test_empty_means_that_there_are_none(self) -> None:
        """`args: {}` is a call without arguments, in both polarities."""
        assert both(pattern("x", {}), call("x", {})) == (True, True)
        assert both(pattern("x", {}), call("x", {"a": 1})) == (False, False)
        assert both(pattern("x", {}), call("x", NOT_CAPTURED)) == (None, None)

    def test_only_named_paths_are_checked(self) -> None:
        """Other arguments may be there, unless `allow_extra_fields` is false."""
        assert both(pattern("x", {"a": 1}), call("x", {"a": 1, "b": 2})) == (True, True)
        closed = pattern("x", {"a": 1}, allow_extra_fields=False)
        assert both(closed, call("x", {"a": 1, "b": 2})) == (False, False)
        assert both(closed, call("x", {"a": 1})) == (True, True)

    def test_the_dotted_key_that_is_meant_is_the_only_one_that_may_be_there(self) -> None:
        """Where an exact key wins over nesting, the nesting key is a further argument."""
        closed = pattern("x", {"a.b": 1}, allow_extra_fields=False)
        assert both(closed, call("x", {"a": {"b": 1}})) == (True, True)
        assert both(closed, call("x", {"a.b": 1})) == (True, True)
        assert both(closed, call("x", {"a.b": 1, "a": 2})) == (False, False)

    def test_all_parts_are_anded(self) -> None:
        """One false part decides, whatever is unknown."""
        assert both(pattern("x", {"a": 1, "b": 2}), call("x", {"a": 1, "b": 3})) == (False, False)
        assert fits(pattern("x", server="s"), call("y"), accuse=True) is False

    @pytest.mark.parametrize("truth", [True, False])
    def test_exists_is_unknown_where_nothing_was_captured(self, truth: bool) -> None:
        """Even absence cannot be known."""
        assert both(pattern("x", {"a": {"$exists": truth}}), call("x", NOT_CAPTURED)) == (None, None)

    def test_wildcards(self) -> None:
        """Some item where it accuses; every item, and at least one, where it excuses."""
        one = pattern("x", {"to[*]": "eve"})
        assert both(one, call("x", {"to": ["ada", "eve"]})) == (True, False)
        assert both(one, call("x", {"to": ["eve", "eve"]})) == (True, True)
        assert both(one, call("x", {"to": []})) == (False, False)

    def test_any_arg(self) -> None:
        """A matcher on every text, wherever it is."""
        nested = call("x", {"body": {"items": [{"note": "see /etc/shadow"}]}})
        assert fits(pattern(any_arg={"$contains": "/etc/shadow"}), nested, accuse=True) is True
        assert fits(pattern(any_arg={"$contains": "/etc/passwd"}), nested, accuse=True) is False
        assert fits(pattern(any_arg={"$contains": "x"}), call("x", NOT_CAPTURED), accuse=True) is None

    def test_unreadable_text_is_searched_only_where_it_accuses(self) -> None:
        """What is found there is found; what is not found there is still unknown."""
        cut = call("sh", unreadable("truncated", '{"command":"rm -rf /","x":"l'))
        assert both(pattern("sh", {"command": {"$contains": "rm"}}), cut) == (True, None)
        assert both(pattern("sh", {"command": {"$contains": "dd"}}), cut) == (None, None)
        assert both(pattern(any_arg={"$contains": "rm"}), cut) == (True, None)

    def test_the_attribute_of_the_scope(self) -> None:
        """`$attr` compares with what the scope around the call has."""
        here = Context(attributes={"tenant": ("acme",)})
        one = pattern("x", {"tenant": {"$attr": "tenant"}})
        assert fits(one, call("x", {"tenant": "acme"}), accuse=True, context=here) is True
        assert fits(one, call("x", {"tenant": "other"}), accuse=True, context=here) is False


class TestResult:
    def test_a_matcher_on_the_whole(self) -> None:
        """The result as one value."""
        assert both(pattern(result={"$contains": "three"}), call("x", result=captured("three of them"))) == (True, True)

    def test_a_map_of_paths(self) -> None:
        """Each path is checked; a value of another type at the top has none of them."""
        one = pattern(result={"status": "ok"})
        assert both(one, call("x", result=captured({"status": "ok", "id": 1}))) == (True, True)
        assert both(one, call("x", result=captured("ok"))) == (False, False)

    def test_not_captured_is_unknown(self) -> None:
        """With a cause that says that it is the result."""
        fit = examine(pattern(result={"status": "ok"}), call("x"), accuse=True)
        assert (fit.truth, fit.cause) == (None, "result_not_captured")


class TestVariants:
    def test_excusing_needs_all(self) -> None:
        """A pattern that excuses holds only if it holds for every variant."""
        one = call("outer", {"q": 1}, variants=(variant("outer", {"q": 1}), variant("inner", {"q": 1})))
        assert both(pattern("outer"), one) == (True, False)
        assert both(pattern(["outer", "inner"]), one) == (True, True)

    def test_an_unknown_variant_leaves_an_excuse_open(self) -> None:
        """One variant that cannot be read may be otherwise."""
        one = call("x", {"q": 1}, variants=(variant("x", {"q": 1}), variant("x", unreadable("redacted"))))
        assert both(pattern("x", {"q": 1}), one) == (True, None)


def test_causes_say_what_is_missing() -> None:
    """Each unknown part has a cause of its own."""
    causes = {
        "server_unknown": (pattern(server="s"), call("x")),
        "agent_unknown": (pattern(agent="s"), call("x")),
        "outcome_unknown": (pattern(outcome="ok"), call("x", outcome="unknown")),
        "arguments_not_captured": (pattern(None, {"a": 1}), call("x", NOT_CAPTURED)),
        "arguments_truncated": (pattern(None, {"a": 1}), call("x", unreadable("truncated", ""))),
        "arguments_not_comparable": (pattern(None, {"a": {"$gt": 1}}), call("x", {"a": "many"})),
        "attribute_not_recorded": (pattern(None, {"a": {"$attr": "k"}}), call("x", {"a": 1})),
        "result_not_captured": (pattern(result={"$any": True}), call("x")),
    }
    assert {cause: examine(*parts, accuse=True)[:2] for cause, parts in causes.items()} == {cause: (None, cause) for cause in causes}
