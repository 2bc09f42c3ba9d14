# SPDX-License-Identifier: GPL-2.0-only
"""Handles an event that an array does not simply record: it may be limited to some tasks, or have triggers.

This code is compiled when the first such event is used.
"""

from __future__ import annotations

import functools

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import pids
from emu.ftrace.native.context import now
from emu.ftrace.native.event import of_cpu, put_entry
from emu.ftrace.native.filter_program import keeps
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.ring_record import Ring
from emu.ftrace.native.trace_records import ArrayCpu, Event, EventContext, EventFile, TraceArray
from emu.ftrace.native.trace_values import AFTER, ENABLED, SOFT_DISABLED  # fmt: skip
from emu.ftrace.native.tracer_cost import spend
from emu.native.functions import Compiled, callback, njit
from emu.native.records import Bytes, Ints, u64

__all__ = ["build"]

NEWLINE = ord("\n")


@njit
def both_ignored(array: TraceArray, first: u64, second: u64) -> bool:
    """Whether both tasks of an event are left out by the lists."""
    excluded = pids.events_excluded(array, first) and pids.events_excluded(array, second)
    return excluded or (pids.events_left_out(array, first) and pids.events_left_out(array, second))


@njit
def ignored(array_cpu: ArrayCpu, array: TraceArray, event: Event | None, entry: Bytes) -> bool:
    """Whether set_event_pid and set_event_notrace_pid leave an event out. `event`: None for an event made by the host.

    A task switch counts for both tasks, and a wakeup also for the woken task.
    """
    if event is None or not array.event_pids:
        return False
    of_current = array_cpu.events_ignored != 0
    if event.first_pid == 0:
        return of_current
    first = Ints(entry.address + event.first_pid)[0]
    if event.second_pid == 0:
        return of_current and pids.events_ignored(array, first)
    return both_ignored(array, first, Ints(entry.address + event.second_pid)[0])


@njit
def act(cpu: Cpu, array_cpu: ArrayCpu, file: EventFile, staged: Bytes, size: u64) -> None:
    """Runs the consumers that act before the entry is recorded, and evaluates the filters of all."""
    following = file.consumers
    while following is not None:
        acting, following = following, following.next
        kept = keeps(acting.filter, cpu, array_cpu, staged, size)
        if acting.post == AFTER:
            acting.due = kept
        elif kept:
            acting.handler(cpu, acting)


@njit
def act_after(cpu: Cpu, file: EventFile) -> None:
    """Runs the other consumers."""
    following = file.consumers
    while following is not None:
        acting, following = following, following.next
        if acting.post == AFTER and acting.due:
            acting.handler(cpu, acting)


@njit
def follow_event(cpu: Cpu, array_cpu: ArrayCpu, array: TraceArray) -> None:
    """After an event has been recorded: prints it, and records its stack traces, if the array is set so."""
    print_event, record_stack, record_user_stack = array.print_event, array.event_stacks, array.event_user_stacks
    if print_event is not None:
        print_event(cpu, array_cpu)
    if record_stack is not None:
        record_stack(cpu, array_cpu)
    if record_user_stack is not None:
        record_user_stack(cpu, array_cpu)


@njit
def record(cpu: Cpu, array_cpu: ArrayCpu, told: EventContext, ring: Ring, disabled: u64) -> None:
    """Records the entry in the event_context in a ring buffer. `disabled`: the ring's state when the entry was reserved.

    Only the guest's events are followed by stack traces: as in Linux, a marker has none.
    """
    array = array_cpu.array
    now_disabled = ring.disabled
    ring.disabled = disabled
    entry = reserve(ring, now(cpu, array), told.size)
    ring.disabled = now_disabled
    spend(cpu, array.cost_event)
    if put_entry(cpu, array_cpu, array, entry, told.entry, told.size) and told.event is not None:
        follow_event(cpu, array_cpu, array)


@njit
def record_kept(cpu: Cpu, array_cpu: ArrayCpu, file: EventFile, told: EventContext, ring: Ring, disabled: u64) -> None:
    """The same, if the event's filter keeps the entry."""
    if not keeps(file.filter, cpu, array_cpu, told.entry, told.size):
        spend(cpu, array_cpu.array.cost_rejected)
    else:
        newline = told.newline
        if newline is not None:
            newline[0] = NEWLINE
        record(cpu, array_cpu, told, ring, disabled)


@functools.cache
def build() -> Compiled[[Cpu, EventFile], None]:
    """Compiles void handle(cpu, file): does everything that `file` needs for the event in the event_context."""

    @callback
    def handle(cpu: Cpu, file: EventFile) -> None:
        array_cpu = of_cpu(cpu, file.cpus)
        array = array_cpu.array
        told = array.event_context
        event, staged, size = told.event, told.entry, told.size
        conditional = file.trigger_cond
        # As in Linux, consumers that do not read the entry also act for ignored tasks, and before the entry is reserved in the
        # ring buffer: it is recorded only if the event was so before, too. With other consumers, the entry is reserved first.
        soft_disabled = file.flags & SOFT_DISABLED
        if not conditional:
            act(cpu, array_cpu, file, staged, size)
        if ignored(array_cpu, array, event, staged):
            return
        ring = array_cpu.ring
        disabled = ring.disabled
        is_recorded = False
        if conditional:
            soft_disabled = 0
            first = file.record_first and told.newline is None
            if first and file.flags == ENABLED:
                record_kept(cpu, array_cpu, file, told, ring, disabled)
                is_recorded = True
            act(cpu, array_cpu, file, staged, size)
        if not is_recorded and file.flags | soft_disabled == ENABLED:
            record_kept(cpu, array_cpu, file, told, ring, disabled)
        if conditional:
            act_after(cpu, file)

    return handle
