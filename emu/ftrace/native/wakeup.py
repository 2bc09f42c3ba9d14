# SPDX-License-Identifier: GPL-2.0-only
"""The wakeup tracers: how long a woken task waits for a CPU (Linux: trace_sched_wakeup.c).

They follow the wakeup of one task at a time, the one with the highest priority. Until that task runs, functions are recorded
on its CPU: NO_SECTION is cleared in the CPU's IGNORED. They are told of wakeups, switches and moves by scheduler events,
which they do not record (`native.wakeup_events`), or by functions of a kernel that is looked at from outside
(`wakeups` of an architecture).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers.entries import TASK_SWITCH, EventType
from emu.ftrace.native import max_latency
from emu.ftrace.native.context import Context, complete, now, of_type
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.ring_record import FAILED, MASKED
from emu.ftrace.native.trace_function import trace_function
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import NO_SECTION
from emu.ftrace.native.wakeup_record import MAX_DL_PRIO, MAX_PRIO, NOBODY, Wakeup
from emu.native.functions import Native, njit
from emu.native.records import Record, i64, u8, u32, u64

__all__ = ["Following", "Told", "build"]

WAKEUP, CONTEXT_SWITCH, SIZE = u64(EventType.WAKEUP), u64(EventType.CONTEXT_SWITCH), u64(TASK_SWITCH.itemsize)


class SwitchEntry(Record):
    """The entry of WAKEUP and CONTEXT_SWITCH."""

    common: u64
    prev_pid: u32
    next_pid: u32
    next_cpu: u32
    prev_prio: u8
    prev_state: u8
    next_prio: u8
    next_state: u8


class Told(NamedTuple):
    """Compiled functions about where a CPU is when it wakes a task, or switches to another one."""

    common: Callable[[Cpu, ArrayCpu], u64]
    """common(cpu, array_cpu) -> the first word of an entry, of any type."""

    record_stack: Callable[[Cpu, ArrayCpu, u64], None]
    """record_stack(cpu, array_cpu, common)"""

    waker: Callable[[Cpu, ArrayCpu], tuple[u64, u64]]
    """waker(cpu, array_cpu) -> (ip, parent_ip) of the entry that tells where the task was woken."""

    scheduler: Callable[[Cpu, ArrayCpu], tuple[u64, u64]]
    """scheduler(cpu, array_cpu) -> the same for a switch."""

    following_task: Callable[[Cpu, ArrayCpu, Wakeup], u64]
    """following_task(cpu, array_cpu, followed) -> the guest address of the task to which the CPU switches."""


class Following(NamedTuple):
    """Compiled functions. `array_cpu`: the CPU's record in the array that traces wakeups."""

    woken: Callable[[Cpu, ArrayCpu, Wakeup, u64, i64, u64], None]
    """woken(cpu, array_cpu, followed, pid, prio, index): a task was woken, on the CPU with this index."""

    switched: Callable[[Cpu, ArrayCpu, Wakeup, u64, i64], None]
    """switched(cpu, array_cpu, followed, pid, prio): the CPU switches to a task."""

    migrated: Callable[[TraceArray, Wakeup, u64, u64], None]
    """migrated(array, followed, pid, index): a task moves to another CPU."""


@njit
def move_section(array: TraceArray, followed: Wakeup, on: bool) -> None:
    """Starts or stops recording functions on the CPU of the followed task."""
    array_cpu = array.cpus[followed.current_cpu]
    if on:
        array_cpu.ignored &= ~NO_SECTION
    else:
        array_cpu.ignored |= NO_SECTION


@njit
def forget(array: TraceArray, followed: Wakeup) -> None:
    """Follows no task any longer (Linux: __wakeup_reset)."""
    if followed.pid != NOBODY:
        move_section(array, followed, False)
        followed.pid = NOBODY
        followed.prio = MAX_PRIO


@njit
def may_record(array_cpu: ArrayCpu) -> bool:
    """Whether the tracer measures wakeups, and on this CPU."""
    return array_cpu.array.max_latency.enabled and array_cpu.ring.disabled & (MASKED | FAILED) == 0


