# SPDX-License-Identifier: GPL-2.0-only
"""Values and limits of what trace_records has: clocks, flags, places, sizes."""

from __future__ import annotations

from emu.native.records import u64

# Of TraceArray

# Values of `clock`. CLOCK_LINEAR counts nanoseconds, too, if a cycle takes a whole number of them, and cycles.
CLOCK_LINEAR, CLOCK_NANOSECONDS, CLOCK_COUNTER, CLOCK_TICKS = range(4)
TICK = 10_000_000  # nanoseconds of a tick of CLOCK_TICKS: USER_HZ is 100

# Addresses in a stack: as many as fit in the largest entry, behind what every entry begins with and their number.
LARGEST_ENTRY = 4016  # bytes: what a page of the ring buffer has room for, with its data
STACK_LIMIT = (LARGEST_ENTRY - 16) // 8

# Flags in `pid_flags`. A pid from PID_LIMIT on (Linux's PID_MAX_LIMIT) has none.
PID_LIMIT = 1 << 22
PID_CHOSEN, PID_EXCLUDED, EVENTS_CHOSEN, EVENTS_EXCLUDED = (u64(1 << bit) for bit in range(4))

# Flags in `site_flags`
GRAPH_FUNCTION, GRAPH_NOTRACE = u64(1), u64(2)
TRACED = u64(4)  # the array's function tracer records it
PROBED = u64(8)  # something happens when the site is called: a command of set_ftrace_filter
STACK_CHECKED = u64(16)  # the stack tracer looks how deep the stack is
PROFILED = u64(32)  # the function profiler counts and times it

# Values of `graph_running`: as in Linux, return addresses are taken over for one user at a time.
NOBODY, RECORDS, PROFILES = range(3)

# Bytes of a place in .ftrace.tramp
PLACE_SIZE = 32

# Values of `dump`
NO_DUMP, DUMP_ALL, DUMP_CPU = range(3)

# Of ArrayCpu: bits of `ignored`, and of `events_ignored`
OF_PID = u64(1)  # the task that runs is not to be traced (set_ftrace_pid, set_ftrace_notrace_pid, set_event_pid, ...)
NO_SECTION = u64(2)  # a latency tracer is set, and the CPU is in no section of which it wants the functions
NOT_UP = u64(4)  # the kernel has not said yet where the CPU's struct pcpu_hot is

# Of EventContext: values of `place`
PLACE_NOWHERE = 0  # the guest has no part in it: there is no backtrace
PLACE_EVENT = 1  # at trace_event_buffer_commit
PLACE_FUNCTION = 2  # where a traced function calls the function tracer or function_graph
PLACE_HOST_CALL = 3  # in the guest's hostcall()
PLACE_REGISTERS = 4  # in the handler of a trap, which has `saved` the registers
PLACE_BLOCK = 5  # where any block begins, at `ip`

# Of Event
EVENT_LIMIT = 1 << 16  # numbers of events are below
STRING_STAGE = 4096  # offset in the stage of room for a string that a filter looks at
NO_OFFSET = 0
UNDERFLOWS = u64(0xFFFF_FFFF_FFFF_FFFF)  # of `depth`: Linux takes 1 from flags and depth, one number, that was never added

# Of EventFile: bits of `flags`
ENABLED = u64(1)
SOFT_DISABLED = u64(2)  # the event's key is on, but its entries are not recorded

# Of Consumer
ALWAYS = u64(0xFFFF_FFFF_FFFF_FFFF)  # of `count`
BEFORE, AFTER = 0, 1  # values of `post`
REMOVED = 2  # ... it acts no more, but may still be found

# Of RethookPool
RETHOOK_NODES = 1 << 16

# Of Stages
STAGE_SIZE = 4096  # bytes, more than any entry has
STAGES = 4  # as many events can be under way at once, each made by what the one before makes happen

# Of MaxLatency: bits of `sections`
IRQS_OFF, PREEMPT_OFF = u64(1), u64(2)

# Of Hardware
COUNTER_NAME_SIZE = 24  # bytes of a counter's name in an entry, with the zeros behind it
