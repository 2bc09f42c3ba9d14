# SPDX-License-Identifier: GPL-2.0-only
"""The records by which native code is told of the trace arrays (their fields: `native.trace_record`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.clocks import Clocks
from emu.ftrace.comms import Comms
from emu.ftrace.native import trace_record
from emu.kernel.kernel import Kernel

__all__ = ["ArrayRecords", "RecordLists"]

_MASK = 0xFFFF_FFFF_FFFF_FFFF


class ArrayRecords:
    """The records of one trace array: one for all CPUs, and one for each."""

    def __init__(self, cpus: int) -> None:
        self._shared = np.zeros(trace_record.SHARED_WORDS, np.uint64)
        self._per_cpu = np.zeros((cpus, trace_record.CPU_WORDS), np.uint64)
        for cpu in range(cpus):
            self.set_cpu(cpu, trace_record.SHARED, self._shared.ctypes.data)

    def set(self, field: np.uint64, value: int | np.uint64) -> None:
        self._shared[int(field) // 8] = np.uint64(int(value) & _MASK)

    def get(self, field: np.uint64) -> int:
        return int(self._shared[int(field) // 8])

    def set_cpu(self, cpu: int, field: np.uint64, value: int) -> None:
        self._per_cpu[cpu, int(field) // 8] = value

    def get_cpu(self, cpu: int, field: np.uint64) -> int:
        return int(self._per_cpu[cpu, int(field) // 8])

    def of_cpu(self, cpu: int) -> int:
        """The address of the record of one CPU."""
        return int(self._per_cpu[cpu].ctypes.data)


class RecordLists:
    """The records of all trace arrays. Native code finds those of a CPU as a list, the top array's first."""

    def __init__(self, kernel: Kernel, clocks: Clocks, comms: Comms) -> None:
        self._kernel = kernel
        self._nowhere = np.zeros(kernel.board.arch.page_size, np.uint8)
        self._guest_words = (*self._places(), *self._members(), *self._time(clocks), (trace_record.COMMS, comms.address))
        self._all: list[ArrayRecords] = []

    def _places(self) -> Sequence[tuple[np.uint64, int]]:
        """Where the guest kernel's memory is."""
        image, board = self._kernel.image, self._kernel.board
        return (
            (trace_record.DIRECT_START, board.arch.direct_map),
            (trace_record.KERNEL_START, board.arch.kernel_map),
            (trace_record.RAM, board.ram_address),
            (trace_record.RAM_SIZE, board.memory - board.arch.page_size),
            (trace_record.NOWHERE, self._nowhere.ctypes.data),
            (trace_record.TEXT_START, board.arch.kernel_map),
            (trace_record.TEXT_SIZE, board.memory),
            (trace_record.RETURN_TRAMPOLINE, image.symbol("return_to_handler")),
        )

    def _members(self) -> Sequence[tuple[np.uint64, int]]:
        """What the guest kernel's structures and constants are."""
        offset = self._kernel.image.offset
        return (
            (trace_record.HOT_CURRENT, offset("pcpu_hot.current_task")),
            (trace_record.HOT_PREEMPT_COUNT, offset("pcpu_hot.preempt_count")),
            (trace_record.COUNT_ENABLED, offset("PREEMPT_ENABLED")),
            (trace_record.TASK_PID, offset("task_struct.pid")),
            (trace_record.TASK_COMM, offset("task_struct.comm")),
            (trace_record.TASK_FLAGS, offset("task_struct.thread_info_flags")),
            (trace_record.TASK_STACK_INDEX, offset("task_struct.curr_ret_stack")),
            (trace_record.TASK_OVERRUN, offset("task_struct.trace_overrun")),
            (trace_record.TASK_TIMESTAMP, offset("task_struct.ftrace_timestamp")),
            (trace_record.TASK_STACK, offset("task_struct.ret_stack")),
            (trace_record.READER_VECTOR, offset("HOST_DEVICE_VECTOR")),
        )

    def _time(self, clocks: Clocks) -> Sequence[tuple[np.uint64, int]]:
        frequency = self._kernel.board.frequency
        common = math.gcd(10**9, frequency)
        return (
            (trace_record.CLOCK_MULTIPLIER, 10**9 // common),
            (trace_record.CLOCK_DIVISOR, frequency // common),
            (trace_record.COUNTER, clocks.counter_address),
        )

    def add(self) -> ArrayRecords:
        """Those of one array more; the tasks that run now are known to it."""
        kernel = self._kernel
        records = ArrayRecords(len(kernel.board.cpus))
        for field, value in self._guest_words:
            records.set(field, value)
        for index, hot_area in kernel.hot_areas.items():
            task = kernel.tasks.current(kernel.board.cpus[index])
            records.set_cpu(index, trace_record.HOT, kernel.memory.host_address(hot_area))
            records.set_cpu(index, trace_record.PID, kernel.tasks.pid(task))
        self._all.append(records)
        self._link()
        return records

    def remove(self, records: ArrayRecords) -> None:
        self._all.remove(records)
        self._link()

    def _link(self) -> None:
        for cpu in self._kernel.board.cpus:
            addresses = [records.of_cpu(cpu.index) for records in self._all]
            cpu.set(cpu_record.CALLOUT, addresses[0])
            for records, following in zip(self._all, [*addresses[1:], 0], strict=True):
                records.set_cpu(cpu.index, trace_record.NEXT, following)

    def set_hot_area(self, index: int, hot_area: int) -> None:
        """A CPU's struct pcpu_hot is at `hot_area`."""
        for records in self._all:
            records.set_cpu(index, trace_record.HOT, self._kernel.memory.host_address(hot_area))

    def ask_each(self, each: bool) -> None:
        """Whether native code looks for the wishes of each array at a site that calls; else the call is the top array's."""
        for cpu in self._kernel.board.cpus:
            self._all[0].set_cpu(cpu.index, trace_record.ASK_EACH, int(each))

    def recorded(self, index: int) -> bool:
        """Whether a CPU has recorded an event since its last process switch."""
        return any(records.get_cpu(index, trace_record.RECORDED) for records in self._all)
