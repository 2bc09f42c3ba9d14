# SPDX-License-Identifier: GPL-2.0-only
"""Follows wakeups by the scheduler events of emu's own kernel (`native.wakeup`)."""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import stacks, wakeup
from emu.ftrace.native.context import DEEPEST_SHOWN, PREEMPT_COUNT, Context, host_address
from emu.ftrace.native.guest_records import Guest, GuestMemory
from emu.ftrace.native.trace_records import ArrayCpu, EventFile, TraceArray
from emu.ftrace.native.trace_values import PLACE_EVENT
from emu.ftrace.native.unwind import Unwind
from emu.ftrace.native.wakeup import Told
from emu.ftrace.native.wakeup_record import Wakeup
from emu.native.functions import Compiled, Native, njit
from emu.native.records import Bytes, Ints, Values, Words, i32, i64, u64

__all__ = ["WakeupFile", "WakeupHandlers", "build"]

SignedInts = Values[i32]


class WakeupFile(EventFile):
    """A wakeup tracer's hook on a scheduler event."""

    followed: Wakeup
    entry_pid: u64  # offset of the pid of the woken, moved or next task
    entry_prio: u64  # offset of its priority
    entry_cpu: u64  # offset of its CPU


class WakeupHandlers(NamedTuple):
    """The handlers, by scheduler event. Their files are `WakeupFile`s."""

    sched_wakeup: Compiled[[Cpu, EventFile], None]
    sched_wakeup_new: Compiled[[Cpu, EventFile], None]
    sched_switch: Compiled[[Cpu, EventFile], None]
    sched_migrate_task: Compiled[[Cpu, EventFile], None]


@njit
def staged_of(array: TraceArray) -> Bytes:
    """The event's entry."""
    return array.event_context.entry


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
def common_in(cpu: Cpu, array_cpu: ArrayCpu) -> u64:
    """The common fields of an event's entry. A probe on the tracepoint runs with preemption disabled once more."""
    common = Words(staged_of(array_cpu.array).address)[0]
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
    native = Native(guest.layouts)
    record_callers_of = stacks.build(context, unwind).record_callers_of

    @njit
    def callers(cpu: Cpu, array: TraceArray) -> tuple[u64, u64]:
        """The return address of the event's probe, and the function with the event."""
        stack = array.stack
        count = unwind(cpu, array, PLACE_EVENT, stack, 2)
        return stack[0] if count > 0 else u64(0), stack[1] if count > 1 else u64(0)

    @njit
    def record_stack(cpu: Cpu, array_cpu: ArrayCpu, common: u64) -> None:
        record_callers_of(cpu, array_cpu, PLACE_EVENT, common, callers(cpu, array_cpu.array)[0], 0)

    @njit
    def waker(cpu: Cpu, array_cpu: ArrayCpu) -> tuple[u64, u64]:
        return u64(0), u64(0)

    @njit
    def scheduler(cpu: Cpu, array_cpu: ArrayCpu) -> tuple[u64, u64]:
        return callers(cpu, array_cpu.array)[1], u64(0)

    @native.njit
    def following_task(cpu: Cpu, array_cpu: ArrayCpu, followed: Wakeup) -> u64:
        """The run queue knows it already."""
        return GuestMemory(host_address(array_cpu.array, followed.curr + array_cpu.hot.percpu_offset)).as_u64

    followers = wakeup.build(guest, context, Told(common_in, record_stack, waker, scheduler, following_task))
    follow_woken, follow_switched, follow_migrated = followers

    @native.callback
    def woken(cpu: Cpu, event_file: EventFile) -> None:
        file, array_cpu = WakeupFile(event_file.address), event_file.cpus[cpu.index]
        staged = staged_of(array_cpu.array)
        follow_woken(cpu, array_cpu, file.followed, pid_in(file, staged), prio_in(file, staged), cpu_in(file, staged))

    @native.callback
    def switched(cpu: Cpu, event_file: EventFile) -> None:
        file, array_cpu = WakeupFile(event_file.address), event_file.cpus[cpu.index]
        staged = staged_of(array_cpu.array)
        follow_switched(cpu, array_cpu, file.followed, pid_in(file, staged), prio_in(file, staged))

    @native.callback
    def migrated(cpu: Cpu, event_file: EventFile) -> None:
        file, array = WakeupFile(event_file.address), event_file.cpus[cpu.index].array
        staged = staged_of(array)
        follow_migrated(array, file.followed, pid_in(file, staged), cpu_in(file, staged))

    return WakeupHandlers(sched_wakeup=woken, sched_wakeup_new=woken, sched_switch=switched, sched_migrate_task=migrated)
