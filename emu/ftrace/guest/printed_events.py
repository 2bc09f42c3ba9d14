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

_MOST = 1 << 16  # waiting lines: beyond that the oldest are lost
_TICK = 1_000_000  # nanoseconds; after printing for longer, a CPU would have at least its own timer interrupts to print


class PrintedEvents:
    """The lines that wait to be printed by the guest. The CPU that recorded an event is interrupted to print it.

    Events recorded on a CPU while it prints are not printed. Events of an idle CPU, and events about interrupts being turned
    off, wait until another event is printed: the printing interrupt would cause them again, and printing would never end. For the
    same reason a CPU prints only what was recorded before it begins. If that takes longer than a tick, the program runs for as
    long before the CPU prints again; a Linux machine with busy events would print nothing but its ticks.

    Args:
        kernel: with its image loaded.
        records: where native code keeps the events.
        events: the existing events, by number.

    Attributes:
        allowed: whether the parameter tp_printk was given. Without it, nothing is ever printed.
        asked: how many lines there have been, up to the last one for which a CPU was interrupted.
        printed: how many of them no longer wait.
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
        self._interrupted: set[int] = set()  # CPUs that have been asked to print
        self._printing: dict[int, tuple[int, int]] = {}  # by CPU: when it began, and the value of `printed` at which it ends
        self._rested: dict[int, int] = {}  # by CPU: when it may print again
        self.allowed = False
        self.asked = self.printed = 0

    def shown_as(self, texts: Callable[[Sequence[Events]], Sequence[str]]) -> None:
        """Sets the function that makes the lines: for each event, its text and a newline."""
        self._texts = texts

    @property
    def on(self) -> bool:
        return bool(self._records.top.print_event)

    @on.setter
    def on(self, on: bool) -> None:
        """After setting it, the caller must update the event files of all arrays."""
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
        """Takes the events that native code has kept, and asks the CPUs that will print them."""
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
        """Removes the events that native code has kept, in the order of recording on all CPUs, which replaces the timestamps."""
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
        """A CPU can take upcalls. It prints the lines that have waited for it."""
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
        """The line that has waited longest, which the CPU prints now; None if there is none."""
        _, due = self._printing.get(cpu.index, (0, 0))
        if not self._lines or self.printed >= due:
            return None
        self.printed += 1
        return self._lines.popleft()
