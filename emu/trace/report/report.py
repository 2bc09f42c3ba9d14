# SPDX-License-Identifier: GPL-2.0-only
"""The whole report: selects and orders the events, and dispatches them to the writers of their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall
from emu.trace.buffer_events import BufferEvents, merge
from emu.trace.event_table import EventTable
from emu.trace.lines import Lines, Piece, Texts, constant, line_end
from emu.trace.report.bodies import Bodies
from emu.trace.report.context import ReportContext
from emu.trace.report.function import FunctionText
from emu.trace.report.graph import GraphText, Leaves
from emu.trace.report.needed_fields import has_needed
from emu.trace.report.prefix import add_prefix, lost_note, name_column
from emu.trace.report.raw_text import RawText
from emu.trace.report.told_names import ToldNames
from emu.trace.selection import Selection
from emu.trace.trace import Trace

__all__ = ["Report", "ReportOptions"]

_CHUNK = 1 << 16  # rows
_UNKNOWN = "[UNKNOWN EVENT][UNKNOWN EVENT] (NULL):               [UNKNOWN EVENT]\n"
Placed = list[tuple[Piece, NDArray[np.int64]]]


@dataclass(frozen=True)
class ReportOptions(Selection):
    """What is printed, and how.

    Attributes:
        raw: print every field instead of the print fmt.
        full_times: print nanoseconds.
    """

    raw: bool = False
    full_times: bool = False


class Report:
    """The text of a trace, as in `trace-cmd report`."""

    def __init__(self, trace: Trace, options: ReportOptions = ReportOptions()) -> None:
        self._trace = trace
        self._options = options
        self._context = ReportContext(trace)

    def pieces(self) -> Iterator[bytes]:
        """The report, some lines at a time.

        Raises:
            TraceFileError: the trace is damaged. After the first piece, no further errors are possible.
        """
        self._trace.check()
        buffers = self._trace.shown
        yield f"cpus={self._trace.recording.cpu_count}\n".encode()
        if buffers:
            yield from _EventsReport(self._context, self._options, buffers).pieces()


class _EventsReport:
    """The lines for the events of some buffers."""

    def __init__(self, context: ReportContext, options: ReportOptions, buffers: Sequence[BufferEvents]) -> None:
        self._context = context
        self._options = options
        self._sources: NDArray[np.int64] | None = None
        if len(buffers) == 1:
            self._events = buffers[0]
        else:
            self._events, self._sources = merge(buffers)
        self._names = [f"{buffer.name}: " if buffer.name else "" for buffer in buffers]
        self._leaves = Leaves(context.trace, self._events, self._sources)
        self._graph = GraphText(context, self._events, self._leaves)
        self._function = FunctionText(context)
        self._bodies = Bodies(context)
        self._raw_texts: dict[int, RawText] = {}

    def pieces(self) -> Iterator[bytes]:
        rows = self._shown()
        telling = rows[:0] if self._options.raw else rows  # trace-cmd's plug-in, which learns the names, prints no raw fields
        self._told = ToldNames(self._context.trace, self._events, telling)
        for start in range(0, len(rows), _CHUNK):
            yield self._lines(rows[start : start + _CHUNK]).text()

    def _shown(self) -> NDArray[np.int64]:
        """The rows that get a line."""
        rows = self._options.rows(self._context.trace, self._events)
        return rows if self._options.raw else rows[~self._leaves.hidden[rows]]

    def _lines(self, rows: NDArray[np.int64]) -> Lines:
        lines, events = Lines(len(rows)), self._events
        kinds = events.columns.kind[rows]
        known = np.isin(kinds, list(self._context.trace.formats.by_number))
        if self._sources is not None:
            width = max(map(len, self._names))
            lines.add(Texts([f"{name:>{width}}" for name in self._names], self._sources[rows]))
        for row, count in events.lost.items():
            place = int(np.searchsorted(rows, row))
            if place < len(rows) and rows[place] == row:
                lines.add(constant(lost_note(int(events.columns.cpu[row]), count), 1), np.array([place]))
        unknown = np.flatnonzero(~known)
        lines.add(constant(_UNKNOWN, len(unknown)), unknown)
        places = np.flatnonzero(known)
        tasks = self._context.trace.tasks
        add_prefix(lines, self._told, events, rows[places], places, tasks, full_times=self._options.full_times)
        for number in np.flatnonzero(np.bincount(kinds)).tolist():
            call = self._context.trace.formats.by_number.get(number)
            if call is None:
                continue
            places = np.flatnonzero(kinds == number)
            table = EventTable(call, events, rows[places])
            lines.add(constant(name_column(call.name), len(places)), places)
            for piece, among in self._body(call, table):
                lines.add(piece, places[among])
        return lines

    def _body(self, call: EventCall, table: EventTable) -> Placed:
        every = np.arange(table.count)
        if self._options.raw:
            if call.number not in self._raw_texts:
                self._raw_texts[call.number] = RawText(self._context, call)
            return [(piece, every) for piece in _ended(self._raw_texts[call.number](table), table.count)]
        if has_needed(call, self._context.words):
            if call.path == "ftrace:funcgraph_entry":
                return self._graph.entries(table)
            if call.path == "ftrace:funcgraph_exit":
                return self._graph.exits(table)
            if call.path == "ftrace:function":
                return [(piece, every) for piece in self._function(table)]
        return [(piece, every) for piece in _ended(self._bodies(call, table), table.count)]


def _ended(pieces: list[Piece], count: int) -> list[Piece]:
    """Complete lines: with a newline, unless the text ends with one."""
    return [*pieces, line_end(pieces[-1], count) if pieces else constant("\n", count)]
