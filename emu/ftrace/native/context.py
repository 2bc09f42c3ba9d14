# SPDX-License-Identifier: GPL-2.0-only
"""The common part of every event: time, task, and the state of the CPU."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from emu.cpu.native import cpu_record as cpu
from emu.ftrace.native import trace_record as trace
from emu.native import njit
from emu.native.pointers import load_u64, store_u32, store_u64

ZERO, ONE, FOUR = np.uint64(0), np.uint64(1), np.uint64(4)

# preempt_count (Linux's include/linux/preempt.h)
PREEMPT = np.uint32(0xFF)
BH_DISABLED = np.uint32(0xFE00)  # softirqs disabled, not counting one being served
SOFTIRQ = np.uint32(0x100)
HARDIRQ = np.uint32(0xF0000)
NMI = np.uint32(0xF00000)
NO_RESCHED = np.uint32(0x8000_0000)
TIF_NEED_RESCHED = np.uint64(1 << 3)

# common_flags (Linux's enum trace_flag_type)
FLAG_IRQS_OFF, FLAG_NEED_RESCHED, FLAG_HARDIRQ, FLAG_SOFTIRQ = (np.uint32(n) for n in (0x01, 0x04, 0x08, 0x10))
FLAG_PREEMPT_RESCHED, FLAG_NMI, FLAG_BH_OFF = (np.uint32(n) for n in (0x20, 0x40, 0x80))
DEEPEST_SHOWN = np.uint32(15)
EIGHT, SIXTEEN = np.uint32(8), np.uint32(16)


@njit
def now(s, shared):
    """The trace clock on this CPU."""
    kind = load_u64(shared + trace.CLOCK)
    if kind == trace.CLOCK_COUNTER:
        counter = load_u64(shared + trace.COUNTER)
        count = load_u64(counter) + ONE
        store_u64(counter, count)
        return count
    cycles = load_u64(s + cpu.CYCLES)
    if kind == trace.CLOCK_CYCLES:
        return cycles
    divisor = load_u64(shared + trace.CLOCK_DIVISOR)
    if divisor == ONE:
        nanoseconds = cycles * load_u64(shared + trace.CLOCK_MULTIPLIER)
    else:
        whole, rest = cycles // divisor, cycles % divisor
        multiplier = load_u64(shared + trace.CLOCK_MULTIPLIER)
        nanoseconds = whole * multiplier + rest * multiplier // divisor
    if kind == trace.CLOCK_TICKS:
        return nanoseconds // trace.TICK
    return nanoseconds + load_u64(shared + trace.CLOCK_OFFSET)


@njit
def host_address(shared, address):
    """Where an address of the guest kernel's data is in this process.

    A guest whose pointers are broken must not break its host: an address outside RAM is a page of zeros.
    """
    start = load_u64(shared + trace.KERNEL_START)
    if address < start:
        start = load_u64(shared + trace.DIRECT_START)
    physical = address - start
    if physical >= load_u64(shared + trace.RAM_SIZE):
        return load_u64(shared + trace.NOWHERE)
    return physical + load_u64(shared + trace.RAM)


def build(guest: SimpleNamespace) -> SimpleNamespace:
    """The functions that read the guest's memory: current_task, preempt_count, store_common.

    `guest` has the loads and stores of its byte order (`pointers.in_byte_order`). What is stored in a ring buffer has the host's.
    """
    guest_u32, guest_u64 = guest.load_u32, guest.load_u64

    @njit
    def current_task(mine, shared):
        """The host address of the task that runs on this CPU."""
        task = guest_u64(load_u64(mine + trace.HOT) + load_u64(shared + trace.HOT_CURRENT))
        return host_address(shared, task)

    @njit
    def preempt_count(mine, shared):
        return guest_u32(load_u64(mine + trace.HOT) + load_u64(shared + trace.HOT_PREEMPT_COUNT))

    @njit
    def store_common(payload, kind, task, count, irqs_off, shared):
        """Writes the eight bytes that begin every entry: type, flags, preempt count, pid."""
        flags = FLAG_IRQS_OFF if irqs_off else np.uint32(0)
        if guest_u64(task + load_u64(shared + trace.TASK_FLAGS)) & TIF_NEED_RESCHED:
            flags |= FLAG_NEED_RESCHED
        if (count ^ np.uint32(load_u64(shared + trace.COUNT_ENABLED))) & NO_RESCHED:
            flags |= FLAG_PREEMPT_RESCHED
        if count & HARDIRQ:
            flags |= FLAG_HARDIRQ
        if count & SOFTIRQ:
            flags |= FLAG_SOFTIRQ
        if count & NMI:
            flags |= FLAG_NMI
        if count & BH_DISABLED:
            flags |= FLAG_BH_OFF
        depth = min(count & PREEMPT, DEEPEST_SHOWN)
        store_u32(payload, kind | (flags | depth << EIGHT) << SIXTEEN)
        store_u32(payload + FOUR, guest_u32(task + load_u64(shared + trace.TASK_PID)))

    return SimpleNamespace(current_task=current_task, preempt_count=preempt_count, store_common=store_common)
