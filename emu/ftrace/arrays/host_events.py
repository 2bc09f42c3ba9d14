# SPDX-License-Identifier: GPL-2.0-only
"""Events that the host records for the guest: data written to files, and trace_printk()."""

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
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native.readers import wake_reader
from emu.ftrace.native.trace_records import ArrayCpu, EventContext
from emu.ftrace.native.trace_values import PLACE_HOST_CALL, PLACE_NOWHERE
from emu.native.records import Bytes, Values, u8

__all__ = ["HostEvents"]

_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_StackHandler = Callable[[cpu_records.Cpu, ArrayCpu], None]  # native; Python has its address
_NOTHING: Mapping[int, bytes] = MappingProxyType({})


class HostEvents:
    """Records events in the buffers of one trace array.

    Args:
        kernel: the kernel that is traced.
        trace_globals: what the trace arrays of the kernel share.
        records: the array's records.
        buffers: the array's buffers.
        files: the array's event files.

    Attributes:
        records_printk: whether the array records trace_printk().
    """

    def __init__(
        self,
        kernel: TracedKernel,
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
        """Records a print event with a text, up to its NUL, now, on the current CPU. Returns False if nothing is being recorded.

        `newline`: the position of the newline that was added to the written text, if any. Triggers see the text without it.
        """
        ip = np.uint64(self._kernel.address_of("tracing_mark_write"))
        return self._write_from_guest(
            EventType.PRINT, ip.tobytes() + text, newline=None if newline is None else PRINT.itemsize + newline
        )

    def write_raw(self, data: bytes) -> bool:
        """Records a raw-data event in the same way as `write_marker`.

        `data`: a four-byte number in the guest's byte order, followed by any bytes.
        """
        number = int.from_bytes(data[:4], self._kernel.memory.byte_order)
        return self._write_from_guest(EventType.RAW_DATA, np.uint32(number).tobytes() + data[4:])

    def write_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """Records a print event of trace_printk(), called from `ip`.

        `disabled`: how many times trace_printk() itself has disabled preemption; the event does not count these.
        """
        self._write_printk(cpu, EventType.PRINT, disabled, np.uint64(ip).tobytes() + text + b"\0")

    def write_bprint(self, cpu: Cpu, ip: int, template: int, arguments: bytes) -> None:
        """Records a bprint event of trace_printk(): the address of a format, and its arguments packed by vbin_printf().

        The arguments stay in the guest's byte order, because only their format tells their sizes.
        """
        self._write_printk(cpu, EventType.BPRINT, 1, np.array([ip, template], np.uint64).tobytes() + arguments)

    def write_bputs(self, cpu: Cpu, ip: int, text: int) -> None:
        """Records a bputs event of trace_puts(): the address of a string."""
        self._write_printk(cpu, EventType.BPUTS, 0, np.array([ip, text], np.uint64).tobytes())

    def write_puts(self, cpu: Cpu, ip: int, line: str) -> None:
        """Records text that the kernel writes while it handles an event or a call (Linux: trace_array_puts), called from `ip`."""
        place = self._globals.records.event_context.place
        self._write_printk(cpu, EventType.PRINT, 0, np.uint64(ip).tobytes() + line.encode() + b"\n\0", place)

    def _write_printk(self, cpu: Cpu, kind: EventType, disabled: int, data: bytes, place: int = PLACE_HOST_CALL) -> None:
        if self.records_printk:
            context = context_of(self._kernel, self._globals.guest, cpu, printing=disabled)
            self._write_event(cpu, kind, context, data, stacks=(self._records.array.event_stacks,), place=place)

    def write_injected(self, number: int, common: Mapping[int, bytes], data: bytes) -> bool:
        """Records an entry of any event in the same way as `write_marker`.

        Args:
            number: the event's number.
            common: bytes for the entry's common fields, by offset.
            data: the bytes after the common fields.
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
        """Records an event on the CPU whose task writes it. Only events that the guest causes have a stack."""
        writer, cpu = self._kernel.calling_cpu, self._kernel.acting_cpu
        context = context_of(self._kernel, self._globals.guest, cpu) if writer else TraceContext()
        file = self._files.get(self._globals.events[number])
        if file is None or not file.has_more:
            return self._write_event(cpu, number, context, data, common, stacks if writer else ())
        place = PLACE_HOST_CALL if writer else PLACE_NOWHERE
        return self._hand_over(cpu, file, self._head(cpu, number, context, common) + data, place, newline)

    def _hand_over(self, cpu: Cpu, file: EventFile, entry: bytes, place: int, newline: int | None) -> bool:
        """Makes native code do everything that the array wants for an event. Returns False when nothing is being recorded."""
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
        """Describes an entry to native code during the body, which gets the event_context. Calls may nest."""
        told = self._globals.records.event_context
        before = told.entry, told.place, told.newline
        told.entry, told.place, told.newline = Bytes(entry.ctypes.data), place, None
        try:
            yield told
        finally:
            told.entry, told.place, told.newline = before

    def _head(self, cpu: Cpu, number: int, context: TraceContext, common: Mapping[int, bytes] = _NOTHING) -> bytes:
        """The head of an event's entry."""
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
        """Records an event, then the stacks that are enabled (`stacks`: fields of the array's record), starting at `place`."""
        head = self._head(cpu, number, context, common)
        written = self._buffers.ring(cpu.index).write(self._records.now(cpu), head + data)
        if written:
            with self._told_of(np.frombuffer(head, np.uint8), place):
                for record_stack in filter(None, stacks):
                    _HANDLER(record_stack)(cpu.record.address, self._records.cpus[cpu.index].address)
            self._records.spend(cpu)
        wake_reader(cpu.record, self._records.array)
        return written
