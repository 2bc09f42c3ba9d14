# SPDX-License-Identifier: GPL-2.0-only
"""Decides whether a trace is printed as a graph, and which parts are printed."""

from __future__ import annotations

import enum

from emu.ftrace.text.view import TraceView

__all__ = ["GraphPrint", "graph_style"]


class GraphPrint(enum.Flag):
    """Linux: TRACE_GRAPH_PRINT_*."""

    OVERRUN = enum.auto()  # the number of calls that found no room on the return stack
    CPU = enum.auto()
    OVERHEAD = enum.auto()  # marks of long durations
    PROC = enum.auto()
    DURATION = enum.auto()
    ABS_TIME = enum.auto()
    REL_TIME = enum.auto()  # time since the trace's start
    IRQS = enum.auto()  # functions called by interrupts
    TAIL = enum.auto()  # the function's name at each closing brace
    RETVAL = enum.auto()  # what calls return
    RETVAL_HEX = enum.auto()  # ... in hexadecimal, even if it may be an error's number
    RETADDR = enum.auto()  # where calls return to
    ARGS = enum.auto()  # what calls are given, also of calls with a return address


_BY_OPTION = {
    "funcgraph-overrun": GraphPrint.OVERRUN,
    "funcgraph-cpu": GraphPrint.CPU,
    "funcgraph-overhead": GraphPrint.OVERHEAD,
    "funcgraph-proc": GraphPrint.PROC,
    "funcgraph-duration": GraphPrint.DURATION,
    "funcgraph-abstime": GraphPrint.ABS_TIME,
    "funcgraph-irqs": GraphPrint.IRQS,
    "funcgraph-tail": GraphPrint.TAIL,
    "funcgraph-retval": GraphPrint.RETVAL,
    "funcgraph-retval-hex": GraphPrint.RETVAL_HEX,
    "funcgraph-retaddr": GraphPrint.RETADDR,
    "funcgraph-args": GraphPrint.ARGS,
}

# For critical sections, Linux hides what .irqentry.text calls. But nothing there is traced, so all is shown, as here.
_OF_SECTION = GraphPrint.CPU | GraphPrint.PROC | GraphPrint.REL_TIME | GraphPrint.DURATION | GraphPrint.IRQS
_OF_WAKEUP = _OF_SECTION | GraphPrint.OVERHEAD
# Tracers that record a graph while the option display-graph is on. function_graph's options do not affect it.
_BY_TRACER = {
    "irqsoff": _OF_SECTION,
    "preemptoff": _OF_SECTION,
    "preemptirqsoff": _OF_SECTION,
    "wakeup": _OF_WAKEUP,
    "wakeup_rt": _OF_WAKEUP,
    "wakeup_dl": _OF_WAKEUP,
}


def graph_style(view: TraceView) -> GraphPrint | None:
    """The parts of the graph to print; None if the trace is not printed as a graph."""
    if view.tracer == "function_graph":
        if view.option("funcgraph-flat"):
            return None
        style = GraphPrint(0)
        for option, part in _BY_OPTION.items():
            if view.option(option):
                style |= part
        return style
    return _BY_TRACER.get(view.tracer) if view.option("display-graph") else None
