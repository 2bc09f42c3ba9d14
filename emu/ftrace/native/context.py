# SPDX-License-Identifier: GPL-2.0-only
"""What all events have in common: the time, the task, the state of the CPU, and the end of recording."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import raise_at
from emu.ftrace.events import ENTRY, Flag
from emu.ftrace.native import array_cpu_record, array_record
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.ring_buffer import commit
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u8, store_u16, store_u32, store_u64
from emu.native.record import offset_of

__all__ = ["DEEPEST_SHOWN", "Context", "build", "complete", "host_address", "now"]

ZERO, ONE = np.uint64(0), np.uint64(1)

TYPE, FLAGS = offset_of(ENTRY, "type"), offset_of(ENTRY, "flags")
PREEMPT_COUNT, PID = offset_of(ENTRY, "preempt_count"), offset_of(ENTRY, "pid")

NO_FLAGS, IRQS_OFF, NEED_RESCHED = np.uint64(0), np.uint64(Flag.IRQS_OFF), np.uint64(Flag.NEED_RESCHED)
PREEMPT_RESCHED, HARDIRQ, SOFTIRQ = np.uint64(Flag.PREEMPT_RESCHED), np.uint64(Flag.HARDIRQ), np.uint64(Flag.SOFTIRQ)
NMI, BH_OFF = np.uint64(Flag.NMI), np.uint64(Flag.BH_OFF)
DEEPEST_SHOWN = np.uint64(15)  # of preempt_count's depth


@njit
def now(cpu, array):
    """The trace clock on this CPU."""
    kind = load_u64(array + array_record.CLOCK)
    if kind == array_record.CLOCK_COUNTER:
        counter = load_u64(array + array_record.COUNTER)
        count = load_u64(counter) + ONE
        store_u64(counter, count)
        return count
    cycles = load_u64(cpu + cpu_record.CYCLES)
    if kind == array_record.CLOCK_CYCLES:
        return cycles
    divisor = load_u64(array + array_record.CLOCK_DIVISOR)
    if divisor == ONE:
        nanoseconds = cycles * load_u64(array + array_record.CLOCK_MULTIPLIER)
    else:
        whole, rest = cycles // divisor, cycles % divisor
        multiplier = load_u64(array + array_record.CLOCK_MULTIPLIER)
        nanoseconds = whole * multiplier + rest * multiplier // divisor
    if kind == array_record.CLOCK_TICKS:
        return nanoseconds // array_record.TICK
    return nanoseconds + load_u64(array + array_record.CLOCK_OFFSET)


@njit
def host_address(array, address):
    """The host address of an address of the guest kernel's data.

    A guest whose pointers are broken must not break its host: an address outside RAM is a page of zeros.
    """
    start = load_u64(array + array_record.KERNEL_START)
    if address < start:
        start = load_u64(array + array_record.DIRECT_START)
    physical = address - start
    if physical >= load_u64(array + array_record.RAM_SIZE):
        return load_u64(array + array_record.NOWHERE)
    return physical + load_u64(array + array_record.RAM)


@njit
def complete(cpu, array_cpu, array, ring):
    """Commits the reserved event, notes that the task's name is needed, and interrupts a reader that waits."""
    commit(ring)
    store_u64(array_cpu + array_cpu_record.RECORDED, ONE)
    if load_u64(array + array_record.READER_WAITS) != ZERO:
        store_u64(array + array_record.READER_WAITS, ZERO)
        raise_at(cpu, load_u64(array + array_record.READER_VECTOR), load_u64(cpu + cpu_record.CYCLES))


class Context(NamedTuple):
    """Compiled functions that look into the guest's memory."""

    current_task: Any
    """current_task(array_cpu, array) -> the host address of the task that runs on this CPU."""

    preempt_count: Any
    """preempt_count(array_cpu) -> the guest's preempt_count on this CPU."""

    store_common: Any
    """store_common(entry, type, task, preempt_count, irqs_off): stores what every entry begins with, `events.ENTRY`."""


def build(memory: Accessors, guest: GuestLayout) -> Context:
    """Compiles for a guest. `memory`: accesses in its byte order; what is stored in a ring buffer has the host's."""
    guest_u32, guest_u64 = memory.load_u32, memory.load_u64

    @njit
    def current_task(array_cpu, array):
        return host_address(array, guest_u64(load_u64(array_cpu + array_cpu_record.HOT) + guest.current_task))

    @njit
    def preempt_count(array_cpu):
        return guest_u32(load_u64(array_cpu + array_cpu_record.HOT) + guest.preempt_count)

    @njit
    def store_common(entry, kind, task, count, irqs_off):
        flags = IRQS_OFF if irqs_off else NO_FLAGS
        if guest_u64(task + guest.task_flags) & guest.tif_need_resched:
            flags |= NEED_RESCHED
        if (count ^ guest.preempt_enabled) & guest.preempt_need_resched:
            flags |= PREEMPT_RESCHED
        if count & guest.hardirq_mask:
            flags |= HARDIRQ
        if count & guest.softirq_served:
            flags |= SOFTIRQ
        if count & guest.nmi_mask:
            flags |= NMI
        if count & guest.softirq_disabled:
            flags |= BH_OFF
        store_u16(entry + TYPE, kind)
        store_u8(entry + FLAGS, np.uint8(flags))
        store_u8(entry + PREEMPT_COUNT, np.uint8(min(count & guest.preempt_mask, DEEPEST_SHOWN)))
        store_u32(entry + PID, guest_u32(task + guest.task_pid))

    return Context(current_task, preempt_count, store_common)
