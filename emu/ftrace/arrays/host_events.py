# SPDX-License-Identifier: GPL-2.0-only
"""Events that the host records for the guest: what is written to files, and trace_printk()."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from emu.cpu.cpu import Cpu
from emu.cpu.native import cpu_records
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.array_buffers import ArrayBuffers
from emu.ftrace.buffers.entries import ENTRY, PRINT, EventType
from emu.ftrace.buffers.trace_context import TraceContext, context_of
from emu.ftrace.event.files import EventFile, EventFiles
from emu.ftrace.native.readers import wake_reader
from emu.ftrace.native.trace_records import ArrayCpu, EventContext
from emu.ftrace.native.trace_values import PLACE_HOST_CALL, PLACE_NOWHERE
from emu.kernel.kernel import Kernel
from emu.native.records import Bytes, Values, u8

__all__ = ["HostEvents"]

_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_StackHandler = Callable[[cpu_records.Cpu, ArrayCpu], None]  # native: Python has its address
_NOTHING: Mapping[int, bytes] = MappingProxyType({})


class HostEvents:
    """Records events in the buffers of one trace array.

    Args:
        kernel: with its image loaded.
        trace_globals: what the trace arrays of the kernel share.
        records: of the array.
        buffers: of the array.
        files: what the array wants of events.

    Attributes:
        records_printk: whether the array has what trace_printk() writes.
    """

    def __init__(
        self,
        kernel: Kernel,
        trace_globals: TraceGlobals,
        records: ArrayRecords,
        buffers: ArrayBuffers,
        files: EventFiles,
    ) -> None:
        self.records_printk = True
        self._kernel = kernel
        self._globals = trace_globals
        self._records = records
        self._buffers = buffers
        self._files = files

    def write_marker(self, text: bytes, newline: int | None = None) -> bool:
        """Records a print event with a text to its NUL, now, on the current CPU; False when nothing is being recorded.

        `newline`: where a newline was added to what was written, if one was. Triggers see the text without it.
        """
        ip = np.uint64(self._kernel.image.symbol("tracing_mark_write"))
        return self._write_from_guest(
            EventType.PRINT, ip.tobytes() + text, newline=None if newline is None else PRINT.itemsize + newline
        )

    def write_raw(self, data: bytes) -> bool:
        """Records a raw-data event as `write_marker` does a print event.

        `data`: a number of four bytes, in the guest's byte order, then anything.
        """
        number = int.from_bytes(data[:4], self._kernel.memory.byte_order)
        return self._write_from_guest(EventType.RAW_DATA, np.uint32(number).tobytes() + data[4:])

    def write_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """Records a print event of trace_printk(), called from `ip`.

        `disabled`: how often trace_printk() itself has disabled preemption, which the event does not show.
        """
        self._write_printk(cpu, EventType.PRINT, disabled, np.uint64(ip).tobytes() + text + b"\0")

    def write_bprint(self, cpu: Cpu, ip: int, template: int, arguments: bytes) -> None:
        """Records a bprint event of trace_printk(): the address of a format, and what vbin_printf() made of its arguments.

        The arguments stay in the guest's byte order: only their format says which numbers there are.
        """
        self._write_printk(cpu, EventType.BPRINT, 1, np.array([ip, template], np.uint64).tobytes() + arguments)

    def write_bputs(self, cpu: Cpu, ip: int, text: int) -> None:
        """Records a bputs event of trace_puts(): the address of a text."""
        self._write_printk(cpu, EventType.BPUTS, 0, np.array([ip, text], np.uint64).tobytes())

    def write_puts(self, cpu: Cpu, ip: int, line: str) -> None:
        """Records what the kernel writes while an event or a call is dealt with (Linux: trace_array_puts), called from `ip`."""
        place = self._globals.records.event_context.place
        self._write_printk(cpu, EventType.PRINT, 0, np.uint64(ip).tobytes() + line.encode() + b"\n\0", place)

    def _write_printk(self, cpu: Cpu, kind: EventType, disabled: int, data: bytes, place: int = PLACE_HOST_CALL) -> None:
        if self.records_printk:
            context = context_of(self._kernel, self._globals.guest, cpu, printing=disabled)
            self._write_event(cpu, kind, context, data, stacks=(self._records.array.event_stacks,), place=place)

    def write_injected(self, number: int, common: Mapping[int, bytes], data: bytes) -> bool:
        """Records an entry of any event as `write_marker` does a print event.

        Args:
            number: of the event.
            common: bytes to put into the entry's common fields, by offset.
            data: what follows the common fields.
        """
        array = self._records.array
        return self._write_from_guest(number, data, common, (array.event_stacks, array.event_user_stacks))

    def _write_from_guest(
        self,
        number: int,
        data: bytes,
        common: Mapping[int, bytes] = _NOTHING,
        stacks: Sequence[_StackHandler | None] = (),
        newline: int | None = None,
    ) -> bool:
        """Records an event on the CPU whose task writes it. Only what the guest does has a stack."""
        writer, cpu = self._kernel.file_server.caller, self._kernel.acting_cpu
        context = context_of(self._kernel, self._globals.guest, cpu) if writer else TraceContext()
        file = self._files.get(self._globals.events[number])
        if file is None or not file.has_more:
            return self._write_event(cpu, number, context, data, common, stacks if writer else ())
        place = PLACE_HOST_CALL if writer else PLACE_NOWHERE
        return self._hand_over(cpu, file, self._head(cpu, number, context, common) + data, place, newline)

    def _hand_over(self, cpu: Cpu, file: EventFile, entry: bytes, place: int, newline: int | None) -> bool:
        """Has native code do with an event all that the array wants of it; False when nothing is being recorded."""
        ring = self._buffers.ring(cpu.index)
        if not ring.recording:
            return False
        dropped = ring.dropped_events
        staged = np.frombuffer(bytearray(entry.ljust(-(-len(entry) // 4) * 4, b"\0")), np.uint8)
        with self._told_of(staged, place) as told:
            told.event, told.size = self._globals.events.record(file.call), len(staged)
            if newline is not None:
                staged[newline] = 0
                told.newline = Values[u8](staged.ctypes.data + newline)
            with file.as_if_enabled():
                _HANDLER(self._globals.event_handler().address)(cpu.record.address, file.record.address)
        return ring.dropped_events == dropped

    @contextmanager
    def _told_of(self, entry: NDArray[np.uint8], place: int) -> Iterator[EventContext]:
        """Native code is told of an entry while the body runs, which gets the event_context. It may be told of another one."""
        told = self._globals.records.event_context
        before = told.entry, told.place, told.newline
        told.entry, told.place, told.newline = Bytes(entry.ctypes.data), place, None
        try:
            yield told
        finally:
            told.entry, told.place, told.newline = before

    def _head(self, cpu: Cpu, number: int, context: TraceContext, common: Mapping[int, bytes] = _NOTHING) -> bytes:
        """What the entry of an event begins with."""
        tasks = self._kernel.tasks
        task = tasks.current(cpu)
        entry = np.zeros(1, ENTRY)
        entry["type"] = number
        entry["flags"], entry["preempt_count"] = context
        entry["pid"] = tasks.pid(task)
        self._globals.remember_task(task)
        head = bytearray(entry.tobytes())
        for offset, value in common.items():
            head[offset : offset + len(value)] = value
        return bytes(head)

    def _write_event(
        self,
        cpu: Cpu,
        number: int,
        context: TraceContext,
        data: bytes,
        common: Mapping[int, bytes] = _NOTHING,
        stacks: Sequence[_StackHandler | None] = (),
        place: int = PLACE_HOST_CALL,
    ) -> bool:
        """Records an event, and then those stacks that are wanted (`stacks`: fields of the array's record), from `place` on."""
        head = self._head(cpu, number, context, common)
        written = self._buffers.ring(cpu.index).write(self._records.now(cpu), head + data)
        if written:
            with self._told_of(np.frombuffer(head, np.uint8), place):
                for record_stack in filter(None, stacks):
                    _HANDLER(record_stack)(cpu.record.address, self._records.cpus[cpu.index].address)
            self._records.spend(cpu)
        wake_reader(cpu.record, self._records.array)
        return written
