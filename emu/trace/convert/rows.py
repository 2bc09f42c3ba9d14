# SPDX-License-Identifier: GPL-2.0-only
"""Rows of tables: all events with their texts, or the columns of calls or of one type of event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import did_you_mean
from emu.trace.convert.chunks import chunks, tables
from emu.trace.convert.options import CannotConvert, ConvertOptions
from emu.trace.data_frames import Columns, DataFrames
from emu.trace.event_table import EventTable
from emu.trace.lines import Lines
from emu.trace.report.bodies import Bodies
from emu.trace.report.context import ReportContext
from emu.trace.trace import Trace

__all__ = ["EventRows", "chosen_table", "event_rows", "path_of"]

_CALLS = "calls"
_BLANK = (ord(" "), ord("\n"))


class EventRows(NamedTuple):
    """Some events, one element each. `text[starts[n]:ends[n]]` is the text of event n."""

    time: NDArray[np.uint64]
    cpu: NDArray[np.uint16]
    pid: NDArray[np.int32]
    kind: NDArray[np.uint16]
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def event_rows(trace: Trace, options: ConvertOptions) -> Iterator[EventRows]:
    """All selected events, in chunks."""
    context = ReportContext(trace)
    bodies, events = Bodies(context), trace.first
    for rows in chunks(trace, options):
        lines = Lines(len(rows))
        for places, table in tables(trace, rows):
            lines.add_all(bodies(table.call, table), places)
        ends = np.cumsum(lines.lengths())
        text = np.frombuffer(lines.text(), np.uint8)
        starts, ends = _stripped(text, np.concatenate([[0], ends[:-1]]), ends)
        columns = events.columns
        yield EventRows(columns.time[rows], columns.cpu[rows], events.pid[rows], columns.kind[rows], text, starts, ends)


def _stripped(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ranges of the text, without the blanks around them."""
    padded = np.append(text, np.uint8(0))
    while (blank := np.isin(padded[starts], _BLANK) & (starts < ends)).any():
        starts = starts + blank
    while (blank := np.isin(padded[ends - 1], _BLANK) & (starts < ends)).any():
        ends = ends - blank
    return starts, ends


def chosen_table(trace: Trace, options: ConvertOptions) -> DataFrames:
    """The selected rows of the table named in `options`.

    Raises:
        CannotConvert: no table has that name.
    """
    selection = replace(options.selection, events=None)
    if options.table == _CALLS:
        return _calls(trace, selection.calls(trace))
    try:
        call = trace[options.table or ""].call
    except KeyError:
        names = [_CALLS, *(part for path in trace.formats for part in (path, path.partition(":")[2]))]
        raise CannotConvert(f"the trace has no table '{options.table}'{did_you_mean(options.table or '', names)}") from None
    rows = selection.rows(trace, trace.first)
    return EventTable(call, trace.first, rows[trace.first.columns.kind[rows] == call.number])


def _calls(trace: Trace, rows: NDArray[np.int64]) -> DataFrames:
    """Some calls, with `parent` as an index among these."""
    calls = trace.calls
    place = np.full(calls.count + 1, -1, np.int64)  # the last element stands for no caller
    place[rows] = np.arange(len(rows))
    return Columns({name: calls[name][rows] for name in calls} | {"parent": place[calls["parent"][rows]]})


def path_of(trace: Trace, kind: int) -> str:
    """`system:event` of a `common_type`."""
    return trace.formats.by_number[int(kind)].path
