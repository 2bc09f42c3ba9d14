# SPDX-License-Identifier: GPL-2.0-only
"""Task names in scheduler events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from emu.ftrace.event.call import EventCall
from emu.trace.buffer_events import BufferEvents
from emu.trace.event_table import EventTable, is_number, is_text
from emu.trace.format_files import Formats

__all__ = ["told_names"]

_SYSTEMS = ("sched", "task")
_NEW_NAME = "newcomm"  # in task_rename


def told_names(formats: Formats, buffers: Iterable[BufferEvents]) -> dict[int, str]:
    """The last name of each task in events, by pid: of tasks that run, wake, fork, exit or are renamed."""
    last: dict[int, tuple[int, str]] = {}
    for events in buffers:
        there = np.flatnonzero(np.bincount(events.columns.kind)).tolist()
        for call in (formats.by_number[kind] for kind in there if kind in formats.by_number):
            for pid_name, comm_name in _named(call):
                table = EventTable(call, events, np.flatnonzero(events.columns.kind == call.number))
                _, from_the_end = np.unique(table[pid_name][::-1], return_index=True)
                some = table.some(table.count - 1 - from_the_end)
                told = (some[name].tolist() for name in (pid_name, "common_time", comm_name))
                for pid, time, comm in zip(*told, strict=True):
                    if pid and time >= last.get(pid, (0, ""))[0]:
                        last[pid] = time, comm
    return {pid: comm for pid, (_, comm) in sorted(last.items())}


def _named(call: EventCall) -> Iterator[tuple[str, str]]:
    """The fields with a task's pid and its name: `next_pid` and `next_comm`."""
    if call.system not in _SYSTEMS:
        return
    numbers = {field.name for field in call.fields if is_number(field)}
    for field in call.fields:
        if is_text(field) and field.name.endswith("comm"):
            pid = "pid" if field.name == _NEW_NAME else f"{field.name.removesuffix('comm')}pid"
            if pid in numbers:
                yield pid, field.name
