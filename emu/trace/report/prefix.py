# SPDX-License-Identifier: GPL-2.0-only
"""The start of each line: `              ls-1051  [001]   114.105020: sched_waking:         `."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from emu.trace.buffer_events import BufferEvents
from emu.trace.lines import Lines, Times, texts_of
from emu.trace.report.told_names import ToldNames
from emu.trace.tasks import Tasks

__all__ = ["add_prefix", "lost_note", "name_column"]

Rows = NDArray[np.int64]

_NAME_COLUMN = 22  # characters before the event's own text


def add_prefix(
    lines: Lines, told: ToldNames, events: BufferEvents, rows: Rows, places: Rows, tasks: Tasks, *, full_times: bool
) -> None:
    """Adds the task, CPU and time of events: `rows` of a buffer, to the lines `places`."""
    pid = events.pid[rows]
    known = told.known(pid, rows)
    for where, names in ((~known, tasks.saved_comm_of), (known, told.names.get)):
        lines.add(texts_of(pid[where], partial(_task, names)), places[where])
    lines.add(texts_of(events.columns.cpu[rows], lambda cpu: f"[{cpu:03}] "), places)
    lines.add(Times(events.columns.time[rows], 5, 9 if full_times else 6), places)


def _task(names: Callable[[int], str | None], pid: int) -> str:
    """A task's name in trace-cmd's form."""
    name = "<idle>" if pid == 0 else names(pid) or "<...>"
    return f"{name:>16}-{pid:<5} "


def name_column(name: str) -> str:
    """`: sched_waking:         `."""
    return f": {name + ': ':<{_NAME_COLUMN}}"


def lost_note(cpu: int, count: int) -> str:
    """The line before an event of a CPU that has lost events; -1: not counted."""
    return f"CPU:{cpu} [{f'{count} ' if count > 0 else ''}EVENTS DROPPED]\n"

