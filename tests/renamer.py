"""Renames tools, ids and argument keys throughout a case: in what goes in, in the policy and in what must come out.

Names keep what has a meaning: the separators of a tool's name and its `mcp__` prefix, the `*` of a glob, the order
of span ids, and words that a dialect or MCP defines. Everything else is arbitrary, so nothing may depend on it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from case_format import Document, end_ms, span_id, start_ms, trace_id

WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
KEY_IN_TEXT = re.compile(r'((?:\\)?")([A-Za-z_]\w*)((?:\\)?"\s*:)')
TOOL_ATTRIBUTES = {"gen_ai.tool.name", "tool.name", "traceloop.entity.name"}
ARGUMENT_ATTRIBUTES = {
    *("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "input.value"),
}
MESSAGE_ATTRIBUTES = {"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions"}
"""JSON text that holds calls, answers and schemas of tools."""
ID_ATTRIBUTES = {"gen_ai.tool.call.id", "gen_ai.conversation.id", "session.id", "mcp.session.id", "jsonrpc.request.id"}
DEFINED_WORDS = {"mcp"}
"""Words in tool names that mean something."""
DEFINED_KEYS = {"isError", "content", "type", "text", "error", "code", "message"}
"""Keys of an MCP result or a JSON-RPC error."""
DEFINED_IDS = {"unknown"}
"""What an emitter writes where it has no id."""
CALL_PATTERNS = {"forbid", "require", "call", "needs", "after", "allow", "extra_calls"}
"""Policy keys that hold a PATTERN or a list of them."""


class Renamer:
    """One consistent renaming, given by its seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words: dict[tuple[str, str], str] = {}
        self._used: set[str] = set()
        self._span_ids: dict[int, int] = {}
        self._traces: dict[int, int] = {}

    def case(self, case: Document) -> Document:
        """The renamed case; the one given is left as it is."""
        case = deepcopy(case)
        spans = case.get("input", {}).get("spans", [])
        self._span_ids = self._ascending({span[key] for span in spans for key in ("id", "parent") if span.get(key)})
        self._traces = self._ascending({span.get("trace", 1) for span in spans})
        tools = {tool for span in spans for key, tool in span.get("attrs", {}).items() if key in TOOL_ATTRIBUTES}
        tools |= {span["name"] for span in spans if span.get("attrs", {}).get("openinference.span.kind") == "TOOL"}
        if spans:
            case["input"]["spans"] = [self._span(span, tools) for span in spans]
        for part in ("policy", "expect_list", "forbid_list"):
            if part in case:
                case[part] = self._policy(case[part])
        case["expect"] = self._expect(case["expect"])
        return case

    def _ascending(self, numbers: set[int]) -> dict[int, int]:
        drawn = sorted(self._random.sample(range(1, 10_000), len(numbers)))
        return dict(zip(sorted(numbers), drawn, strict=True))

    def _word(self, kind: str, word: str) -> str:
        if (kind, word) not in self._words:
            new = word
            while new in self._used or new == word:
                new = "".join(self._random.choices("bcdfghjklmnpqrstvwxz", k=self._random.randint(4, 9)))
            self._used.add(new)
            self._words[kind, word] = new
        return self._words[kind, word]

    def tool(self, name: str) -> str:
        return WORD.sub(lambda match: match[0] if match[0] in DEFINED_WORDS else self._word("tool", match[0]), name)

    def key(self, key: str) -> str:
        return key if key in DEFINED_KEYS else self._word("key", key)

    def path(self, path: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda match: self.key(match[0]), path)

    def id(self, value: str) -> str:
        return value if value in DEFINED_IDS else self._word("id", value)

    def text(self, text: str) -> str:
        """JSON, whole or broken off, with its keys renamed."""
        return KEY_IN_TEXT.sub(lambda match: match[1] + self.key(match[2]) + match[3], text)

    def value(self, value: object) -> object:
        """A value of an argument: keys renamed at any depth, except operators; the operands of operators stay."""
        if isinstance(value, dict):
            return dict((key, item) if key.startswith("$") else (self.key(key), self.value(item)) for key, item in value.items())
        return [self.value(item) for item in value] if isinstance(value, list) else value

    def _span(self, span: Document, tools: set[str]) -> Document:
        attributes = {key: self._attribute(key, value) for key, value in span.get("attrs", {}).items()}
        renamed = {
            **span,
            "id": self._span_ids[span["id"]],
            "trace": self._traces[span.get("trace", 1)],
            "start": start_ms(span),
            "end": end_ms(span),
            "name": " ".join(self.tool(word) if word in tools else word for word in span["name"].split(" ")),
            "attrs": attributes,
        }
        if span.get("parent"):
            renamed["parent"] = self._span_ids[span["parent"]]
        return renamed

    def _attribute(self, key: str, value: Any) -> object:
        if key in TOOL_ATTRIBUTES:
            return self.tool(value)
        if key == "tools":
            return [self.tool(tool) for tool in value]
        if key in ID_ATTRIBUTES:
            return self.id(value)
        if key in MESSAGE_ATTRIBUTES:
            return json.dumps(self._message(json.loads(value)))
        if key in ARGUMENT_ATTRIBUTES:
            return self.text(value) if isinstance(value, str) else self.value(value)
        return value

    def _message(self, node: Any) -> Any:
        """Messages and definitions: names of tools, ids, arguments, answers and schemas in them."""
        if isinstance(node, list):
            return [self._message(item) for item in node]
        if not isinstance(node, dict):
            return node
        rename = {"name": self.tool, "id": self.id, "arguments": self.value, "response": self.value, "parameters": self._schema}
        return {key: rename[key](value) if key in rename else self._message(value) for key, value in node.items()}

    def _schema(self, schema: Any) -> Any:
        """A JSON Schema of arguments."""
        if isinstance(schema, list):
            return [self._schema(item) for item in schema]
        if not isinstance(schema, dict):
            return schema
        renamed = {key: self._schema(value) for key, value in schema.items()}
        if "properties" in schema:
            renamed["properties"] = {self.key(name): self._schema(inner) for name, inner in schema["properties"].items()}
        if "required" in schema:
            renamed["required"] = [self.key(name) for name in schema["required"]]
        return renamed

    def _policy(self, node: Any) -> Any:
        """A policy, a rule, an expectation or a pattern, by what its keys mean."""
        if isinstance(node, list):
            return [self._policy(item) for item in node]
        if not isinstance(node, dict):
            return node
        return {key: self._entry(key, value) for key, value in node.items()}

    def _entry(self, key: str, value: Any) -> Any:
        rename: dict[str, Callable[[Any], Any]] = {
            "tool": self._tools,
            "server": self._tools,
            "tools": lambda tools: {self.tool(name): self._policy(about) for name, about in tools.items()},
            "parameters": self._schema,
            "args": self._arguments,
            "fields": lambda rules: {self.path(path): rule for path, rule in rules.items()},
            "same": lambda paths: {self.path(one): self.path(other) for one, other in paths.items()},
            **dict.fromkeys(("arg", "by", "sum"), self.path),
            "result": lambda result: self.path(result) if isinstance(result, str) else self._arguments(result),
            **dict.fromkeys(("when", "x"), lambda unchanged: unchanged),
            "extra_calls": lambda extra: extra if isinstance(extra, str) else self._pattern(extra),
        }
        if key in rename:
            return rename[key](value)
        return self._pattern(value) if key in CALL_PATTERNS else self._policy(value)

    def _pattern(self, pattern: Any) -> Any:
        if isinstance(pattern, list):
            return [self._pattern(item) for item in pattern]
        return self.tool(pattern) if isinstance(pattern, str) else self._policy(pattern)

    def _tools(self, names: str | list[str]) -> str | list[str]:
        return self.tool(names) if isinstance(names, str) else [self.tool(name) for name in names]

    def _arguments(self, arguments: Any) -> Any:
        """A map by argument paths."""
        if not isinstance(arguments, dict) or any(key.startswith("$") for key in arguments):
            return self.value(arguments)
        return {self.path(path): self.value(value) if not isinstance(value, bool) else value for path, value in arguments.items()}

    def _expect(self, expect: Document) -> Document:
        expect = dict(expect)
        for kind in ("violations", "inconclusive"):
            if kind in expect:
                expect[kind] = [[rule, tool and self.tool(tool), *rest] for rule, tool, *rest in expect[kind]]
        if "calls" in expect:
            expect["calls"] = [self._call(call) for call in expect["calls"]]
        if "runs" in expect:
            expect["runs"] = [
                {**run, "conversation": self.id(run["conversation"])} if "conversation" in run else run for run in expect["runs"]
            ]
        if "why" in expect:
            expect["why"] = [self._reason(word) for word in expect["why"]]
        return expect

    def _call(self, call: Document) -> Document:
        rename: dict[str, Callable[[Any], object]] = {
            **dict.fromkeys(("tool", "recorded_name", "server"), self.tool),
            **dict.fromkeys(("id", "conversation"), self.id),
            **dict.fromkeys(("args", "result"), self.value),
            "args_text": self.text,
            "trace_id": lambda value: next(trace_id(new) for old, new in self._traces.items() if trace_id(old) == value),
            **dict.fromkeys(("span_id", "parent_span_id"), self._span_id),
        }
        return {key: rename[key](value) if key in rename and value is not None else value for key, value in call.items()}

    def _span_id(self, value: str) -> str:
        return next(span_id(new) for old, new in self._span_ids.items() if span_id(old) == value)

    def _hexadecimal(self, value: str) -> str:
        return next(span_id(new) for old, new in self._span_ids.items() if span_id(old) == value)

    def _reason(self, word: str) -> str:
        if word.startswith("$"):
            return self.path(word)
        words = WORD.findall(word)
        return self.tool(word) if words and all(("tool", part) in self._words for part in words) else word
