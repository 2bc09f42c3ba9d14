# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of a block: a summary in memory, and the board's tables of the core's states.

A summary is HEADER words, then its accesses (at entry, at exit, calculated), then its outputs. Summaries, states and
transitions are never put back to an earlier moment: they say what is always true.
"""

from __future__ import annotations

import numpy as np

from emu.cpu.native.timing import record
from emu.native.record import Fields

_header = Fields()
HEAD = _header.word()  # ending | slots << 8 | flags << 24 | serialising cycles << 32
DISPATCH = _header.word()  # parts of a cycle | size of the summary in bytes << 32
ACCESSES = _header.word()  # how many at entry | at exit << 16 | unknown ones << 32 | calculated ones << 48
OUTPUTS = _header.word()  # how many | offset in bytes << 32
ACCESSED = _header.word()  # how many loads | stores << 32
TRANSITION = _header.word()  # the last transition at this block: its key, 0: none
NEXT = _header.word()  # ... and where it led
_header.word()
OTHER_TRANSITION = _header.word()  # the one before that was another; in the host's next line, as it is rarely looked at
OTHER_NEXT = _header.word()
HEADER = _header.count

ENDING_MASK = np.uint64(0xFF)
SLOTS_SHIFT, SLOTS_MASK = np.uint64(8), np.uint64(0xFFFF)
FLAGS_SHIFT, SERIALISING_SHIFT = np.uint64(24), np.uint64(32)
FLUSHES_TLB, STATIC = np.uint64(1 << 24), np.uint64(1 << 25)

FIRST_ACCESS = np.uint64(HEADER * 8)
STORES_SHIFT, LOADS_MASK = np.uint64(32), np.uint64(0xFFFF_FFFF)  # in ACCESSED
EXIT_SHIFT, UNKNOWN_SHIFT, CALCULATED_SHIFT = np.uint64(16), np.uint64(32), np.uint64(48)  # in ACCESSES
# Accesses are of lines: those near each other are one. An access is two words: the displacement, and before it
# base | index << 8 | shift << 16 | write << 24 | segment << 25 | locked << 27 | size << 32.
INDEX_SHIFT, SHIFT_SHIFT, WRITE_SHIFT, SEGMENT_SHIFT, LOCKED_SHIFT, SIZE_SHIFT = (np.uint64(n) for n in (8, 16, 24, 25, 27, 32))
SEGMENT_MASK = np.uint64(3)
# A calculated access is a word, steps | follows << 16 | write << 24 | locked << 27 | size << 32, where "follows" is whether its
# address is in memory; then a word for each step: what it does | argument << 8.
FOLLOWS_SHIFT, ARGUMENT_SHIFT = np.uint64(16), np.uint64(8)
# An output is a word: register | inputs << 8 | loads << 15 | base << 16; then a word for each input: register | latency << 8.
INPUTS_SHIFT, INPUTS_MASK, LOADS, BASE_SHIFT = np.uint64(8), np.uint64(0x7F), np.uint64(1 << 15), np.uint64(16)
LATENCY_SHIFT = np.uint64(8)

# A state: READY of each register, RETIRE, BRANCH and AHEAD as in a timing record, in 16 bits each.
STATE_VALUES = record.REGISTERS + 3
STATE_WORDS = -(-STATE_VALUES * 2 // 8)
MOST_STATES = 1 << 18
STATE_SLOTS = 1 << 20  # of the table that finds a state: its number, or 0
TRANSITION_SLOTS = 1 << 18

_transition = Fields()
KEY = _transition.word()  # the state before, and what the block met
WHERE = _transition.word()  # offset of the block's summary
TO = _transition.word()  # where it led
_transition.word()
TRANSITION_WORDS = _transition.count

_tables = Fields()
SUMMARIES = _tables.word()  # address of the summaries; an offset of 0 is none
SUMMARIES_FIRST = _tables.word()  # offset of the first
SUMMARIES_END = _tables.word()  # offset behind the last: each begins a line of 64 bytes behind the one before
STATES_USED = _tables.word()
FORGOTTEN = _tables.word()  # how often states were forgotten because there were too many
COMPUTED = _tables.word()  # transitions that were not remembered
_tables.words(2)
TRANSITIONS = _tables.words(TRANSITION_WORDS * TRANSITION_SLOTS)  # none lies in two of the host's lines
FOUND = _tables.words(STATE_SLOTS // 2)  # 32 bits each
STATES = _tables.words(STATE_WORDS * MOST_STATES)
TABLE_WORDS = _tables.count
