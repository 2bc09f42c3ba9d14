# SPDX-License-Identifier: GPL-2.0-only
"""The last accessed data line in each set of a CPU's L1: most accesses only need to find their line here.

It is the first line of its set, and its translation is in the TLB. Using it again changes nothing except the order in the TLB,
which is ignored. Lines of a set have the same lowest bits, virtual or physical, because a page has one line per set.

An entry is one number, so that it is compared at once: virtual line << 3 | VALID | whether the TLB was asked << 1 | whether the
CPU can write it without asking the directory.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Board, Cpu
from emu.cpu.native.timing import record
from emu.cpu.native.timing.record import Timing
from emu.cpu.timing.core import Cache
from emu.native.functions import Native, njit, unlikely
from emu.native.records import Values, u64

__all__ = ["build", "forget"]

LINE_SHIFT, FLAG_BITS = 6, 3
VALID, ASKED, WRITABLE, FLAGS = u64(4), u64(2), u64(1), u64(7)

TLB_LOADS = record.counter("dTLB-loads")


@njit
def forget(recent: Values[u64], entries: u64) -> None:
    """Forgets all lines: the TLB has gained or lost a translation."""
    for n in range(entries):
        recent[n] = 0


def build(
    l1d: Cache,
    native: Native,
    store_waits: int,
    translate: Callable[[Cpu, Timing, Board, u64], tuple[u64, u64]],
    access_line: Callable[[Cpu, Timing, Board, u64, bool], tuple[u64, u64]],
) -> Callable[[Cpu, Timing, Board, u64, bool, bool], u64]:
    """access(cpu, timing, board, address, write, locked), compiled -> cycles beyond an L1 hit for which instructions that need
    the data wait.

    Args:
        l1d: the cache.
        native: compiles for the core's layouts.
        store_waits: the number of bits by which a store's wait is shifted right.
        translate: from `tlb`.
        access_line: from `caches`.
    """
    mask = u64(l1d.sets - 1)

    @native.outlined
    def look_up(cpu: Cpu, timing: Timing, board: Board, address: u64, write: bool, locked: bool) -> u64:
        """Accesses a line that is not here, and records it."""
        loads = timing.counts[TLB_LOADS]
        place, latency = translate(cpu, timing, board, address)
        if place >= board.ram_size:
            return u64(0)
        more, writable = access_line(cpu, timing, board, place >> LINE_SHIFT, write)
        asked = ASKED if timing.counts[TLB_LOADS] != loads else u64(0)
        line = address >> LINE_SHIFT
        timing.caches.recent[line & mask] = line << FLAG_BITS | VALID | asked | writable
        latency += more
        return latency >> store_waits if write and not locked else latency

    @native.njit
    def access(cpu: Cpu, timing: Timing, board: Board, address: u64, write: bool, locked: bool) -> u64:
        line = address >> LINE_SHIFT
        entry = timing.caches.recent[line & mask]
        if unlikely(entry | ASKED | (u64(0) if write else WRITABLE) != line << FLAG_BITS | FLAGS):
            return look_up(cpu, timing, board, address, write, locked)
        timing.counts[TLB_LOADS] += entry >> 1 & 1
        return u64(0)

    return access
