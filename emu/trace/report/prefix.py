# SPDX-License-Identifier: GPL-2.0-only
"""What each line begins with: `              ls-1051  [001]   114.105020: sched_waking:         `."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.trace.buffer_events import BufferEvents
from emu.trace.lines import Lines, Times, texts_of
from emu.trace.report.context import ReportContext
from emu.trace.trace import Trace

__all__ = ["add_prefix", "lost_note", "name_column", "task_name"]

Rows = NDArray[np.int64]

_NAME_COLUMN = 22  # characters up to the event's own text


def task_name(trace: Trace, pid: int) -> str:
    """As trace-cmd names it."""
    return "<idle>" if pid == 0 else trace.tasks.comm_of(pid) or "<...>"


def add_prefix(
    lines: Lines, context: ReportContext, events: BufferEvents, rows: Rows, places: Rows, *, full_times: bool
) -> None:
    """Task, CPU and time of events: `rows` of a buffer, in the lines `places`."""
    trace = context.trace
    lines.add(texts_of(events.pid[rows], lambda pid: f"{task_name(trace, pid):>16}-{pid:<5} "), places)
    lines.add(texts_of(events.columns.cpu[rows], lambda cpu: f"[{cpu:03}] "), places)
    lines.add(Times(events.columns.time[rows], 5, 9 if full_times else 6), places)


def name_column(name: str) -> str:
    """`: sched_waking:         `."""
    return f": {name + ': ':<{_NAME_COLUMN}}"


def lost_note(cpu: int, count: int) -> str:
    """The line before an event of a CPU of which others were lost; -1: nobody counted them."""
    return f"CPU:{cpu} [{f'{count} ' if count > 0 else ''}EVENTS DROPPED]\n"

