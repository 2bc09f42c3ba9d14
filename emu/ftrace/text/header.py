# SPDX-License-Identifier: GPL-2.0-only
"""The comment lines at the start of a trace."""

from __future__ import annotations

import numpy as np

from emu.ftrace.text.blk import blk_header
from emu.ftrace.text.branch import BRANCH_HEADER
from emu.ftrace.text.columns import SymbolNames
from emu.ftrace.text.graph_style import GraphPrint
from emu.ftrace.text.view import TraceView

__all__ = ["event_header", "graph_header", "tracer_line"]

_RULE = "-" * 68
_SHORT_RULE = "-" * 17

_FLAGS = (
    "  _-----=> irqs-off/BH-disabled",
    " / _----=> need-resched",
    "| / _---=> hardirq/softirq",
    "|| / _--=> preempt-depth",
    "||| / _-=> migrate-disable",
    "|||| /     delay",
)


def tracer_line(view: TraceView) -> str:
    return f"# tracer: {view.tracer}\n#\n"


def event_header(view: TraceView) -> str:
    """The header of a trace with one event per line: the number of events, and the column titles."""
    if view.tracer == "blk":
        return blk_header(view)
    if view.tracer == "branch":
        return BRANCH_HEADER
    if not view.option("context-info"):
        return ""
    if view.option("latency-format"):
        columns = () if view.option("verbose") else _LATENCY_COLUMNS
        return _latency_header(view, "".join(f"#{line}\n" for line in columns))
    if view.option("verbose"):
        return ""
    tgid, under_tgid = ("   TGID   ", "     |    ") if view.option("record-tgid") else ("", "")
    lines = [f" entries-in-buffer/entries-written: {view.entries}/{view.written}   #P:{view.cpus}", ""]
    if view.option("irq-info"):
        margin = " " * (30 + len(tgid))
        lines += [margin + line for line in _FLAGS]
        lines += [
            f"           TASK-PID    {tgid} CPU#  |||||  TIMESTAMP  FUNCTION",
            f"              | |      {under_tgid}   |   |||||     |         |",
        ]
    else:
        lines += [
            f"           TASK-PID    {tgid} CPU#     TIMESTAMP  FUNCTION",
            f"              | |      {under_tgid}   |         |         |",
        ]
    return "".join(f"#{line}\n" for line in lines)


# The meaning of an event's flags, and titles for latency-format's other columns.
_LATENCY_COLUMNS = (
    "                    _------=> CPU#            ",
    "                   / _-----=> irqs-off/BH-disabled",
    "                  | / _----=> need-resched    ",
    "                  || / _---=> hardirq/softirq ",
    "                  ||| / _--=> preempt-depth   ",
    "                  |||| / _-=> migrate-disable ",
    "                  ||||| /     delay           ",
    "  cmd     pid     |||||| time  |   caller     ",
    "     \\   /        ||||||  \\    |    /       ",
)


def _latency_header(view: TraceView, columns: str) -> str:
    """The description of a latency-format trace, then the column titles; empty if there are no events."""
    if not any(map(len, view.events)):
        return ""
    model = "M:preempt VP:0, KP:0, SP:0 HP:0"
    data = view.latency
    latency = data.latency // 1000  # not rounded
    owner = f"uid:0 nice:{data.nice} policy:{data.policy} rt_prio:{data.rt_priority}"
    return (
        f"# {view.tracer} latency trace v1.1.5 on {view.release}\n"
        f"# {_RULE}\n"
        f"# latency: {latency} us, #{view.entries}/{view.written}, CPU#{data.cpu} | ({model} #P:{view.cpus})\n"
        f"#    {_SHORT_RULE}\n"
        f"#    | task: {data.comm}-{data.pid} ({owner})\n"
        f"#    {_SHORT_RULE}\n"
        f"{_section(view)}#\n{columns}"
    )


def _section(view: TraceView) -> str:
    """Where the section with the longest latency started and ended; empty if the latency is not a section's."""
    data = view.latency
    if not data.critical_start:
        return ""
    names = SymbolNames.by_options(view).of(np.array([data.critical_start, data.critical_end], np.uint64))
    return f"#  => started at: {names[0]}\n#  => ended at:   {names[1]}\n#\n"


# For each column of a graph: the option that shows it, its title, the marks below. The flags come before the last one.
_GRAPH_COLUMNS = (
    (GraphPrint.ABS_TIME, "     TIME       ", "      |         "),
    (GraphPrint.REL_TIME, "   REL TIME     ", "      |         "),
    (GraphPrint.CPU, " CPU", " |  "),
    (GraphPrint.PROC, "  TASK/PID       ", "   |    |        "),
    (GraphPrint.DURATION, "  DURATION   ", "   |   |      "),
)
_GRAPH_FLAGS_COLUMN = "||||   "
_GRAPH_FLAGS = (
    "  _-----=> irqs-off        ",
    " / _----=> need-resched    ",
    "| / _---=> hardirq/softirq ",
    "|| / _--=> preempt-depth   ",
    "||| /                      ",
)


def graph_header(view: TraceView, style: GraphPrint) -> str:
    """The header of a graph: its column titles."""
    if not view.option("context-info"):
        return ""
    latency = view.option("latency-format")
    titles, marks, margin = "", "", 0
    for part, title, below in _GRAPH_COLUMNS:
        if part is GraphPrint.DURATION:
            margin = len(titles)
            titles, marks = (text + (_GRAPH_FLAGS_COLUMN if latency else "") for text in (titles, marks))
        if part in style:
            titles, marks = titles + title, marks + below
    columns = f"#{titles}               FUNCTION CALLS\n#{marks}               |   |   |   |\n"
    if not latency:
        return columns
    return _latency_header(view, "".join(f"#{' ' * margin}{line}\n" for line in _GRAPH_FLAGS) + columns)
