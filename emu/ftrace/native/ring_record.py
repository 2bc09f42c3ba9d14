# SPDX-License-Identifier: GPL-2.0-only
"""The state of one CPU's ring buffer, shared by its writer and readers. Pages are identified by their index in the pool.

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
DATA_START = 16  # bytes before a page's data
DATA_SIZE = PAGE_SIZE - DATA_START
COMMIT_MASK = (1 << 20) - 1

# Fields of an event's header
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
    """The header of an event."""

    word: u32  # time_delta and type_len
    array: u32  # array[0]


class Ring(Record):
    """One CPU's ring buffer."""

    disabled: u64  # reasons for not recording, as bits; while any is set, nothing is recorded or counted
    place: u64  # address in the tail page of the next event
    end: u64  # end address of the tail page
    time: u64  # of the last event
    entries: u64  # number of events ever recorded
    begun: u64  # `entries` when the tail page was started
    overwrite: bool  # when full: whether to overwrite the oldest page, rather than drop the new event
    pool: Records[Page]
    next: Values[u64]  # of each page: the next page in the ring
    counts: Values[u64]  # of each page: its events; the tail's count is updated by `settle`
    tail: u64  # the page being written
    head: u64  # the oldest page in the ring
    reader: u64  # the reader page, outside the ring; may still be the tail
    overrun: u64  # events overwritten
    dropped: u64  # events never recorded
    read: u64  # events consumed
    read_offset: u64  # bytes consumed of the reader page
    read_time: u64  # of the last event consumed
    overrun_seen: u64  # `overrun` when the reader took the reader page
    lost: u64  # events overwritten before the reader page, not yet reported
    awaited: u64  # number of started pages at which `wakes` becomes `earliest`; 0: no reader waits for pages
    wakes: Values[u64]  # the array's `reader_waits`
    earliest: u64  # its value then
    spill: Callable[[Ring, u64], None] | None  # takes pages out of a full buffer before one is overwritten; its argument is 0



# Bits of `disabled`
OFF = u64(1)  # tracing_on is 0
MASKED = u64(2)  # the CPU is not in tracing_cpumask
FAILED = u64(4)  # tracing has failed for good
PAUSED = u64(8)  # the trace is being read, and pause-on-trace is on
