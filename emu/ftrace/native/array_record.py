# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of one trace array for all CPUs."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native.event_record import LARGEST_ENTRY
from emu.native.record import Fields

_fields = Fields()

# The machine, the same in every array
DIRECT_START = _fields.word()  # the direct map
KERNEL_START = _fields.word()  # the kernel mapping, above it
RAM = _fields.word()  # host address of physical address 0
RAM_SIZE = _fields.word()
NOWHERE = _fields.word()  # address of a zeroed page, to which guest addresses outside RAM lead
RETURN_TRAMPOLINE = _fields.word()
RETHOOK_TRAMPOLINE = _fields.word()  # the one of return probes
RETHOOKS = _fields.word()  # address of the rethook_pool; 0: there was no return probe yet
TRAMPOLINES = _fields.word()  # where .ftrace.text begins
TRAMPOLINES_SIZE = _fields.word()
TRAP_ENTRY = _fields.word()  # the function above whose frame is the struct pt_regs of what it has interrupted
TRAP_ENTRY_SIZE = _fields.word()  # 0: there is none
FRAMELESS = _fields.word()  # address of a byte per byte of the kernel mapping: see KernelArch.without_frame
CLOCK_MULTIPLIER = _fields.word()  # nanoseconds = cycles * multiplier / divisor
CLOCK_DIVISOR = _fields.word()
COUNTER = _fields.word()  # address of the counter of the counter clock, the same for all arrays
SAVED_CMDLINES = _fields.word()  # the table of command names (see native.saved_cmdlines); 0: names are not kept
SAVED_TGIDS = _fields.word()  # address of u32[PID_LIMIT]: the thread group of each pid, 0: unknown; 0: they are not kept
READER_VECTOR = _fields.word()
EVENTS = _fields.word()  # address of a word for each number of an event: its event_record; 0: none
STAGE = _fields.word()  # address of memory in which entries of the guest's events are put together
STAGES = _fields.word()  # address of the stage_record
STRING_TEST = _fields.word()  # address of what tests strings for filters (native.filter_program); 0: there is no filter yet
EVENT_CONTEXT = _fields.word()  # address of the event_context
KPROBES = _fields.word()  # address of the kprobes_record
UPROBES = _fields.word()  # address of the uprobes_record
PLACES = _fields.word()  # where .ftrace.tramp begins
PLACES_SIZE = _fields.word()
STANDS_FOR = _fields.word()  # address of a word for each of its places: the address of what is copied there; 0: nothing is
TRACING_THRESH = _fields.word()  # nanoseconds; if not 0, each latency is kept that is as long, not only one that is longer
HARDWARE = _fields.word()  # address of the hardware_record; 0: the board's timing model counts nothing
STACK = _fields.word()  # address of STACK_LIMIT words, in which the addresses of a stack are put together

# What the array records
CPUS = _fields.word()  # address of a word for each CPU, its array_cpu_record of this array; then 0
RECORDING = _fields.word()  # 1: tracing is on
CLOCK = _fields.word()  # one of the CLOCK_ constants
CLOCK_RATE = _fields.word()  # of CLOCK_LINEAR: what it counts in a cycle
CLOCK_OFFSET = _fields.word()  # nanoseconds, added to those since boot
SITE_FLAGS = _fields.word()  # address of a byte of flags per byte of the kernel mapping
SITE_FLAGS_SIZE = _fields.word()
PROBES = _fields.word()  # address of a table of the sites with PROBED (see native.probes)
STACK_TRACER = _fields.word()  # address of the stack_tracer_record
PROFILED_SITES = _fields.word()  # address of a table of the sites with PROFILED (see native.profiler)
FUNC_STACKS = _fields.word()  # address of void (*)(cpu, array_cpu), which records the stack after each call; 0: none is recorded
FUNC_REPEATS = _fields.word()  # address of what tests whether a call repeats the latest (function_repeats); 0: all are recorded
EVENT_STACKS = _fields.word()  # the same for events, those in the event_context
EVENT_USER_STACKS = _fields.word()  # the same for the stacks of programs
PRINT_EVENT = _fields.word()  # address of void (*)(cpu, array_cpu), which keeps each event to be printed; 0: none is (tp_printk)
PRINTED_EVENTS = _fields.word()  # where it keeps them: address of a record of native.printed_events
EVENT_PIDS = _fields.word()  # 1: there is a set_event_pid or a set_event_notrace_pid
PID_FLAGS = _fields.word()  # address of a byte for each pid below PID_LIMIT: PID_CHOSEN, PID_EXCLUDED, EVENTS_...
ONLY_CHOSEN = _fields.word()  # 1: only pids with PID_CHOSEN are traced
ONLY_EVENTS_CHOSEN = _fields.word()  # 1: only of pids with EVENTS_CHOSEN are events recorded
FOLLOW_FORK = _fields.word()  # flags of PID_FLAGS that a child gets from its parent, and an ended task loses
ASKS_EACH = _fields.word()  # 1, in the top array's record: a call is recorded for each array that wants the site
READER_WAITS = _fields.word()  # if not 0: the next event raises READER_VECTOR on its CPU, in this cycle or later
GRAPH_RUNNING = _fields.word()  # who is told of entries and returns: NOBODY, RECORDS or PROFILES
MAX_DEPTH = _fields.word()  # levels of calls that function_graph records; 0: all
ONLY_SELECTED = _fields.word()  # 1: graphs begin at GRAPH_FUNCTION sites only
HIDES = _fields.word()  # 1: there are GRAPH_NOTRACE sites
SKIP_INTERRUPTS = _fields.word()  # 1: function_graph records nothing in hard interrupts
SLEEP_TIME = _fields.word()  # 1: durations include the time a task was switched out
GRAPH_TIME = _fields.word()  # 1: those of the function profiler include the functions that were called
MAX_LATENCY = _fields.word()  # address of the max_latency_record
PRINT_MAX = _fields.word()  # 1: the spare ring buffers keep the worst latency, and there are no snapshots
THRESHOLD = _fields.word()  # nanoseconds: function_graph records only returns of calls this long; 0: all, and entries
GRAPH_ENTRY_FILTER = _fields.word()  # address of the program of a filter of function_graph's entries; 0: there is none
GRAPH_EXIT_FILTER = _fields.word()  # of its returns

