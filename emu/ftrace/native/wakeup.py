# SPDX-License-Identifier: GPL-2.0-only
"""The wakeup tracers: how long a woken task waits for a CPU (Linux: trace_sched_wakeup.c).

They follow the wakeup of one task at a time, the one with the highest priority, by means of scheduler events, which they do not
record. Until that task runs, functions are recorded on its CPU: NO_SECTION is cleared in the CPU's IGNORED.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers.entries import TASK_SWITCH, EventType
from emu.ftrace.native import max_latency, stacks
from emu.ftrace.native.context import DEEPEST_SHOWN, PREEMPT_COUNT, Context, complete, host_address, now, of_type
from emu.ftrace.native.guest_records import Guest, GuestMemory, Task
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.ring_record import FAILED, MASKED
from emu.ftrace.native.trace_function import trace_function
from emu.ftrace.native.trace_records import ArrayCpu, EventFile, TraceArray
from emu.ftrace.native.trace_values import NO_SECTION, PLACE_EVENT
from emu.ftrace.native.unwind import Unwind
from emu.ftrace.native.wakeup_record import MAX_DL_PRIO, MAX_PRIO, NOBODY, Wakeup, WakeupFile
from emu.native.functions import Compiled, Native, njit
from emu.native.records import Bytes, Ints, Record, Values, Words, i32, i64, u8, u32, u64

__all__ = ["WakeupHandlers", "build"]

WAKEUP, CONTEXT_SWITCH, SIZE = u64(EventType.WAKEUP), u64(EventType.CONTEXT_SWITCH), u64(TASK_SWITCH.itemsize)
SignedInts = Values[i32]


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


class WakeupHandlers(NamedTuple):
    """The handlers, by scheduler event. Their files are `WakeupFile`s."""

    sched_wakeup: Compiled[[Cpu, EventFile], None]
    sched_wakeup_new: Compiled[[Cpu, EventFile], None]
    sched_switch: Compiled[[Cpu, EventFile], None]
    sched_migrate_task: Compiled[[Cpu, EventFile], None]


@njit
def move_section(file: WakeupFile, on: bool) -> None:
    """Starts or stops recording functions on the CPU of the followed task."""
    array_cpu = file.cpus[file.followed.current_cpu]
    if on:
        array_cpu.ignored &= ~NO_SECTION
    else:
        array_cpu.ignored |= NO_SECTION


@njit
def forget(file: WakeupFile) -> None:
    """Follows no task any longer (Linux: __wakeup_reset)."""
    followed = file.followed
    if followed.pid != NOBODY:
        move_section(file, False)
        followed.pid = NOBODY
        followed.prio = MAX_PRIO


@njit
def may_record(array_cpu: ArrayCpu) -> bool:
    """Whether the tracer measures wakeups, and on this CPU."""
    return array_cpu.array.max_latency.enabled and array_cpu.ring.disabled & (MASKED | FAILED) == 0


@njit
def pid_in(file: WakeupFile, staged: Bytes) -> u64:
    """The woken or next task's pid in an event's entry."""
    return Ints(staged.address + file.entry_pid)[0]


@njit
def prio_in(file: WakeupFile, staged: Bytes) -> i64:
    return SignedInts(staged.address + file.entry_prio)[0]


@njit
def cpu_in(file: WakeupFile, staged: Bytes) -> u64:
    return Ints(staged.address + file.entry_cpu)[0]


@njit
def common_in(staged: Bytes) -> u64:
    """The common fields of an event's entry. A probe on the tracepoint runs with preemption disabled once more."""
    common = Words(staged.address)[0]
    if common >> PREEMPT_COUNT & DEEPEST_SHOWN < DEEPEST_SHOWN:
        common += u64(1) << PREEMPT_COUNT
    return common


