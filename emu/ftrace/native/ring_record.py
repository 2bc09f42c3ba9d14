# SPDX-License-Identifier: GPL-2.0-only
"""The state of one CPU's ring buffer, which writer and readers share. Pages are named by their index in the pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.native.record import offsets
from emu.native.records import Record, Values, u64


class Ring(Record):
    """One CPU's ring buffer."""

    disabled: u64  # bits that say why; while there is one, nothing is recorded, nothing is counted
    place: u64  # address in the tail at which the next event begins
    end: u64  # address at which the tail ends
    time: u64  # of the last event
    entries: u64  # events ever recorded
    begun: u64  # `entries` when the tail was begun
    overwrite: bool  # when full: gives up the oldest page, or drops the new event
    pool: u64  # address of page 0
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
    wakes: Values[u64]  # the array's `reader_waits`
    earliest: u64  # what it becomes
    spill: Callable[[Ring, u64], None] | None  # takes pages out of a full buffer, before one is overwritten; its argument is 0


globals().update(offsets(Ring))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# Bits of DISABLED
OFF = np.uint64(1)  # tracing_on is 0
MASKED = np.uint64(2)  # tracing_cpumask leaves the CPU out
FAILED = np.uint64(4)  # tracing has failed, for good
PAUSED = np.uint64(8)  # somebody reads the trace, and pause-on-trace is on
