"""How much the engine keeps."""

from __future__ import annotations

import msgspec


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept at most. Hitting a bound is counted (`Engine.hits`, by the field's name) and never makes a call pass."""

    runs: int = 10_000
    """Open runs. Beyond, the one in which nothing happened for longest is closed as incomplete (`Engine.take_closed`)."""
    calls: int = 100_000
    """Calls of one run. Further ones are judged by the rules, but not kept: the run is incomplete."""
    history: int = 10_000
    """Calls that one rule remembers of one run, agent or conversation."""
    conversations: int = 10_000
    """Conversations whose history is kept. The one that was longest without a call is forgotten: what comes later in it is
    judged as a part of a conversation (`conversation_incomplete`)."""
    forgotten: int = 100_000
    """Conversations that are known to have been forgotten; beyond, any new one may be one of them. As many runs that were closed
    too early are known, so that what still comes of them is judged as a part of a run."""
    tools: int = 10_000
    """Names of tools that are told as uncovered."""
