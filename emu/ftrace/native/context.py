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
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u64
from emu.native.record import shift_of

__all__ = [
    "DEEPEST_SHOWN", "Context", "build", "complete", "host_address", "is_up", "linear_time", "local_time", "now", "of_type",
    "wake_reader",
]  # fmt: skip

ZERO, ONE = np.uint64(0), np.uint64(1)

TYPE, FLAGS = shift_of(ENTRY, "type"), shift_of(ENTRY, "flags")
TYPE_MASK = np.uint64(0xFFFF) << TYPE
PREEMPT_COUNT, PID = shift_of(ENTRY, "preempt_count"), shift_of(ENTRY, "pid")

NO_FLAGS, IRQS_OFF, NEED_RESCHED = np.uint64(0), np.uint64(Flag.IRQS_OFF), np.uint64(Flag.NEED_RESCHED)
PREEMPT_RESCHED, HARDIRQ, SOFTIRQ = np.uint64(Flag.PREEMPT_RESCHED), np.uint64(Flag.HARDIRQ), np.uint64(Flag.SOFTIRQ)
NMI, BH_OFF = np.uint64(Flag.NMI), np.uint64(Flag.BH_OFF)
DEEPEST_SHOWN = np.uint64(15)  # of preempt_count's depth


@njit
def linear_time(cpu, array):
    """The trace clock on this CPU, if it is CLOCK_LINEAR."""
    cycles, rate = load_u64(cpu + cpu_record.CYCLES), load_u64(array + array_record.CLOCK_RATE)
    return cycles * rate + load_u64(array + array_record.CLOCK_OFFSET)


@njit
def local_time(cpu, array):
    """Nanoseconds of this CPU's time, whatever the trace clock is: differences of them are durations."""
    cycles, divisor = load_u64(cpu + cpu_record.CYCLES), load_u64(array + array_record.CLOCK_DIVISOR)
    multiplier = load_u64(array + array_record.CLOCK_MULTIPLIER)
    if divisor == ONE:
        return cycles * multiplier
    return cycles // divisor * multiplier + cycles % divisor * multiplier // divisor


@njit
def now(cpu, array):
    """The trace clock on this CPU."""
    kind = load_u64(array + array_record.CLOCK)
    if kind == array_record.CLOCK_LINEAR:
        return linear_time(cpu, array)
    if kind == array_record.CLOCK_COUNTER:
        counter = load_u64(array + array_record.COUNTER)
        count = load_u64(counter) + ONE
        store_u64(counter, count)
        return count
    nanoseconds = local_time(cpu, array)
    if kind == array_record.CLOCK_TICKS:
        return nanoseconds // array_record.TICK
    return nanoseconds + load_u64(array + array_record.CLOCK_OFFSET)


@njit
def array_of(cpu):
    """The top array's record, which a CPU that comes to a label has as its CALLOUT's."""
    return load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.ARRAY)


@njit
def host_address(array, address):
    """The host address of an address of the guest kernel's data.

    A guest whose pointers are broken must not break its host: an address outside RAM is a page of zeros.
    """
    size = load_u64(array + array_record.RAM_SIZE)
    physical = address - load_u64(array + array_record.DIRECT_START)
    if physical >= size:
        physical = address - load_u64(array + array_record.KERNEL_START)
        if physical >= size:
            return load_u64(array + array_record.NOWHERE)
    return physical + load_u64(array + array_record.RAM)


@njit
def is_up(array_cpu, array):
    """Whether the kernel has said where the CPU's struct pcpu_hot is: before that, nobody knows the CPU's task."""
    return load_u64(array_cpu + array_cpu_record.HOT) != load_u64(array + array_record.NOWHERE)


@njit
def complete(cpu, array_cpu, array):
    """After an event: notes that the task's name is needed, and interrupts a reader that waits."""
    store_u64(array_cpu + array_cpu_record.RECORDED, ONE)
    wake_reader(cpu, array)


@njit
def wake_reader(cpu, array):
    """Interrupts this CPU if a reader waits, at once or when the reader may be woken."""
    earliest = load_u64(array + array_record.READER_WAITS)
    if earliest != ZERO:
        store_u64(array + array_record.READER_WAITS, ZERO)
        raise_at(cpu, load_u64(array + array_record.READER_VECTOR), max(earliest, load_u64(cpu + cpu_record.CYCLES)))


@njit
def of_type(common, kind):
    """The word that an entry of another type begins with, if its common fields are otherwise the same."""
    return common & ~TYPE_MASK | kind << TYPE


class Context(NamedTuple):
    """Compiled functions that look into the guest's memory."""

    current_task: Any
    """current_task(array_cpu, array) -> the host address of the task that runs on this CPU."""

    preempt_count: Any
    """preempt_count(array_cpu) -> the guest's preempt_count on this CPU."""

    common_fields: Any
    """common_fields(type, task, preempt_count, irqs_off) -> the word that every entry begins with, `events.ENTRY`."""


def build(memory: Accessors, guest: GuestLayout) -> Context:
    """Compiles for a guest. `memory`: accesses in its byte order; what is stored in a ring buffer has the host's."""
    guest_u32, guest_u64 = memory.load_u32, memory.load_u64

    # Bits of preempt_count that are not as in a task that can be interrupted and preempted
    contexts = guest.hardirq_mask | guest.softirq_served | guest.softirq_disabled | guest.nmi_mask
    unusual = contexts | guest.preempt_need_resched

    @njit
    def current_task(array_cpu, array):
        return host_address(array, guest_u64(load_u64(array_cpu + array_cpu_record.HOT) + guest.current_task))

    @njit
    def preempt_count(array_cpu):
        return guest_u32(load_u64(array_cpu + array_cpu_record.HOT) + guest.preempt_count)

    @njit
    def common_fields(kind, task, count, irqs_off):
        flags = IRQS_OFF if irqs_off else NO_FLAGS
        if guest_u64(task + guest.task_flags) & guest.tif_need_resched:
            flags |= NEED_RESCHED
        if (count ^ guest.preempt_enabled) & unusual:
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
        depth = min(count & guest.preempt_mask, DEEPEST_SHOWN)
        pid = np.uint64(guest_u32(task + guest.task_pid))
        return kind << TYPE | flags << FLAGS | depth << PREEMPT_COUNT | pid << PID

    return Context(current_task, preempt_count, common_fields)
