# SPDX-License-Identifier: GPL-2.0-only
"""The callbacks of empty guest functions that report changes of tasks. Their arguments are tasks."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import pids, rethook_nodes, saved_cmdlines, task_calls, task_switch
from emu.ftrace.native.arch import Callback, TaskCallbacks
from emu.ftrace.native.guest_records import Guest
from emu.native.functions import callback
from emu.native.records import u64

__all__ = ["build"]


def build(guest: Guest, arguments: Callable[[Cpu], tuple[u64, u64, u64, u64]]) -> TaskCallbacks:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        arguments: arguments(cpu) -> the first four of the guest's function, compiled.
    """
    choose, process_fork, process_free = pids.build(guest)
    flush_task = rethook_nodes.build(guest).flush_task
    process_switch = task_switch.build(guest, choose, saved_cmdlines.build(guest), task_calls.build(guest).of_task)

    @callback
    def sched_switch(cpu: Cpu, address: u64) -> None:
        """ftrace_sched_switch(prev, next)."""
        previous, following, _, _ = arguments(cpu)
        process_switch(cpu, previous, following)

    @callback
    def sched_process_fork(cpu: Cpu, address: u64) -> None:
        """ftrace_sched_process_fork(parent, child)."""
        parent, child, _, _ = arguments(cpu)
        process_fork(cpu, parent, child)

    @callback
    def sched_process_free(cpu: Cpu, address: u64) -> None:
        """ftrace_sched_process_free(task)."""
        task, _, _, _ = arguments(cpu)
        process_free(cpu, task)
        flush_task(cpu, task)

    return TaskCallbacks(
        sched_switch=Callback("ftrace_sched_switch", sched_switch),
        sched_process_fork=Callback("ftrace_sched_process_fork", sched_process_fork),
        sched_process_free=Callback("ftrace_sched_process_free", sched_process_free),
    )
