# SPDX-License-Identifier: GPL-2.0-only
"""What the native callbacks need to know, as byte offsets of 64-bit words: each trace array has one record for all CPUs
and one for each CPU.

A CPU's CALLOUT field points to its record of the top array; NEXT leads on to its records of the instances.
"""

from __future__ import annotations

import numpy as np

# Of one CPU and one trace array
RING = np.uint64(0)  # address of its ring buffer's control block
HOT = np.uint64(8)  # host address of its struct pcpu_hot
SHARED = np.uint64(16)  # address of the array's record for all CPUs
RECORDED = np.uint64(24)  # 1: an event was recorded since the last process switch
IGNORED = np.uint64(32)  # 1: the task that runs is not to be traced (set_ftrace_pid, set_ftrace_notrace_pid)
PID = np.uint64(40)  # of that task
NEXT = np.uint64(48)  # address of this CPU's record of the next array; 0: there is none
ASK_EACH = np.uint64(56)  # 1, in the top array's: each array's flags say what it wants of a site that calls
CPU_WORDS = 8

# For all CPUs: where things are in the guest, the same in every array
DIRECT_START = np.uint64(0)  # the direct map
KERNEL_START = np.uint64(8)  # the kernel mapping, above it
RAM = np.uint64(16)  # host address of physical address 0
RAM_SIZE = np.uint64(24)
NOWHERE = np.uint64(32)  # address of a zeroed page: what a guest address outside RAM stands for
SITE_OPS = np.uint64(40)  # a byte of flags per byte of kernel text
TEXT_START = np.uint64(48)
TEXT_SIZE = np.uint64(56)
RETURN_TRAMPOLINE = np.uint64(64)
HOT_CURRENT = np.uint64(72)  # offsets in struct pcpu_hot and struct task_struct
HOT_PREEMPT_COUNT = np.uint64(80)
TASK_PID = np.uint64(88)
TASK_COMM = np.uint64(96)
TASK_FLAGS = np.uint64(104)
TASK_STACK_INDEX = np.uint64(112)
TASK_OVERRUN = np.uint64(120)
TASK_TIMESTAMP = np.uint64(128)
TASK_STACK = np.uint64(136)
# ... and what is wanted
CLOCK = np.uint64(144)  # one of the CLOCK_ constants
CLOCK_MULTIPLIER = np.uint64(152)  # nanoseconds = cycles * multiplier / divisor
CLOCK_DIVISOR = np.uint64(160)
COUNTER = np.uint64(168)  # address of what the counter clock has counted, for all arrays
MAX_DEPTH = np.uint64(176)  # 0: any
ONLY_SELECTED = np.uint64(184)  # 1: graphs begin at GRAPH_FUNCTION sites only
SKIP_INTERRUPTS = np.uint64(192)  # 1: nothing in hard interrupts
SLEEP_TIME = np.uint64(200)  # 1: durations include the time a task was switched out
COMMS = np.uint64(208)  # the table of command names (see native.comms)
MISMATCH = np.uint64(216)  # 1: a return did not match its entry; Python is told
MISMATCH_FRAME = np.uint64(224)
GRAPH_RUNNING = np.uint64(232)  # 1: entries and returns are recorded
READER_WAITS = np.uint64(240)  # 1: the next event raises READER_VECTOR where it is recorded
READER_VECTOR = np.uint64(248)
PID_FLAGS = np.uint64(256)  # address of a byte for each pid below PID_LIMIT: PID_CHOSEN, PID_EXCLUDED
ONLY_CHOSEN = np.uint64(264)  # 1: no other pids are traced than those chosen
COUNT_ENABLED = np.uint64(272)  # a preempt_count that forbids nothing: has it the need-resched bit?
FOLLOW_FORK = np.uint64(280)  # 1: a child has its parent's flags in PID_FLAGS, and nobody those of a task that has ended
THRESHOLD = np.uint64(288)  # nanoseconds: of graphs, only the returns of calls that took so long; 0: all, and entries
RECORDING = np.uint64(296)  # 1: tracing is on
SWITCH = np.uint64(304)  # the site, if one that was called is to turn tracing on or off; Python is told
CLOCK_OFFSET = np.uint64(312)  # nanoseconds, added to those since boot
SHARED_WORDS = 40

CLOCK_NANOSECONDS, CLOCK_COUNTER, CLOCK_CYCLES, CLOCK_TICKS = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
TICK = np.uint64(10_000_000)  # nanoseconds, of the last: USER_HZ is 100

# Flags in PID_FLAGS. A pid from PID_LIMIT on (Linux's PID_MAX_LIMIT) has none.
PID_LIMIT = 1 << 22
PID_END = np.uint64(PID_LIMIT)
PID_CHOSEN, PID_EXCLUDED, NO_PID_FLAGS = np.uint8(1), np.uint8(2), np.uint8(0)

# Flags in SITE_OPS
GRAPH_FUNCTION = np.uint8(1)
GRAPH_NOTRACE = np.uint8(2)
TRACED = np.uint8(4)  # the array's function tracer wants it
TURNS_ON, TURNS_OFF = np.uint8(8), np.uint8(16)  # a command of set_ftrace_filter is about it

# struct ftrace_ret_stack. What identifies a call is the architecture's: where its return address lies, or its frame pointer.
RETURN_STACK_DEPTH = 50
ENTRY_RETURN, ENTRY_FUNCTION, ENTRY_CALLTIME, ENTRY_FRAME = (np.uint64(8 * n) for n in range(4))
ENTRY_SIZE = np.uint64(32)
HIDDEN = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # as calltime: set_graph_notrace covers this call and what it calls
CHOSEN = np.uint64(1 << 63)  # in calltime: set_graph_function covers them
