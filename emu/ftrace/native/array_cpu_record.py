# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of one trace array on one CPU.

A CPU's CALLOUT field points to its record of the top array; NEXT leads on to its records of the instances.
"""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
RING = _fields.word()  # address of its ring buffer's record
SPARE_RING = _fields.word()  # the same of the spare buffer, which a snapshot exchanges for it; 0: there is none
HOT = _fields.word()  # host address of the CPU's struct pcpu_hot; NOWHERE of the array, before the kernel uses the CPU
ARRAY = _fields.word()  # address of the array's record for all CPUs
RECORDED = _fields.word()  # 1: an event was recorded since the last process switch
IGNORED = _fields.word()  # bits that say why functions are not recorded
EVENTS_IGNORED = _fields.word()  # the same for events
PID = _fields.word()  # pid of the task that runs
SECTION_START = _fields.word()  # when the CPU's critical section began, by the trace's clock (Linux: preempt_timestamp)
CRITICAL_START = _fields.word()  # where; 0: it is in none
SEQUENCE = _fields.word()  # the max_latency_record's, when it began
PROFILE = _fields.word()  # address of what the function profiler has counted on the CPU (native.profiler)
LAST_IP = _fields.word()  # the latest call, while FUNC_REPEATS is set (Linux: struct trace_func_repeats); 0: there is none
LAST_PARENT_IP = _fields.word()
LAST_REPEATS = _fields.word()  # how often it has been repeated since
LAST_TIME = _fields.word()  # when, the latest time
NEXT = _fields.word()  # address of this CPU's record of the next array; 0: there is none
WORDS = _fields.count

# Bits of IGNORED, and of EVENTS_IGNORED
OF_PID = np.uint64(1)  # the task that runs is not to be traced (set_ftrace_pid, set_ftrace_notrace_pid, set_event_pid, ...)
NO_SECTION = np.uint64(2)  # a latency tracer is set, and the CPU is in no section of which it wants the functions
NOT_UP = np.uint64(4)  # the kernel has not said yet where the CPU's struct pcpu_hot is
