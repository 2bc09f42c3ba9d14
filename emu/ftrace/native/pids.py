# SPDX-License-Identifier: GPL-2.0-only
"""The traced tasks: the flags of each pid, which follow tasks as they fork and end."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import host_address
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.trace_values import (  # fmt: skip
    EVENTS_CHOSEN,
    EVENTS_EXCLUDED,
    OF_PID,
    PID_CHOSEN,
    PID_EXCLUDED,
    PID_LIMIT,
)
from emu.native.functions import Native, njit
from emu.native.records import u64

__all__ = ["Pids", "build"]


class Pids(NamedTuple):
    """The functions that decide which tasks are traced. Tasks are guest addresses."""

    choose: Callable[[ArrayCpu, TraceArray, u64], None]
    """choose(array_cpu, array, pid): decides whether task `pid`, which runs from now on, is traced."""

    process_fork: Callable[[Cpu, u64, u64], None]
    """process_fork(cpu, parent, child): gives a new task the flags of its parent that are in `follow_fork`."""

    process_free: Callable[[Cpu, u64], None]
    """process_free(cpu, task): clears the same flags of a freed task's pid, which another task may get."""


@njit
def pid_flags(array: TraceArray, pid: u64) -> u64:
    return array.pid_flags[pid] if pid < PID_LIMIT else 0


@njit
def events_left_out(array: TraceArray, pid: u64) -> bool:
    """Whether set_event_pid has a list that lacks a task."""
    return array.only_events_chosen and pid_flags(array, pid) & EVENTS_CHOSEN == 0


@njit
def events_excluded(array: TraceArray, pid: u64) -> bool:
    """Whether a task is on the list of set_event_notrace_pid."""
    return pid_flags(array, pid) & EVENTS_EXCLUDED != 0


@njit
def events_ignored(array: TraceArray, pid: u64) -> bool:
    """Whether the events of a task are not recorded."""
    return events_left_out(array, pid) or events_excluded(array, pid)


def build(guest: Guest) -> Pids:
    """Compiles for a guest."""
    njit = Native(guest.layouts).njit

    @njit
    def choose(array_cpu: ArrayCpu, array: TraceArray, pid: u64) -> None:
        array_cpu.pid = pid
        flags = pid_flags(array, pid)
        left_out = array.only_chosen and flags & PID_CHOSEN == 0
        ignored = left_out or flags & PID_EXCLUDED != 0
        array_cpu.ignored = array_cpu.ignored & ~OF_PID | (OF_PID if ignored else 0)
        if array.event_pids:
            array_cpu.events_ignored = OF_PID if events_ignored(array, pid) else 0

    @njit
    def pid_of(array: TraceArray, task: u64) -> u64:
        return Task(host_address(array, task)).pid

    @njit
    def process_fork(cpu: Cpu, parent: u64, child: u64) -> None:
        array_cpu: ArrayCpu | None = ArrayCpu(cpu.callout)
        while array_cpu is not None:
            array = array_cpu.array
            if array.follow_fork != 0:
                own, new = pid_of(array, parent), pid_of(array, child)
                if own < PID_LIMIT and new < PID_LIMIT:
                    array.pid_flags[new] |= array.pid_flags[own] & array.follow_fork
            array_cpu = array_cpu.next

    @njit
    def process_free(cpu: Cpu, task: u64) -> None:
        array_cpu: ArrayCpu | None = ArrayCpu(cpu.callout)
        while array_cpu is not None:
            array = array_cpu.array
            if array.follow_fork != 0:
                pid = pid_of(array, task)
                if pid < PID_LIMIT:
                    array.pid_flags[pid] &= ~array.follow_fork
            array_cpu = array_cpu.next

    return Pids(choose, process_fork, process_free)
