# SPDX-License-Identifier: GPL-2.0-only
"""The copies of events that are printed immediately (tp_printk)."""

from __future__ import annotations

from emu.native.records import Record, Values, inline, u64

SILENT_TYPES = 4
ROOM = 64 << 10  # bytes of copies

# Values of `states`
WATCHES = u64(0)  # the CPU has printed everything that it wanted to
WANTS = u64(1)  # it wants to print
PRINTS = u64(2)  # it is printing, and its events are not kept


class PrintedEvents(Record):
    """The copies are stored one after another, each preceded by a word: the size of its entry."""

    used: u64  # used bytes of `copies`
    silent: Values[u64] = inline(SILENT_TYPES)  # event types that do not make a CPU want to print
    states: Values[u64]  # of each CPU
    copies: Values[u64] = inline(ROOM // 8)
