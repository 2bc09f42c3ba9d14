# SPDX-License-Identifier: GPL-2.0-only
"""The selected events of a trace, in chunks, and by type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emu.trace.convert.options import ConvertOptions
from emu.trace.event_table import EventTable
from emu.trace.trace import Trace

__all__ = ["chunks", "tables"]

_CHUNK = 1 << 16  # rows


def chunks(trace: Trace, options: ConvertOptions) -> Iterator[NDArray[np.int64]]:
    """Rows of `trace.first` whose format is known, in time order. Notes what is left out."""
    events = trace.first
    rows = options.selection.rows(trace, events)
    known = np.isin(events.columns.kind[rows], list(trace.formats.by_number))
    if missing := len(rows) - int(known.sum()):
        options.notes.append(f"{_events(missing)} left out: the trace has no format of them")
        rows = rows[known]
    for buffer in trace.shown:
        if buffer is not events and len(buffer):
            name = f"the instance {buffer.name}" if buffer.name else "the top array"
            options.notes.append(f"{_events(len(buffer))} of {name} left out: -B {buffer.name or repr('')} converts these")
    for start in range(0, len(rows), _CHUNK):
        yield rows[start : start + _CHUNK]


def _events(count: int) -> str:
    return f"{count} event{'s' * (count != 1)}"


def tables(trace: Trace, rows: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], EventTable]]:
    """The events of each type among the rows: their indices in `rows`, and their table."""
    kinds = trace.first.columns.kind[rows]
    for number in np.flatnonzero(np.bincount(kinds)).tolist():
        places = np.flatnonzero(kinds == number)
        yield places, EventTable(trace.formats.by_number[number], trace.first, rows[places])
