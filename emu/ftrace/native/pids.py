# SPDX-License-Identifier: GPL-2.0-only
"""Which tasks are traced: the flags of each pid, which follow tasks as they fork and end."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record
from emu.ftrace.native.context import host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import Accessors, load_u8, load_u64, store_u8, store_u64

__all__ = ["Pids", "build"]

ZERO, ONE = np.uint64(0), np.uint64(1)


class Pids(NamedTuple):
    """The compiled functions that decide which tasks are traced. Tasks are guest addresses."""

    choose: Any
    """choose(array_cpu, array, pid): decides whether the task that runs from now on, `pid`, is traced."""

    process_fork: Any
    """process_fork(cpu, parent, child): gives a new task those flags of its parent that FOLLOW_FORK says."""

    process_free: Any
    """process_free(cpu, task): clears the same flags of a freed task's pid: another task may get it."""


@njit
def pid_flags(array, pid):
    return load_u8(load_u64(array + array_record.PID_FLAGS) + pid) if pid < array_record.PID_END else array_record.NO_PID_FLAGS


@njit
def events_left_out(array, pid):
    """Whether set_event_pid has a list, and a task is not on it."""
    return (
        load_u64(array + array_record.ONLY_EVENTS_CHOSEN) != ZERO and pid_flags(array, pid) & array_record.EVENTS_CHOSEN == 0
    )


@njit
def events_excluded(array, pid):
    """Whether a task is on the list of set_event_notrace_pid."""
    return pid_flags(array, pid) & array_record.EVENTS_EXCLUDED != 0


@njit
def events_ignored(array, pid):
    """Whether the events of a task are not to be recorded."""
    return events_left_out(array, pid) or events_excluded(array, pid)


def build(memory: Accessors, guest: GuestLayout) -> Pids:
    """Compiles for a guest. `memory`: accesses in its byte order."""
    guest_u32 = memory.load_u32

    @njit
    def choose(array_cpu, array, pid):
        store_u64(array_cpu + array_cpu_record.PID, pid)
        flags = pid_flags(array, pid)
        left_out = load_u64(array + array_record.ONLY_CHOSEN) != ZERO and flags & array_record.PID_CHOSEN == 0
        ignored = left_out or flags & array_record.PID_EXCLUDED != 0
        of_pid = array_cpu_record.OF_PID
        others = load_u64(array_cpu + array_cpu_record.IGNORED) & ~of_pid
        store_u64(array_cpu + array_cpu_record.IGNORED, others | (of_pid if ignored else ZERO))
        if load_u64(array + array_record.EVENT_PIDS) != ZERO:
            store_u64(array_cpu + array_cpu_record.EVENTS_IGNORED, of_pid if events_ignored(array, pid) else ZERO)

    @njit
    def flags_of(array, task):
        """The address of a task's flags; 0 if its pid has none."""
        pid = np.uint64(guest_u32(host_address(array, task) + guest.task_pid))
        return load_u64(array + array_record.PID_FLAGS) + pid if pid < array_record.PID_END else ZERO

    @njit
    def process_fork(cpu, parent, child):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        while array_cpu != ZERO:
            array = load_u64(array_cpu + array_cpu_record.ARRAY)
            followed = np.uint8(load_u64(array + array_record.FOLLOW_FORK))
            if followed != 0:
                own, new = flags_of(array, parent), flags_of(array, child)
                if own != ZERO and new != ZERO:
                    store_u8(new, load_u8(new) | load_u8(own) & followed)
            array_cpu = load_u64(array_cpu + array_cpu_record.NEXT)

    @njit
    def process_free(cpu, task):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        while array_cpu != ZERO:
            array = load_u64(array_cpu + array_cpu_record.ARRAY)
            followed = np.uint8(load_u64(array + array_record.FOLLOW_FORK))
            if followed != 0:
                place = flags_of(array, task)
                if place != ZERO:
                    store_u8(place, load_u8(place) & ~followed)
            array_cpu = load_u64(array_cpu + array_cpu_record.NEXT)

    return Pids(choose, process_fork, process_free)
