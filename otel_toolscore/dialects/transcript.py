"""Message lists and tool definitions in the shapes that emitters and model providers give them.

Messages come as lists of `{role, parts}` (GenAI conventions), `{role, content, tool_calls}` (chat APIs), content blocks, LangChain
constructor JSON, `{role, parts}` with `function_call` (Gemini), response items, or flattened into numbered attribute keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from otel_toolscore.dialects import values
from otel_toolscore.messages import Answer, AskedCall, Messages
from otel_toolscore.model import Evidence

_USER: Final = frozenset({"user", "human", "humanmessage"})
_TOOL: Final = frozenset({"tool", "toolmessage", "function"})
_TEXT_TYPES: Final = frozenset({None, "text", "input_text"})
_MAX_KEY_PARTS: Final = 16
_Fields = Mapping[str, object]


def messages(*lists: object) -> Messages:
    """What lists of messages, the earlier ones first, say of calls; each a list, JSON text of one, or anything else, which says nothing."""
    calls: list[AskedCall] = []
    answers: list[Answer] = []
    user: str | None = None
    for each in lists:
        for message in _items(values.structure(each)):
            fields = _bare(message)
            role = _role(fields)
            blocks = list(_blocks(fields))
            calls += _calls(fields, blocks)
            answers += _answers(fields, role, blocks)
            if user is None and role in _USER:
                user = _said(fields)
    return Messages(tuple(calls), tuple(answers), user)


def joined(*parts: Messages) -> Messages:
    """All that was said, the first to name a user message first."""
    some = [part for part in parts if part.calls or part.answers or part.user is not None]
    if len(some) == 1:
        return some[0]
    user = next((part.user for part in some if part.user is not None), None)
    return Messages(tuple(call for part in some for call in part.calls), tuple(each for part in some for each in part.answers), user)


def user_text(value: object) -> str | None:
    """What the user said, of an attribute that holds it as text, as messages, or as an object with either."""
    read = values.structure(value)
    if isinstance(read, dict):
        for key in ("messages", "input", "prompt", "query", "question", "contents"):
            if key in read:
                return user_text(read[key])
        return None
    if isinstance(read, list):
        return messages(read).user
    return values.text(value)


def schemas(*definitions: object) -> dict[str, object]:
    """JSON Schemas of arguments by tool name, from lists of tool definitions (or a single one)."""
    found: dict[str, object] = {}
    for each in definitions:
        for definition in _items(values.structure(each)):
            for name, schema in _schemas(definition):
                found.setdefault(name, schema)
    return found


def is_schema(value: object) -> bool:
    """Whether the value is a JSON Schema of an object, or maps names to schemas, rather than being such an object."""
    if not isinstance(value, dict) or not value:
        return False
    if value.get("type") == "object" and ("properties" in value or len(value) == 1):
        return True
    if isinstance(value.get("properties"), dict):
        return True
    return all(isinstance(each, dict) and ("type" in each or "description" in each or "anyOf" in each) for each in value.values())


def flattened(attributes: Mapping[str, object], prefix: str) -> list[object]:
    """The list that was flattened into keys `PREFIX0.a.b`, `PREFIX1.c` ..., in the order of the numbers."""
    root: dict[str, object] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        parts = key[len(prefix) :].split(".", _MAX_KEY_PARTS)
        at = root
        for part in parts[:-1]:
            below = at.setdefault(part, {})
            if not isinstance(below, dict):
                break
            at = below
        else:
            at.setdefault(parts[-1], value if not isinstance(value, dict) else _Leaf(value))
    listed = _listed(root)
    return listed if isinstance(listed, list) else []


class _Leaf:
    """A recorded object, as opposed to a branch that flattened keys make."""

    def __init__(self, value: object) -> None:
        self.value = value


def _listed(branch: object) -> object:
    if isinstance(branch, _Leaf):
        return branch.value
    if not isinstance(branch, dict):
        return branch
    if branch and all(key.isascii() and key.isdigit() for key in branch):
        return [_listed(branch[key]) for key in sorted(branch, key=int)]
    return {key: _listed(value) for key, value in branch.items()}


def _items(value: object) -> Iterator[_Fields]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, dict):
                yield each
            elif isinstance(each, list):  # one list of messages a prompt
                yield from (inner for inner in each if isinstance(inner, dict))
            elif isinstance(each, str):  # one JSON text a message
                read = values.structure(each)
                if isinstance(read, dict):
                    yield read


def _bare(message: _Fields) -> _Fields:
    """The message without the objects that some shapes put around it."""
    for key in ("message", "kwargs", "data"):
        inner = message.get(key)
        if isinstance(inner, str) and inner[:1] == "{":
            inner = values.structure(inner)
        if isinstance(inner, dict) and not ("role" in message and "content" in message):
            kind = message.get("type")
            named = message.get("id")
            if isinstance(named, list) and named and isinstance(named[-1], str):
                kind = named[-1]
            around = {"type": kind, "role": message.get("role")}
            return {**{name: value for name, value in around.items() if isinstance(value, str)}, **inner}
    return message


def _role(message: _Fields) -> str:
    role = message.get("role") or message.get("type") or ""
    return role.lower() if isinstance(role, str) else ""


def _blocks(message: _Fields) -> Iterator[_Fields]:
    for key in ("parts", "content", "contents"):
        value = message.get(key)
        if isinstance(value, str) and value[:1] in "[{":
            value = values.structure(value)
        if isinstance(value, dict):
            value = [value]
        if isinstance(value, list):
            for block in value:
                if isinstance(block, dict):
                    inner = block.get("message_content")
                    yield inner if isinstance(inner, dict) else block
                elif isinstance(block, str):
                    yield {"text": block}


def _said(message: _Fields) -> str | None:
    content = message.get("content")
    if isinstance(content, str) and (content[:1] not in "[{" or not isinstance(values.structure(content), list | dict)):
        return values.text(content)
    texts = []
    for block in _blocks(message):
        if block.get("type") in _TEXT_TYPES:
            said = block.get("content", block.get("text"))
            if isinstance(said, str):
                texts.append(said)
    return values.text("\n".join(texts)) or (values.text(content) if isinstance(content, str) else None)


def _calls(message: _Fields, blocks: Sequence[_Fields]) -> Iterator[AskedCall]:
    if message.get("type") == "function_call":  # a response item
        yield from _call(message, message.get("call_id", message.get("id")), message.get("arguments"))
    asked = message.get("tool_calls")
    for each in _items(values.structure(asked)):
        inner = each.get("tool_call", each)
        if isinstance(inner, dict):
            function = inner.get("function")
            named = function if isinstance(function, dict) else inner
            yield from _call(named, inner.get("id"), named.get("arguments", named.get("args")))
    for block in blocks:
        kind = block.get("type")
        for key, identity, given in (("function_call", "id", "args"), ("functionCall", "id", "args"), ("toolUse", "toolUseId", "input")):
            inner = block.get(key)
            if isinstance(inner, dict):
                yield from _call(inner, inner.get(identity), inner.get(given))
        if kind in ("tool_call", "tool-call", "tool_use"):
            identity_of = block.get("id", block.get("toolCallId"))
            given_as = next((block[key] for key in ("arguments", "args", "input") if key in block), None)
            yield from _call({"name": block.get("name", block.get("toolName"))}, identity_of, given_as)


def _call(named: _Fields, identity: object, given: object) -> Iterator[AskedCall]:
    call_id = values.identifier(identity)
    tool = values.text(named.get("name"))
    if call_id is not None and tool is not None:
        yield AskedCall(call_id, tool, values.arguments(given))


def _answers(message: _Fields, role: str, blocks: Sequence[_Fields]) -> Iterator[Answer]:
    if message.get("type") == "function_call_output":  # a response item
        yield from _answer(message.get("call_id"), None, message.get("output"))
    elif role in _TOOL and ("tool_call_id" in message or "id" in message) and "parts" not in message:
        identity = message.get("tool_call_id", message.get("id"))
        yield from _answer(identity, message.get("name"), message.get("content"), message.get("status") == "error")
    for block in blocks:
        kind = block.get("type")
        if kind in ("tool_call_response", "tool-result"):
            identity = block.get("id", block.get("toolCallId"))
            given = next((block[key] for key in ("response", "result", "output") if key in block), None)
            yield from _answer(identity, block.get("name", block.get("toolName")), given)
        elif kind == "tool_result":
            yield from _answer(block.get("tool_use_id"), None, block.get("content"), block.get("is_error") is True)
        for key, identity_key, given_key in (("function_response", "id", "response"), ("functionResponse", "id", "response")):
            inner = block.get(key)
            if isinstance(inner, dict):
                yield from _answer(inner.get(identity_key), inner.get("name"), inner.get(given_key))
        inner = block.get("toolResult")
        if isinstance(inner, dict):
            yield from _answer(inner.get("toolUseId"), None, inner.get("content"), inner.get("status") == "error")


def _answer(identity: object, tool: object, given: object, failed: bool = False) -> Iterator[Answer]:
    call_id = values.identifier(identity)
    if call_id is not None:
        yield Answer(call_id, values.text(tool), answered(given), failed)


def answered(given: object) -> Evidence:
    """The result that a message holds; a single block of text is that text."""
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], dict):
        block = given[0]
        if set(block) <= {"text", "type"} and isinstance(block.get("text"), str):
            return values.result(block["text"])
        if set(block) == {"json"}:
            return values.result(block["json"])
    return values.result(given)


def _schemas(definition: _Fields) -> Iterator[tuple[str, object]]:
    for key in ("function_declarations", "functionDeclarations"):
        if isinstance(definition.get(key), list):
            for inner in _items(definition[key]):
                yield from _schemas(inner)
            return
    for key in ("tool", "json_schema", "function", "toolSpec"):
        inner_definition = values.structure(definition.get(key))
        if isinstance(inner_definition, dict):
            definition = inner_definition
    name = values.text(definition.get("name"))
    if name is None:
        return
    for key in ("parameters", "parameters_json_schema", "parametersJsonSchema", "input_schema", "inputSchema"):
        schema = values.structure(definition.get(key))
        if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
            schema = schema["json"]
        if isinstance(schema, dict) and _is_json_schema(schema):
            yield name, schema
            return


def _is_json_schema(schema: _Fields) -> bool:
    """Google's own schema dialect writes types in capitals and is no JSON Schema."""
    kind = schema.get("type")
    return bool(schema) and not (isinstance(kind, str) and kind.isupper())
