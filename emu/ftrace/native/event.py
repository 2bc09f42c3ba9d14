# SPDX-License-Identifier: GPL-2.0-only
"""An event of the guest: the code that runs once per call of trace_event_buffer_commit().

The guest has filled in the fixed part of the entry on its stack. Here the entry is staged: the common fields and the data of
variable-length fields are added, and numbers are converted to the host's byte order. Then each array that uses the event gets
it: the entry is copied into the ring buffer or, if there is more to do, passed to the handler of its event file. Nothing
interrupts this, so one stage is enough for all CPUs.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import Context, complete, host_address, is_up, now
from emu.ftrace.native.filter_program import keeps
from emu.ftrace.native.guest_records import Guest, GuestMemory, TraceDynamic, TraceEventCall
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.trace_records import ArrayCpu, Entry, Event, EventContext, EventField, EventFile, TraceArray
from emu.ftrace.native.trace_values import ENABLED, EVENT_LIMIT, LARGEST_ENTRY, NO_OFFSET, PLACE_EVENT  # fmt: skip
from emu.ftrace.native.tracer_cost import spend
from emu.native.functions import Native, njit
from emu.native.memory import copy, copy_string
from emu.native.records import Bytes, Ints, Shorts, Values, Words, u64

__all__ = ["build", "of_cpu", "put_entry", "record"]

HALF = 16  # bits: in a __data_loc word, the length is above the offset
NULL_TEXT, NULL_SIZE = u64(int.from_bytes(b"(null)\0\0", "little")), u64(7)


@njit
def of_cpu(cpu: Cpu, cpus: Values[ArrayCpu]) -> ArrayCpu:
    """An array's record of a CPU. `cpus`: the array's records."""
    return cpus[cpu.index]


@njit
def put_entry(cpu: Cpu, array_cpu: ArrayCpu, array: TraceArray, entry: u64, staged: Bytes, size: u64) -> bool:
    """Fills a reserved entry with the staged one. Returns False if no entry was reserved."""
    if entry == 0:
        return False
    copy(Bytes(entry), staged, size)
    complete(cpu, array_cpu, array)
    return True


@njit
def record(cpu: Cpu, file: EventFile, staged: Bytes, size: u64) -> ArrayCpu | None:
    """Records a staged entry, if its array records the event and the file's filter keeps it.

    Returns the array's record of the CPU, or None if nothing was recorded.
    """
    if file.flags != ENABLED:
        return None
    array_cpu = of_cpu(cpu, file.cpus)
    array = array_cpu.array
    if not keeps(file.filter, cpu, array_cpu, staged, size):
        spend(cpu, array.cost_rejected)
        return None
    entry = reserve(array_cpu.ring, now(cpu, array), size)
    spend(cpu, array.cost_event)
    return array_cpu if put_entry(cpu, array_cpu, array, entry, staged, size) else None


@njit
def tell(told: EventContext, event: Event, staged: Bytes, size: u64) -> None:
    """Stores the description of an event for handlers."""
    told.event = event
    told.entry = staged
    told.size = size
    told.place = PLACE_EVENT


def build(guest: Guest, context: Context) -> Callable[[Cpu, u64, u64, u64, u64, bool], None]:
    """record_event(cpu, call, entry, dynamic, count, irqs_off).

    The arguments are those of trace_event_buffer_commit(), guest addresses: no value endangers the host. If the event does not
    exist, or has a different number of variable-length fields, or its entry is not in memory, nothing is
    recorded.
    """
    numbers, size_of_dynamic = guest.numbers, u64(guest.layouts.size(TraceDynamic))
    njit = Native(guest.layouts).njit
    current_task, preempt_count, common_fields = context

    @njit
    def swap(to: Bytes, source: Bytes, element: u64, count: u64) -> None:
        """Copies numbers of `element` bytes, converted to the host's byte order."""
        for n in range(count):
            place, number = to.address + n * element, GuestMemory(source.address + n * element)
            if element == 8:
                Words(place)[0] = number.as_u64
            elif element == 4:
                Ints(place)[0] = number.as_u32
            elif element == 2:
                Shorts(place)[0] = number.as_u16
            else:
                Bytes(place)[0] = number.as_u8

    @njit
    def append(array: TraceArray, field: EventField, to: Bytes, room: u64, given: TraceDynamic) -> u64:
        """Stores the data of a variable-length field, for which there are `room` bytes. Returns its size."""
        data, size = Bytes(host_address(array, given.data)), given.size
        if room == 0:
            return 0
        if given.data == 0 and room >= 8:
            Words(to.address)[0] = NULL_TEXT
            return NULL_SIZE
        if size & numbers.trace_string:
            most = size & ~numbers.trace_string
            return copy_string(to, data, room if most == 0 else min(room, most))
        count = min(size, room) // field.element
        swap(to, data, field.element, count)
        return count * field.element

    @njit
    def gather(array: TraceArray, event: Event, to: Bytes, dynamic: u64, count: u64) -> u64:
        """Appends the data of the variable-length fields, and stores their locations. Returns the entry's size."""
        end = event.size
        for n in range(count):
            field = event.dynamic[n]
            given = TraceDynamic(host_address(array, dynamic + n * size_of_dynamic))
            size = append(array, field, Bytes(to.address + end), LARGEST_ENTRY - end, given)
            if field.offset != NO_OFFSET:
                begin = end - field.offset - 4 if field.relative else end
                Ints(to.address + field.offset)[0] = begin | size << HALF
            end += size
        while end & 3:
            to[end] = 0
            end += 1
        return end

    @njit
    def put(cpu: Cpu, array_cpu: ArrayCpu, event: Event, staged: Bytes, size: u64, irqs_off: bool) -> None:
        """Passes a staged entry to each array that uses the event."""
        file = event.files
        if file is None:
            return
        array = array_cpu.array
        count = preempt_count(array_cpu) + event.depth
        task = current_task(array_cpu, array)
        Entry(staged.address).common = common_fields(event.number, task, count, irqs_off or event.irqs_off)
        while file is not None:
            handler = file.handler
            if handler is not None:
                tell(array.event_context, event, staged, size)
                handler(cpu, file)
            else:
                record(cpu, file, staged, size)
            file = file.next

    @njit
    def put_syscall(cpu: Cpu, array_cpu: ArrayCpu, event: Event, staged: Bytes, irqs_off: bool) -> None:
        """Records the system call's own event for an entry of raw_syscalls: it begins with the same fields."""
        number = Words(staged.address)[1]
        if number < event.syscalls:
            of_call = array_cpu.array.events[event.by_syscall[number]]
            if of_call is not None:
                put(cpu, array_cpu, of_call, staged, of_call.size, irqs_off)

    @njit
    def staged_entry(array: TraceArray, event: Event, entry: Bytes, dynamic: u64, count: u64) -> tuple[Bytes, u64]:
        """The complete entry's address and size. `entry`: the address of the guest's part."""
        swaps = event.swap_count
        if swaps == 0 and count == 0:
            return entry, event.size
        stage = Bytes(array.stage)
        copy(stage, entry, event.size)
        for n in range(swaps):
            field = event.swaps[n]
            to, source = Bytes(stage.address + field.offset), Bytes(entry.address + field.offset)
            swap(to, source, field.element, field.count)
        if count == 0:
            return stage, event.size
        return stage, gather(array, event, stage, dynamic, count)

    @njit
    def record_event(cpu: Cpu, call: u64, entry: u64, dynamic: u64, count: u64, irqs_off: bool) -> None:
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        number = TraceEventCall(host_address(array, call)).id
        if number >= EVENT_LIMIT or not is_up(array_cpu, array):
            return
        event, filled = array.events[number], Bytes(host_address(array, entry))
        if event is None or count != event.dynamic_count or filled.address == array.nowhere:
            return
        staged, size = staged_entry(array, event, filled, dynamic, count)
        put(cpu, array_cpu, event, staged, size, irqs_off)
        if event.syscalls != 0:
            put_syscall(cpu, array_cpu, event, staged, irqs_off)

    return record_event
