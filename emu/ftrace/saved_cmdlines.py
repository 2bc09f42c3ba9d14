# SPDX-License-Identifier: GPL-2.0-only
"""saved_cmdlines: the names of tasks that have recorded something, for all trace arrays."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import numpy as np

from emu.ftrace.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.native import array_record
from emu.ftrace.native import saved_cmdlines as native
from emu.kernel.tasks import Tasks
from emu.native.record import Record

__all__ = ["SavedCmdlines"]

_ENTRIES_AT_START = 128

# Linux keeps an index of PID_MAX_DEFAULT + 1 pids before the entries of 16 + 4 bytes, and allocates whole pages.
_HEADER = 4 * (native.PIDS + 1) + 24
_ENTRY = native.ENTRY["name"].itemsize + 4


def _capacity(entries: int) -> int:
    """How many names the table has room for when `entries` are asked for: its size is a power of two of pages."""
    needed = _HEADER + entries * _ENTRY
    return ((1 << (needed - 1).bit_length()) - _HEADER) // _ENTRY


class SavedCmdlines:
    """A ring of (pid, name) that native code fills at process switches. Iterating gives them, oldest place first.

    Args:
        tasks: those of the kernel.
        records: of all trace arrays, which say where the ring is.

    Attributes:
        size: how many names it has room for (saved_cmdlines_size).
        recording: whether names are kept (record-cmd).
    """

    def __init__(self, tasks: Tasks, records: RecordLists) -> None:
        self._tasks = tasks
        self._records = records
        self._record = Record(native.WORDS)
        self._index = np.zeros(native.PIDS, np.uint32)
        self._entries = np.zeros(0, native.ENTRY)
        self.set_size(_ENTRIES_AT_START)
        self.record(True)

    def record(self, on: bool) -> None:
        """Names of tasks that record something are kept from now on, or are not; those that are known stay."""
        self.recording = on
        self._records.set_in_all(array_record.SAVED_CMDLINES, self._record.address if on else 0)

    def set_size(self, entries: int) -> None:
        """Forgets all names. Raises TraceError, EINVAL, when no table has so many entries."""
        if not 0 < entries <= array_record.PID_LIMIT:
            raise TraceError(errno.EINVAL, f"command names can be kept of 1 to {array_record.PID_LIMIT} tasks")
        self.size = _capacity(entries)
        self._entries = np.zeros(self.size, native.ENTRY)
        self._index[:] = 0
        for field, value in (
            (native.ENTRIES, self._entries.ctypes.data),
            (native.CAPACITY, self.size),
            (native.BEGUN, 0),
            (native.INDEX, self._index.ctypes.data),
        ):
            self._record.set(field, value)

    def remember_task(self, task: int) -> None:
        """Keeps a task's name, as native code does at a process switch."""
        pid = self._tasks.pid(task)
        if pid == 0 or not self.recording:
            return
        place = pid % native.PIDS
        known = int(self._index[place])
        if known == 0:
            begun = self._record.get(native.BEGUN)
            self._record.set(native.BEGUN, begun + 1)
            known = begun % self.size + 1
            if begun >= self.size:
                self._index[int(self._entries[known - 1]["pid"]) % native.PIDS] = 0
            self._index[place] = known
        self._entries[known - 1] = (pid, self._tasks.comm(task).encode()[: native.ENTRY["name"].itemsize - 1])

    def comm_of(self, pid: int) -> str | None:
        """A task's name, None if it is not remembered."""
        known = int(self._index[pid % native.PIDS])
        if known == 0 or int(self._entries[known - 1]["pid"]) != pid:
            return None
        return _text(self._entries[known - 1]["name"])

    def __iter__(self) -> Iterator[tuple[int, str]]:
        used = min(self._record.get(native.BEGUN), self.size)
        for entry in self._entries[:used]:
            yield int(entry["pid"]), _text(entry["name"])


def _text(name: bytes) -> str:
    """A C string: what an earlier, longer name left behind the NUL is not part of it."""
    return name.split(b"\0")[0].decode(errors="replace")
