# SPDX-License-Identifier: GPL-2.0-only
"""An event of the guest: what runs once per call of trace_event_buffer_commit().

The guest has filled the fixed part of the entry on its stack. Here the entry is staged: the common fields and the data of the
fields of variable length are added, and numbers get the host's byte order. Then each array that wants the event gets it: it is
copied into the ring buffer, or, if there is more to do, the handler of its event file does that. Nothing interrupts this, so
that one stage is enough for all CPUs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, event_context, event_file, event_record
from emu.ftrace.native.context import Context, complete, host_address, is_up, now
from emu.ftrace.native.filter_program import keeps
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.tracer_cost import spend
from emu.native import njit
from emu.native.memory import copy, copy_string
from emu.native.pointers import Accessors, call_handler, load_u8, load_u64, store_u8, store_u16, store_u32, store_u64

__all__ = ["build", "of_cpu", "put_entry", "record"]

ZERO, ONE, TWO, FOUR, WORD = (np.uint64(n) for n in (0, 1, 2, 4, 8))
HALF = np.uint64(16)  # bits: a __data_loc word is the offset, and above it the length
NUL = np.uint8(0)
LIMIT, LARGEST = np.uint64(event_record.EVENT_LIMIT), np.uint64(event_record.LARGEST_ENTRY)
NULL_TEXT = np.uint64(int.from_bytes(b"(null)\0\0", "little"))
NULL_SIZE = np.uint64(7)


@njit
def of_cpu(cpu, cpus):
    """The array_cpu_record of a CPU. `cpus`: an array's CPUS."""
    return load_u64(cpus + load_u64(cpu + cpu_record.INDEX) * WORD)


@njit
def put_entry(cpu, array_cpu, array, entry, staged, size):
    """Fills an entry, whose place is reserved, with what is staged. False: it has no place."""
    if entry == ZERO:
        return False
    copy(entry, staged, size)
    complete(cpu, array_cpu, array)
    return True


@njit
def record(cpu, file, staged, size):
    """Records a staged entry, if its array wants that and the file's filter keeps it.

    Returns the array_cpu_record that was recorded for; 0: nothing was.
    """
    if load_u64(file + event_file.FLAGS) != event_file.ENABLED:
        return ZERO
    array_cpu = of_cpu(cpu, load_u64(file + event_file.CPUS))
    array = load_u64(array_cpu + array_cpu_record.ARRAY)
    if not keeps(load_u64(file + event_file.FILTER), cpu, array_cpu, staged, size):
        spend(cpu, load_u64(array + array_record.COST_REJECTED))
        return ZERO
    entry = reserve(load_u64(array_cpu + array_cpu_record.RING), now(cpu, array), size)
    spend(cpu, load_u64(array + array_record.COST_EVENT))
    return array_cpu if put_entry(cpu, array_cpu, array, entry, staged, size) else ZERO


