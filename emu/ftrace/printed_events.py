# SPDX-License-Identifier: GPL-2.0-only
"""Events that the guest prints on its console as they are recorded (Linux: tracepoint_printk, output_printk)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.array_records import RecordLists
from emu.ftrace.event.call import EventCall
from emu.ftrace.events import ENTRY, Events
from emu.ftrace.native import array_record
from emu.ftrace.native import printed_events as native
from emu.kernel.kernel import Kernel
from emu.kernel.upcalls import Upcall
from emu.native.record import Record

__all__ = ["PrintedEvents"]

_MOST = 1 << 16  # lines that wait: beyond that the oldest are lost


class PrintedEvents:
    """The lines that wait for the guest to print them. The CPU that has recorded an event is interrupted to do so.

    What is recorded on a CPU while it prints is not printed; and what an idle CPU does, or tells of interrupts that are turned
    off, waits until another event is printed: the interrupt would cause it again, and printing would never end.

    Args:
        kernel: with its image loaded.
        records: say where native code keeps the events.
        events: what events there are, by their numbers.

    Attributes:
        allowed: whether the parameter tp_printk was given. Without it, nothing is ever printed.
        asked: how many lines there have ever been.
        printed: how many of them wait no longer.
    """

    def __init__(self, kernel: Kernel, records: RecordLists, events: Mapping[int, EventCall]) -> None:
        self._kernel = kernel
        self._events = events
        self._records = records
        self._record: Record | None = None
        self._function = kernel.image.symbol("upcall_output_printk")
        self._lines: deque[str] = deque()
        self._interrupted: set[int] = set()  # the CPUs that have been asked to print
        self._printing: set[int] = set()
        self.allowed = False
        self.asked = self.printed = 0

    @property
    def on(self) -> bool:
        return self._records.top.get(array_record.PRINT_EVENT) != 0

    @on.setter
    def on(self, on: bool) -> None:
        """Whoever sets it has the event files of all arrays follow."""
        if on and self._record is None:
            self._record = Record(native.WORDS)
            self._records.set_in_all(array_record.PRINTED_EVENTS, self._record.address)
        self._records.set_in_all(array_record.PRINT_EVENT, native.build().address if on else 0)

    def collect(self, texts: Callable[[Sequence[Events]], Sequence[str]]) -> None:
        """Takes over what native code has kept, and asks the CPUs to print it. `texts`: of events, each with its newline."""
        kept = [events for events in self._take() if events.cpu not in self._printing]
        for text in texts(kept) if kept else ():
            self._lines += text.removesuffix("\n").split("\n")
        self.asked = self.printed + len(self._lines)
        while len(self._lines) > _MOST:
            self.next_line()
        for cpu in {events.cpu for events in kept if self._is_of_program(events)}:
            self._interrupt(cpu)

    def _is_of_program(self, events: Events) -> bool:
        """Whether an event is not one that each interrupt of an idle CPU, or of any, may cause."""
        entry = events.entries(ENTRY)[0]
        return bool(entry["pid"]) and self._events[int(entry["type"])].system != "preemptirq"

    def _take(self) -> Sequence[Events]:
        """Takes out what native code has kept: each event alone."""
        if self._record is None:
            return []
        first, header_words = int(native.COPIES) // 8, native.HEADER.itemsize // 8
        data = self._record.words[first : first + self._record.get(native.USED) // 8].copy()
        self._record.set(native.USED, 0)
        taken, at = [], 0
        while at < len(data):
            cpu, time, size = map(int, data[at : at + header_words])
            at += header_words
            entry = data[at : at + -(-size // 8)].view(np.uint32)
            at += -(-size // 8)
            start, bytes_ = np.zeros(1, np.int64), np.array([size], np.int64)
            taken.append(Events(cpu, entry, np.array([time], np.uint64), start, bytes_))
        return taken

    def cpu_online(self, cpu: Cpu) -> None:
        """A CPU can take upcalls: it prints what has waited for it."""
        if self._lines:
            self._interrupt(cpu.index)

    def _interrupt(self, index: int) -> None:
        if index in self._kernel.hot_areas and index not in self._interrupted:
            self._interrupted.add(index)
            cpu = self._kernel.board.cpus[index]
            self._kernel.upcalls.post(cpu, Upcall(self._function, 0, self._begun, self._ended), cpu.cycles)

    def _begun(self, cpu: Cpu) -> None:
        self._interrupted.discard(cpu.index)
        self._printing.add(cpu.index)

    def _ended(self, cpu: Cpu, result: int) -> None:
        self._take()
        self._printing.discard(cpu.index)

    def next_line(self) -> str | None:
        """The line that has waited longest, which the guest prints now; None: none waits."""
        if not self._lines:
            return None
        self.printed += 1
        return self._lines.popleft()
