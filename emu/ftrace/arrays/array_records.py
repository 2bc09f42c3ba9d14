# SPDX-License-Identifier: GPL-2.0-only
"""The trace arrays' records, shared with native code (`native.trace_records`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native.context import now
from emu.ftrace.native.guest_records import Hot
from emu.ftrace.native.trace_records import ArrayCpu, EventContext, TraceArray
from emu.ftrace.native.trace_values import IRQS_OFF, NO_SECTION, NOT_UP, PREEMPT_OFF
from emu.native.records import Values, Words

__all__ = ["ArrayRecords", "RecordLists"]


class ArrayRecords:
    """The records of one trace array: `array`, for all CPUs, and `cpus`, one per CPU.

    Args:
        cpus: the number of CPUs.
        changed: must be called after setting fields of `array` that affect how calls are recorded.

    Attributes:
        changed: the function above.
    """

    def __init__(self, cpus: int, changed: Callable[[], None] = lambda: None) -> None:
        self.array = TraceArray.allocate()
        self.cpus = [ArrayCpu.allocate() for _ in range(cpus)]
        self.changed = changed
        self._table = np.array([cpu.address for cpu in self.cpus], np.uint64)
        self.join()

    def join(self) -> None:
        """Links the records to each other."""
        self.array.cpus = Values[ArrayCpu](self._table.ctypes.data)
        self.array.cpu_count = len(self.cpus)
        for cpu in self.cpus:
            cpu.array = self.array

    def close_sections(self) -> None:
        """A latency tracer is set: no CPU is in a section whose functions it records."""
        for cpu in self.cpus:
            cpu.ignored |= NO_SECTION

    def no_sections(self) -> None:
        """No latency tracer is set: functions are recorded everywhere."""
        for cpu in self.cpus:
            cpu.ignored &= ~NO_SECTION

    def forget_calls(self) -> None:
        """Makes the next call on each CPU count as no repetition."""
        for cpu in self.cpus:
            cpu.last_ip = cpu.last_repeats = 0

    def now(self, cpu: Cpu) -> int:
        """The time of an event that is recorded on a CPU now."""
        return now(cpu.record, self.array)

    def spend(self, cpu: Cpu) -> None:
        """Makes a CPU spend the cost of an entry that the host has recorded for it."""
        cpu.record.cycles = cpu.cycles + self.array.cost_entry


class RecordLists:
    """The records of all trace arrays. Native code walks them as a list per CPU, the top array's first.

    Args:
        kernel: the kernel that is traced.
        hot_areas: where each CPU's `Hot` is, as far as that is known already.

    Attributes:
        event_context: what handlers are told about the current event.
        registers: a CPU's state at the latest hit of a probe (`Probing.registers`); empty while there are no probes.
    """

    def __init__(self, kernel: TracedKernel, hot_areas: Mapping[int, int]) -> None:
        self._kernel = kernel
        self._nowhere = np.zeros(kernel.board.arch.page_size, np.uint8)
        self.event_context = EventContext.allocate()
        self.registers = np.zeros(0, np.uint64)
        self._changed: Callable[[], None] = lambda: None
        self._common = TraceArray.allocate()
        self._common.event_context = self.event_context
        self._common.reader_vector = kernel.reader_vector
        self._set_places(self._common)
        self._set_time(self._common)
        self._all: list[ArrayRecords] = []
        self._hot_areas = dict(hot_areas)

    def _set_places(self, array: TraceArray) -> None:
        """Sets the addresses of the guest kernel's data."""
        board = self._kernel.board
        array.direct_start, array.kernel_start = board.arch.direct_map, board.arch.kernel_map
        array.ram, array.ram_size = board.ram_address, board.memory - board.arch.page_size
        array.nowhere = self._nowhere.ctypes.data

    def _set_time(self, array: TraceArray) -> None:
        frequency = self._kernel.board.frequency
        common = math.gcd(10**9, frequency)
        array.clock_multiplier, array.clock_divisor = 10**9 // common, frequency // common

    @property
    def top(self) -> TraceArray:
        """The top array's record."""
        return self._all[0].array

    @property
    def top_cpus(self) -> Sequence[ArrayCpu]:
        """The top array's records of the CPUs."""
        return self._all[0].cpus

    @property
    def arrays(self) -> Sequence[TraceArray]:
        """The records of all arrays, and the template for new ones. A value common to all arrays is set in each of these."""
        return [self._common, *(records.array for records in self._all)]

    def on_change(self, changed: Callable[[], None]) -> None:
        """Calls `changed` whenever an array changes how calls are recorded."""
        self._changed = changed

    def use_registers(self, count: int) -> None:
        """Must be called before the first probe is placed. `count`: the number of words that a probe saves of a CPU."""
        if not len(self.registers):
            self.registers = np.zeros(count, np.uint64)
            self.event_context.registers = Words(self.registers.ctypes.data)

    def add(self) -> ArrayRecords:
        """Adds the records of a new array, with the tasks that run now."""
        kernel = self._kernel
        records = ArrayRecords(len(kernel.board.cpus), lambda: self._changed())
        records.array.words[:] = self._common.words
        records.join()
        for cpu in records.cpus:
            cpu.hot = Hot(self._nowhere.ctypes.data)
            cpu.ignored = NOT_UP
        self._all.append(records)
        for index, hot_area in self._hot_areas.items():
            self._set_hot_area(records.cpus[index], hot_area)
        for index, task in kernel.tasks.running().items():
            records.cpus[index].pid = kernel.tasks.pid(task)
        self._link()
        if len(self._all) == 1:
            self.graphs_are_of(None)
        return records

    def remove(self, records: ArrayRecords) -> None:
        self._all.remove(records)
        self._link()

    def _link(self) -> None:
        for cpu in self._kernel.board.cpus:
            of_cpu = [records.cpus[cpu.index] for records in self._all]
            cpu.record.callout = of_cpu[0].address
            for one, following in zip(of_cpu, [*of_cpu[1:], None], strict=True):
                one.next = following

    def set_hot_area(self, index: int, hot_area: int) -> None:
        """Tells all arrays that a CPU's struct pcpu_hot is at `hot_area`. A CPU records nothing before that."""
        self._hot_areas[index] = hot_area
        for records in self._all:
            self._set_hot_area(records.cpus[index], hot_area)

    def _set_hot_area(self, cpu: ArrayCpu, hot_area: int) -> None:
        cpu.hot = Hot(self._kernel.memory.host_address(hot_area))
        cpu.ignored &= ~NOT_UP

    def sections_are_of(self, records: ArrayRecords | None) -> None:
        """Sets the array that traces critical sections, by its records. Only one can at a time; None: no array does."""
        for index, top in enumerate(self.top_cpus):
            top.sections = records.cpus[index] if records else None
        self.sections_lost()

    def sections_lost(self) -> None:
        """If sections are seen from outside: what the CPUs are in the midst of is none."""
        for cpu, top in zip(self._kernel.board.cpus, self.top_cpus, strict=True):
            if top.sections is not None:
                top.sections.off, top.sections.trapped = IRQS_OFF | PREEMPT_OFF, cpu.record.trapped

    def wakeups_are_of(self, records: ArrayRecords | None) -> None:
        """Sets the array that traces wakeups, if functions of the kernel tell of them."""
        for index, top in enumerate(self.top_cpus):
            top.wakeups = records.cpus[index] if records else None

    def graphs_are_of(self, records: ArrayRecords | None) -> None:
        """Sets the array that gets entries and returns, by its records. Only one can at a time; None: the top array."""
        for index, top in enumerate(self.top_cpus):
            top.graphs = records.cpus[index] if records else top

    def ask_each(self, each: bool) -> None:
        """Sets whether native code checks each array's flags at a call site. If not, every call is the top array's."""
        if self.top.asks_each != each:
            self.top.asks_each = each
            self._changed()

    def recorded(self, index: int) -> bool:
        """Whether a CPU has recorded an event since its last task switch."""
        return any(records.cpus[index].recorded for records in self._all)
