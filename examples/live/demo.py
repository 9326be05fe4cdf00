"""Runs the agent of this folder with its tools in a second process, draws what its exporter sent, and scores the same bytes again offline.

Nothing here makes a span or knows a verdict: what is drawn is read from the bytes that arrived over OTLP.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from receiver import receiver

from otel_toolscore.otlp import read_path
from otel_toolscore.spans import Span

HERE = Path(__file__).parent
POLICY = HERE / "toolscore.yaml"
PREFIX = "toolscore."
SHOWN = ("rule.id", "violated_rules", "expectation.id", "score", "call_count", "violation_count", "severity", "reason")


def run_agent(endpoint: str) -> None:
    """The agent as its developer starts it; only the environment says where its spans go."""
    environment = {
        **os.environ,
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_SERVICE_NAME": "support-desk",
        "TOOLSCORE_POLICY": "",
    }
    subprocess.run([sys.executable, str(HERE / "agent.py")], env=environment, check=True, timeout=120)


def tree(spans: Iterable[Span]) -> Iterator[str]:
    """The spans as lines, children below their parents in the order of their start, with what their attributes say of a verdict."""
    known = {(span.trace_id, span.span_id): span for span in spans}
    below: dict[tuple[str, str | None], list[Span]] = {}
    for span in sorted(known.values(), key=lambda span: span.start_ns or 0):
        parent = span.parent_id if (span.trace_id, span.parent_id) in known else None
        below.setdefault((span.trace_id, parent), []).append(span)

    def lines(span: Span, depth: int) -> Iterator[str]:
        told = {key.removeprefix(PREFIX): value for key, value in span.attributes.items() if key.startswith(PREFIX)}
        service = f"  [{span.service}]" if span.parent_remote or span.parent_id is None else ""
        arguments = span.attributes.get("gen_ai.tool.call.arguments", "")
        yield f"{told.get('verdict', ''):8}{'  ' * depth}{span.name} {arguments}{service}"
        for key in SHOWN:
            if key in told:
                yield f"{'':8}{'  ' * depth}    {key}: {told[key]}"
        for child in below.get((span.trace_id, span.span_id), ()):
            yield from lines(child, depth + 1)

    for (_, parent), roots in below.items():
        if parent is None:
            for root in roots:
                if below.get((root.trace_id, root.span_id)):
                    yield from (*lines(root, 0), "")


def live_verdicts(spans: Iterable[Span]) -> dict[str, str]:
    """Span id -> verdict, as the spans carry it."""
    return {span.span_id: str(span.attributes[PREFIX + "verdict"]) for span in spans if PREFIX + "verdict" in span.attributes}


def offline_verdicts(file: Path) -> dict[str, str]:
    """Span id -> verdict of calls and runs, as the command line finds them in the file."""
    command = [sys.executable, "-m", "otel_toolscore", "score", str(file), "--policy", str(POLICY), "--format", "json"]
    document = json.loads(subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stdout)
    found = {run["span_id"]: run["verdict"] for run in document["runs"]}
    return found | {call["span_id"]: call["verdict"] for run in document["runs"] for call in run["calls"]}


def main() -> int:
    """0 when every verdict on a span is the one that the file gives."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spans.bin"
        with receiver(file) as endpoint:
            run_agent(endpoint)
        spans = [span for span in read_path(str(file)) if isinstance(span, Span)]
        print(f"{len(spans)} spans of {len({span.trace_id for span in spans})} traces arrived.\n")
        print("\n".join(tree(spans)))
        live, offline = live_verdicts(spans), offline_verdicts(file)
        differ = {key: (live.get(key), offline.get(key)) for key in live.keys() | offline.keys() if live.get(key) != offline.get(key)}
        print(f"Scored again from the file: {len(offline)} verdicts, {len(differ)} differ from those on the spans.")
        for key, (on_span, in_file) in differ.items():
            print(f"  {key}: {on_span} on the span, {in_file} from the file", file=sys.stderr)
        return 1 if differ or not live else 0


if __name__ == "__main__":
    sys.exit(main())
