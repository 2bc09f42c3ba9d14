# SPDX-License-Identifier: GPL-2.0-only
"""The TLBs, which also translate addresses to RAM addresses.

The kernel's own mappings of RAM use large pages, and their translations are always present. Other pages have 4 KiB.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import NEVER, Board, Cpu
from emu.cpu.native.timing import recent, record
from emu.cpu.native.timing.cache_records import Translation
from emu.cpu.native.timing.caches import SHARED, find, put, with_state
from emu.cpu.native.timing.record import Timing
from emu.cpu.timing.core import Caches
from emu.native.functions import Native, njit
from emu.native.records import Records, u64

__all__ = ["Tlbs", "build"]

PAGE_SHIFT, LARGE_SHIFT, PAGE_OFFSET = 12, 21, u64(4095)

# A key: page number << 20 | `space`. Pages of kernels, which are global, have space 0.
PAGE_MASK, SPACE_BITS = (1 << 36) - 1, 20
SPACE_MASK, KERNEL, LARGE = (1 << SPACE_BITS) - 1, u64(1 << 35), u64(1 << 60)

DATA_LOADS, DATA_MISSES = record.counter("dTLB-loads"), record.counter("dTLB-load-misses")
CODE_MISSES = record.counter("iTLB-load-misses")


class Tlbs(NamedTuple):
    """The compiled functions."""

    translate: Callable[[Cpu, Timing, Board, u64], tuple[u64, u64]]
    """translate(cpu, timing, board, address) -> (RAM address, or NEVER if it is not in RAM; cycles beyond a hit)."""

    find: Callable[[Cpu, Timing, Board, u64], u64]
    """find(cpu, timing, board, address) -> RAM address, or NEVER; does not affect the TLBs."""

    fetch: Callable[[Timing, Board, u64], u64]
    """fetch(timing, board, address) -> cycles by which the instructions at a virtual address are late."""

    empty: Callable[[Timing], None]
    """empty(timing): drops all translations that are not global."""


@njit
def find_translation(entries: Records[Translation], key: u64, ways: u64) -> bool:
    """Whether a set has the key; its entry then becomes the first."""
    if entries[0].key == key:
        return True
    way = u64(1)
    while way < ways:
        if entries[way].key == key:
            put_translation(entries, key, entries[way].frame, way + 1)
            return True
        way += 1
    return False


@njit
def put_translation(entries: Records[Translation], key: u64, frame: u64, ways: u64) -> None:
    """Inserts an entry as the first of its set; the last of `ways` entries is dropped."""
    way = ways - 1
    while way > 0:
        to, source = entries[way], entries[way - 1]
        to.key = source.key
        to.frame = source.frame
        way -= 1
    first = entries[0]
    first.key, first.frame = key, frame


def build(core: Caches, native: Native, walk: Callable[[Cpu, Board, u64], u64]) -> Tlbs:
    """Compiles for a core, with its layouts. `walk`: walk(cpu, board, address), compiled -> RAM address behind a virtual one, or
    NEVER."""
    njit = native.njit
    recent_entries = u64(core.l1d.sets)
    itlb_mask, itlb_ways = u64(core.itlb.sets - 1), u64(core.itlb.ways)
    dtlb_mask, dtlb_ways = u64(core.dtlb.sets - 1), u64(core.dtlb.ways)
    l2_mask, l2_ways = u64(core.l2_tlb.sets - 1), u64(core.l2_tlb.ways)
    l2_hit, walk_cycles = u64(core.l2_tlb_hit), u64(core.walk)

    @njit
    def key_of(timing: Timing, page: u64) -> u64:
        page &= PAGE_MASK
        space = u64(0) if page & KERNEL != 0 else timing.caches.space & SPACE_MASK
        return page << SPACE_BITS | space

    @njit
    def find_place(cpu: Cpu, timing: Timing, board: Board, address: u64) -> u64:
        if timing.caches.last_data_page == (address >> PAGE_SHIFT) + 1:
            return timing.caches.last_frame | address & PAGE_OFFSET
        offset = address - board.direct_start
        return offset if offset < board.ram_size else walk(cpu, board, address)

    @njit
    def used(timing: Timing, page: u64, frame: u64) -> None:
        """Notes the last page of data."""
        timing.caches.last_data_page = page + 1
        timing.caches.last_frame = frame

    @njit
    def look_up(cpu: Cpu, timing: Timing, board: Board, address: u64) -> tuple[u64, u64]:
        """The result of `translate` for an address that must be looked up."""
        page, caches = address >> PAGE_SHIFT, timing.caches
        key = key_of(timing, page)
        first = caches.dtlb[page & dtlb_mask].entries
        if find_translation(first, key, dtlb_ways):
            frame = first[0].frame
            used(timing, page, frame)
            return frame | address & PAGE_OFFSET, u64(0)
        second = caches.l2_tlb[page & l2_mask].entries
        latency = l2_hit
        if not find_translation(second, key, l2_ways):
            found = walk(cpu, board, address)
            if found >= board.ram_size:
                return NEVER, u64(0)
            record.count(timing, DATA_MISSES)
            put_translation(second, key, found & ~PAGE_OFFSET, l2_ways)
            latency = walk_cycles
        frame = second[0].frame
        recent.forget(caches.recent, recent_entries)
        put_translation(first, key, frame, dtlb_ways)
        used(timing, page, frame)
        return frame | address & PAGE_OFFSET, latency

    @njit
    def translate(cpu: Cpu, timing: Timing, board: Board, address: u64) -> tuple[u64, u64]:
        if timing.caches.last_data_page == (address >> PAGE_SHIFT) + 1:
            record.tally(timing, DATA_LOADS)
            return timing.caches.last_frame | address & PAGE_OFFSET, u64(0)
        size = board.ram_size
        offset = address - board.direct_start
        if offset < size:
            return offset, u64(0)
        offset = address - board.kernel_start
        if offset < size:
            return offset, u64(0)
        record.tally(timing, DATA_LOADS)
        return look_up(cpu, timing, board, address)

    @njit
    def fetch(timing: Timing, board: Board, address: u64) -> u64:
        page, caches = address >> PAGE_SHIFT, timing.caches
        if caches.last_page == page + 1:
            return u64(0)
        caches.last_page = page + 1
        if address - board.kernel_start < board.ram_size:
            page = address >> LARGE_SHIFT
            key = page | LARGE
        else:
            key = key_of(timing, page)
        lines = caches.itlb[page & itlb_mask].lines
        if find(lines, key, itlb_ways):
            return u64(0)
        record.count(timing, CODE_MISSES)
        put(lines, with_state(key, SHARED), itlb_ways)
        return l2_hit

    @njit
    def empty(timing: Timing) -> None:
        caches = timing.caches
        caches.space += 1
        caches.last_page = caches.last_data_page = 0
        recent.forget(caches.recent, recent_entries)

    return Tlbs(translate, find_place, fetch, empty)
