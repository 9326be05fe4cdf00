"""What a dialect is, and what reading a span gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import msgspec

from otel_toolscore.messages import Messages
from otel_toolscore.model import NOT_CAPTURED, Evidence, Outcome
from otel_toolscore.spans import Span

Role: TypeAlias = Literal["tool", "agent", "workflow", "model", "ignored"]
"""`ignored`: neither a call nor a scope nor a model, though it may name the conversation or carry schemas."""
McpRole: TypeAlias = Literal["client", "server", "delegate"]
ServerNamedBy: TypeAlias = Literal["caller", "itself"]
"""Who chose the server's name: the caller's configuration, or the server; the two need not agree."""

NO_MESSAGES = Messages()


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one dialect says of a span; None where it says nothing."""

    role: Role | None = None
    dropped: bool = False
    """It repeats or groups other spans, or is of another kind for certain: ignored, whatever other dialects say."""
    presumed: Role | None = None
    """The role where no dialect knows better."""
    why: str | None = None
    """Why it is ignored although a dialect knows it."""
    tool: str | None = None
    """The tool's name as recorded."""
    guess: str | None = None
    """The tool's (or agent's) name as the span's own name suggests it, for want of an attribute."""
    server: str | None = None
    server_named_by: ServerNamedBy = "caller"
    call_id: str | None = None
    type: str | None = None
    arguments: Evidence = NOT_CAPTURED
    result: Evidence = NOT_CAPTURED
    unwrapped: bool = False
    """Arguments and result are given by a rule of this emitter for the conventions' own attributes, so they go before those."""
    bare: str | None = None
    """The one text argument, of which the emitter dropped the name."""
    outcome: Outcome | None = None
    """The emitter's own mark."""
    error: str | None = None
    error_type: str | None = None
    agent: str | None = None
    """The agent's name: of an agent span its own, of another span the agent that it names."""
    workflow: str | None = None
    conversation: str | None = None
    messages: Messages = NO_MESSAGES
    user_input: str | None = None
    """What the user said, where a span records it apart from messages."""
    schemas: Mapping[str, object] = {}
    """JSON Schemas of arguments, by tool name."""
    request_id: str | None = None
    session: str | None = None
    """`mcp.session.id`: the connection, never the conversation."""
    mcp_role: McpRole | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What all dialects together say of a span."""

    role: Role
    dialect: str
    """Name of the most particular dialect that knows the span."""
    why: str = ""
    tool: str | None = None
    """Bare name; None for a tool span without a name."""
    server: str | None = None
    server_named_by: ServerNamedBy = "caller"
    recorded_name: str | None = None
    """The tool's name as the span has it."""
    call_id: str | None = None
    type: str | None = None
    arguments: Evidence = NOT_CAPTURED
    result: Evidence = NOT_CAPTURED
    bare: str | None = None
    outcome: Outcome = "ok"
    error: str | None = None
    error_type: str | None = None
    name: str | None = None
    """What an agent or workflow span called itself."""
    agent: str | None = None
    """The agent that a tool span names."""
    conversation: str | None = None
    messages: Messages = NO_MESSAGES
    user_input: str | None = None
    schemas: Mapping[str, object] = {}
    request_id: str | None = None
    session: str | None = None
    mcp_role: McpRole | None = None


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One family of emitters: how its spans are known, and where they keep what."""

    name: str
    title: str
    scopes: tuple[str, ...] = ()
    """Instrumentation scope names; a name that ends in `*` stands for all that begin so."""
    needles: tuple[str, ...]
    """Beginnings of attribute keys, and of span names after `name:`. A span that the dialect reads has one of them, or is of one of
    its scopes and has a needle of the conventions."""
    recognised: str
    """In words: which spans are tool, agent and model spans."""
    name_from: str
    id_from: str
    arguments_from: str
    result_from: str
    error_from: str
    left_out: str
    """What default settings leave out."""
    hint: str
    """Which setting captures arguments and results."""
    read: Callable[[Span], Part | None]
