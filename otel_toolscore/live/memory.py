"""What is remembered of a trace while it goes on: node records of ended spans, and which spans are open. Never a span.

A span that is open is held weakly: one that is dropped without an end goes, and is known to be missing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from otel_toolscore.assembly.forest import Node
from otel_toolscore.compare import canonical
from otel_toolscore.messages import Messages
from otel_toolscore.model import Evidence, Finding, ToolCall, Verdict

MAX_HEARD: Final = 8

Held = Callable[[], Any]
"""A weak reference to an SDK span."""


class OpenSpan:
    """A span that has not ended yet."""

    __slots__ = ("as_node", "attribute_count", "held", "missed", "parent_id", "read", "root")

    def __init__(self, held: Held, parent_id: int | None, *, read: bool, root: bool) -> None:
        self.held = held
        self.parent_id = parent_id
        self.read = read
        """Whether it has an `end` of ours, so that it will be heard of."""
        self.missed = False
        """Whether it was counted as one that did not end."""
        self.root = root
        """Whether nothing is heard of what is around it: it has no parent, a remote one, or one that ended or is not recorded."""
        self.as_node: Node | None = None
        """Its record when it was last looked at, and how many attributes it had then."""
        self.attribute_count = -1


class PassedSpan(NamedTuple):
    """Where and when an ended span was."""

    parent_id: int | None
    parent_remote: bool | None
    start_ns: int | None
    end_ns: int | None


class TraceMemory:
    """One trace. Whoever uses it holds `lock`."""

    __slots__ = (
        *(
            "asked",
            "below",
            "bound",
            "early_runs",
            "heard",
            "lock",
            "lost",
            "nodes",
            "open",
            "over",
            "passed",
            "places",
            "plain",
            "published",
        ),
        *("reading", "revision", "root_ended", "said", "sampled", "schemas", "scorable", "service", "told", "touched", "trace_id"),
        *("verdicts", "wanted"),
    )

    def __init__(self, trace_id: int, sampled: bool) -> None:
        self.trace_id = trace_id
        self.lock = threading.RLock()
        self.sampled = sampled
        self.nodes: dict[int, Node] = {}
        self.below: dict[int, list[int]] = {}
        """Span -> ended spans below it."""
        self.open: dict[int, OpenSpan] = {}
        self.plain: dict[int, Held] = {}
        """Further open spans, which have nothing to read."""
        self.passed: dict[int, PassedSpan] = {}
        """Ended spans that nothing needed: they had nothing to read, and nothing below them had."""
        self.reading = 0
        """How many of the open spans have an `end` of ours."""
        self.wanted: set[int] = set()
        """Spans, ended or not, that something worth reading is below."""
        self.bound: dict[int, tuple[str, ...]] = {}
        """Span -> the expectations that `expecting` bound to what starts there."""
        self.said: set[object] = set()
        """Which messages of models are kept; later spans repeat them."""
        self.asked: dict[str, list[int]] = {}
        """Call id -> model spans whose messages have a call or an answer of that id."""
        self.heard: list[int] = []
        """The first model spans that recorded what the user said."""
        self.places: dict[int | None, object] = {}
        """What the scorer remembers of where calls are, by the span that they are directly below."""
        self.schemas: dict[str, object] = {}
        """JSON Schemas of arguments that spans of the trace recorded."""
        self.service: str | None = None
        self.told: dict[str, tuple[Verdict, tuple[Finding, ...]]] = {}
        """What the outermost spans of calls were told when they ended."""
        self.early_runs: set[str] = set()
        self.published: set[tuple[str, ...]] = set()
        self.verdicts: dict[tuple[str, ...], Verdict] = {}
        """What was last published of expectations."""
        self.scorable = False
        """Whether there is a call or an agent in it."""
        self.revision = 0
        """How often the whole trace was scored."""
        self.root_ended = False
        self.over = False
        """Whether what is known was published; a late span opens the trace again."""
        self.lost = False
        """Whether a span was dropped, so that what seems missing need not be."""
        self.touched = 0.0

    def opened(self, span_id: int, span: OpenSpan) -> None:
        """A span started."""
        self.open[span_id] = span
        if span.read:
            self.reading += 1
            self.want(span.parent_id)

    def closed(self, span_id: int, *, root: bool) -> None:
        """A span ended. `root` is for one that was not known to be open."""
        self.plain.pop(span_id, None)
        opened = self.open.pop(span_id, None)
        if opened is not None and opened.read:
            self.reading -= 1
        if root if opened is None else opened.root:
            self.root_ended = True

    @property
    def complete(self) -> bool:
        """Whether nothing more is to come, as far as is known: no root, nothing to read, and nothing that is around what was read."""
        if not self.root_ended or self.reading:
            return False
        return not any(span_id in self.wanted and span.held() is not None for span_id, span in self.open.items())

    @property
    def goes_on(self) -> bool:
        """Whether a span that will be heard of is still held by the application."""
        return any(span.read and span.held() is not None for span in list(self.open.values()))

    def unheard(self) -> int:
        """How many spans that were to be heard of have not ended; each is counted once."""
        unheard = [span for span in self.open.values() if span.read and not span.missed]
        for span in unheard:
            span.missed = True
        return len(unheard)

    def is_open(self, span_id: int) -> OpenSpan | None:
        """What is known of an open span."""
        opened = self.open.get(span_id)
        if opened is None and (held := self.plain.get(span_id)) is not None and (span := held()) is not None:
            parent = span.parent
            root = parent is None or parent.is_remote
            opened = self.open[span_id] = OpenSpan(held, parent.span_id if parent is not None else None, read=False, root=root)
        return opened

    def knows(self, span_id: int) -> bool:
        """Whether the span is open or kept."""
        return span_id in self.open or span_id in self.nodes or self.is_open(span_id) is not None

    def want(self, span_id: int | None) -> None:
        """Something worth reading is below the span: it and what is above it will be kept."""
        while span_id is not None and span_id not in self.wanted:
            self.wanted.add(span_id)
            opened = self.is_open(span_id)
            if opened is not None:
                span_id = opened.parent_id
                continue
            passed = self.passed.pop(span_id, None)
            if passed is None:
                return
            self._take_back(span_id, passed)
            span_id = passed.parent_id

    def bind(self, span_id: int, parent_id: int | None, names: tuple[str, ...]) -> None:
        """Expectations are bound to what starts here; where a span around has them already, they are bound there."""
        inherited = {name for above, _ in self.above(parent_id) for name in self.bound.get(above, ())}
        new = tuple(name for name in names if name not in inherited)
        if new:
            self.bound[span_id] = new

    def keep(self, span_id: int, parent_id: int | None, node: Node) -> None:
        """The record of an ended span."""
        self.nodes[span_id] = node
        self.service = node.service
        if node.reading is not None:
            self.schemas |= node.reading.schemas
            self.scorable = self.scorable or node.role in ("tool", "agent")
            messages = node.reading.messages
            for call_id in {*(call.id for call in messages.calls), *(answer.id for answer in messages.answers)}:
                self.asked.setdefault(call_id, []).append(span_id)
            if messages.user is not None and len(self.heard) < MAX_HEARD:
                self.heard.append(span_id)
        if parent_id is not None:
            self.below.setdefault(parent_id, []).append(span_id)
            self.want(parent_id)

    def above(self, span_id: int | None) -> Iterator[tuple[int, OpenSpan | Node]]:
        """What is around, from the given span outwards, as far as it is known."""
        seen = set()
        while span_id is not None and span_id not in seen:
            seen.add(span_id)
            found = self.is_open(span_id) or self.nodes.get(span_id)
            if found is None:
                return
            yield span_id, found
            span_id = found.parent_id if isinstance(found, OpenSpan) else as_number(found.parent_id)

    def subtree(self, span_id: int, *, stop: frozenset[str] = frozenset()) -> Iterator[Node]:
        """The ended spans below this one; not those of the roles in `stop`, and what is below these."""
        waiting = list(self.below.get(span_id, ()))
        while waiting:
            at = waiting.pop()
            node = self.nodes[at]
            if node.role not in stop:
                yield node
                waiting += self.below.get(at, ())

    def has_open_below(self, span_id: int) -> bool:
        """Whether a span that will be heard of is open below this one."""
        return any(span.read and any(above == span_id for above, _ in self.above(span.parent_id)) for span in list(self.open.values()))

    def said_to(self, chain: Iterable[Node]) -> list[Node]:
        """The model spans that say what the user said to the scopes in the chain, and the spans between."""
        known = {as_number(node.span_id) for node in chain}
        found: dict[int, Node] = {}
        for span_id in self.heard:
            path: dict[int, Node] = {}
            at: int | None = span_id
            while at is not None and at not in known and (node := self.nodes.get(at)) is not None:
                path[at] = node
                at = as_number(node.parent_id)
            if at in known:
                found |= path
        return list(found.values())

    def telling_of(self, node: Node) -> list[Node]:
        """The model spans whose messages say something of a call that its own span does not."""
        reading = node.reading
        if reading is None or reading.call_id is None:
            return []
        if reading.arguments.state == "captured" and reading.result.state == "captured":
            return []
        return [self.nodes[span_id] for span_id in self.asked.get(reading.call_id, ())]

    def parents(self) -> dict[str, str | None]:
        """Span -> parent, of every ended span that is kept."""
        return {node.span_id: node.parent_id for node in self.nodes.values()}

    def is_new(self, key: tuple[str, ...], call: ToolCall | None) -> bool:
        """Whether nothing with this key was published yet; from now on it was.

        A key that ends in a call's span id stands for all spans of the call.
        """
        keys = {key} if call is None or key[-1] != call.span_id else {(*key[:-1], each.span_id) for each in call.merged} | {key}
        new = self.published.isdisjoint(keys)
        self.published |= keys
        return new

    def without_repeats(self, node: Node) -> Node:
        """The record without the messages that an earlier span of the trace had too."""
        reading = node.reading
        if reading is None or not (reading.messages.calls or reading.messages.answers):
            return node
        calls = tuple(call for call in reading.messages.calls if self._is_first((call.id, call.tool, _key(call.arguments))))
        answers = tuple(each for each in reading.messages.answers if self._is_first((each.id, each.tool, _key(each.result), each.failed)))
        messages = Messages(calls, answers, reading.messages.user)
        return msgspec.structs.replace(node, reading=msgspec.structs.replace(reading, messages=messages))

    def _take_back(self, span_id: int, passed: PassedSpan) -> None:
        """A record for a span that is needed after all."""
        if passed.parent_id is not None:
            self.below.setdefault(passed.parent_id, []).append(span_id)
        self.nodes[span_id] = Node(
            trace_id=f"{self.trace_id:032x}",
            span_id=f"{span_id:016x}",
            parent_id=f"{passed.parent_id:016x}" if passed.parent_id is not None else None,
            start_ns=passed.start_ns,
            end_ns=passed.end_ns,
            service=self.service,
            parent_remote=passed.parent_remote,
        )

    def _is_first(self, said: object) -> bool:
        first = said not in self.said
        self.said.add(said)
        return first


def as_number(span_id: str | None) -> int | None:
    """A span id as the SDK has it."""
    return int(span_id, 16) if span_id is not None else None


def _key(evidence: Evidence) -> object:
    return (evidence.state, canonical(evidence.value)) if evidence.state == "captured" else (evidence.state, evidence.text)
