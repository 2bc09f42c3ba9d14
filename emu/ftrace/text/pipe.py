# SPDX-License-Identifier: GPL-2.0-only
"""The text of a trace that is read while it is recorded, a few events at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from emu.ftrace.buffers.entries import PRINT, Events, EventType
from emu.ftrace.text.graph_layout import Shape
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.trace import RenderedRows, render_rows
from emu.ftrace.text.view import TraceView

__all__ = ["PipeText"]


@dataclass
class _Printed:
    """The printed events of a CPU that affect the text of its next lines. Each Events has one event."""

    calls: dict[int, Events] = field(default_factory=dict)  # by depth: the last call or return
    last: list[Events] = field(default_factory=list)  # the last event, and a separator after an open brace

    def parts(self) -> list[Events]:
        calls = [events for events in self.calls.values() if not self.last or events is not self.last[0]]
        return [*sorted(calls, key=lambda events: int(events.time[0])), *self.last]


class PipeText:
    """The text for one reader of trace_pipe: the same lines as if all events were printed at once."""

    def __init__(self) -> None:
        self._printed: dict[int, _Printed] = {}
        self._rows: RenderedRows | None = None
        self._new: list[int] = []

    def rows(self, view: TraceView) -> list[tuple[str, int]]:
        """The text and the CPU of each of the view's events, in the order of printing."""
        parts: list[Events] = []
        before: dict[int, int] = {}
        for events in sorted(view.events, key=lambda events: events.cpu):
            known = self._printed[events.cpu].parts() if events.cpu in self._printed else []
            before[events.cpu] = len(known)
            parts += [*known, events]
        self._rows = render_rows(replace(view, events=parts, first_number=view.first_number - sum(before.values())))
        # On each CPU, printed events are older than the view's, so a CPU's first rows are the printed events.
        self._new = []
        for row, cpu in enumerate(self._rows.rows.cpu.tolist()):
            if before[cpu]:
                before[cpu] -= 1
            else:
                self._new.append(row)
        return [(self._rows.texts[row], int(self._rows.rows.cpu[row])) for row in self._new]

    def printed(self, count: int) -> None:
        """Notes that the first `count` of the last returned rows have been printed."""
        found = self._rows
        if found is None or found.graph is None:
            return
        shapes, depths = found.graph.shape, found.graph.depth
        for row in self._new[:count]:
            cpu, shape = int(found.rows.cpu[row]), int(shapes[row])
            printed = self._printed.setdefault(cpu, _Printed())
            event = _single(found.rows, row)
            printed.last = [event]
            if shape in (Shape.LEAF, Shape.OPEN, Shape.CLOSE):
                printed.calls[int(depths[row])] = event
            if shape == Shape.OPEN:
                # The opening brace is printed. The separator prevents a following return from being merged with it into one line.
                printed.last.append(_separator(found.rows, row))


def _single(rows: Rows, row: int) -> Events:
    """One event, without the page that holds it."""
    first, size = int(rows.offset[row]), int(rows.size[row])
    return _event(rows, row, rows.words[first // 4 : (first + size) // 4].copy())


def _separator(rows: Rows, row: int) -> Events:
    """An empty print event of the same task."""
    entry = np.zeros(1, PRINT)
    entry["type"], entry["pid"] = EventType.PRINT, rows.entry["pid"][row]
    return _event(rows, row, np.frombuffer(entry.tobytes() + bytes(8), np.uint32).copy())


def _event(rows: Rows, row: int, words: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> Events:
    start, size = np.zeros(1, np.int64), np.array([words.nbytes], np.int64)
    return Events(int(rows.cpu[row]), words, rows.time[row : row + 1].copy(), start, size)
