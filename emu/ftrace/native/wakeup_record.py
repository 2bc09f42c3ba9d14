# SPDX-License-Identifier: GPL-2.0-only
"""What the wakeup tracers know: whose wakeup is followed, one at a time, and since when."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import event_file
from emu.native.record import Fields

_fields = Fields()
PRIO_LIMIT = _fields.word()  # only tasks are followed whose priority is a lower number: one of the MAX_ below
CURR = _fields.word()  # guest address of the run queue's `curr`, without a CPU's offset
CPUS = _fields.word()  # how many there are

# The wakeup that is followed
PID = _fields.word()  # of the task, or NOBODY
PRIO = _fields.word()  # of the task, a number with a sign: only tasks with a lower one take its place
CPU = _fields.word()  # on which the task was when it was woken
CURRENT_CPU = _fields.word()  # where it is now
START = _fields.word()  # when it was woken, by the trace's clock
WORDS = _fields.count

NOBODY = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

# Priorities are lower numbers than these: those of all tasks, of real-time tasks, of deadline tasks
MAX_PRIO, MAX_RT_PRIO, MAX_DL_PRIO = np.uint64(140), np.uint64(100), np.uint64(0)

# What a wakeup tracer wants of an event of the scheduler: it begins with an event_file.
_of_file = Fields(event_file.WORDS)
RECORD = _of_file.word()  # address of the record above
ENTRY_PID = _of_file.word()  # offset of the pid of the task that is woken, moved or switched to
ENTRY_PRIO = _of_file.word()  # the same of its priority
ENTRY_CPU = _of_file.word()  # the same of its CPU
FILE_WORDS = _of_file.count
