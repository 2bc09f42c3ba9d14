# SPDX-License-Identifier: GPL-2.0-only
"""Values and limits used in trace_records: clocks, flags, places, sizes."""

from __future__ import annotations

from emu.native.records import u64

# Of TraceArray

# Values of `clock`. CLOCK_LINEAR counts cycles, or nanoseconds if a cycle takes a whole number of them.
CLOCK_LINEAR, CLOCK_NANOSECONDS, CLOCK_COUNTER, CLOCK_TICKS = range(4)
TICK = 10_000_000  # nanoseconds per tick of CLOCK_TICKS: USER_HZ is 100

# Addresses in a stack trace: as many as fit in the largest entry, after the common fields and their number.
LARGEST_ENTRY = 4016  # bytes: the room in a page of the ring buffer
STACK_LIMIT = (LARGEST_ENTRY - 16) // 8

# Flags in `pid_flags`. Pids from PID_LIMIT on (Linux's PID_MAX_LIMIT) have none.
PID_LIMIT = 1 << 22
PID_CHOSEN, PID_EXCLUDED, EVENTS_CHOSEN, EVENTS_EXCLUDED = (u64(1 << bit) for bit in range(4))

# Flags in `site_flags`
GRAPH_FUNCTION, GRAPH_NOTRACE = u64(1), u64(2)
TRACED = u64(4)  # the array's function tracer records it
PROBED = u64(8)  # the site has consumers: a command of set_ftrace_filter, for example
STACK_CHECKED = u64(16)  # the stack tracer checks the depth of the stack
PROFILED = u64(32)  # the function profiler counts and times it

# Values of `graph_running`: as in Linux, return addresses are replaced for one user at a time.
NOBODY, RECORDS, PROFILES = range(3)

# Bytes of a place in .ftrace.tramp
PLACE_SIZE = 32

# Values of `dump`
NO_DUMP, DUMP_ALL, DUMP_CPU = range(3)

# ArrayCpu: bits of `ignored` and of `events_ignored`
OF_PID = u64(1)  # the current task is not traced (set_ftrace_pid, set_ftrace_notrace_pid, set_event_pid, ...)
NO_SECTION = u64(2)  # a latency tracer is set, and the CPU is in no section whose functions it records
NOT_UP = u64(4)  # the kernel has not reported the CPU's struct pcpu_hot yet

PT_REGS_WORDS = 64  # at least those of a struct pt_regs

# EventContext: values of `place`
PLACE_NOWHERE = 0  # not in the guest: there is no backtrace
PLACE_EVENT = 1  # in trace_event_buffer_commit()
PLACE_FUNCTION = 2  # at the call of the function tracer or function_graph by a traced function
PLACE_HOST_CALL = 3  # in the guest's hostcall()
PLACE_REGISTERS = 4  # in the handler of a trap, whose registers are at `saved`
PLACE_BLOCK = 5  # at any instruction, at `ip`
PLACE_RETURN = 6  # behind a call, at `return_ip`
PLACE_PROGRAM = 7  # before an instruction of a program, whose registers `Uprobes` has: there is no backtrace of the kernel

# Event
EVENT_LIMIT = 1 << 16  # limit of event numbers
STRING_STAGE = 4096  # offset in the stage of the room for a string that a filter examines
NO_OFFSET = 0
UNDERFLOWS = u64(0xFFFF_FFFF_FFFF_FFFF)  # of `depth`: Linux takes 1 from flags and depth, one number, without having added it

# EventFile: bits of `flags`
ENABLED = u64(1)
SOFT_DISABLED = u64(2)  # the event's key is on, but its entries are not recorded

# Consumer
ALWAYS = u64(0xFFFF_FFFF_FFFF_FFFF)  # of `count`
BEFORE, AFTER = 0, 1  # values of `post`
REMOVED = 2  # ... it no longer acts, but may still be found

# RethookPool
RETHOOK_NODES = 1 << 16

# Stages
STAGE_SIZE = 4096  # bytes: larger than any entry
STAGES = 4  # maximum of nested events, each caused by a trigger of the previous one

# MaxLatency: bits of `sections`
IRQS_OFF, PREEMPT_OFF = u64(1), u64(2)

# Hardware
COUNTER_NAME_SIZE = 24  # bytes of a counter's name in an entry, padded with zeros
