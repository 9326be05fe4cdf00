"""Servers in tool names, and which names mean the same tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.dialects.names import same_tool, split


@pytest.mark.parametrize(
    ("recorded", "tool", "server"),
    [
        ("mcp__github__delete_repo", "delete_repo", "github"),
        ("mcp__a__b__c", "b__c", "a"),
        ("mcp__a__", "mcp__a__", None),
        ("mcp____x", "mcp____x", None),
        ("mcp__only", "mcp__only", None),
        ("mcp_github_x", "mcp_github_x", None),
        ("github__x", "github__x", None),
        ("x", "x", None),
    ],
)
def test_split(recorded: str, tool: str, server: str | None) -> None:
    """Only the full form names a server."""
    assert split(recorded) == (tool, server)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("get_forecast", "get_forecast", True),
        ("weather_get_forecast", "get_forecast", True),
        ("weather.get", "get", True),
        ("weather-get", "get", True),
        ("weather/get", "get", True),
        ("weather:get", "get", True),
        ("weather__get", "get", True),
        ("weatherget", "get", False),
        ("get_forecast", "get", False),
        ("get", "Get", False),
        ("a_get", "b_get", False),
        ("get", "", False),
    ],
)
def test_same_tool(one: str, other: str, same: bool) -> None:
    """Equal names, or one after a prefix that ends in a joint; order does not matter."""
    assert (same_tool(one, other), same_tool(other, one)) == (same, same)


@given(st.text(min_size=1), st.text(min_size=1), st.sampled_from("_.-/:"))
def test_a_prefix_with_a_joint_is_the_same_tool(prefix: str, name: str, joint: str) -> None:
    """Whatever the prefix and the name are."""
    assert same_tool(f"{prefix}{joint}{name}", name)
