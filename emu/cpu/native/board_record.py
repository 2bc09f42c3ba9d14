# SPDX-License-Identifier: GPL-2.0-only
"""The board's record: what its CPUs and Python share."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
RAM = _fields.word()  # its host address
RAM_SIZE = _fields.word()
HEAP = _fields.word()  # the heap in use while a CPU executes
DECODE = _fields.word()  # void (*)(cpu record, packed block: see block_record.asked_for): stores the block's cost
CPUS = _fields.word()  # a table of the CPU records' addresses
CPU_COUNT = _fields.word()
DISPATCH_START = _fields.word()  # virtual addresses: blocks that begin here may have a host function
DISPATCH_END = _fields.word()
DISPATCH = _fields.word()  # void (*)(cpu record, address) per byte of that range, or 0
HOST_CALLS = _fields.word()  # void (*)(cpu record, number) per host call, or 0: Python answers
QUANTUM = _fields.word()
RANDOM = _fields.word()  # state of the generator that varies the length of turns
TIMER_VECTOR = _fields.word()
CURRENT = _fields.word()  # index of the CPU whose turn it is
LONGEST_TURN = _fields.word()  # cycles, when nothing else ends it
LIMIT = _fields.word()  # cycles: no turn begins at or after this time
VECTOR_START = _fields.word()  # the vectors that the architecture can deliver
VECTOR_END = _fields.word()
DIRECT_START = _fields.word()  # virtual address that maps physical 0, all of RAM
KERNEL_START = _fields.word()  # virtual address that maps physical 0 for the kernel's text
PACE = _fields.word()  # cycles: the quantum while CPUs take lines from each other; 0: they do not
TIMING_TABLES = _fields.word()  # of a timing model with state: summaries of blocks, and states (summary_record)
TIMING_SHARED = _fields.word()  # ... and what the CPUs share (timing.layout)
IPI_TIME = _fields.word()  # cycles that an interrupt takes from one CPU to another
SETTLE = _fields.word()  # void (*)(cpu record, 0): a turn has ended; 0: nothing is to be done
PROFILE = _fields.word()  # void (*)(cpu record, address of a block that begins): what was counted so far is of those before
PROFILE_RECORD = _fields.word()  # what that function works on (timing.profile)
WANTED = _fields.word()  # not 0: another thread wants Python to act, so turns end
SAMPLE = _fields.word()  # void (*)(cpu record, address of a block): something is to be sampled
WORDS = _fields.count

HOST_CALL_COUNT = 64
