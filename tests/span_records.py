"""Span records for tests: a span in one line, and the spans of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from otel_toolscore.assemble import assemble
from otel_toolscore.dialects import Reading, read
from otel_toolscore.model import Run, ToolCall
from otel_toolscore.spans import CLIENT, INTERNAL, SERVER, STATUS_ERROR, STATUS_UNSET, Span, SpanEvent

MS = 1_000_000


def span(
    number: int | str,
    attributes: Mapping[str, object] | None = None,
    *,
    parent: int | str | None = None,
    name: str = "span",
    start: float | None = 0,
    end: float | None = 10,
    trace: str = "t",
    kind: int = INTERNAL,
    scope: str = "tests",
    service: str | None = "agents",
    error: str | bool = False,
    events: Iterable[tuple[str, Mapping[str, object]]] = (),
    remote: bool | None = None,
    resource: Mapping[str, object] | None = None,
) -> Span:
    """A span; times in milliseconds, `error` True or the status message."""
    return Span(
        trace_id=trace,
        span_id=str(number),
        parent_id=None if parent is None else str(parent),
        name=name,
        kind=kind,
        start_ns=None if start is None else int(start * MS),
        end_ns=None if end is None else int(end * MS),
        attributes=attributes or {},
        events=tuple(SpanEvent(event, None, fields) for event, fields in events),
        status=STATUS_ERROR if error else STATUS_UNSET,
        status_message=error if isinstance(error, str) else "",
        resource={**({} if service is None else {"service.name": service}), **(resource or {})},
        scope_name=scope,
        parent_remote=remote,
    )


def tool(number: int | str, name: str | None = "search", args: object = None, **more: Any) -> Span:
    """An execute_tool span; further attributes under `also`."""
    attributes: dict[str, object] = {"gen_ai.operation.name": "execute_tool", **more.pop("also", {})}
    if name is not None:
        attributes["gen_ai.tool.name"] = name
    if args is not None:
        attributes["gen_ai.tool.call.arguments"] = args
    return span(number, attributes, name=f"execute_tool {name}" if name else "execute_tool", **more)


def agent(number: int | str, name: str | None = "support", **more: Any) -> Span:
    """An invoke_agent span."""
    attributes: dict[str, object] = {"gen_ai.operation.name": "invoke_agent", **more.pop("also", {})}
    if name is not None:
        attributes["gen_ai.agent.name"] = name
    return span(number, attributes, name="invoke_agent", **more)


def model(number: int | str, **more: Any) -> Span:
    """A chat span."""
    return span(number, {"gen_ai.operation.name": "chat", **more.pop("also", {})}, name="chat", **more)


def mcp(number: int | str, name: str | None = "search", *, server: bool = False, **more: Any) -> Span:
    """One end of an MCP tools/call."""
    attributes: dict[str, object] = {"mcp.method.name": "tools/call", **more.pop("also", {})}
    if name is not None:
        attributes["gen_ai.tool.name"] = name
    return span(number, attributes, name="tools/call", kind=SERVER if server else CLIENT, **more)


def plain(number: int | str, **more: Any) -> Span:
    """A span that no dialect knows."""
    return span(number, {"http.request.method": "POST"}, name="POST /chat", **more)


def reading(made: Span) -> Reading:
    """What the dialects say of a span that they must know."""
    found = read(made)
    assert found is not None
    return found


def runs(*spans: Span, **options: Any) -> tuple[Run, ...]:
    """The runs of the spans."""
    return assemble(spans, **options).runs


def calls(*spans: Span, **options: Any) -> list[ToolCall]:
    """All calls of the spans, by start."""
    found = [call for run in runs(*spans, **options) for call in run.calls]
    return sorted(found, key=lambda call: (call.start_ns or 0, call.span_id))


def the_call(*spans: Span, **options: Any) -> ToolCall:
    """The one call of the spans."""
    (found,) = calls(*spans, **options)
    return found


def spans_of_case(given: Mapping[str, Any]) -> Iterator[Span]:
    """The spans that the `input` of a case stands for."""
    for each in given["spans"]:
        made = span(
            f"{0xB000000000000000 + each['id']:016x}",
            each.get("attrs"),
            parent=f"{0xB000000000000000 + each['parent']:016x}" if each.get("parent") else None,
            name=each["name"],
            start=each.get("start", each["id"] * 10),
            end=each.get("end", each["id"] * 10 + 5),
            trace=str(each.get("trace", 1)),
            kind=each.get("kind", INTERNAL),
            scope=each.get("scope", given.get("scope", "tests")),
            service=None,
            error=each.get("error", False),
            events=[(event["name"], event.get("attrs") or {}) for event in each.get("events", ())],
            resource=each.get("resource", given.get("resource", {"service.name": "agents"})),
        )
        yield from [made] * (2 if each.get("twice") else 1)
