# SPDX-License-Identifier: GPL-2.0-only
"""The records through which native code knows the trace arrays (`native.array_record`, `native.array_cpu_record`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from emu.cpu.cpu import Cpu
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, event_context, trace_records
from emu.ftrace.native.context import now
from emu.kernel.kernel import Kernel
from emu.native.record import Record

__all__ = ["ArrayRecords", "RecordLists"]


class ArrayRecords:
    """The records of one trace array: `array`, for all CPUs, and `cpus`, one for each.

    Args:
        cpus: how many there are.
        changed: called when `set` has changed a word.
    """

    def __init__(self, cpus: int, changed: Callable[[], None] = lambda: None) -> None:
        self.array = trace_records.TraceArray.allocate()
        self.cpus = [trace_records.ArrayCpu.allocate() for _ in range(cpus)]
        self._table = np.array([*(cpu.address for cpu in self.cpus), 0], np.uint64)
        self.array.set(array_record.CPUS, self._table.ctypes.data)
        self._changed = changed
        for cpu in self.cpus:
            cpu.set(array_cpu_record.ARRAY, self.array.address)

    def set(self, field: np.uint64, value: int | np.uint64) -> None:
        """Stores a word of `array` that says what is recorded."""
        if self.array.get(field) != value:
            self.array.set(field, value)
            self._changed()

    def close_sections(self) -> None:
        """A latency tracer is set: no CPU is in a section of which it wants the functions."""
        for cpu in self.cpus:
            cpu.set(array_cpu_record.IGNORED, cpu.get(array_cpu_record.IGNORED) | int(array_cpu_record.NO_SECTION))

    def no_sections(self) -> None:
        """No latency tracer is set: functions are recorded everywhere."""
        for cpu in self.cpus:
            cpu.set(array_cpu_record.IGNORED, cpu.get(array_cpu_record.IGNORED) & ~int(array_cpu_record.NO_SECTION))

    def forget_calls(self) -> None:
        """The next call on each CPU is no repetition."""
        for cpu in self.cpus:
            cpu.set(array_cpu_record.LAST_IP, 0)
            cpu.set(array_cpu_record.LAST_REPEATS, 0)

    def now(self, cpu: Cpu) -> int:
        """The time of an event that is recorded on a CPU now."""
        return int(now(cpu.record.address, self.array.address))

    def spend(self, cpu: Cpu) -> None:
        """A CPU takes the time of an entry that the host has recorded for it."""
        cpu.record.set(cpu_record.CYCLES, cpu.cycles + self.array.get(array_record.COST_ENTRY))


class RecordLists:
    """The records of all trace arrays. Native code finds those of a CPU as a list, the top array's first.

    Attributes:
        event_context: what handlers are told of the event that happens (`native.event_context`).
        registers: what probes saw of the CPU at the latest hit (`Probing.registers`); empty as long as there are no probes.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._nowhere = np.zeros(kernel.board.arch.page_size, np.uint8)
        self.event_context = trace_records.EventContext.allocate()
        self.registers = np.zeros(0, np.uint64)
        self._changed: Callable[[], None] = lambda: None
        self._common = {field: np.uint64(value) for field, value in (*self._places(), *self._time())}
        self._common[array_record.EVENT_CONTEXT] = np.uint64(self.event_context.address)
        self._common[array_record.READER_VECTOR] = np.uint64(kernel.image.constant("HOST_DEVICE_VECTOR"))
        self._all: list[ArrayRecords] = []
        # The first CPU begins with the image's own; the others say where theirs is.
        self._hot_areas = {0: kernel.image.symbol("pcpu_hot")}

    def _places(self) -> Sequence[tuple[np.uint64, int]]:
        """Fields and values: where the guest kernel's memory is."""
        image, board = self._kernel.image, self._kernel.board
        return (
            (array_record.DIRECT_START, board.arch.direct_map),
            (array_record.KERNEL_START, board.arch.kernel_map),
            (array_record.RAM, board.ram_address),
            (array_record.RAM_SIZE, board.memory - board.arch.page_size),
            (array_record.NOWHERE, self._nowhere.ctypes.data),
            (array_record.RETURN_TRAMPOLINE, image.symbol("return_to_handler")),
            (array_record.RETHOOK_TRAMPOLINE, image.symbol("arch_rethook_trampoline")),
        )

    def _time(self) -> Sequence[tuple[np.uint64, int]]:
        frequency = self._kernel.board.frequency
        common = math.gcd(10**9, frequency)
        return (
            (array_record.CLOCK_MULTIPLIER, 10**9 // common),
            (array_record.CLOCK_DIVISOR, frequency // common),
        )

    @property
    def top(self) -> Record:
        """The top array's record."""
        return self._all[0].array

    @property
    def top_cpus(self) -> Sequence[Record]:
        """Its records of the CPUs."""
        return self._all[0].cpus

    def on_change(self, changed: Callable[[], None]) -> None:
        """Has `changed` called whenever an array changes what is recorded."""
        self._changed = changed

    def use_registers(self, count: int) -> None:
        """Must be called before there is a probe. `count`: of the words that it sees of a CPU."""
        if not len(self.registers):
            self.registers = np.zeros(count, np.uint64)
            self.event_context.set(event_context.REGISTERS, self.registers.ctypes.data)

    def set_in_all(self, field: np.uint64, value: int) -> None:
        """Stores a word that every array's record has, those to come included."""
        self._common[field] = np.uint64(value)
        for records in self._all:
            records.array.set(field, value)

    def of_all(self, field: np.uint64) -> int:
        """A word that `set_in_all` has stored; 0: it has not."""
        return int(self._common.get(field, 0))

    def add(self) -> ArrayRecords:
        """Adds the records of a new array, with the tasks that run now."""
        kernel = self._kernel
        records = ArrayRecords(len(kernel.board.cpus), lambda: self._changed())
        for field, value in self._common.items():
            records.array.set(field, value)
        for cpu in records.cpus:
            cpu.set(array_cpu_record.HOT, self._nowhere.ctypes.data)
            cpu.set(array_cpu_record.IGNORED, int(array_cpu_record.NOT_UP))
        self._all.append(records)
        for index, hot_area in self._hot_areas.items():
            self._set_hot_area(records.cpus[index], hot_area)
        for index, task in kernel.tasks.running().items():
            records.cpus[index].set(array_cpu_record.PID, kernel.tasks.pid(task))
        self._link()
        if len(self._all) == 1:
            self.graphs_are_of(None)
        return records

    def remove(self, records: ArrayRecords) -> None:
        self._all.remove(records)
        self._link()

    def _link(self) -> None:
        for cpu in self._kernel.board.cpus:
            addresses = [records.cpus[cpu.index].address for records in self._all]
            cpu.record.set(cpu_record.CALLOUT, addresses[0])
            for records, following in zip(self._all, [*addresses[1:], 0], strict=True):
                records.cpus[cpu.index].set(array_cpu_record.NEXT, following)

    def set_hot_area(self, index: int, hot_area: int) -> None:
        """Tells all arrays that a CPU's struct pcpu_hot is at `hot_area`. Until then, the CPU records nothing."""
        self._hot_areas[index] = hot_area
        for records in self._all:
            self._set_hot_area(records.cpus[index], hot_area)

    def _set_hot_area(self, cpu: Record, hot_area: int) -> None:
        cpu.set(array_cpu_record.HOT, self._kernel.memory.host_address(hot_area))
        cpu.set(array_cpu_record.IGNORED, cpu.get(array_cpu_record.IGNORED) & ~int(array_cpu_record.NOT_UP))

    def sections_are_of(self, records: ArrayRecords | None) -> None:
        """The array that has these records looks for critical sections, which one at a time can; None: none does."""
        for index, top in enumerate(self.top_cpus):
            top.set(array_cpu_record.SECTIONS, records.cpus[index].address if records else 0)

    def graphs_are_of(self, records: ArrayRecords | None) -> None:
        """The array that has these records is told of entries and returns, which one at a time can be; None: the top array."""
        for index, top in enumerate(self.top_cpus):
            top.set(array_cpu_record.GRAPHS, records.cpus[index].address if records else top.address)

    def ask_each(self, each: bool) -> None:
        """Whether native code asks each array's flags at a site that calls; if not, the call is the top array's."""
        self._all[0].set(array_record.ASKS_EACH, int(each))

    def recorded(self, index: int) -> bool:
        """Whether a CPU has recorded an event since its last process switch."""
        return any(records.cpus[index].get(array_cpu_record.RECORDED) for records in self._all)