def build(guest: Guest, context: Context, told: Told) -> Following:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        told: likewise.
    """
    numbers = guest.numbers
    native = Native(guest.layouts)
    update_max = max_latency.build(guest).all_cpus
    current_task = context.current_task
    common_of, record_stack, waker, scheduler, following_task = told
    idle_index = u64(int(numbers.task_report).bit_length() + 1)

    @native.njit
    def state_index(task: Task) -> u64:
        """Linux: task_state_index."""
        if task.state == numbers.task_idle:
            return idle_index
        shown, index = (task.state | task.exit_state) & numbers.task_report, u64(0)
        while shown != 0:
            shown >>= u64(1)
            index += 1
        return index

    @native.njit
    def put(cpu: Cpu, array_cpu: ArrayCpu, common: u64, first: Task, pid: u64, prio: i64, index: u64) -> None:
        """Records an entry: a task, and the runnable task that it has woken or that runs after it."""
        place = reserve(array_cpu.ring, now(cpu, array_cpu.array), SIZE)
        if place == 0:
            return
        entry = SwitchEntry(place)
        entry.common = common
        entry.prev_pid = first.pid
        entry.prev_prio = first.prio
        entry.prev_state = state_index(first)
        entry.next_pid = pid
        entry.next_cpu = index
        entry.next_prio = prio
        entry.next_state = 0
        complete(cpu, array_cpu, array_cpu.array)

    @native.njit
    def is_urgent(followed: Wakeup, prio: i64, current: Task) -> bool:
        """Whether a woken task must be followed: a deadline task, or a task that precedes all others."""
        if followed.prio < MAX_DL_PRIO or prio >= followed.prio_limit:
            return False
        return prio < MAX_DL_PRIO or (prio < followed.prio and prio < current.prio)

    @native.njit
    def woken(cpu: Cpu, array_cpu: ArrayCpu, followed: Wakeup, pid: u64, prio: i64, index: u64) -> None:
        """Linux: probe_wakeup."""
        array = array_cpu.array
        current = current_task(array_cpu, array)
        if index >= followed.cpus or not may_record(array_cpu) or not is_urgent(followed, prio, current):
            return
        forget(array, followed)
        followed.pid = pid
        followed.prio = prio
        followed.cpu = index
        followed.current_cpu = index
        followed.start = now(cpu, array)
        move_section(array, followed, True)
        common = common_of(cpu, array_cpu)
        put(cpu, array_cpu, of_type(common, WAKEUP), current, pid, prio, index)
        record_stack(cpu, array_cpu, common)
        ip, parent_ip = waker(cpu, array_cpu)
        trace_function(cpu, array_cpu, ip, parent_ip, common)
        # Their names are shown: the waker's is saved at its next switch, the woken task's when it runs.
        array.cpus[index].recorded = True

    @native.njit
    def keep_worst(cpu: Cpu, array_cpu: ArrayCpu, followed: Wakeup) -> None:
        """Keeps the latency of the followed task, which runs now, if it is the worst."""
        array = array_cpu.array
        latency = now(cpu, array) - followed.start
        if not max_latency.reports(array, latency):
            return
        if update_max(cpu, array, following_task(cpu, array_cpu, followed), latency, followed.start):
            array.max_latency.cpu = followed.cpu

    @native.njit
    def switched(cpu: Cpu, array_cpu: ArrayCpu, followed: Wakeup, pid: u64, prio: i64) -> None:
        """Linux: probe_wakeup_sched_switch."""
        if pid != followed.pid or not may_record(array_cpu):
            return
        array, common = array_cpu.array, common_of(cpu, array_cpu)
        ip, parent_ip = scheduler(cpu, array_cpu)
        trace_function(cpu, array_cpu, ip, parent_ip, common)
        put(cpu, array_cpu, of_type(common, CONTEXT_SWITCH), current_task(array_cpu, array), pid, prio, cpu.index)
        record_stack(cpu, array_cpu, common)
        keep_worst(cpu, array_cpu, followed)
        forget(array, followed)

    @native.njit
    def migrated(array: TraceArray, followed: Wakeup, pid: u64, index: u64) -> None:
        """Linux: probe_wakeup_migrate_task."""
        if pid == followed.pid and index < followed.cpus:
            move_section(array, followed, False)
            followed.current_cpu = index
            move_section(array, followed, True)

    return Following(woken, switched, migrated)