# What native code reports to Python
MISMATCH = _fields.word()  # 1: a return did not match its entry
MISMATCH_EXPECTED = _fields.word()  # the frame, the function and the return address of the entry on top; 0: there is none
MISMATCH_FUNCTION = _fields.word()
MISMATCH_RETURN = _fields.word()
MISMATCH_FRAME = _fields.word()
DUMP = _fields.word()  # in the top array's record: a command asks that buffers are printed: DUMP_..., or DUMP_CPU + a CPU's index
WORDS = _fields.count

# CLOCK_LINEAR counts nanoseconds, too, if a cycle takes a whole number of them, and cycles.
CLOCK_LINEAR, CLOCK_NANOSECONDS, CLOCK_COUNTER, CLOCK_TICKS = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
TICK = np.uint64(10_000_000)  # nanoseconds of a tick of CLOCK_TICKS: USER_HZ is 100

# What says that calls are recorded in no usual way: if one of these words of the top array is not 0, the callbacks must be
# the general ones.
GENERAL = (
    ASKS_EACH, CLOCK, MAX_DEPTH, ONLY_SELECTED, HIDES, SKIP_INTERRUPTS, THRESHOLD, FUNC_STACKS, FUNC_REPEATS,
    GRAPH_ENTRY_FILTER, GRAPH_EXIT_FILTER,
)  # fmt: skip

# Addresses in a stack: as many as fit in the largest entry, behind what every entry begins with and their number.
STACK_LIMIT = (LARGEST_ENTRY - 16) // 8

# Flags in PID_FLAGS. A pid from PID_LIMIT on (Linux's PID_MAX_LIMIT) has none.
PID_LIMIT = 1 << 22
PID_END = np.uint64(PID_LIMIT)
PID_CHOSEN, PID_EXCLUDED, NO_PID_FLAGS = np.uint8(1), np.uint8(2), np.uint8(0)
EVENTS_CHOSEN, EVENTS_EXCLUDED = np.uint8(4), np.uint8(8)

# Flags in SITE_FLAGS
GRAPH_FUNCTION = np.uint8(1)
GRAPH_NOTRACE = np.uint8(2)
TRACED = np.uint8(4)  # the array's function tracer records it
PROBED = np.uint8(8)  # something happens when the site is called: a command of set_ftrace_filter
STACK_CHECKED = np.uint8(16)  # the stack tracer looks how deep the stack is
PROFILED = np.uint8(32)  # the function profiler counts and times it
NO_SITE_FLAGS = np.uint8(0)

# Values of GRAPH_RUNNING: as in Linux, return addresses are taken over for one user at a time.
NOBODY, RECORDS, PROFILES = np.uint64(0), np.uint64(1), np.uint64(2)

# Bytes of a place in .ftrace.tramp
PLACE_SIZE = 32

# Values of DUMP
NO_DUMP, DUMP_ALL, DUMP_CPU = np.uint64(0), np.uint64(1), np.uint64(2)
