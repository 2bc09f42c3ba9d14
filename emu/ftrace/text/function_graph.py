# SPDX-License-Identifier: GPL-2.0-only
"""The lines of a graph: calls as nested braces with their durations, other events as comments between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.text.bodies import comment_column
from emu.ftrace.text.columns import Column, SymbolNames, joined, latency_flags, picked, split_time, spread, text_of
from emu.ftrace.text.duration import NO_DURATION, duration_text
from emu.ftrace.text.event_lines import event_columns
from emu.ftrace.text.graph_layout import GraphLayout, Shape, lay_out
from emu.ftrace.text.graph_style import GraphPrint
from emu.ftrace.text.graph_values import GraphValues
from emu.ftrace.text.rows import Indices, Rows
from emu.ftrace.text.view import TraceView

__all__ = ["GraphText"]

_TASK_WIDTH = 14
_COMM_SHOWN = 7
_RULE = " " + "-" * 42 + "\n"


class GraphText:
    """Prints the rows of one trace of function_graph, or of a latency tracer with display-graph."""

    def __init__(self, view: TraceView, rows: Rows, style: GraphPrint) -> None:
        self._view = view
        self._rows = rows
        self._style = style
        self._layout = lay_out(rows, hide=range(0) if GraphPrint.IRQS in style else view.irq_entry_text)
        self._names = SymbolNames(view, zero="0x0")
        self._values = GraphValues(view, rows, style, self._layout, self._names)
        self._context = view.option("context-info")
        self._cpu_width = len(str(view.cpus - 1))

    @property
    def layout(self) -> GraphLayout:
        """The layout of the rows."""
        return self._layout

    def columns(self, rows: range) -> list[Column]:
        """The text of each of these rows: several lines, one, or none."""
        shape = self._layout.shape[rows.start : rows.stop]
        in_graph = np.flatnonzero((shape != Shape.NOTHING) & (shape != Shape.LINE))
        columns = self._graph_columns(in_graph + rows.start)
        if len(in_graph) == len(rows):
            return columns
        texts = [spread(column, in_graph, len(rows)) for column in columns]
        lines = np.flatnonzero(shape == Shape.LINE)
        others = event_columns(self._view, self._rows.take(lines + rows.start))
        return texts + [spread(column, lines, len(rows)) for column in others]

    def _graph_columns(self, chosen: Indices) -> list[Column]:
        columns = [self._before(chosen)]
        if self._context:
            columns += self._context_columns(chosen)
            if GraphPrint.DURATION in self._style:
                columns.append(self._durations(chosen))
        return [*columns, self._calls(chosen), self._after(chosen)]

    def _context_columns(self, chosen: Indices) -> list[Column]:
        """Timestamps, CPU and task, as far as they are enabled. Timestamps are truncated to microseconds, not rounded."""
        columns, times = [], self._rows.time[chosen]
        if GraphPrint.ABS_TIME in self._style:
            columns += split_time(times // np.uint64(1000), "", " |  ")
        if GraphPrint.REL_TIME in self._style:
            since = times - np.minimum(np.uint64(self._view.start), times)
            columns.append(text_of(since // np.uint64(1000), lambda microseconds: f"{microseconds:9} us |  "))
        key = self._rows.cpu[chosen] << 32 | self._rows.entry["pid"][chosen]
        show_cpu, show_task = GraphPrint.CPU in self._style, GraphPrint.PROC in self._style

        def text(key: int) -> str:
            task = f"{self._task(key & 0xFFFFFFFF)} | " if show_task else ""
            return (self._cpu(key >> 32) if show_cpu else "") + task

        columns.append(text_of(key, text))
        if self._view.option("latency-format"):
            state = self._rows.entry["flags"][chosen].astype(np.int64) << 8 | self._rows.entry["preempt_count"][chosen]
            columns.append(text_of(state, lambda state: f" {latency_flags(state >> 8, state & 0xFF)} | "))
        return columns

    def _cpu(self, cpu: int) -> str:
        return f" {cpu:{self._cpu_width}}) "

    def _task(self, pid: int) -> str:
        """The task, centred in its column; if that is not possible, shifted left by one."""
        task = f"{self._view.task_name(pid)[:_COMM_SHOWN]}-{pid}"
        spaces = max(_TASK_WIDTH - len(task), 0)
        return " " * (spaces // 2) + task + " " * (spaces - spaces // 2)

    def _durations(self, chosen: Indices) -> Column:
        overhead = GraphPrint.OVERHEAD in self._style
        shape = self._layout.shape[chosen]
        column = np.full(len(chosen), NO_DURATION, np.object_)
        timed = (shape == Shape.LEAF) | (shape == Shape.CLOSE)
        duration = self._layout.duration[chosen[timed]]
        column[timed] = text_of(duration, lambda nanoseconds: duration_text(nanoseconds, overhead=overhead))
        return column

    def _calls(self, chosen: Indices) -> Column:
        """Braces and comments, indented by depth."""
        layout = self._layout
        shape, depth = layout.shape[chosen].astype(np.int64), layout.depth[chosen]
        named = layout.named[chosen] | (GraphPrint.TAIL in self._style)
        shown = np.where((shape == Shape.CLOSE) & ~named, 0, layout.function[chosen])
        functions, function = np.unique(shown, return_inverse=True)
        names = self._names.of(functions)
        depths = int(depth.max(initial=0)) + 1
        distinct, which = np.unique(((function * depths + depth) << 3 | shape) << 1 | named, return_inverse=True)

        def call(key: int) -> str:
            place, kind, with_name = key >> 4, key >> 1 & 7, key & 1
            name, indent = names[place // depths], "  " * (place % depths)
            if kind == Shape.CLOSE:
                return f"{indent}}} /* {name} */\n" if with_name else f"{indent}}}\n"
            return f"{indent}{name}();\n" if kind == Shape.LEAF else f"{indent}{name}() {{\n"

        column = picked([call(key) for key in distinct.tolist()], which)
        for place, line in self._values.lines(chosen):
            column[place] = "  " * int(depth[place]) + line
        comments = np.flatnonzero(shape == Shape.COMMENT)
        bodies = comment_column(self._view, self._rows.take(chosen[comments])).tolist()
        for place, body in zip(comments.tolist(), bodies, strict=True):
            indent = "  " * (int(depth[place]) + 1) if depth[place] > 0 else ""
            text = body.removesuffix("\n")
            column[place] = f"{indent}/* {text} */\n"
        return column

    def _before(self, chosen: Indices) -> Column:
        """The banner of a task switch, and the arrow at an interrupt's entry."""
        column = np.full(len(chosen), "", np.object_)
        for place in np.flatnonzero(self._layout.previous_pid[chosen] >= 0).tolist():
            row = chosen[place]
            cpu, pid = int(self._rows.cpu[row]), int(self._rows.entry["pid"][row])
            before = self._task(int(self._layout.previous_pid[row]))
            column[place] = f"{_RULE}{self._cpu(cpu)}{before} => {self._task(pid)}\n{_RULE}\n"
        calls = np.isin(self._layout.shape[chosen], (Shape.LEAF, Shape.OPEN))
        self._add_arrows(column, chosen, calls, "==========>")
        return column

    def _after(self, chosen: Indices) -> Column:
        """The number of calls that found no room on the return stack, and the arrow at an interrupt's exit."""
        column = np.full(len(chosen), "", np.object_)
        shape = self._layout.shape[chosen]
        if GraphPrint.OVERRUN in self._style:
            closes = shape == Shape.CLOSE
            overrun = self._layout.overrun[chosen[closes]]
            column[closes] = text_of(overrun, lambda count: f" (Overruns: {count})\n")
        self._add_arrows(column, chosen, np.isin(shape, (Shape.LEAF, Shape.CLOSE)), "<==========")
        return column

    def _add_arrows(self, column: Column, chosen: Indices, where: NDArray[np.bool_], arrow: str) -> None:
        text = self._view.irq_entry_text
        function = self._layout.function[chosen]
        places = np.flatnonzero(where & (function >= np.uint64(text.start)) & (function < np.uint64(text.stop)))
        if self._context and GraphPrint.DURATION in self._style:
            arrow = f"  {arrow} |"
        for place in places.tolist():
            context = joined(self._context_columns(chosen[place : place + 1])) if self._context else ""
            column[place] += f"{context}{arrow}\n"