def build(memory: Accessors, guest: GuestLayout, context: Context) -> Any:
    """record_event(cpu, call, entry, dynamic, count, irqs_off). `memory`: accesses in the guest's byte order.

    The arguments are those of trace_event_buffer_commit(), guest addresses: whatever they are, the host is safe. If there is no
    such event, or it has another number of fields of variable length, or there is no memory where its entry should be, nothing is
    recorded.
    """
    guest_u16, guest_u32, guest_u64 = memory.load_u16, memory.load_u32, memory.load_u64
    current_task, preempt_count, common_fields = context

    @njit
    def swap(to, source, element, count):
        """Copies numbers of `element` bytes into the host's byte order."""
        for n in range(count):
            offset = np.uint64(n) * element
            if element == WORD:
                store_u64(to + offset, guest_u64(source + offset))
            elif element == FOUR:
                store_u32(to + offset, guest_u32(source + offset))
            elif element == TWO:
                store_u16(to + offset, guest_u16(source + offset))
            else:
                store_u8(to + offset, load_u8(source + offset))

    @njit
    def swap_fixed(event, to, source):
        """Swaps the numbers of the fixed part."""
        plan = load_u64(event + event_record.SWAPS)
        for n in range(load_u64(event + event_record.SWAP_COUNT)):
            word = load_u64(plan + np.uint64(n) * WORD)
            offset = word >> event_record.OFFSET
            count = (word >> event_record.COUNT) & event_record.COUNT_MASK
            swap(to + offset, source + offset, word & event_record.ELEMENT_MASK, count)

    @njit
    def gather(array, event, to, dynamic, count):
        """Appends the data of the fields of variable length, and stores where they are. Returns the entry's size."""
        plan = load_u64(event + event_record.DYNAMIC)
        end = load_u64(event + event_record.SIZE)
        for n in range(count):
            word = load_u64(plan + np.uint64(n) * WORD)
            given = host_address(array, dynamic + np.uint64(n) * guest.dynamic_size)
            data, size = guest_u64(given + guest.dynamic_data), guest_u64(given + guest.dynamic_bytes)
            room = LARGEST - end
            if room == ZERO:
                size = ZERO
            elif data == ZERO and room >= WORD:
                store_u64(to + end, NULL_TEXT)
                size = NULL_SIZE
            elif size & guest.trace_string:
                most = size & ~guest.trace_string
                size = copy_string(to + end, host_address(array, data), room if most == ZERO else min(room, most))
            else:
                element = word & event_record.ELEMENT_MASK
                size = min(size, room) // element * element
                swap(to + end, host_address(array, data), element, size // element)
            place = word >> event_record.OFFSET
            if place != event_record.NO_OFFSET:
                begin = end - place - FOUR if word & event_record.RELATIVE != ZERO else end
                store_u32(to + place, begin | size << HALF)
            end += size
        while end & (FOUR - ONE):
            store_u8(to + end, NUL)
            end += ONE
        return end

    @njit
    def tell(context, event, staged, size):
        """Stores what handlers are told of an event."""
        store_u64(context + event_context.EVENT, event)
        store_u64(context + event_context.ENTRY, staged)
        store_u64(context + event_context.SIZE, size)
        store_u64(context + event_context.PLACE, event_context.PLACE_EVENT)

    @njit
    def put(cpu, array_cpu, event, number, staged, size, irqs_off):
        """Gives a staged entry to each array that wants the event."""
        file = load_u64(event + event_record.FILES)
        if file == ZERO:
            return
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        count = preempt_count(array_cpu) + load_u64(event + event_record.DEPTH)
        irqs_off = irqs_off or load_u64(event + event_record.IRQS_OFF) != ZERO
        store_u64(staged, common_fields(number, current_task(array_cpu, array), np.uint32(count), irqs_off))
        while file != ZERO:
            handler = load_u64(file + event_file.HANDLER)
            if handler != ZERO:
                tell(load_u64(array + array_record.EVENT_CONTEXT), event, staged, size)
                call_handler(handler, cpu, file)
            else:
                record(cpu, file, staged, size)
            file = load_u64(file + event_file.NEXT)

    @njit
    def put_syscall(cpu, array_cpu, event, staged, irqs_off):
        """Records what the entry of raw_syscalls is for its system call: it begins with the same fields."""
        number = load_u64(staged + WORD)
        if number < load_u64(event + event_record.SYSCALLS):
            of_call = load_u64(load_u64(event + event_record.BY_SYSCALL) + number * WORD)
            if of_call != ZERO:
                array = load_u64(array_cpu + array_cpu_record.ARRAY)
                event = load_u64(load_u64(array + array_record.EVENTS) + of_call * WORD)
                put(cpu, array_cpu, event, of_call, staged, load_u64(event + event_record.SIZE), irqs_off)

    @njit
    def record_event(cpu, call, entry, dynamic, count, irqs_off):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        number = guest_u64(host_address(array, call) + guest.event_id)
        if number >= LIMIT or not is_up(array_cpu, array):
            return
        event = load_u64(load_u64(array + array_record.EVENTS) + number * WORD)
        if event == ZERO or count != load_u64(event + event_record.DYNAMIC_COUNT):
            return
        size = load_u64(event + event_record.SIZE)
        staged = host_address(array, entry)
        if staged == load_u64(array + array_record.NOWHERE):
            return
        swaps = load_u64(event + event_record.SWAP_COUNT) != ZERO
        if swaps or count != ZERO:
            stage = load_u64(array + array_record.STAGE)
            copy(stage, staged, size)
            if swaps:
                swap_fixed(event, stage, staged)
            if count != ZERO:
                size = gather(array, event, stage, dynamic, count)
            staged = stage
        put(cpu, array_cpu, event, number, staged, size, irqs_off)
        if load_u64(event + event_record.SYSCALLS) != ZERO:
            put_syscall(cpu, array_cpu, event, staged, irqs_off)

    return record_event
