# SPDX-License-Identifier: GPL-2.0-only
"""saved_tgids: the thread groups of tasks that have recorded something, for all trace arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.guest.traced_kernel import TracedTasks
from emu.ftrace.native.trace_values import PID_LIMIT
from emu.native.records import Values, u32

__all__ = ["SavedTgids"]


class SavedTgids:
    """The thread group of each pid, which native code fills in at task switches. Iterating yields pids with their thread groups.

    Args:
        tasks: the kernel's tasks.
        records: the records of all trace arrays, which say where the table is.
    """

    def __init__(self, tasks: TracedTasks, records: RecordLists) -> None:
        self._tasks = tasks
        self._records = records
        self._groups = np.zeros(0, np.uint32)
        self._recording = False

    def record(self, on: bool) -> None:
        """Starts or stops saving thread groups (record-tgid). Saved ones stay."""
        if on and not len(self._groups):
            self._groups = np.zeros(PID_LIMIT, np.uint32)  # untouched pages cost nothing
        self._recording = on
        for array in self._records.arrays:
            array.saved_tgids = Values[u32](self._groups.ctypes.data) if on else None

    def remember_task(self, task: int) -> None:
        """Saves a task's thread group, as native code does at a task switch."""
        if self._recording and (pid := self._tasks.pid(task)) < len(self._groups):
            self._groups[pid] = self._tasks.tgid(task)

    def tgid_of(self, pid: int) -> int | None:
        """The thread group of a pid; None if it is not known. Idle tasks have none."""
        return int(self._groups[pid]) or None if pid < len(self._groups) else None

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for pid in np.flatnonzero(self._groups).tolist():
            yield pid, int(self._groups[pid])
