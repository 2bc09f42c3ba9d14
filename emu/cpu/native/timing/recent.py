# SPDX-License-Identifier: GPL-2.0-only
"""The line of data that was accessed last in each set of a CPU's L1: most accesses need no more than to find theirs here.

It is the first of its set, and its translation is in the TLB: nothing changes if it is used again, but for the order in the
TLB, which does not notice. Lines of a set have the same lowest bits, virtual or not, as a page has a line for each set.

An entry: the virtual line << 3 | VALID | whether the TLB was asked << 1 | whether the CPU can write it without a word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native import board_record
from emu.cpu.native.timing import record
from emu.cpu.timing.core import Cache
from emu.native import njit, outlined
from emu.native.pointers import load_u64, store_u64, unlikely

__all__ = ["build", "forget"]

ZERO, ONE, WORD = (np.uint64(n) for n in (0, 1, 8))
LINE_SHIFT, FLAGS_SHIFT = np.uint64(6), np.uint64(3)
VALID, ASKED, WRITABLE, FLAGS = (np.uint64(n) for n in (4, 2, 1, 7))

TLB_LOADS = record.counter("dTLB-loads")


@njit
def forget(timing, at, entries):
    """Forgets all lines: a translation comes into the TLB or leaves it. `at`: offset of the entries in the timing record."""
    n = ZERO
    while n < entries:
        store_u64(timing + at + n * WORD, ZERO)
        n += ONE


def build(l1d: Cache, at: np.uint64, store_waits: np.uint64, translate: Any, access_line: Any) -> Any:
    """access(cpu, timing, board, address, write, locked), compiled -> cycles that what needs the data in a line waits longer
    than for an L1 hit.

    Args:
        l1d: the cache.
        at: offset of the entries in the timing record.
        store_waits: by how many bits less a store is waited for.
        translate: of `tlb`.
        access_line: of `caches`.
    """
    mask = np.uint64(l1d.sets - 1)

    @outlined
    def look_up(cpu, timing, board, address, write, locked):
        """Accesses a line that is not here, and notes it."""
        loads = load_u64(timing + TLB_LOADS)
        place, latency = translate(cpu, timing, board, address)
        if place >= load_u64(board + board_record.RAM_SIZE):
            return ZERO
        more, writable = access_line(cpu, timing, board, place >> LINE_SHIFT, write)
        asked = ASKED if load_u64(timing + TLB_LOADS) != loads else ZERO
        line = address >> LINE_SHIFT
        store_u64(timing + at + (line & mask) * WORD, line << FLAGS_SHIFT | VALID | asked | writable)
        latency += more
        return latency >> store_waits if write and not locked else latency

    @njit
    def access(cpu, timing, board, address, write, locked):
        line = address >> LINE_SHIFT
        entry = load_u64(timing + at + (line & mask) * WORD)
        if unlikely(entry | ASKED | (ZERO if write else WRITABLE) != line << FLAGS_SHIFT | FLAGS):
            return look_up(cpu, timing, board, address, write, locked)
        store_u64(timing + TLB_LOADS, load_u64(timing + TLB_LOADS) + (entry >> ONE & ONE))
        return ZERO

    return access
