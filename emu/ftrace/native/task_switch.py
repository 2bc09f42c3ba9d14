# SPDX-License-Identifier: GPL-2.0-only
"""A process switch, for the tracers: which task's events come next, and for how long that task was switched out."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record
from emu.ftrace.native.context import host_address, local_time, now
from emu.ftrace.native.function_graph import HIDDEN
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u64

__all__ = ["build"]

ZERO = np.uint64(0)


def build(memory: Accessors, guest: GuestLayout, choose: Any, remember: Any) -> Any:
    """process_switch(cpu, previous, following): a task gives the CPU to another (guest addresses).

    `memory`: accesses in the guest's byte order. `choose`: of native.pids. `remember`: of native.saved_cmdlines.
    """
    guest_u32, guest_i32, guest_u64, guest_store_u64 = memory.load_u32, memory.load_i32, memory.load_u64, memory.store_u64

    @njit
    def choose_in_each(array_cpu, pid):
        """Tells every array which task runs now. Returns whether any has recorded an event since the last switch."""
        any_recorded = ZERO
        while array_cpu != ZERO:
            any_recorded |= load_u64(array_cpu + array_cpu_record.RECORDED)
            store_u64(array_cpu + array_cpu_record.RECORDED, ZERO)
            choose(array_cpu, load_u64(array_cpu + array_cpu_record.ARRAY), pid)
            array_cpu = load_u64(array_cpu + array_cpu_record.NEXT)
        return any_recorded != ZERO

    @njit
    def leave_out(task, slept):
        """Moves the calltime of each call under way in a task forward by `slept`: the time it was switched out."""
        for n in range(min(guest_i32(task + guest.curr_ret_stack) + 1, np.int64(guest.depth))):
            place = task + guest.ret_stack + np.uint64(n) * guest.entry_size + guest.entry_calltime
            calltime = guest_u64(place)
            if calltime != HIDDEN:
                guest_store_u64(place, calltime + slept)

    @njit
    def process_switch(cpu, previous, following):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        previous, following = host_address(array, previous), host_address(array, following)
        if choose_in_each(array_cpu, np.uint64(guest_u32(following + guest.task_pid))):
            remember(array, previous)
            remember(array, following)
        graphs = load_u64(load_u64(array_cpu + array_cpu_record.GRAPHS) + array_cpu_record.ARRAY)
        user = load_u64(graphs + array_record.GRAPH_RUNNING)
        if user == array_record.NOBODY:
            return
        if user == array_record.PROFILES:
            time = local_time(cpu, graphs)
        elif load_u64(graphs + array_record.CLOCK) == array_record.CLOCK_COUNTER:
            time = load_u64(load_u64(graphs + array_record.COUNTER))
        else:
            time = now(cpu, graphs)
        guest_store_u64(previous + guest.ftrace_timestamp, time)
        since = guest_u64(following + guest.ftrace_timestamp)
        if load_u64(array + array_record.SLEEP_TIME) == ZERO and since != ZERO:
            leave_out(following, time - since)

    return process_switch
