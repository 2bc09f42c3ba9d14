# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of one trace array for all CPUs."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()

# The machine, the same in every array
DIRECT_START = _fields.word()  # the direct map
KERNEL_START = _fields.word()  # the kernel mapping, above it
RAM = _fields.word()  # host address of physical address 0
RAM_SIZE = _fields.word()
NOWHERE = _fields.word()  # address of a zeroed page: what a guest address outside RAM stands for
RETURN_TRAMPOLINE = _fields.word()
CLOCK_MULTIPLIER = _fields.word()  # nanoseconds = cycles * multiplier / divisor
CLOCK_DIVISOR = _fields.word()
COUNTER = _fields.word()  # address of what the counter clock has counted, for all arrays
SAVED_CMDLINES = _fields.word()  # the table of command names (see native.saved_cmdlines)
READER_VECTOR = _fields.word()

# What is wanted
RECORDING = _fields.word()  # 1: tracing is on
CLOCK = _fields.word()  # one of the CLOCK_ constants
CLOCK_OFFSET = _fields.word()  # nanoseconds, added to those since boot
SITE_FLAGS = _fields.word()  # address of a byte of flags per byte of the kernel mapping
SITE_FLAGS_SIZE = _fields.word()
PID_FLAGS = _fields.word()  # address of a byte for each pid below PID_LIMIT: PID_CHOSEN, PID_EXCLUDED
ONLY_CHOSEN = _fields.word()  # 1: no other pids are traced than those chosen
FOLLOW_FORK = _fields.word()  # 1: children get their parents' flags in PID_FLAGS, and tasks that end lose theirs
READER_WAITS = _fields.word()  # 1: the next event raises READER_VECTOR where it is recorded
GRAPH_RUNNING = _fields.word()  # 1: entries and returns are recorded
MAX_DEPTH = _fields.word()  # 0: any
ONLY_SELECTED = _fields.word()  # 1: graphs begin at GRAPH_FUNCTION sites only
SKIP_INTERRUPTS = _fields.word()  # 1: nothing in hard interrupts
SLEEP_TIME = _fields.word()  # 1: durations include the time a task was switched out
THRESHOLD = _fields.word()  # nanoseconds: of graphs, only the returns of calls that took so long; 0: all, and entries

# What Python is told
MISMATCH = _fields.word()  # 1: a return did not match its entry
MISMATCH_FRAME = _fields.word()
SWITCH = _fields.word()  # the site, if one that was called is to turn tracing on or off
WORDS = _fields.count

CLOCK_NANOSECONDS, CLOCK_COUNTER, CLOCK_CYCLES, CLOCK_TICKS = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
TICK = np.uint64(10_000_000)  # nanoseconds, of the last: USER_HZ is 100

# Flags in PID_FLAGS. A pid from PID_LIMIT on (Linux's PID_MAX_LIMIT) has none.
PID_LIMIT = 1 << 22
PID_END = np.uint64(PID_LIMIT)
PID_CHOSEN, PID_EXCLUDED, NO_PID_FLAGS = np.uint8(1), np.uint8(2), np.uint8(0)

# Flags in SITE_FLAGS
GRAPH_FUNCTION = np.uint8(1)
GRAPH_NOTRACE = np.uint8(2)
TRACED = np.uint8(4)  # the array's function tracer wants it
TURNS_ON, TURNS_OFF = np.uint8(8), np.uint8(16)  # a command of set_ftrace_filter is about it
NO_SITE_FLAGS = np.uint8(0)
