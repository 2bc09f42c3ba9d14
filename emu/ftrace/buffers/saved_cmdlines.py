# SPDX-License-Identifier: GPL-2.0-only
"""saved_cmdlines: the names of tasks that have recorded something, for all trace arrays."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Iterator

import numpy as np

from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.guest.traced_kernel import TracedTasks
from emu.ftrace.native import saved_cmdlines_record
from emu.ftrace.native.saved_cmdlines_record import NAME_SIZE, PIDS, SavedName
from emu.ftrace.native.trace_values import PID_LIMIT
from emu.native.records import HOST, Records, Values, u32

__all__ = ["SavedCmdlines"]

_ENTRIES_AT_START = 128

# Linux keeps an index of PID_MAX_DEFAULT + 1 pids before the entries, each of 16 + 4 bytes, and allocates whole pages.
_HEADER = 4 * (PIDS + 1) + 24
_ENTRY = NAME_SIZE + 4


def _capacity(entries: int) -> int:
    """The table's real capacity if `entries` are requested: its size is a power of two of pages."""
    needed = _HEADER + entries * _ENTRY
    return ((1 << (needed - 1).bit_length()) - _HEADER) // _ENTRY


class SavedCmdlines:
    """A ring of (pid, name) that native code fills at task switches. Iterating yields them from the oldest slot on.

    Args:
        tasks: the kernel's tasks.
        records: the records of all trace arrays, which say where the ring is.

    Attributes:
        size: the capacity in names (saved_cmdlines_size).
        recording: whether names are saved (record-cmd).
    """

    def __init__(self, tasks: TracedTasks, records: RecordLists) -> None:
        self._tasks = tasks
        self._records = records
        self._record = saved_cmdlines_record.SavedCmdlines.allocate()
        self._index = np.zeros(PIDS, np.uint32)
        self._record.index = Values[u32](self._index.ctypes.data)
        self.set_size(_ENTRIES_AT_START)
        self.record(True)

    def record(self, on: bool) -> None:
        """Starts or stops saving names of tasks that record something. Saved names stay."""
        self.recording = on
        for array in self._records.arrays:
            array.saved_cmdlines = self._record if on else None

    def set_size(self, entries: int) -> None:
        """Forgets all names. Raises TraceError: EINVAL if no table can have so many entries."""
        if not 0 < entries <= PID_LIMIT:
            raise TraceError(errno.EINVAL, f"command names can be kept of 1 to {PID_LIMIT} tasks")
        self.size = _capacity(entries)
        self._memory = np.zeros(self.size * HOST.size(SavedName), np.uint8)
        self._index[:] = 0
        self._record.names = self._names = Records[SavedName](self._memory.ctypes.data)
        self._record.capacity, self._record.begun = self.size, 0

    def remember_task(self, task: int) -> None:
        """Saves a task's name, as native code does at a task switch."""
        pid = self._tasks.pid(task)
        if pid == 0 or not self.recording:
            return
        place = pid % PIDS
        known = int(self._index[place])
        if known == 0:
            begun = self._record.begun
            self._record.begun = begun + 1
            known = begun % self.size + 1
            if begun >= self.size:
                self._index[self._names[known - 1].pid % PIDS] = 0
            self._index[place] = known
        entry = self._names[known - 1]
        entry.pid = pid
        ctypes.memmove(entry.name.address, self._tasks.comm(task).encode()[: NAME_SIZE - 1].ljust(NAME_SIZE, b"\0"), NAME_SIZE)

    def comm_of(self, pid: int) -> str | None:
        """A task's name, or None if it is not saved."""
        known = int(self._index[pid % PIDS])
        if known == 0 or self._names[known - 1].pid != pid:
            return None
        return _text(self._names[known - 1])

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for n in range(min(self._record.begun, self.size)):
            yield self._names[n].pid, _text(self._names[n])


def _text(entry: SavedName) -> str:
    """A C string, without what an earlier, longer name left after the NUL."""
    return ctypes.string_at(entry.name.address, NAME_SIZE).split(b"\0")[0].decode(errors="replace")
