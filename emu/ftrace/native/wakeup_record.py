# SPDX-License-Identifier: GPL-2.0-only
"""The record of the wakeup tracers, shared by native code and Python."""

from __future__ import annotations

from emu.native.records import Record, i64, u64

__all__ = ["MAX_DL_PRIO", "MAX_PRIO", "MAX_RT_PRIO", "NOBODY", "Wakeup"]

NOBODY = u64(0xFFFF_FFFF_FFFF_FFFF)

# Upper limits of priority numbers: all tasks, real-time tasks, deadline tasks
MAX_PRIO, MAX_RT_PRIO, MAX_DL_PRIO = 140, 100, 0


class Wakeup(Record):
    """The task whose wakeup is followed, and since when."""

    prio_limit: i64  # only tasks with a smaller priority number are followed: one of the MAX_ constants above
    curr: u64  # of emu's own kernel: guest address of the run queue's `curr`, without a CPU's offset
    cpus: u64  # number of CPUs

    # The wakeup that is followed
    pid: u64  # of the task, or NOBODY
    prio: i64  # of the task; only tasks with a smaller number replace it
    cpu: u64  # the CPU on which it was woken
    current_cpu: u64  # its present CPU
    start: u64  # when it was woken, in the trace clock's time