def build(guest: Guest, context: Context, unwind: Unwind) -> WakeupHandlers:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        unwind: see `native.unwind`.
    """
    numbers = guest.numbers
    native = Native(guest.layouts)
    record_callers_of = stacks.build(context, unwind).record_callers_of
    update_max = max_latency.build(guest).all_cpus
    current_task = context.current_task
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

    @njit
    def callers(cpu: Cpu, array: TraceArray) -> tuple[u64, u64]:
        """The return address of the event's probe, and the function with the event."""
        stack = array.stack
        count = unwind(cpu, array, PLACE_EVENT, stack, 2)
        return stack[0] if count > 0 else u64(0), stack[1] if count > 1 else u64(0)

    @native.njit
    def is_urgent(followed: Wakeup, prio: i64, current: Task) -> bool:
        """Whether a woken task must be followed: a deadline task, or a task that precedes all others."""
        if followed.prio < MAX_DL_PRIO or prio >= followed.prio_limit:
            return False
        return prio < MAX_DL_PRIO or (prio < followed.prio and prio < current.prio)

    @native.callback
    def woken(cpu: Cpu, event_file: EventFile) -> None:
        """Linux: probe_wakeup."""
        file, array_cpu = WakeupFile(event_file.address), event_file.cpus[cpu.index]
        array, followed = array_cpu.array, file.followed
        staged = array.event_context.entry
        prio, current, index = prio_in(file, staged), current_task(array_cpu, array), cpu_in(file, staged)
        if index >= followed.cpus or not may_record(array_cpu) or not is_urgent(followed, prio, current):
            return
        forget(file)
        pid = pid_in(file, staged)
        followed.pid = pid
        followed.prio = prio
        followed.cpu = index
        followed.current_cpu = index
        followed.start = now(cpu, array)
        move_section(file, True)
        common = common_in(staged)
        put(cpu, array_cpu, of_type(common, WAKEUP), current, pid, prio, index)
        record_callers_of(cpu, array_cpu, PLACE_EVENT, common, callers(cpu, array)[0], 0)
        trace_function(cpu, array_cpu, 0, 0, common)
        # Their names are shown: the waker's is saved at its next switch, the woken task's when it runs.
        file.cpus[index].recorded = True

    @native.njit
    def keep_worst(cpu: Cpu, array_cpu: ArrayCpu, followed: Wakeup) -> None:
        """Keeps the latency of the followed task, which runs now, if it is the worst."""
        array = array_cpu.array
        latency = now(cpu, array) - followed.start
        if max_latency.reports(array, latency):
            curr = GuestMemory(host_address(array, followed.curr + array_cpu.hot.percpu_offset))
            if update_max(cpu, array, curr.as_u64, latency, followed.start):
                array.max_latency.cpu = followed.cpu

    @native.callback
    def switched(cpu: Cpu, event_file: EventFile) -> None:
        """Linux: probe_wakeup_sched_switch."""
        file, array_cpu = WakeupFile(event_file.address), event_file.cpus[cpu.index]
        array, followed = array_cpu.array, file.followed
        staged = array.event_context.entry
        pid = pid_in(file, staged)
        if pid != followed.pid or not may_record(array_cpu):
            return
        common = common_in(staged)
        probe, function = callers(cpu, array)
        trace_function(cpu, array_cpu, function, 0, common)
        previous = current_task(array_cpu, array)
        put(cpu, array_cpu, of_type(common, CONTEXT_SWITCH), previous, pid, prio_in(file, staged), cpu.index)
        record_callers_of(cpu, array_cpu, PLACE_EVENT, common, probe, 0)
        keep_worst(cpu, array_cpu, followed)
        forget(file)

    @native.callback
    def migrated(cpu: Cpu, event_file: EventFile) -> None:
        """Linux: probe_wakeup_migrate_task."""
        file, staged = WakeupFile(event_file.address), event_file.cpus[cpu.index].array.event_context.entry
        index, followed = cpu_in(file, staged), file.followed
        if pid_in(file, staged) == followed.pid and index < followed.cpus:
            move_section(file, False)
            followed.current_cpu = index
            move_section(file, True)

    return WakeupHandlers(sched_wakeup=woken, sched_wakeup_new=woken, sched_switch=switched, sched_migrate_task=migrated)
