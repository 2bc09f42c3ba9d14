# SPDX-License-Identifier: GPL-2.0-only
"""The tasks' calls under way, kept by the host: a kernel that is looked at from outside has no room for them.

A call is known by its frame: where its return address is on the stack. Each task has its calls, those of interrupts on other
stacks among them. As in Linux, they are those of the task that the kernel's `current` names. For a moment within __switch_to,
that is the previous task, while the CPU runs on the next one's stack already; calls that begin there also return there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import host_address
from emu.ftrace.native.guest_records import Calls, Guest, Task
from emu.ftrace.native.task_calls import TaskCalls
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import Native
from emu.native.hash_table import first_slot
from emu.native.records import i32, i64, u64

__all__ = ["CallStackFunctions", "build"]

NONE = i32(-1)


class CallStackFunctions(NamedTuple):
    """Compiled functions."""

    task_calls: TaskCalls

    run_task: Callable[[Cpu, u64], None]
    """run_task(cpu, task): from now on, a task (guest address) is the current one. Python may call it."""

    follow: Callable[[Cpu], None]
    """follow(cpu): looks which task is the current one."""

    switch_stack: Callable[[Cpu], None]
    """switch_stack(cpu): the CPU runs on another stack, which may be where another one was."""

    forget: Callable[[TraceArray, u64], None]
    """forget(array, task): a new task has this address. No call of it is under way."""

    drop_left: Callable[[ArrayCpu, u64], None]
    """drop_left(array_cpu, frame): a call with this frame begins. Drops the calls that can no longer be under way then."""

    returning: Callable[[ArrayCpu, u64, u64], bool]
    """returning(array_cpu, frame, address): whether the latest call under way is the one with this frame that returns to this
    address. Calls above such a call are dropped first."""


def build(guest: Guest) -> CallStackFunctions:
    """Compiles for a guest."""
    numbers, native = guest.numbers, Native(guest.layouts)
    most_calls = i64(numbers.depth)

    @native.njit
    def clear(calls: Calls) -> None:
        calls.curr_ret_stack = NONE
        calls.trace_overrun = 0
        calls.ftrace_timestamp = 0

    @native.njit
    def of_task(array: TraceArray, task: u64) -> Calls:
        stacks = array.call_stacks
        n = first_slot(task, stacks.last)
        while True:
            slot = stacks.slots[n]
            if slot.task == task:
                return Calls(slot.calls)
            if slot.task == 0:
                break
            n = (n + 1) & stacks.last
        if stacks.used < stacks.most:
            stacks.used += 1
        calls = Calls(stacks.memory + (stacks.used - 1) * stacks.size)
        if stacks.used < stacks.most:
            slot.task = task
            slot.calls = calls.address
        clear(calls)
        return calls

    @native.njit
    def current(array_cpu: ArrayCpu, array: TraceArray) -> Calls:
        return Calls(array_cpu.calls)

    @native.shared
    def run_task(cpu: Cpu, task: u64) -> None:
        array_cpu: ArrayCpu | None = ArrayCpu(cpu.callout)
        array = ArrayCpu(cpu.callout).array
        calls, stack = of_task(array, task), Task(host_address(array, task)).stack
        while array_cpu is not None:
            array_cpu.task = task
            array_cpu.calls = calls.address
            array_cpu.stack = stack
            array_cpu.stack_page = 0
            array_cpu = array_cpu.next

    @native.njit
    def follow(cpu: Cpu) -> None:
        array_cpu = ArrayCpu(cpu.callout)
        task = array_cpu.hot.current_task
        if task != array_cpu.task:
            run_task(cpu, task)

    @native.njit
    def switch_stack(cpu: Cpu) -> None:
        ArrayCpu(cpu.callout).stack_page = 0

    @native.njit
    def forget(array: TraceArray, task: u64) -> None:
        clear(of_task(array, task))

    @native.outlined
    def drop_dead(array_cpu: ArrayCpu, frame: u64) -> None:
        """On its task's own stack, a call that begins ends all calls that are deeper there, and all on other stacks."""
        low = array_cpu.stack
        if frame - low >= numbers.thread_size:
            return
        calls = Calls(array_cpu.calls)
        n = i64(calls.curr_ret_stack)
        while n >= 0:
            fp = calls.ret_stack[n].fp
            if fp >= frame and fp - low < numbers.thread_size:
                break
            n -= 1
            array_cpu.array.call_stacks.left += 1
        calls.curr_ret_stack = n

    @native.njit
    def drop_left(array_cpu: ArrayCpu, frame: u64) -> None:
        calls = Calls(array_cpu.calls)
        n = i64(calls.curr_ret_stack)
        if n >= 0 and calls.ret_stack[n].fp < frame:
            drop_dead(array_cpu, frame)

    @native.outlined
    def uncover(array_cpu: ArrayCpu, frame: u64, address: u64) -> bool:
        """Looks for a call below the latest one. If it is there, it becomes the latest."""
        calls = Calls(array_cpu.calls)
        latest = i64(calls.curr_ret_stack)
        n = latest
        while n >= 0:
            call = calls.ret_stack[n]
            if call.fp == frame and call.ret == address:
                calls.curr_ret_stack = n
                array_cpu.array.call_stacks.left += u64(latest - n)
                return True
            n -= 1
        return False

    @native.njit
    def returning(array_cpu: ArrayCpu, frame: u64, address: u64) -> bool:
        calls = Calls(array_cpu.calls)
        n = i64(calls.curr_ret_stack)
        if n < 0 or n >= most_calls:
            return False
        call = calls.ret_stack[n]
        if call.fp == frame:
            return call.ret == address
        return call.fp < frame and uncover(array_cpu, frame, address)

    return CallStackFunctions(TaskCalls(current, of_task), run_task, follow, switch_stack, forget, drop_left, returning)
