"""Why a finding is inconclusive: every cause, what it says, and what a person can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Cause(NamedTuple):
    """What a cause says and what helps."""

    phrase: str
    """Ends a sentence such as `it is not known whether the call is forbidden: ...`."""
    hint: str


_CAPTURE_ARGUMENTS: Final = "switch on the capture of tool arguments in the agent's instrumentation"
_CAPTURE_RESULTS: Final = "switch on the capture of tool results in the agent's instrumentation"
_LIMITS: Final = "raise the length limit of span attributes"
_FAULTY: Final = "look at what the instrumentation writes as the value"
_COMPARE: Final = "say in the policy which type is meant, for example with $type"
_ATTRIBUTES: Final = "record the attribute that `$attr` names on the spans around the call, the resource or the baggage"
_SMALLER: Final = "record smaller values, or judge such calls by what does not need them"
_WHOLE: Final = "give all spans of the trace; some that others name as their parent are missing"

CAUSES: Final[Mapping[str, Cause]] = {
    "arguments_not_captured": Cause("the arguments were not captured", _CAPTURE_ARGUMENTS),
    "arguments_malformed": Cause("the arguments are not a JSON object", _FAULTY),
    "arguments_truncated": Cause("the arguments were cut off", _LIMITS),
    "arguments_redacted": Cause("the arguments were redacted", "score where the arguments have not been redacted yet"),
    "arguments_duplicate_key": Cause("the arguments have a key twice, which parsers read differently", _FAULTY),
    "arguments_unreadable": Cause("the arguments could not be read", _FAULTY),
    "arguments_not_comparable": Cause("an argument is of a type that cannot be compared", _COMPARE),
    "arguments_too_large": Cause("the arguments are larger than what is judged", _SMALLER),
    "arguments_too_many_values": Cause("the paths select too many values", "give paths that select fewer values"),
    "result_not_captured": Cause("the result was not captured", _CAPTURE_RESULTS),
    "result_malformed": Cause("the result is not JSON", _FAULTY),
    "result_truncated": Cause("the result was cut off", _LIMITS),
    "result_redacted": Cause("the result was redacted", "score where the results have not been redacted yet"),
    "result_duplicate_key": Cause("the result has a key twice, which parsers read differently", _FAULTY),
    "result_too_large": Cause("the result is larger than what is judged", _SMALLER),
    "result_unreadable": Cause("the result could not be read", _FAULTY),
    "result_not_comparable": Cause("the result is of a type that cannot be compared", _COMPARE),
    "outcome_unknown": Cause("the outcome is not known", "record errors and their absence on the tool spans"),
    "agent_unknown": Cause("the agent is not recorded", "record agent spans with gen_ai.agent.name around the tool spans"),
    "workflow_unknown": Cause("the workflow has no name", "name the workflow span"),
    "server_unknown": Cause("the server is not recorded", "record the MCP server's name, or give tools.NAME.server"),
    "service_unknown": Cause("the service is not recorded", "set service.name on the resource"),
    "input_not_captured": Cause("the user's message was not captured", "switch on the capture of messages in the agent's instrumentation"),
    "input_not_comparable": Cause("the user's message cannot be compared", _COMPARE),
    "attribute_not_recorded": Cause("an attribute that it is compared with is not recorded", _ATTRIBUTES),
    "attribute_not_comparable": Cause("an attribute is of a type that cannot be compared", _COMPARE),
    "time_unknown": Cause("the times of the calls are not recorded", "give spans with start and end"),
    "trace_incomplete": Cause("the trace is incomplete", _WHOLE),
    "conversation_incomplete": Cause("only a part of the conversation was seen", "send all runs of a conversation to one scorer"),
    "conversation_unknown": Cause("the conversation is not recorded", "record gen_ai.conversation.id"),
    "history_evicted": Cause("the history grew beyond what is kept", "raise the bound of the history"),
    "schema_unusable": Cause("the schema of the arguments cannot be used", "mend the JSON Schema"),
}
"""By name, as findings and metrics carry it."""


def phrase(cause: str | None) -> str:
    """What the cause says; a cause that the table does not know says its own name."""
    if cause is None:
        return "the evidence is missing"
    known = CAUSES.get(cause)
    return known.phrase if known is not None else cause.replace("_", " ")
