# SPDX-License-Identifier: GPL-2.0-only
"""What hangs on an event or on a function, and does something when it happens: triggers and commands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.native.record import Fields, Record

_fields = Fields()
HANDLER = _fields.word()  # address of void (*)(cpu, consumer)
NEXT = _fields.word()  # address of the next consumer of the same event or function; 0: there is none
FILTER = _fields.word()  # address of a filter's program: only entries that pass count; 0: all do
COUNT = _fields.word()  # how often it still acts, or ALWAYS
POST = _fields.word()  # when it acts: BEFORE or AFTER the entry, or the call, has been recorded
DUE = _fields.word()  # 1: its filter has kept the entry, and it acts after it has been recorded
ARRAY = _fields.word()  # the array_record on which it acts
TARGET = _fields.word()  # of what switches an event: its event_file; of stacktrace: what records it; of hist: a hist_record
MISSED = _fields.word()  # of a return probe: how many calls had too many others under way to be watched
PAUSED = _fields.word()  # of hist: 1 while it does not act
WORDS = _fields.count

ALWAYS = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

# Values of POST
BEFORE, AFTER = np.uint64(0), np.uint64(1)
NEVER = np.uint64(2)  # it has been removed, but may still be found


def link(consumers: Sequence[Record]) -> int:
    """Has each lead to the next. Returns the address of the first; 0: there is none."""
    following = 0
    for one in reversed(consumers):
        one.set(NEXT, following)
        following = one.address
    return following
