# SPDX-License-Identifier: GPL-2.0-only
"""The tasks' calls under way, for native code; and the tasks that have the CPUs."""

from __future__ import annotations

import numpy as np

from emu.cpu.far_memory import far_memory
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native.arch import OutsideTaskCallbacks
from emu.ftrace.native.call_stacks_record import CallStacks, TaskSlot
from emu.ftrace.native.guest_records import Calls, Guest
from emu.linux.tracing.kernel import LinuxKernel
from emu.native.records import HOST, Records

__all__ = ["TaskCalls"]

_MOST_TASKS = 1 << 15
_SLOTS = 2 * _MOST_TASKS


class TaskCalls:
    """The calls of all tasks that have run since `clear`.

    Args:
        kernel: the guest's kernel.
        guest: the layout of its structures.
        records: the records of all trace arrays.
        callbacks: the native functions that follow tasks.
    """

    def __init__(self, kernel: LinuxKernel, guest: Guest, records: RecordLists, callbacks: OutsideTaskCallbacks) -> None:
        self._kernel, self._records, self._callbacks = kernel, records, callbacks
        self._size = -(-guest.layouts.size(Calls) // 8) * 8
        self._memory = np.frombuffer(far_memory(_MOST_TASKS * self._size), np.uint8)
        self._slots = np.zeros(_SLOTS * HOST.size(TaskSlot) // 8, np.uint64)
        self._record = CallStacks.allocate()
        self._record.slots, self._record.last = Records[TaskSlot](self._slots.ctypes.data), _SLOTS - 1
        self._record.memory, self._record.size, self._record.most = self._memory.ctypes.data, self._size, _MOST_TASKS
        for array in records.arrays:
            array.call_stacks = self._record

    @property
    def left(self) -> int:
        """How many calls were left without a return."""
        return self._record.left

    def clear(self) -> None:
        """No call is under way, as far as anybody knows."""
        self._slots[:] = 0
        self._record.used = self._record.left = 0
        self.follow_running()

    def follow_running(self) -> None:
        """Looks which tasks the CPUs run."""
        for index, task in self._kernel.tasks.running().items():
            self._callbacks.run_task(self._kernel.board.cpus[index].record, task)
