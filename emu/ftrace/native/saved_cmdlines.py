# SPDX-License-Identifier: GPL-2.0-only
"""Saves names and thread groups of tasks that have recorded something, for `saved_cmdlines` and `saved_tgids`.

The table of thread groups has an entry for every pid.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.saved_cmdlines_record import NAME_SIZE, PIDS, SavedCmdlines
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import PID_LIMIT
from emu.native.functions import Native
from emu.native.memory import copy
from emu.native.records import u64

__all__ = ["build"]

SIZE = u64(NAME_SIZE)


def build(guest: Guest) -> Callable[[TraceArray, Task], None]:
    """remember(array, task): saves a task's name and thread group, if they are recorded."""
    njit = Native(guest.layouts).njit

    @njit
    def remember_name(table: SavedCmdlines, pid: u64, task: Task) -> None:
        known = table.index[pid % PIDS]
        if known == 0:
            begun = table.begun
            table.begun = begun + 1
            known = begun % table.capacity + 1
            if begun >= table.capacity:
                table.index[table.names[known - 1].pid % PIDS] = 0
            table.index[pid % PIDS] = known
        place = table.names[known - 1]
        place.pid = pid
        copy(place.name, task.comm, SIZE)

    @njit
    def remember(array: TraceArray, task: Task) -> None:
        pid = task.pid
        if pid == 0:  # idle tasks are always called <idle>
            return
        table, groups = array.saved_cmdlines, array.saved_tgids
        if table is not None:
            remember_name(table, pid, task)
        if groups is not None and pid < PID_LIMIT:
            groups[pid] = task.tgid

    return remember
