# SPDX-License-Identifier: GPL-2.0-only
"""The board's record: what its CPUs and Python share."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
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
WORDS = _fields.count

HOST_CALL_COUNT = 64
