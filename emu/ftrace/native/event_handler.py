# SPDX-License-Identifier: GPL-2.0-only
"""An event of which an array wants more than that it is recorded: only of some tasks, or that something else happens, too.

This code is compiled when the first such event is wanted.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.ftrace.native import (
    array_cpu_record,
    array_record,
    consumer,
    event_context,
    event_file,
    event_record,
    pids,
    ring_record,
)
from emu.ftrace.native.context import now
from emu.ftrace.native.event import of_cpu, put_entry
from emu.ftrace.native.filter_program import keeps
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.tracer_cost import spend
from emu.native import cfunc, njit
from emu.native.pointers import call_handler, load_u32, load_u64, store_u8, store_u64

__all__ = ["build"]

ZERO, ONE = np.uint64(0), np.uint64(1)
NEWLINE = np.uint8(ord("\n"))


@njit
def pid_in(entry, offset):
    return np.uint64(load_u32(entry + offset))


@njit
def ignored(array_cpu, array, event, entry):
    """Whether set_event_pid and set_event_notrace_pid leave an event out. `event`: 0 for one that the host makes.

    A task switch counts for both tasks, and a wakeup for the task that is woken, too.
    """
    if event == ZERO or load_u64(array + array_record.EVENT_PIDS) == ZERO:
        return False
    of_current = load_u64(array_cpu + array_cpu_record.EVENTS_IGNORED) != ZERO
    first, second = load_u64(event + event_record.FIRST_PID), load_u64(event + event_record.SECOND_PID)
    if first == ZERO:
        return of_current
    if second == ZERO:
        return of_current and pids.events_ignored(array, pid_in(entry, first))
    excluded = pids.events_excluded(array, pid_in(entry, first)) and pids.events_excluded(array, pid_in(entry, second))
    return excluded or (pids.events_left_out(array, pid_in(entry, first)) and pids.events_left_out(array, pid_in(entry, second)))


@njit
def act(cpu, array_cpu, file, staged, size):
    """Has those consumers act that do so before the entry is recorded, and asks the filters of all."""
    following = load_u64(file + event_file.CONSUMERS)
    while following != ZERO:
        acting, following = following, load_u64(following + consumer.NEXT)
        kept = keeps(load_u64(acting + consumer.FILTER), cpu, array_cpu, staged, size)
        if load_u64(acting + consumer.POST) == consumer.AFTER:
            store_u64(acting + consumer.DUE, ONE if kept else ZERO)
        elif kept:
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)


@njit
def act_after(cpu, file):
    """Has the others act."""
    following = load_u64(file + event_file.CONSUMERS)
    while following != ZERO:
        acting, following = following, load_u64(following + consumer.NEXT)
        if load_u64(acting + consumer.POST) == consumer.AFTER and load_u64(acting + consumer.DUE) != ZERO:
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)


@njit
def follow_event(cpu, array_cpu, array):
    """After an event has been recorded: has it printed, and records the stacks that the array wants after each."""
    handler = load_u64(array + array_record.PRINT_EVENT)
    if handler != ZERO:
        call_handler(handler, cpu, array_cpu)
    handler = load_u64(array + array_record.EVENT_STACKS)
    if handler != ZERO:
        call_handler(handler, cpu, array_cpu)
    handler = load_u64(array + array_record.EVENT_USER_STACKS)
    if handler != ZERO:
        call_handler(handler, cpu, array_cpu)


@njit
def record(cpu, array_cpu, array, ring, disabled, event, staged, size):
    """Records an entry in a ring buffer that was `disabled` or not when the entry got its place.

    Stacks follow the guest's events only (`event` is not 0): as in Linux, a marker has none.
    """
    place = ring + ring_record.DISABLED
    now_disabled = load_u64(place)
    store_u64(place, disabled)
    entry = reserve(ring, now(cpu, array), size)
    store_u64(place, now_disabled)
    spend(cpu, load_u64(array + array_record.COST_EVENT))
    if put_entry(cpu, array_cpu, array, entry, staged, size) and event != ZERO:
        follow_event(cpu, array_cpu, array)


@njit
def record_kept(cpu, array_cpu, array, file, context, ring, disabled):
    """Records the entry in the event_context as `record` does, if the event's filter keeps it."""
    staged, size = load_u64(context + event_context.ENTRY), load_u64(context + event_context.SIZE)
    if not keeps(load_u64(file + event_file.FILTER), cpu, array_cpu, staged, size):
        spend(cpu, load_u64(array + array_record.COST_REJECTED))
    else:
        newline = load_u64(context + event_context.NEWLINE)
        if newline != ZERO:
            store_u8(newline, NEWLINE)
        record(cpu, array_cpu, array, ring, disabled, load_u64(context + event_context.EVENT), staged, size)


@functools.cache
def build() -> Any:
    """Compiles void handle(cpu, file): does all that `file`, an event_file, wants of the event in the event_context."""

    @cfunc(types.void(types.uint64, types.uint64))
    def handle(cpu, file):
        array_cpu = of_cpu(cpu, load_u64(file + event_file.CPUS))
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        context = load_u64(array + array_record.EVENT_CONTEXT)
        event = load_u64(context + event_context.EVENT)
        staged, size = load_u64(context + event_context.ENTRY), load_u64(context + event_context.SIZE)
        conditional = load_u64(file + event_file.TRIGGER_COND) != ZERO
        # As in Linux, consumers that do not look at the entry act for ignored tasks, too, and before the entry has a place in the
        # ring buffer: it is recorded only if the event was so before, too. With others the entry has its place first.
        soft_disabled = load_u64(file + event_file.FLAGS) & event_file.SOFT_DISABLED
        if not conditional:
            act(cpu, array_cpu, file, staged, size)
        if ignored(array_cpu, array, event, staged):
            return
        ring = load_u64(array_cpu + array_cpu_record.RING)
        disabled = load_u64(ring + ring_record.DISABLED)
        is_recorded = False
        if conditional:
            soft_disabled = ZERO
            first = load_u64(file + event_file.RECORD_FIRST) != ZERO and load_u64(context + event_context.NEWLINE) == ZERO
            if first and load_u64(file + event_file.FLAGS) == event_file.ENABLED:
                record_kept(cpu, array_cpu, array, file, context, ring, disabled)
                is_recorded = True
            act(cpu, array_cpu, file, staged, size)
        if not is_recorded and load_u64(file + event_file.FLAGS) | soft_disabled == event_file.ENABLED:
            record_kept(cpu, array_cpu, array, file, context, ring, disabled)
        if conditional:
            act_after(cpu, file)

    return handle
