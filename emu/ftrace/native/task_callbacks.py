# SPDX-License-Identifier: GPL-2.0-only
"""The callbacks of empty guest functions that report changes of tasks. Their arguments are tasks."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import pids, rethook_nodes, saved_cmdlines, task_switch
from emu.ftrace.native.arch import Callback, TaskCallbacks
from emu.ftrace.native.guest_records import Guest
from emu.native.functions import callback
from emu.native.records import u64

__all__ = ["build"]


def build(
    guest: Guest, first_argument: Callable[[Cpu], u64], second_argument: Callable[[Cpu], u64]
) -> TaskCallbacks:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        first_argument: first_argument(cpu) -> the first argument of the guest's function, compiled.
        second_argument: likewise for the second argument.
    """
    choose, process_fork, process_free = pids.build(guest)
    flush_task = rethook_nodes.build(guest).flush_task
    process_switch = task_switch.build(guest, choose, saved_cmdlines.build(guest))

    @callback
    def sched_switch(cpu: Cpu, address: u64) -> None:
        """ftrace_sched_switch(prev, next)."""
        process_switch(cpu, first_argument(cpu), second_argument(cpu))

    @callback
    def sched_process_fork(cpu: Cpu, address: u64) -> None:
        """ftrace_sched_process_fork(parent, child)."""
        process_fork(cpu, first_argument(cpu), second_argument(cpu))

    @callback
    def sched_process_free(cpu: Cpu, address: u64) -> None:
        """ftrace_sched_process_free(task)."""
        process_free(cpu, first_argument(cpu))
        flush_task(cpu, first_argument(cpu))

    return TaskCallbacks(
        sched_switch=Callback("ftrace_sched_switch", sched_switch),
        sched_process_fork=Callback("ftrace_sched_process_fork", sched_process_fork),
        sched_process_free=Callback("ftrace_sched_process_free", sched_process_free),
    )
