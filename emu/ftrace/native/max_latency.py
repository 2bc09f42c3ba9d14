# SPDX-License-Identifier: GPL-2.0-only
"""Keeps the worst latency: swaps the ring buffers that have recorded it with the spare ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import host_address
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.ring_record import PAUSED
from emu.ftrace.native.snapshot import exchange, take_snapshot
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import Native, njit
from emu.native.records import Words, u64

__all__ = ["UpdateMax", "build", "reports"]


@njit
def reports(array: TraceArray, latency: u64) -> bool:
    """Whether a latency in nanoseconds must be kept (Linux: report_latency)."""
    threshold = array.tracing_thresh
    return latency >= threshold if threshold != 0 else latency > array.max_latency.max_latency


@njit
def keeps(array: TraceArray, array_cpu: ArrayCpu) -> bool:
    """Whether buffers may be swapped now. Recording is paused on all CPUs, or on none."""
    return array.recording and array_cpu.ring.disabled & PAUSED == 0


class UpdateMax(NamedTuple):
    """Compiled functions. `latency`: nanoseconds; `task`: the guest address of the struct task_struct with the latency; `start`:
    when it started, in the trace clock's time. While tracing_on is 0 or recording is paused, they keep nothing and return
    False."""

    all_cpus: Callable[[Cpu, TraceArray, u64, u64, u64], bool]
    """all_cpus(cpu, array, task, latency, start): keeps the events of all CPUs."""

    one_cpu: Callable[[Cpu, ArrayCpu, u64, u64, u64], bool]
    """one_cpu(cpu, array_cpu, task, latency, start): keeps the events of one CPU."""


def build(guest: Guest) -> UpdateMax:
    """Compiles for a guest."""
    njit = Native(guest.layouts).njit

    @njit
    def note(cpu: Cpu, array: TraceArray, task: Task, latency: u64, start: u64) -> None:
        worst = array.max_latency
        worst.max_latency = latency
        worst.saved_latency = latency
        worst.start = start
        worst.cpu = cpu.index
        worst.pid = task.pid
        comm, to = Words(task.comm.address), Words(worst.comm.address)
        to[0] = comm[0]
        to[1] = comm[1]
        worst.static_prio = task.static_prio
        worst.policy = task.policy
        worst.rt_priority = task.rt_priority

    @njit
    def all_cpus(cpu: Cpu, array: TraceArray, task: u64, latency: u64, start: u64) -> bool:
        array_cpu = array.cpus[cpu.index]
        if array_cpu is None or not keeps(array, array_cpu):
            return False
        note(cpu, array, Task(host_address(array, task)), latency, start)
        array.max_latency.critical_start = 0
        take_snapshot(array)
        return True

    @njit
    def one_cpu(cpu: Cpu, array_cpu: ArrayCpu, task: u64, latency: u64, start: u64) -> bool:
        array = array_cpu.array
        if not keeps(array, array_cpu):
            return False
        note(cpu, array, Task(host_address(array, task)), latency, start)
        exchange(array_cpu)
        return True

    return UpdateMax(all_cpus, one_cpu)
