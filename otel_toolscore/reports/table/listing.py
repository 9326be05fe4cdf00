"""The table of `otel-toolscore calls`: every call of every run, with what was passed and what came back."""

from __future__ import annotations

from collections.abc import Sequence

from otel_toolscore.assembly.explanations import Explanation
from otel_toolscore.model import Run, ToolCall
from otel_toolscore.reports.shown import safe
from otel_toolscore.reports.table.calls import Columns, value_text
from otel_toolscore.reports.table.pen import Pen
from otel_toolscore.reports.table.runs import write_title


def render_calls(
    runs: Sequence[Run],
    explanations: Sequence[Explanation] = (),
    *,
    width: int = 120,
    color_system: str | None = None,
    unicode: bool = True,
) -> str:
    """The calls of the runs as text for people, then what each explained span was taken for."""
    pen = Pen(width=width, color_system=color_system, unicode=unicode, values=True)
    for run in runs:
        write_title(pen, run, None)
        columns = Columns(pen, run.calls, len(run.calls))
        for index, call in enumerate(run.calls):
            columns.write(index, call, None)
            _write_result(pen, call, columns.indent)
        pen.blank()
    for span_id, trace_id, name, why in explanations:
        pen.prose((f"{safe(trace_id[:8])} {safe(span_id)} ", "dim"), (safe(name), "bold"), f"  {safe(why)}")
    return pen.text()


def _write_result(pen: Pen, call: ToolCall, indent: int) -> None:
    if call.result.state == "captured":
        pen.row(("= ", "dim"), (value_text(call.result.value), "green"), indent=indent)
    facts = [f"{pen.count(len(call.merged) + 1, 'span')} merged"] if call.merged else []
    if call.notes or facts:
        pen.row((pen.marks.dot.join([*facts, *map(safe, call.notes)]), "dim"), indent=indent)
