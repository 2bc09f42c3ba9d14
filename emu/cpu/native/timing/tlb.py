# SPDX-License-Identifier: GPL-2.0-only
"""The TLBs, which also tell where in RAM an address is.

The kernel's own maps of RAM are of large pages, and their translations are always there. Other pages are of 4 KiB. An
entry of a TLB for data is two words: a key, and the RAM address of the page; of that for instructions it is the key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.timing import recent, record
from emu.cpu.native.timing.caches import CacheFields, find, put
from emu.cpu.timing.core import Caches
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["Tlbs", "build"]

ZERO, ONE, TWO, WORD, TWO_WORDS = (np.uint64(n) for n in (0, 1, 2, 8, 16))
PAGE_SHIFT, LARGE_SHIFT, PAGE_OFFSET = np.uint64(12), np.uint64(21), np.uint64(4095)

# A key: the page's number << 20 | SPACE, where kernels' pages, which are global, have SPACE 0.
PAGE_BITS, SPACE_BITS = np.uint64((1 << 36) - 1), np.uint64(20)
SPACE_MASK, KERNEL, LARGE = np.uint64((1 << 20) - 1), np.uint64(1 << 35), np.uint64(1 << 60)

DATA_LOADS, DATA_MISSES = record.counter("dTLB-loads"), record.counter("dTLB-load-misses")
CODE_MISSES = record.counter("iTLB-load-misses")


class Tlbs(NamedTuple):
    """The compiled functions."""

    translate: Any
    """translate(cpu, timing, board, address) -> (RAM address, or NEVER if it is not in RAM; cycles more than a hit)."""

    find: Any
    """find(cpu, timing, board, address) -> RAM address, or NEVER; the TLBs do not notice."""

    fetch: Any
    """fetch(timing, board, address) -> cycles by which instructions at a virtual address come late."""

    empty: Any
    """empty(timing): all translations are forgotten that are not global."""


@njit
def find_pair(base, key, ways):
    """Whether a set has the key; its entry is then the first."""
    if load_u64(base) == key:
        return True
    way = ONE
    while way < ways:
        if load_u64(base + way * TWO_WORDS) == key:
            frame = load_u64(base + way * TWO_WORDS + WORD)
            put_pair(base, key, frame, way + ONE)
            return True
        way += ONE
    return False


@njit
def put_pair(base, key, frame, ways):
    """Puts an entry first in its set; the one at the last of `ways` goes."""
    way = ways - ONE
    while way > ZERO:
        store_u64(base + way * TWO_WORDS, load_u64(base + (way - ONE) * TWO_WORDS))
        store_u64(base + way * TWO_WORDS + WORD, load_u64(base + (way - ONE) * TWO_WORDS + WORD))
        way -= ONE
    store_u64(base, key)
    store_u64(base + WORD, frame)


def build(core: Caches, at: CacheFields, walk: Any) -> Tlbs:
    """Compiles for a core. `walk`: walk(cpu, board, address), compiled -> RAM address of a virtual one, or NEVER."""
    itlb_at, dtlb_at, l2_at, space_at, last_page_at = at.itlb, at.dtlb, at.l2_tlb, at.space, at.last_page
    last_data_page_at, last_frame_at = at.last_data_page, at.last_frame
    recent_at, recent_entries = at.recent, np.uint64(core.l1d.sets)
    itlb_mask, itlb_ways = np.uint64(core.itlb.sets - 1), np.uint64(core.itlb.ways)
    dtlb_mask, dtlb_ways = np.uint64(core.dtlb.sets - 1), np.uint64(core.dtlb.ways)
    l2_mask, l2_ways = np.uint64(core.l2_tlb.sets - 1), np.uint64(core.l2_tlb.ways)
    l2_hit, walk_cycles = np.uint64(core.l2_tlb_hit), np.uint64(core.walk)

    @njit
    def key_of(timing, page):
        page &= PAGE_BITS
        space = ZERO if page & KERNEL else load_u64(timing + space_at) & SPACE_MASK
        return page << SPACE_BITS | space

    @njit
    def find_place(cpu, timing, board, address):
        if load_u64(timing + last_data_page_at) == (address >> PAGE_SHIFT) + ONE:
            return load_u64(timing + last_frame_at) | address & PAGE_OFFSET
        size = load_u64(board + board_record.RAM_SIZE)
        offset = address - load_u64(board + board_record.DIRECT_START)
        return offset if offset < size else walk(cpu, board, address)

    @njit
    def translate(cpu, timing, board, address):
        page = address >> PAGE_SHIFT
        if load_u64(timing + last_data_page_at) == page + ONE:
            record.tally(timing, DATA_LOADS)
            return load_u64(timing + last_frame_at) | address & PAGE_OFFSET, ZERO
        size = load_u64(board + board_record.RAM_SIZE)
        offset = address - load_u64(board + board_record.DIRECT_START)
        if offset < size:
            return offset, ZERO
        offset = address - load_u64(board + board_record.KERNEL_START)
        if offset < size:
            return offset, ZERO
        record.tally(timing, DATA_LOADS)
        key = key_of(timing, page)
        first = timing + dtlb_at + (page & dtlb_mask) * dtlb_ways * TWO_WORDS
        if find_pair(first, key, dtlb_ways):
            frame = load_u64(first + WORD)
            store_u64(timing + last_data_page_at, page + ONE)
            store_u64(timing + last_frame_at, frame)
            return frame | address & PAGE_OFFSET, ZERO
        second = timing + l2_at + (page & l2_mask) * l2_ways * TWO_WORDS
        latency = l2_hit
        if not find_pair(second, key, l2_ways):
            found = walk(cpu, board, address)
            if found >= size:
                return cpu_record.NEVER, ZERO
            record.count(timing, DATA_MISSES)
            put_pair(second, key, found & ~PAGE_OFFSET, l2_ways)
            latency = walk_cycles
        frame = load_u64(second + WORD)
        recent.forget(timing, recent_at, recent_entries)
        put_pair(first, key, frame, dtlb_ways)
        store_u64(timing + last_data_page_at, page + ONE)
        store_u64(timing + last_frame_at, frame)
        return frame | address & PAGE_OFFSET, latency

    @njit
    def fetch(timing, board, address):
        if load_u64(timing + last_page_at) == (address >> PAGE_SHIFT) + ONE:
            return ZERO
        store_u64(timing + last_page_at, (address >> PAGE_SHIFT) + ONE)
        large = address - load_u64(board + board_record.KERNEL_START) < load_u64(board + board_record.RAM_SIZE)
        page = address >> LARGE_SHIFT if large else address >> PAGE_SHIFT
        key = page | LARGE if large else key_of(timing, page)
        base = timing + itlb_at + (page & itlb_mask) * itlb_ways * WORD
        if find(base, key, itlb_ways):
            return ZERO
        record.count(timing, CODE_MISSES)
        put(base, key << TWO | ONE, itlb_ways)
        return l2_hit

    @njit
    def empty(timing):
        store_u64(timing + space_at, load_u64(timing + space_at) + ONE)
        store_u64(timing + last_page_at, ZERO)
        store_u64(timing + last_data_page_at, ZERO)
        recent.forget(timing, recent_at, recent_entries)

    return Tlbs(translate, find_place, fetch, empty)
