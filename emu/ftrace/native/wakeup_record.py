# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of the wakeup tracers."""

from __future__ import annotations

from emu.ftrace.native.trace_records import EventFile
from emu.native.records import Record, i64, u64

__all__ = ["MAX_DL_PRIO", "MAX_PRIO", "MAX_RT_PRIO", "NOBODY", "Wakeup", "WakeupFile"]

NOBODY = u64(0xFFFF_FFFF_FFFF_FFFF)

# Priorities are lower numbers than these: those of all tasks, of real-time tasks, of deadline tasks
MAX_PRIO, MAX_RT_PRIO, MAX_DL_PRIO = 140, 100, 0


class Wakeup(Record):
    """Whose wakeup is followed, one at a time, and since when."""

    prio_limit: i64  # only tasks are followed whose priority is a lower number: one of the MAX_ above
    curr: u64  # guest address of the run queue's `curr`, without a CPU's offset
    cpus: u64  # how many there are

    # The wakeup that is followed
    pid: u64  # of the task, or NOBODY
    prio: i64  # of the task; only tasks with a lower one take its place
    cpu: u64  # on which the task was when it was woken
    current_cpu: u64  # where it is now
    start: u64  # when it was woken, by the trace's clock


class WakeupFile(EventFile):
    """What a wakeup tracer wants of an event of the scheduler."""

    followed: Wakeup
    entry_pid: u64  # offset of the pid of the task that is woken, moved or switched to
    entry_prio: u64  # the same of its priority
    entry_cpu: u64  # the same of its CPU
