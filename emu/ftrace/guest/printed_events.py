# SPDX-License-Identifier: GPL-2.0-only
"""Events that the guest prints on its console as they are recorded (Linux: tracepoint_printk, output_printk)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.buffers.entries import Events
from emu.ftrace.event.call import EventCall
from emu.ftrace.native import printed_events as native
from emu.ftrace.native import printed_events_record
from emu.ftrace.native.printed_events_record import PRINTS, WANTS, WATCHES
from emu.kernel.kernel import Kernel
from emu.kernel.upcalls import Upcall
from emu.native.records import Values, u64

__all__ = ["PrintedEvents"]

_MOST = 1 << 16  # lines that wait: beyond that the oldest are lost
_TICK = 1_000_000  # nanoseconds: printing that takes longer than a timer's period has at least its interrupts to print afterwards


class PrintedEvents:
    """The lines that wait for the guest to print them. The CPU that has recorded an event is interrupted to do so.

    What is recorded on a CPU while it prints is not printed; and what an idle CPU does, or tells of interrupts that are turned
    off, waits until another event is printed: the interrupt would cause it again, and printing would never end. For the same
    reason a CPU prints what has been recorded when it begins, and no more; and if that has taken longer than a tick, the program
    goes on for as long before the CPU prints again. In Linux a machine with busy events would only print its ticks.

    Args:
        kernel: with its image loaded.
        records: say where native code keeps the events.
        events: what events there are, by their numbers.

    Attributes:
        allowed: whether the parameter tp_printk was given. Without it, nothing is ever printed.
        asked: how many lines there have ever been, up to the last one for which a CPU was interrupted.
        printed: how many of them wait no longer.
    """

    def __init__(self, kernel: Kernel, records: RecordLists, events: Mapping[int, EventCall]) -> None:
        self._kernel = kernel
        self._events = events
        self._records = records
        self._texts: Callable[[Sequence[Events]], Sequence[str]] = lambda events: []
        self._record: printed_events_record.PrintedEvents | None = None
        self._states = np.zeros(len(kernel.board.cpus), np.uint64)
        self._function = kernel.image.symbol("upcall_output_printk")
        self._lines: deque[str] = deque()
        self._interrupted: set[int] = set()  # the CPUs that have been asked to print
        self._printing: dict[int, tuple[int, int]] = {}  # of a CPU: when it began, and how many lines are `printed` when it ends
        self._rested: dict[int, int] = {}  # when a CPU may print again
        self.allowed = False
        self.asked = self.printed = 0

    def shown_as(self, texts: Callable[[Sequence[Events]], Sequence[str]]) -> None:
        """Has `texts` tell what is printed of events: of each its text and a newline."""
        self._texts = texts

    @property
    def on(self) -> bool:
        return bool(self._records.top.print_event)

    @on.setter
    def on(self, on: bool) -> None:
        """Whoever sets it has the event files of all arrays follow."""
        if on and self._record is None:
            self._record = printed_events_record.PrintedEvents.allocate()
            self._record.states = Values[u64](self._states.ctypes.data)
            silent = [number for number, call in self._events.items() if call.system == "preemptirq"]
            for index, number in enumerate(silent):
                self._record.silent[index] = number
            for array in self._records.arrays:
                array.printed_events = self._record
        for array in self._records.arrays:
            array.print_event = native.build() if on else None

    def collect(self) -> None:
        """Takes over what native code has kept, and asks the CPUs that want to print it."""
        if self._record is None or not self._record.used:
            return
        for text in self._texts([self._take(self._record)]):
            self._lines += text.removesuffix("\n").split("\n")
        while len(self._lines) > _MOST:
            self._lines.popleft()
            self.printed += 1
        for index in np.flatnonzero(self._states == WANTS).tolist():
            self._interrupt(index)

    def _take(self, record: printed_events_record.PrintedEvents) -> Events:
        """Takes out what native code has kept, in the order in which it was recorded on all CPUs: that stands for the time."""
        first, used = (record.copies.address - record.address) // 8, record.used // 8
        data = record.words[first : first + used].copy()
        record.used = 0
        starts, sizes, at = [], [], 0
        while at < used:
            size = int(data[at])
            starts.append(8 * (at + 1))
            sizes.append(size)
            at += 1 + -(-size // 8)
        words = data.view(np.uint32)
        return Events(0, words, np.arange(len(sizes), dtype=np.uint64), np.array(starts, np.int64), np.array(sizes, np.int64))

    def cpu_online(self, cpu: Cpu) -> None:
        """A CPU can take upcalls: it prints what has waited for it."""
        if self._lines:
            self._interrupt(cpu.index)

    def _interrupt(self, index: int) -> None:
        if index in self._kernel.hot_areas and index not in self._interrupted:
            self._interrupted.add(index)
            cpu = self._kernel.board.cpus[index]
            time = max(cpu.cycles, self._rested.get(index, 0))
            self._kernel.upcalls.post(cpu, Upcall(self._function, 0, self._begun, self._ended), time)
        if self._interrupted:
            self.asked = self.printed + len(self._lines)

    def _begun(self, cpu: Cpu) -> None:
        self._states[cpu.index] = PRINTS
        self.collect()
        self._printing[cpu.index] = cpu.cycles, self.printed + len(self._lines)

    def _ended(self, cpu: Cpu, result: int) -> None:
        self._states[cpu.index] = WATCHES
        self._interrupted.discard(cpu.index)
        begun, _ = self._printing.pop(cpu.index)
        took = cpu.cycles - begun
        if took > self._kernel.board.cycles(_TICK):
            self._rested[cpu.index] = cpu.cycles + took

    def next_line(self, cpu: Cpu) -> str | None:
        """The line that has waited longest, which the CPU prints now; None: it is done."""
        _, due = self._printing.get(cpu.index, (0, 0))
        if not self._lines or self.printed >= due:
            return None
        self.printed += 1
        return self._lines.popleft()
