# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of one event of the guest: how its entries are made from what the guest hands over."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

EVENT_LIMIT = 1 << 16  # numbers of events are below
LARGEST_ENTRY = 4016  # bytes: what a page of the ring buffer has room for, with its data
STRING_STAGE = np.uint64(4096)  # offset in the stage of room for a string that a filter looks at

_fields = Fields()
NUMBER = _fields.word()  # `common_type` of its entries
FILES = _fields.word()  # address of the first array's event_file; 0: no array wants the event
SIZE = _fields.word()  # bytes of the part that the guest fills
DEPTH = _fields.word()  # is added to the preemption depth that entries show; or UNDERFLOWS
IRQS_OFF = _fields.word()  # 1: entries show interrupts off, whether they are or not
SWAPS = _fields.word()  # address of words about the numbers of the fixed part, if the guest's byte order is not the host's
SWAP_COUNT = _fields.word()
DYNAMIC = _fields.word()  # address of words about the fields of variable length, in their order
DYNAMIC_COUNT = _fields.word()
BY_SYSCALL = _fields.word()  # address of a word for each system call: the event that it records, too; 0: none
SYSCALLS = _fields.word()  # how many
FIRST_PID = _fields.word()  # offset of a pid in the entry, by which set_event_pid may choose the event, too; 0: there is none
SECOND_PID = _fields.word()
WORDS = _fields.count

# Of DEPTH: Linux takes 1 away from flags and depth, which it has in one number, for a preemption that was never disabled.
UNDERFLOWS = 0xFFFF_FFFF_FFFF_FFFF

# A word about a field: offset << 32 | number of elements << 8 | bytes of an element. Data of variable length that no field says
# the place of has NO_OFFSET. RELATIVE: the offset of the data in the field is from the field's end.
NO_OFFSET = 0
OFFSET, COUNT = np.uint64(32), np.uint64(8)
ELEMENT_MASK, COUNT_MASK = np.uint64(0x7F), np.uint64(0xFF_FFFF)
RELATIVE = np.uint64(0x80)
