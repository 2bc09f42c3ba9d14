# SPDX-License-Identifier: GPL-2.0-only
"""The state of one CPU's ring buffer, which writer and readers share. Pages are named by their index in the pool."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
DISABLED = _fields.word()  # bits that say why; while there is one, nothing is recorded, nothing is counted
PLACE = _fields.word()  # address in the tail at which the next event begins
END = _fields.word()  # address at which the tail ends
TIME = _fields.word()  # of the last event
ENTRIES = _fields.word()  # events ever recorded
BEGUN = _fields.word()  # ENTRIES when the tail was begun
OVERWRITE = _fields.word()  # when full: 1 gives up the oldest page, 0 drops the new event
POOL = _fields.word()  # address of page 0
NEXT = _fields.word()  # address of u64[pages]: the page after each in the ring
COUNTS = _fields.word()  # address of u64[pages]: events in each; the tail's is `settle`d when it is asked for
TAIL = _fields.word()  # page that is written
HEAD = _fields.word()  # oldest page in the ring
READER = _fields.word()  # page taken out of the ring to be read; may still be the tail
OVERRUN = _fields.word()  # events given up with their page
DROPPED = _fields.word()  # events never recorded
READ = _fields.word()  # events consumed
READ_OFFSET = _fields.word()  # how far the reader's page is consumed
READ_TIME = _fields.word()  # of the last event consumed
OVERRUN_SEEN = _fields.word()  # OVERRUN when the reader took its page
LOST = _fields.word()  # events given up before the reader's page, not yet reported
AWAITED = _fields.word()  # pages that will have been begun when the word at WAKES becomes EARLIEST; 0: no reader waits for pages
WAKES = _fields.word()  # address of the array's READER_WAITS
EARLIEST = _fields.word()  # what it becomes
SPILL = _fields.word()  # void (*)(ring, 0): takes pages out of a full buffer, before one is overwritten; 0: nobody does
WORDS = _fields.count

# Bits of DISABLED
OFF = np.uint64(1)  # tracing_on is 0
MASKED = np.uint64(2)  # tracing_cpumask leaves the CPU out
FAILED = np.uint64(4)  # tracing has failed, for good
PAUSED = np.uint64(8)  # somebody reads the trace, and pause-on-trace is on
