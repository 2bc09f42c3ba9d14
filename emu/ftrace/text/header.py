# SPDX-License-Identifier: GPL-2.0-only
"""The comment lines that a trace begins with."""

from __future__ import annotations

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
    """The header of a trace with one event a line: how many events there are, and what the columns are."""
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


# What the flags of an event mean, and where the other columns of latency-format are.
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
    """What latency-format says of the trace, then the columns; nothing when there are no events."""
    if not any(map(len, view.events)):
        return ""
    model = "M:preempt VP:0, KP:0, SP:0 HP:0"
    data = view.latency
    latency = (data.latency + 500) // 1000
    owner = f"uid:0 nice:{data.nice} policy:{data.policy} rt_prio:{data.rt_priority}"
    return (
        f"# {view.tracer} latency trace v1.1.5 on {view.release}\n"
        f"# {_RULE}\n"
        f"# latency: {latency} us, #{view.entries}/{view.written}, CPU#{data.cpu} | ({model} #P:{view.cpus})\n"
        f"#    {_SHORT_RULE}\n"
        f"#    | task: {data.comm}-{data.pid} ({owner})\n"
        f"#    {_SHORT_RULE}\n"
        f"#\n{columns}"
    )


# Each column of function_graph: the option that shows it, its title, the marks below.
_GRAPH_COLUMNS = (
    ("funcgraph-abstime", "     TIME       ", "      |         "),
    ("funcgraph-cpu", " CPU", " |  "),
    ("funcgraph-proc", "  TASK/PID       ", "   |    |        "),
    ("latency-format", "||||   ", "||||   "),
    ("funcgraph-duration", "  DURATION   ", "   |   |      "),
)
_GRAPH_FLAGS = (
    "  _-----=> irqs-off        ",
    " / _----=> need-resched    ",
    "| / _---=> hardirq/softirq ",
    "|| / _--=> preempt-depth   ",
    "||| /                      ",
)


def graph_header(view: TraceView) -> str:
    """The header of a function_graph trace: what the columns are."""
    if not view.option("context-info"):
        return ""
    shown = [column for column in _GRAPH_COLUMNS if view.option(column[0])]
    titles = "".join(title for _, title, _ in shown)
    marks = "".join(marks for _, _, marks in shown)
    columns = f"#{titles}               FUNCTION CALLS\n#{marks}               |   |   |   |\n"
    if not view.option("latency-format"):
        return columns
    margin = titles.partition("||||")[0]
    return _latency_header(view, "".join(f"#{' ' * len(margin)}{line}\n" for line in _GRAPH_FLAGS) + columns)
