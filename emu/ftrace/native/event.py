# SPDX-License-Identifier: GPL-2.0-only
"""An event of the guest: what runs once per call of trace_event_buffer_commit().

The guest has filled the fixed part of the entry on its stack. Here the entry is staged: the common fields and the data of the
fields of variable length are added, and numbers get the host's byte order. Then each array that wants the event gets it: it is
copied into the ring buffer, or, if there is more to do, the handler of its event file does that. Nothing interrupts this, so
that one stage is enough for all CPUs.
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

HALF = 16  # bits: a __data_loc word is the offset, and above it the length
NULL_TEXT, NULL_SIZE = u64(int.from_bytes(b"(null)\0\0", "little")), u64(7)


@njit
def of_cpu(cpu: Cpu, cpus: Values[ArrayCpu]) -> ArrayCpu:
    """What an array has for a CPU. `cpus`: the array's."""
    return cpus[cpu.index]


@njit
def put_entry(cpu: Cpu, array_cpu: ArrayCpu, array: TraceArray, entry: u64, staged: Bytes, size: u64) -> bool:
    """Fills an entry, whose place is reserved, with what is staged. False: it has no place."""
    if entry == 0:
        return False
    copy(Bytes(entry), staged, size)
    complete(cpu, array_cpu, array)
    return True


@njit
def record(cpu: Cpu, file: EventFile, staged: Bytes, size: u64) -> ArrayCpu | None:
    """Records a staged entry, if its array wants that and the file's filter keeps it.

    Returns the CPU's record of the array that it was recorded for; None: nothing was.
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
    """Stores what handlers are told of an event."""
    told.event = event
    told.entry = staged
    told.size = size
    told.place = PLACE_EVENT


def build(guest: Guest, context: Context) -> Callable[[Cpu, u64, u64, u64, u64, bool], None]:
    """record_event(cpu, call, entry, dynamic, count, irqs_off).

    The arguments are those of trace_event_buffer_commit(), guest addresses: whatever they are, the host is safe. If there is no
    such event, or it has another number of fields of variable length, or there is no memory where its entry should be, nothing is
    recorded.
    """
    numbers, size_of_dynamic = guest.numbers, u64(guest.layouts.size(TraceDynamic))
    njit = Native(guest.layouts).njit
    current_task, preempt_count, common_fields = context

    @njit
    def swap(to: Bytes, source: Bytes, element: u64, count: u64) -> None:
        """Copies numbers of `element` bytes into the host's byte order."""
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
        """Stores the data of a field of variable length, for which there are `room` bytes. Returns how many it has."""
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
        """Appends the data of the fields of variable length, and stores where they are. Returns the entry's size."""
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
        """Gives a staged entry to each array that wants the event."""
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
        """Records what the entry of raw_syscalls is for its system call: it begins with the same fields."""
        number = Words(staged.address)[1]
        if number < event.syscalls:
            of_call = array_cpu.array.events[event.by_syscall[number]]
            if of_call is not None:
                put(cpu, array_cpu, of_call, staged, of_call.size, irqs_off)

    @njit
    def staged_entry(array: TraceArray, event: Event, entry: Bytes, dynamic: u64, count: u64) -> tuple[Bytes, u64]:
        """Where the whole entry is, and its size. `entry`: where the guest's part is."""
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
