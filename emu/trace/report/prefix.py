# SPDX-License-Identifier: GPL-2.0-only
"""What each line begins with: `              ls-1051  [001]   114.105020: sched_waking:         `."""

from __future__ import annotations

import numpy as np

from emu.ftrace.text.columns import latency_flags
from emu.trace.buffer_events import BufferEvents
from emu.trace.lines import Lines, Piece, Texts, Times, constant, texts_of
from emu.trace.report.context import ReportContext
from emu.trace.trace import Trace

__all__ = ["add_prefix", "lost_note", "name_column"]

_NAME_COLUMN = 22  # characters up to the event's own text


def task_name(trace: Trace, pid: int) -> str:
    """As trace-cmd names it."""
    return "<idle>" if pid == 0 else trace.tasks.comm_of(pid) or "<...>"


def add_prefix(lines: Lines, context: ReportContext, events: BufferEvents, rows: np.ndarray, *, full_times: bool) -> None:  # type: ignore[type-arg]
    """Task, CPU and time of events, which are some rows of a buffer."""
    trace = context.trace
    lines.add(texts_of(events.pid[rows], lambda pid: f"{task_name(trace, pid):>16}-{pid:<5} "))
    lines.add(texts_of(events.columns.cpu[rows], lambda cpu: f"[{cpu:03}] "))
    lines.add(Times(events.columns.time[rows], 5, 9 if full_times else 6))


def name_column(name: str) -> str:
    """`: sched_waking:         `."""
    return f": {name + ': ':<{_NAME_COLUMN}}"


def lost_note(cpu: int, count: int) -> str:
    """The line before an event of a CPU of which others were lost; -1: nobody counted them."""
    return f"CPU:{cpu} [{f'{count} ' if count > 0 else ''}EVENTS DROPPED]\n"


__all__ += ["Piece", "Texts", "constant", "latency_flags", "task_name"]
