# SPDX-License-Identifier: GPL-2.0-only
"""The comment lines that a trace begins with."""

from __future__ import annotations

from emu.ftrace.text.view import TraceView

__all__ = ["event_header", "graph_header", "tracer_line"]

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


# Each column of function_graph: the option that shows it, its title, the marks below.
_GRAPH_COLUMNS = (
    ("funcgraph-abstime", "     TIME       ", "      |         "),
    ("funcgraph-cpu", " CPU", " |  "),
    ("funcgraph-proc", "  TASK/PID       ", "   |    |        "),
    ("funcgraph-duration", "  DURATION   ", "   |   |      "),
)


def graph_header(view: TraceView) -> str:
    """The header of a function_graph trace: what the columns are."""
    if not view.option("context-info"):
        return ""
    shown = [column for column in _GRAPH_COLUMNS if view.option(column[0])]
    titles = "".join(title for _, title, _ in shown)
    marks = "".join(marks for _, _, marks in shown)
    return f"#{titles}               FUNCTION CALLS\n#{marks}               |   |   |   |\n"
