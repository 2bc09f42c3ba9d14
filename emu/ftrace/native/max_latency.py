# SPDX-License-Identifier: GPL-2.0-only
"""Keeping the worst latency: the ring buffers that have recorded it exchange their places with the spare ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, max_latency_record, ring_record
from emu.ftrace.native.context import host_address
from emu.ftrace.native.event import of_cpu
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.snapshot import exchange, take_snapshot
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u64

__all__ = ["UpdateMax", "build", "reports"]

ZERO, WORD = np.uint64(0), np.uint64(8)


@njit
def reports(array, latency):
    """Whether a latency in nanoseconds is one that is kept (Linux: report_latency)."""
    threshold = load_u64(array + array_record.TRACING_THRESH)
    if threshold != ZERO:
        return latency >= threshold
    return latency > load_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.MAX_LATENCY)


@njit
def keeps(array, array_cpu):
    """Whether buffers may be exchanged now. Recording is paused on all CPUs, or on none."""
    paused = load_u64(load_u64(array_cpu + array_cpu_record.RING) + ring_record.DISABLED) & ring_record.PAUSED
    return load_u64(array + array_record.RECORDING) != ZERO and paused == ZERO


class UpdateMax(NamedTuple):
    """Compiled functions. `latency`: nanoseconds; `task`: guest address of the struct task_struct whose latency it was; `start`:
    when it began, by the trace's clock. While tracing_on is 0, or recording is paused, nothing is kept, and they return False."""

    all_cpus: Any
    """all_cpus(cpu, array, task, latency, start): keeps what all CPUs have recorded."""

    one_cpu: Any
    """one_cpu(cpu, array_cpu, task, latency, start): keeps what one CPU has recorded."""


def build(memory: Accessors, guest: GuestLayout) -> UpdateMax:
    """Compiles for a guest. `memory`: accesses in its byte order."""
    guest_u32 = memory.load_u32

    @njit
    def note(cpu, array, task, latency, start):
        record = load_u64(array + array_record.MAX_LATENCY)
        task = host_address(array, task)
        store_u64(record + max_latency_record.MAX_LATENCY, latency)
        store_u64(record + max_latency_record.SAVED_LATENCY, latency)
        store_u64(record + max_latency_record.START, start)
        store_u64(record + max_latency_record.CPU, load_u64(cpu + cpu_record.INDEX))
        store_u64(record + max_latency_record.PID, np.uint64(guest_u32(task + guest.task_pid)))
        store_u64(record + max_latency_record.COMM, load_u64(task + guest.task_comm))
        store_u64(record + max_latency_record.COMM + WORD, load_u64(task + guest.task_comm + WORD))
        store_u64(record + max_latency_record.STATIC_PRIO, np.uint64(guest_u32(task + guest.task_static_prio)))
        store_u64(record + max_latency_record.POLICY, np.uint64(guest_u32(task + guest.task_policy)))
        store_u64(record + max_latency_record.RT_PRIORITY, np.uint64(guest_u32(task + guest.task_rt_priority)))

    @njit
    def all_cpus(cpu, array, task, latency, start):
        if not keeps(array, of_cpu(cpu, load_u64(array + array_record.CPUS))):
            return False
        note(cpu, array, task, latency, start)
        store_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.CRITICAL_START, ZERO)
        take_snapshot(array)
        return True

    @njit
    def one_cpu(cpu, array_cpu, task, latency, start):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        if not keeps(array, array_cpu):
            return False
        note(cpu, array, task, latency, start)
        exchange(array_cpu)
        return True

    return UpdateMax(all_cpus, one_cpu)
