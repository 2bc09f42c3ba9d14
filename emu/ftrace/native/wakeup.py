# SPDX-License-Identifier: GPL-2.0-only
"""The wakeup tracers: how long a task waits for a CPU from when it is woken (Linux: trace_sched_wakeup.c).

They follow the wakeup of one task at a time, of the highest priority, by events of the scheduler, which they do not record. Until
that task runs, functions are recorded on its CPU: NO_SECTION of the CPU's IGNORED is clear.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.events import TASK_SWITCH, EventType
from emu.ftrace.native import (
    array_cpu_record,
    array_record,
    event_context,
    event_file,
    max_latency,
    max_latency_record,
    ring_record,
    stacks,
    wakeup_record,
)
from emu.ftrace.native.context import DEEPEST_SHOWN, PREEMPT_COUNT, Context, complete, host_address, now, of_type
from emu.ftrace.native.event import of_cpu
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.trace_function import trace_function
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, load_i32, load_u32, load_u64, store_u8, store_u32, store_u64
from emu.native.record import offset_of

__all__ = ["WakeupHandlers", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE, TWO, WORD = (np.uint64(n) for n in (0, 1, 2, 8))
NO_STATE = np.uint8(0)
OF_DEADLINE = np.int64(wakeup_record.MAX_DL_PRIO)

WAKEUP, CONTEXT_SWITCH = np.uint64(EventType.WAKEUP), np.uint64(EventType.CONTEXT_SWITCH)
SIZE = np.uint64(TASK_SWITCH.itemsize)
PREV_PID, PREV_PRIO, PREV_STATE = (offset_of(TASK_SWITCH, f"prev_{name}") for name in ("pid", "prio", "state"))
NEXT_PID, NEXT_PRIO, NEXT_STATE = (offset_of(TASK_SWITCH, f"next_{name}") for name in ("pid", "prio", "state"))
NEXT_CPU = offset_of(TASK_SWITCH, "next_cpu")


class WakeupHandlers(NamedTuple):
    """The addresses of void (*)(cpu, file), by the scheduler's event; `file` is one of wakeup_record."""

    sched_wakeup: int
    sched_wakeup_new: int
    sched_switch: int
    sched_migrate_task: int


@njit
def move_section(array, followed, on):
    """Has the functions recorded on the CPU of the task that is followed, or no more."""
    index = load_u64(followed + wakeup_record.CURRENT_CPU)
    ignored = load_u64(load_u64(array + array_record.CPUS) + index * WORD) + array_cpu_record.IGNORED
    if on:
        store_u64(ignored, load_u64(ignored) & ~array_cpu_record.NO_SECTION)
    else:
        store_u64(ignored, load_u64(ignored) | array_cpu_record.NO_SECTION)


@njit
def forget(array, followed):
    """Nobody is followed (Linux: __wakeup_reset)."""
    if load_u64(followed + wakeup_record.PID) != wakeup_record.NOBODY:
        move_section(array, followed, False)
        store_u64(followed + wakeup_record.PID, wakeup_record.NOBODY)
        store_u64(followed + wakeup_record.PRIO, wakeup_record.MAX_PRIO)


@njit
def may_record(array_cpu, array):
    """Whether the tracer looks for wakeups, and on this CPU."""
    enabled = load_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.ENABLED) != ZERO
    disabled = load_u64(load_u64(array_cpu + array_cpu_record.RING) + ring_record.DISABLED)
    return enabled and disabled & (ring_record.MASKED | ring_record.FAILED) == ZERO


@njit
def common_of(staged):
    """The common fields of an event's entry. A tracer of the tracepoint is called with preemption disabled once more."""
    common = load_u64(staged)
    if common >> PREEMPT_COUNT & DEEPEST_SHOWN < DEEPEST_SHOWN:
        common += ONE << PREEMPT_COUNT
    return common


