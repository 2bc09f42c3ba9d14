# SPDX-License-Identifier: GPL-2.0-only
"""emu top: the functions of a trace that took the most time. Like `ftd` in the first document on function_graph."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.looking.overhead import estimated
from emu.cli.looking.showing import chosen_options, show_json, show_table
from emu.cli.opened_trace import opened_trace
from emu.cli.quantities import Duration
from emu.cli.report.filters import cpu_list
from emu.cli.table import Column

if TYPE_CHECKING:
    from emu.trace.function_times import FunctionTime

__all__ = ["ftd", "top"]

EXAMPLES = """\
\b
Examples:
  emu record -p function_graph -- 'ls /bin | wc -l'
  emu top
  emu top --by process --sort total -n 10
  emu top --at-least 100us --calls 5 trace.dat
  emu top --overhead; emu top --net

\b
FILE is a trace.dat of emu or trace-cmd; without it, trace.dat. Times need function_graph; of function's trace, calls count.
What recording the calls has cost is exact with the static timing model, but for traps of register windows.
Otherwise --overhead and --net run the recorded command again, traced and not, and the difference is an estimate.
"""

_SORTS = ("self", "total", "calls", "min", "max", "mean", "tracing")


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--by", "groups", type=click.Choice(["process", "cpu"]), multiple=True, help="Split by task or CPU. Repeatable.")
@click.option("--sort", type=click.Choice(_SORTS), default="self", show_default=True, help="Sort by this value.")
@click.option("-n", "--count", type=click.IntRange(1), metavar="N", help="Only the first N.")
@click.option("--calls", "least_calls", type=click.IntRange(1), metavar="N", help="Only functions called at least N times.")
@click.option("--at-least", type=Duration(), metavar="TIME", help="Only functions with at least this total time: 100us.")
@click.option("--overhead", is_flag=True, help="Show what recording the calls has cost in each function's own time.")
@click.option("--net", is_flag=True, help="Show times without what recording the calls has cost.")
@click.option("--json", "as_json", is_flag=True, help="Write an object; times are nanoseconds.")
@chosen_options
def top(
    groups: Sequence[str],
    sort: str,
    count: int | None,
    least_calls: int | None,
    at_least: int | None,
    overhead: bool,
    net: bool,
    as_json: bool,
    pids: Sequence[int],
    cpus: str | None,
    buffer: str | None,
    file: Path,
) -> int:
    """Show where the time went: functions with their own time, that with what they call, and their calls."""
    from emu.trace.function_times import function_times

    with opened_trace(file, buffer) as trace:
        exact = trace.recording.call_cost is not None
        asked = {"overhead": overhead, "net": net} if exact else {}
        found = function_times(trace, groups, pids=pids, cpus=cpu_list(cpus), **asked)  # type: ignore[arg-type]  # click has checked
        if (overhead or net) and not exact and trace.calls.count:
            if groups or pids or cpus is not None:
                raise click.UsageError(f"{'--net' if net else '--overhead'}: an estimate is of all tasks and CPUs together")
            found = estimated(found, file, trace, net=net)
        rows = [
            row
            for row in found
            if row.calls >= (least_calls or 0) and (at_least is None or (row.total is not None and row.total >= at_least))
        ]
        rows.sort(key=lambda row: (-(_value(row, sort) or 0), -row.calls, row.function, row.pid or 0, row.cpu or 0))
        rows = rows[:count]
        if as_json:
            said = {"tracing": "exact" if exact else "an estimate"} if overhead or net else {}
            show_json(trace, **said, functions=[_object(row) for row in rows])
        elif not found or ((overhead or net) and not trace.calls.count):
            raise click.ClickException(f"{file}: no calls were recorded; `emu record -p function_graph` records them")
        else:
            _show_table(rows, groups, "" if exact else ", estimate")
    return 0


ftd = copy.copy(top)
ftd.name = "ftd"
ftd.hidden = True


def _value(row: FunctionTime, name: str) -> float | None:
    values: dict[str, float | None] = {
        "self": row.self_time, "total": row.total, "calls": row.calls, "min": row.minimum, "max": row.maximum, "mean": row.mean,
        "tracing": row.tracing,
    }  # fmt: skip
    return values[name]


def _object(row: FunctionTime) -> dict[str, object]:
    known = {"function": row.function, "pid": row.pid, "process": row.process, "cpu": row.cpu}
    return {name: value for name, value in (known | {name: _value(row, name) for name in _SORTS}).items() if value is not None}


def _show_table(rows: Sequence[FunctionTime], groups: Sequence[str], estimate: str) -> None:
    timed = any(row.total is not None for row in rows)
    self_alone = not timed and any(row.self_time is not None for row in rows)
    names = [("self", "self us"), ("total", "total us")] if timed else [("self", f"self us{estimate}")] if self_alone else []
    names += [("tracing", f"tracing us{estimate}")] if any(row.tracing is not None for row in rows) else []
    names += [("calls", "calls")] + ([("min", "min us"), ("mean", "mean us"), ("max", "max us")] if timed else [])
    columns = [Column(title) for _, title in names]
    columns += [Column("CPU") if group == "cpu" else Column("process", "name") for group in groups]
    columns.append(Column("function", "name"))
    lines = []
    for row in rows:
        cells = [_cell(_value(row, name), name) for name, _ in names]
        cells += [str(row.cpu) if group == "cpu" else f"{row.process}-{row.pid}" for group in groups]
        lines.append([*cells, row.function])
    show_table(columns, lines)


def _cell(value: float | None, name: str) -> str:
    if value is None:
        return ""
    return f"{value:,}" if name == "calls" else f"{value / 1000:,.3f}"
