# SPDX-License-Identifier: GPL-2.0-only
"""The copies of events that are to be printed at once (tp_printk)."""

from __future__ import annotations

from emu.native.records import Record, Values, inline, u64

SILENT_TYPES = 4
ROOM = 64 << 10  # bytes of copies

# Of `states`
WATCHES = u64(0)  # the CPU has printed all that it wanted to
WANTS = u64(1)  # it wants to print
PRINTS = u64(2)  # it prints, and what it records is not kept


class PrintedEvents(Record):
    """The copies lie one behind the other, each with a word before it: the size of its entry."""

    used: u64  # bytes of `copies`
    silent: Values[u64] = inline(SILENT_TYPES)  # types of events that do not make a CPU want to print
    states: Values[u64]  # of each CPU
    copies: Values[u64] = inline(ROOM // 8)
