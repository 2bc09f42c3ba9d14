# SPDX-License-Identifier: GPL-2.0-only
"""The text of a whole trace: its header, then its rows in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from emu.ftrace.text.blk import classic_rows
from emu.ftrace.text.columns import Column, joined
from emu.ftrace.text.event_lines import event_columns, is_numeric
from emu.ftrace.text.function_graph import GraphText
from emu.ftrace.text.graph_layout import GraphLayout
from emu.ftrace.text.graph_style import graph_style
from emu.ftrace.text.header import event_header, graph_header, tracer_line
from emu.ftrace.text.osnoise import osnoise_header, timerlat_header
from emu.ftrace.text.rows import Rows, merge
from emu.ftrace.text.view import TraceView

__all__ = ["RenderedRows", "render_events", "render_rows", "render_trace"]

_CHUNK = 1 << 16  # rows
_OWN_LINES = "mmiotrace"  # the tracer that does not use the common format
_HEADERS = {"osnoise": osnoise_header, "timerlat": timerlat_header}


def render_trace(view: TraceView) -> Iterator[str]:
    """The contents of `trace`, in pieces."""
    yield tracer_line(view)
    style = graph_style(view)
    yield _HEADERS.get(view.tracer, event_header)(view) if style is None else graph_header(view, style)
    yield from render_events(view)


def render_events(view: TraceView) -> Iterator[str]:
    """The contents of `trace` without the header."""
    rows = merge(view.events)
    style = graph_style(view)
    columns = partial(_event_columns, view, rows) if style is None else GraphText(view, rows, style).columns
    notes = _notes(view, rows)
    for start in range(0, len(rows), _CHUNK):
        part = range(start, min(start + _CHUNK, len(rows)))
        before = np.full(len(part), "", np.object_)
        for row, note in notes.items():
            if row in part:
                before[row - start] = note
        yield joined([before, *columns(part)])


@dataclass(frozen=True)
class RenderedRows:
    """Events in printing order, each with its text; for a graph also their layout."""

    texts: list[str]
    rows: Rows
    graph: GraphLayout | None


def render_rows(view: TraceView) -> RenderedRows:
    """The text of each event on its own."""
    rows = merge(view.events)
    layout: GraphLayout | None = None
    style = graph_style(view)
    if style is None:
        columns = _event_columns(view, rows, range(len(rows)))
    else:
        graph = GraphText(view, rows, style)
        columns, layout = graph.columns(range(len(rows))), graph.layout
    notes = _notes(view, rows)
    texts = ["".join(row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    return RenderedRows([notes.get(row, "") + text for row, text in enumerate(texts)], rows, layout)


def _event_columns(view: TraceView, rows: Rows, part: range) -> list[Column]:
    taken = rows.take(np.arange(part.start, part.stop))
    if view.tracer == _OWN_LINES:
        from emu.ftrace.text.mmiotrace import mmiotrace_columns  # imported late: few traces have such events

        return mmiotrace_columns(view, taken)
    return event_columns(view, taken)


def _notes(view: TraceView, rows: Rows) -> dict[int, str]:
    """Lines about the buffers, by the row that they precede: lost events, and the start of a CPU's buffer."""
    notes = {row: f"CPU:{rows.cpu[row]} [LOST {lost} EVENTS]\n" for row, lost in rows.lost.items()}
    overwritten = view.written > view.entries
    own_lines = graph_style(view) is not None or view.tracer == _OWN_LINES
    if overwritten and view.option("annotate") and not own_lines and not is_numeric(view):
        places = np.flatnonzero(~classic_rows(view, rows))
        for cpu, first in zip(*np.unique(rows.cpu[places], return_index=True), strict=True):
            if (row := places[first]) > 0:
                notes[int(row)] = notes.get(int(row), "") + f"##### CPU {cpu} buffer started ####\n"
    return notes
