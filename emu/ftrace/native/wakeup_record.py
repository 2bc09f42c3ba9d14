# SPDX-License-Identifier: GPL-2.0-only
"""What the wakeup tracers know: which task's wakeup they follow, one at a time, and since when."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import event_file
from emu.native.record import Fields

_fields = Fields()
ENABLED = _fields.word()  # 0: nothing is followed
LEAST_PRIO = _fields.word()  # only tasks with a priority below this are followed, or with that of deadline tasks
GRAPH = _fields.word()  # 1: display-graph
CURR = _fields.word()  # guest address of `curr` in CPU 0's copy of the run queue, without the CPU's offset
CPUS = _fields.word()  # how many there are

# The wakeup that is followed
PID = _fields.word()  # of the task, or NOBODY
PRIO = _fields.word()  # of the task; NO_PRIO: another with any priority takes its place
DEADLINE = _fields.word()  # 1: it is a deadline task; no other takes its place
CPU = _fields.word()  # on which the task was when it was woken
CURRENT_CPU = _fields.word()  # where it is now
START = _fields.word()  # when it was woken, by the trace's clock
WORDS = _fields.count

NOBODY, NO_PRIO = np.uint64(0xFFFF_FFFF_FFFF_FFFF), np.uint64(0x7FFF_FFFF)

# Values of LEAST_PRIO
ONLY_DEADLINE, REAL_TIME, ANY = np.uint64(0), np.uint64(100), NO_PRIO

# What the tracer wants of a scheduler's event: an event_file, and where in the entry what stands
_of_file = Fields(event_file.WORDS)
RECORD = _of_file.word()  # address of the record above
ENTRY_PID = _of_file.word()  # offset of the pid of the task that is woken, moved, or switched to
ENTRY_PRIO = _of_file.word()  # of its priority
ENTRY_CPU = _of_file.word()  # of its CPU; 0: it is the one on which this happens
FILE_WORDS = _of_file.count
