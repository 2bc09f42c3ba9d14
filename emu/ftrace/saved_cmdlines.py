# SPDX-License-Identifier: GPL-2.0-only
"""saved_cmdlines: the names of tasks that have recorded something, for all trace arrays."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from emu.ftrace.comms import Comms
from emu.ftrace.errors import TraceError
from emu.ftrace.records import RecordLists
from emu.kernel.kernel import Kernel

__all__ = ["SavedCmdlines"]

_ENTRIES_AT_START = 128
_PID_LIMIT = 4 * 1024 * 1024

# Linux keeps an index of PID_MAX_DEFAULT + 1 pids before the entries of 16 + 4 bytes, and allocates whole pages.
_HEADER = 4 * 32_769 + 24
_ENTRY = 20


def _capacity(entries: int) -> int:
    """How many names the table has room for when `entries` are asked for: its size is a power of two of pages."""
    needed = _HEADER + entries * _ENTRY
    return ((1 << (needed - 1).bit_length()) - _HEADER) // _ENTRY


class SavedCmdlines:
    """The table of names, which native code fills at process switches; iterating gives (pid, name), oldest place first.

    Attributes:
        size: how many names it has room for (saved_cmdlines_size).
    """

    def __init__(self, kernel: Kernel, comms: Comms, records: RecordLists) -> None:
        self._kernel = kernel
        self._comms = comms
        self._records = records
        self.set_size(_ENTRIES_AT_START)

    def set_size(self, entries: int) -> None:
        """Forgets all names. Raises TraceError, EINVAL, when no table has so many entries."""
        if not 0 < entries <= _PID_LIMIT:
            raise TraceError(errno.EINVAL, f"command names can be kept of 1 to {_PID_LIMIT} tasks")
        self.size = _capacity(entries)
        self._comms.resize(self.size)

    def remember_task(self, task: int) -> None:
        """Keeps a task's name, as native code does at a process switch."""
        self._comms.remember(self._kernel.tasks.pid(task), self._kernel.tasks.comm(task))

    def remember_running(self) -> None:
        """Keeps the names of tasks that have recorded something and not been switched out since."""
        for index in self._kernel.hot_areas:
            if self._records.recorded(index):
                self.remember_task(self._kernel.tasks.current(self._kernel.board.cpus[index]))

    def comm_of(self, pid: int) -> str | None:
        """A task's name, None if it is not remembered."""
        return self._comms.name(pid)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        self.remember_running()
        return iter(self._comms)
