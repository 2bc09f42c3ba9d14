# SPDX-License-Identifier: GPL-2.0-only
"""The state of one CPU's ring buffer, which writer and readers share. Pages are named by their index in the pool."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
DISABLED = _fields.word()  # not 0: nothing is recorded, nothing is counted
OVERWRITE = _fields.word()  # when full: 1 gives up the oldest page, 0 drops the new event
POOL = _fields.word()  # address of page 0
NEXT = _fields.word()  # address of u64[pages]: the page after each in the ring
COUNTS = _fields.word()  # address of u64[pages]: events in each
TAIL = _fields.word()  # page that is written
HEAD = _fields.word()  # oldest page in the ring
READER = _fields.word()  # page taken out of the ring to be read; may still be the tail
WRITE = _fields.word()  # bytes of data committed in the tail
PENDING = _fields.word()  # the same once the reserved event is committed
TIME = _fields.word()  # of the last event committed
PENDING_TIME = _fields.word()
ENTRIES = _fields.word()  # events ever committed
OVERRUN = _fields.word()  # events given up with their page
DROPPED = _fields.word()  # events never recorded
READ = _fields.word()  # events consumed
READ_OFFSET = _fields.word()  # how far the reader's page is consumed
READ_TIME = _fields.word()  # of the last event consumed
OVERRUN_SEEN = _fields.word()  # OVERRUN when the reader took its page
LOST = _fields.word()  # events given up before the reader's page, not yet reported
WORDS = _fields.count
