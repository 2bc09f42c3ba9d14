# SPDX-License-Identifier: GPL-2.0-only
"""The state of one CPU's ring buffer, which writer and readers share. Pages are named by their index in the pool.

    page        0         8        16                                   16 + commit        4096
                time      commit   event event event ...                                    |
    event       time_delta:27 type_len:5 | array[0] | data
                type_len 1-28     data of type_len words follow the header
                         0        array[0] is the length of itself and the data
                        29        padding: array[0] bytes to skip
                        30        time extend: the delta's bits from 27 on are in array[0]
                        31        time stamp: absolute, bits 27-58 in array[0]
"""

from __future__ import annotations

from collections.abc import Callable

from emu.native.records import Record, Records, Values, inline, u8, u32, u64

PAGE_SIZE = 4096
DATA_START = 16  # bytes of a page before its data
DATA_SIZE = PAGE_SIZE - DATA_START
COMMIT_MASK = (1 << 20) - 1

# Of an event's header
TYPE_LEN_BITS, DELTA_BITS = 5, 27
TYPE_LEN_MASK, DELTA_MASK = (1 << TYPE_LEN_BITS) - 1, (1 << DELTA_BITS) - 1
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
LONGEST_SMALL = 28 * 4  # bytes of data that need no array[0]


class Page(Record):
    """A page of a ring buffer."""

    time: u64  # of its first event
    commit: u64  # bytes of data
    data: Values[u8] = inline(DATA_SIZE)


class Header(Record):
    """What an event begins with."""

    word: u32  # time_delta and type_len
    array: u32  # array[0]


class Ring(Record):
    """One CPU's ring buffer."""

    disabled: u64  # bits that say why; while there is one, nothing is recorded, nothing is counted
    place: u64  # address in the tail at which the next event begins
    end: u64  # address at which the tail ends
    time: u64  # of the last event
    entries: u64  # events ever recorded
    begun: u64  # `entries` when the tail was begun
    overwrite: bool  # when full: gives up the oldest page, or drops the new event
    pool: Records[Page]
    next: Values[u64]  # of each page: the one after it in the ring
    counts: Values[u64]  # of each page: its events; the tail's is `settle`d when it is asked for
    tail: u64  # page that is written
    head: u64  # oldest page in the ring
    reader: u64  # page taken out of the ring to be read; may still be the tail
    overrun: u64  # events given up with their page
    dropped: u64  # events never recorded
    read: u64  # events consumed
    read_offset: u64  # how far the reader's page is consumed
    read_time: u64  # of the last event consumed
    overrun_seen: u64  # `overrun` when the reader took its page
    lost: u64  # events given up before the reader's page, not yet reported
    awaited: u64  # pages that will have been begun when `wakes` becomes `earliest`; 0: no reader waits for pages
    wakes: Values[u64]  # the array's `reader_waits`, one word
    earliest: u64  # what it becomes
    spill: Callable[[Ring, u64], None] | None  # takes pages out of a full buffer, before one is overwritten; its argument is 0



# Bits of `disabled`
OFF = u64(1)  # tracing_on is 0
MASKED = u64(2)  # tracing_cpumask leaves the CPU out
FAILED = u64(4)  # tracing has failed, for good
PAUSED = u64(8)  # somebody reads the trace, and pause-on-trace is on
