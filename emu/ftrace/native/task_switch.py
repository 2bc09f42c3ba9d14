# SPDX-License-Identifier: GPL-2.0-only
"""A task switch, for the tracers: which task's events follow, and how long that task was switched out."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import host_address, local_time, now
from emu.ftrace.native.function_graph import HIDDEN
from emu.ftrace.native.guest_records import Calls, Guest, Task
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import CLOCK_COUNTER, NOBODY, PROFILES
from emu.native.functions import Native, njit
from emu.native.records import i64, u64

__all__ = ["build"]


@njit
def switch_time(cpu: Cpu, graphs: TraceArray) -> u64:
    """The time of a switch, in the clock of this array's calls. It does not count as an event for the counter clock."""
    if graphs.graph_running == PROFILES:
        return local_time(cpu, graphs)
    if graphs.clock == CLOCK_COUNTER:
        return graphs.counter[0]
    return now(cpu, graphs)


def build(
    guest: Guest,
    choose: Callable[[ArrayCpu, TraceArray, u64], None],
    remember: Callable[[TraceArray, Task], None],
    calls_of: Callable[[TraceArray, u64], Calls],
) -> Callable[[Cpu, u64, u64], None]:
    """process_switch(cpu, previous, following): the CPU switches from one task to another (guest addresses).

    `choose`: from native.pids. `remember`: from native.saved_cmdlines. `calls_of`: from native.task_calls.
    """
    numbers = guest.numbers
    njit, most_calls = Native(guest.layouts).njit, i64(numbers.depth)

    @njit
    def choose_in_each(array_cpu: ArrayCpu | None, pid: u64) -> bool:
        """Tells every array which task runs now. Returns whether any has recorded an event since the last switch."""
        any_recorded = False
        while array_cpu is not None:
            any_recorded = array_cpu.recorded or any_recorded
            array_cpu.recorded = False
            choose(array_cpu, array_cpu.array, pid)
            array_cpu = array_cpu.next
        return any_recorded

    @njit
    def leave_out(calls: Calls, slept: u64) -> None:
        """Moves the calltime of each of a task's calls under way forward by `slept`, the time for which it was switched out."""
        for n in range(min(calls.curr_ret_stack + 1, most_calls)):
            call = calls.ret_stack[n]
            if call.calltime != HIDDEN:
                call.calltime += slept

    @njit
    def process_switch(cpu: Cpu, previous: u64, following: u64) -> None:
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        before, after = Task(host_address(array, previous)), Task(host_address(array, following))
        if choose_in_each(array_cpu, after.pid):
            remember(array, before)
            remember(array, after)
        graphs = array_cpu.graphs.array
        if graphs.graph_running == NOBODY:
            return
        time = switch_time(cpu, graphs)
        calls_of(array, previous).ftrace_timestamp = time
        calls = calls_of(array, following)
        since = calls.ftrace_timestamp
        if not array.sleep_time and since != 0:
            leave_out(calls, time - since)

    return process_switch
