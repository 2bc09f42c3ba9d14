# SPDX-License-Identifier: GPL-2.0-only
"""Follows wakeups by functions of a Linux that is looked at from outside (`native.wakeup`), as they begin.

Linux tells its tracers of a wakeup a moment after these functions have begun, and of a switch a moment before.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import stacks, wakeup
from emu.ftrace.native.arch import WakeupCalls
from emu.ftrace.native.context import Context, host_address
from emu.ftrace.native.guest_records import Guest, Task, Waiting
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.native.trace_values import PLACE_BLOCK
from emu.ftrace.native.unwind import Unwind
from emu.ftrace.native.wakeup import Told
from emu.ftrace.native.wakeup_record import Wakeup
from emu.native.functions import Native, njit
from emu.native.records import u64

__all__ = ["build"]

QUEUED = 1  # TASK_ON_RQ_QUEUED of kernel/sched/sched.h
RESTORE = u64(2)  # ENQUEUE_RESTORE, the same: the task was on the queue before something of it was changed
HALF = u64(0xFFFF_FFFF)  # of an argument: an int
CALLS = 3  # addresses of a stack: the function that begins, its caller, and the caller's


def build(
    guest: Guest,
    context: Context,
    irqs_off: Callable[[u64], bool],
    unwind: Unwind,
    arguments: Callable[[Cpu], tuple[u64, u64, u64, u64]],
) -> WakeupCalls:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        unwind: see `native.unwind`. It must know PLACE_BLOCK.
        arguments: arguments(cpu) -> the first four of the function that begins.
    """
    native = Native(guest.layouts)
    current_task, preempt_count, common_fields = context
    record_after = stacks.build(context, unwind).record_after

    @njit
    def common(cpu: Cpu, array_cpu: ArrayCpu) -> u64:
        task = current_task(array_cpu, array_cpu.array)
        return common_fields(0, task, preempt_count(array_cpu), irqs_off(cpu.env))

    @njit
    def record_stack(cpu: Cpu, array_cpu: ArrayCpu, common: u64) -> None:
        record_after(cpu, array_cpu, PLACE_BLOCK, common)

    @njit
    def callers(cpu: Cpu, array_cpu: ArrayCpu) -> tuple[u64, u64]:
        """The caller of the function that begins, and the caller's."""
        array = array_cpu.array
        stack = array.stack
        count = unwind(cpu, array, PLACE_BLOCK, stack, CALLS)
        return stack[1] if count > 1 else u64(0), stack[2] if count > 2 else u64(0)

    @njit
    def following_task(cpu: Cpu, array_cpu: ArrayCpu, followed: Wakeup) -> u64:
        return arguments(cpu)[1]

    followers = wakeup.build(guest, context, Told(common, record_stack, callers, callers, following_task))
    follow_woken, follow_switched, follow_migrated = followers

    @native.outlined
    def wake(cpu: Cpu, address: u64, task: u64) -> None:
        """A task is woken by the function at `address`."""
        array_cpu = ArrayCpu(cpu.callout).wakeups
        if array_cpu is None:
            return
        array = array_cpu.array
        array.event_context.ip = address
        place = host_address(array, task)
        found = Task(place)
        follow_woken(cpu, array_cpu, array.wakeup, found.pid, found.prio, Waiting(place).cpu)

    @native.callback
    def woken(cpu: Cpu, address: u64) -> None:
        wake(cpu, address, arguments(cpu)[1])

    @native.callback
    def enqueued(cpu: Cpu, address: u64) -> None:
        _, task, flags, _ = arguments(cpu)
        found = Waiting(host_address(ArrayCpu(cpu.callout).array, task))
        if found.sched_delayed and found.on_rq == QUEUED and flags & RESTORE == 0:
            wake(cpu, address, task)

    @native.callback
    def created(cpu: Cpu, address: u64) -> None:
        wake(cpu, address, arguments(cpu)[0])

    @native.callback
    def switched(cpu: Cpu, address: u64) -> None:
        array_cpu = ArrayCpu(cpu.callout).wakeups
        if array_cpu is None:
            return
        array = array_cpu.array
        array.event_context.ip = address
        task = Task(host_address(array, arguments(cpu)[1]))
        follow_switched(cpu, array_cpu, array.wakeup, task.pid, task.prio)

    @native.callback
    def migrated(cpu: Cpu, address: u64) -> None:
        array_cpu = ArrayCpu(cpu.callout).wakeups
        if array_cpu is None:
            return
        array, (task, index, _, _) = array_cpu.array, arguments(cpu)
        follow_migrated(array, array.wakeup, Task(host_address(array, task)).pid, index & HALF)

    return WakeupCalls(woken, enqueued, created, switched, migrated)