def build(memory: Accessors, guest: GuestLayout, context: Context, unwind: Any) -> WakeupHandlers:
    """Compiles for a guest.

    Args:
        memory: accesses in its byte order.
        guest: its structures.
        context: compiled for it.
        unwind: see `native.unwind`.
    """
    record_callers_of = stacks.build(context, unwind).record_callers_of
    update_max = max_latency.build(memory, guest).all_cpus
    current_task = context.current_task
    guest_u32, guest_i32, guest_u64 = memory.load_u32, memory.load_i32, memory.load_u64
    shown_states, idle = np.uint32(guest.task_report), np.uint32(guest.task_idle)
    idle_index = np.uint8(int(guest.task_report).bit_length() + 1)

    @njit
    def state_index(task):
        """Linux: task_state_index."""
        state = guest_u32(task + guest.task_state)
        if state == idle:
            return idle_index
        shown = (state | guest_u32(task + guest.task_exit_state)) & shown_states
        index = NO_STATE
        while shown != 0:
            shown >>= np.uint32(1)
            index += np.uint8(1)
        return index

    @njit
    def put(cpu, array_cpu, array, common, first, pid, prio, index):
        """Records an entry: a task, and the one that it has woken, or that runs after it, which is runnable."""
        entry = reserve(load_u64(array_cpu + array_cpu_record.RING), now(cpu, array), SIZE)
        if entry == ZERO:
            return
        store_u64(entry, common)
        store_u32(entry + PREV_PID, guest_u32(first + guest.task_pid))
        store_u8(entry + PREV_PRIO, np.uint8(guest_u32(first + guest.task_prio)))
        store_u8(entry + PREV_STATE, state_index(first))
        store_u32(entry + NEXT_PID, np.uint32(pid))
        store_u32(entry + NEXT_CPU, np.uint32(index))
        store_u8(entry + NEXT_PRIO, np.uint8(prio))
        store_u8(entry + NEXT_STATE, NO_STATE)
        complete(cpu, array_cpu, array)

    @njit
    def callers(cpu, array):
        """Where the probe of the event goes on, and the function that has the event."""
        stack = load_u64(array + array_record.STACK)
        count = unwind(cpu, array, event_context.PLACE_EVENT, stack, TWO)
        return load_u64(stack) if count > ZERO else ZERO, load_u64(stack + WORD) if count > ONE else ZERO

    @njit
    def happening(cpu, file):
        """The CPU's record of the array, the array's, the wakeup_record, and the entry of the event."""
        array_cpu = of_cpu(cpu, load_u64(file + event_file.CPUS))
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        staged = load_u64(load_u64(array + array_record.EVENT_CONTEXT) + event_context.ENTRY)
        return array_cpu, array, load_u64(file + wakeup_record.RECORD), staged

    @njit
    def is_urgent(followed, prio, current):
        """Whether a task is to be followed that is woken now: a deadline task, or one before which nothing else is."""
        at_present = np.int64(load_u64(followed + wakeup_record.PRIO))
        if at_present < OF_DEADLINE or prio >= np.int64(load_u64(followed + wakeup_record.PRIO_LIMIT)):
            return False
        return prio < OF_DEADLINE or (prio < at_present and prio < np.int64(guest_i32(current + guest.task_prio)))

    @cfunc(_HANDLER)
    def woken(cpu, file):
        """Linux: probe_wakeup."""
        array_cpu, array, followed, staged = happening(cpu, file)
        prio = np.int64(load_i32(staged + load_u64(file + wakeup_record.ENTRY_PRIO)))
        current = current_task(array_cpu, array)
        index = np.uint64(load_u32(staged + load_u64(file + wakeup_record.ENTRY_CPU)))
        if index >= load_u64(followed + wakeup_record.CPUS) or not may_record(array_cpu, array):
            return
        if not is_urgent(followed, prio, current):
            return
        forget(array, followed)
        pid = np.uint64(load_u32(staged + load_u64(file + wakeup_record.ENTRY_PID)))
        store_u64(followed + wakeup_record.PID, pid)
        store_u64(followed + wakeup_record.PRIO, np.uint64(prio))
        store_u64(followed + wakeup_record.CPU, index)
        store_u64(followed + wakeup_record.CURRENT_CPU, index)
        store_u64(followed + wakeup_record.START, now(cpu, array))
        move_section(array, followed, True)
        common = common_of(staged)
        put(cpu, array_cpu, array, of_type(common, WAKEUP), current, pid, prio, index)
        record_callers_of(cpu, array_cpu, event_context.PLACE_EVENT, common, callers(cpu, array)[0], ONE)
        trace_function(cpu, array_cpu, ZERO, ZERO, common)
        # Whose names are shown: that of the waker is kept at its next switch, that of the woken one when it runs.
        store_u64(load_u64(load_u64(file + event_file.CPUS) + index * WORD) + array_cpu_record.RECORDED, ONE)

    @cfunc(_HANDLER)
    def switched(cpu, file):
        """Linux: probe_wakeup_sched_switch."""
        array_cpu, array, followed, staged = happening(cpu, file)
        pid = np.uint64(load_u32(staged + load_u64(file + wakeup_record.ENTRY_PID)))
        if pid != load_u64(followed + wakeup_record.PID) or not may_record(array_cpu, array):
            return
        common = common_of(staged)
        probe, function = callers(cpu, array)
        trace_function(cpu, array_cpu, function, ZERO, common)
        prio = load_i32(staged + load_u64(file + wakeup_record.ENTRY_PRIO))
        here, previous = load_u64(cpu + cpu_record.INDEX), current_task(array_cpu, array)
        put(cpu, array_cpu, array, of_type(common, CONTEXT_SWITCH), previous, pid, prio, here)
        record_callers_of(cpu, array_cpu, event_context.PLACE_EVENT, common, probe, ONE)
        start = load_u64(followed + wakeup_record.START)
        latency = now(cpu, array) - start
        if max_latency.reports(array, latency):
            offset = guest_u64(load_u64(array_cpu + array_cpu_record.HOT) + guest.percpu_offset)
            next_task = guest_u64(host_address(array, load_u64(followed + wakeup_record.CURR) + offset))
            if update_max(cpu, array, next_task, latency, start):
                worst = load_u64(array + array_record.MAX_LATENCY)
                store_u64(worst + max_latency_record.CPU, load_u64(followed + wakeup_record.CPU))
        forget(array, followed)

    @cfunc(_HANDLER)
    def migrated(cpu, file):
        """Linux: probe_wakeup_migrate_task."""
        _, array, followed, staged = happening(cpu, file)
        index = np.uint64(load_u32(staged + load_u64(file + wakeup_record.ENTRY_CPU)))
        pid = np.uint64(load_u32(staged + load_u64(file + wakeup_record.ENTRY_PID)))
        if pid == load_u64(followed + wakeup_record.PID) and index < load_u64(followed + wakeup_record.CPUS):
            move_section(array, followed, False)
            store_u64(followed + wakeup_record.CURRENT_CPU, index)
            move_section(array, followed, True)

    return WakeupHandlers(
        sched_wakeup=woken.address,
        sched_wakeup_new=woken.address,
        sched_switch=switched.address,
        sched_migrate_task=migrated.address,
    )
