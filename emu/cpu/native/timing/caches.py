# SPDX-License-Identifier: GPL-2.0-only
"""Caches of lines of 64 bytes, which the CPUs keep coherent, and the TLBs.

Each CPU has an L1 for instructions, one for data, and an L2 that holds what both hold. All share a last-level cache and a
directory, which says of each line of RAM which CPUs have it and which of them may have changed it (MESI).

A cache is an array of sets. A set's lines are words, the one that was used last first: line << 2 | state. Who is given a
line by `put` drops the last. The last level's have above that, in 65,536 cycles, when they were used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.interrupts import end_turn
from emu.cpu.native.timing import record
from emu.cpu.timing.core import Cache, Caches, Tlb
from emu.native import njit, outlined
from emu.native.pointers import load_u16, load_u64, store_u16, store_u64
from emu.native.record import Fields

__all__ = ["CacheFields", "Hierarchy", "SharedFields", "build"]

ZERO, ONE, TWO, THREE, SIX, WORD = (np.uint64(n) for n in (0, 1, 2, 3, 6, 8))
SHARED, EXCLUSIVE, MODIFIED = ONE, TWO, THREE  # states of a line; 0: invalid
SHARERS, OWNER_SHIFT = np.uint64(0xFF), np.uint64(8)  # of a directory's entry: a bit for each CPU; its owner plus one
NOBODY = np.uint64(cpu_record.VECTORS)  # as a CPU's number: none of them
AGE_SHIFT, HALF_WORD, LOW32 = np.uint64(16), np.uint64(32), np.uint64(0xFFFF_FFFF)
STREAMS = 16  # entries
STREAM_MASK = np.uint64(STREAMS - 1)
LINES_IN_PAGE = np.uint64(6)  # shift
SHORTEST_PACE = np.uint64(48)  # cycles

DATA_LOAD_MISSES, DATA_STORE_MISSES = record.counter("L1-dcache-load-misses"), record.counter("L1-dcache-store-misses")
CODE_LOADS, CODE_MISSES = record.counter("L1-icache-loads"), record.counter("L1-icache-load-misses")
PREFETCHES, L2_MISSES = record.counter("prefetches"), record.counter("l2-misses")
LLC_LOADS, LLC_MISSES = record.counter("LLC-loads"), record.counter("LLC-load-misses")
TRANSFERS, UPGRADES = record.counter("coherence-transfers"), record.counter("coherence-upgrades")


class CacheFields(NamedTuple):
    """Where a CPU's own caches are in its timing record."""

    l1i: np.uint64
    l1d: np.uint64
    l2: np.uint64
    streams: np.uint64  # of pages that are being read in order: the line that was missed last, plus one
    last_line: np.uint64  # of instructions, plus one
    last_page: np.uint64  # the page of instructions that was used last, plus one
    last_data_page: np.uint64  # the page of data that was used last, plus one
    last_frame: np.uint64  # ... and where it is in RAM
    space: np.uint64  # how often the TLB has been emptied of what is not global
    recent: np.uint64  # of each set of the L1 for data, the line that was accessed last
    itlb: np.uint64
    dtlb: np.uint64
    l2_tlb: np.uint64

    @classmethod
    def of(cls, core: Caches, fields: Fields) -> CacheFields:
        def words(cache: Cache | Tlb, each: int = 1) -> np.uint64:
            return fields.words(cache.sets * cache.ways * each)

        return cls(
            l1i=words(core.l1i),
            l1d=words(core.l1d),
            l2=words(core.l2),
            streams=fields.words(STREAMS),
            last_line=fields.word(),
            last_page=fields.word(),
            last_data_page=fields.word(),
            last_frame=fields.word(),
            space=fields.word(),
            recent=fields.words(core.l1d.sets),
            itlb=words(core.itlb),
            dtlb=words(core.dtlb, 2),
            l2_tlb=words(core.l2_tlb, 2),
        )


class SharedFields(NamedTuple):
    """Where what all CPUs share is, in a record of the board."""

    llc: np.uint64
    directory: np.uint64  # 16 bits for each line of RAM

    @classmethod
    def of(cls, core: Caches, memory: int, fields: Fields) -> SharedFields:
        return cls(llc=fields.words(core.llc.sets * core.llc.ways), directory=fields.words(memory // 64 * 2 // 8))


class Hierarchy(NamedTuple):
    """The compiled functions."""

    access: Any
    """access(cpu, timing, board, line, write) -> (cycles that an access to data takes more than one that hits the L1; 1 if the
    CPU can write the line now without a word, or 0)."""

    fetch: Any
    """fetch(cpu, timing, board, line) -> the same of a line of instructions."""

    lose: Any
    """lose(board, line): somebody who is no CPU has written the line; no CPU has it any longer."""


@njit
def find(base, line, ways):
    """Whether a set has the line; it is then its first."""
    entry = load_u64(base)
    if entry >> TWO == line and entry != ZERO:
        return True
    way = ONE
    while way < ways:
        entry = load_u64(base + way * WORD)
        if entry >> TWO == line and entry != ZERO:
            while way > ZERO:
                store_u64(base + way * WORD, load_u64(base + (way - ONE) * WORD))
                way -= ONE
            store_u64(base, entry)
            return True
        way += ONE
    return False


@njit
def put(base, entry, ways):
    """Puts a line first in its set, which does not have it; returns what is dropped, or 0."""
    way = ways - ONE
    out = load_u64(base + way * WORD)
    while way > ZERO:
        store_u64(base + way * WORD, load_u64(base + (way - ONE) * WORD))
        way -= ONE
    store_u64(base, entry)
    return out


@njit
def change(base, line, state, ways):
    """Gives a line another state, if the set has it. A line that becomes invalid makes room behind the others."""
    way = ZERO
    while way < ways:
        entry = load_u64(base + way * WORD)
        if entry >> TWO == line and entry != ZERO:
            if state != ZERO:
                store_u64(base + way * WORD, line << TWO | state)
                return
            while way + ONE < ways:
                store_u64(base + way * WORD, load_u64(base + (way + ONE) * WORD))
                way += ONE
            store_u64(base + way * WORD, ZERO)
            return
        way += ONE


@njit
def has(base, line, ways):
    """Whether a set has the line, which stays where it is."""
    way = ZERO
    while way < ways:
        entry = load_u64(base + way * WORD)
        if entry >> TWO == line and entry != ZERO:
            return True
        way += ONE
    return False


def build(core: Caches, at: CacheFields, shared: SharedFields, coherent: bool) -> Hierarchy:
    """Compiles for a core. `coherent`: there are caches of data; else instructions alone are followed, each CPU's apart."""
    l1i_at, l1d_at, l2_at, streams_at, last_line_at, recent_at = at.l1i, at.l1d, at.l2, at.streams, at.last_line, at.recent
    l1i_mask, l1i_ways, l1i_bytes = np.uint64(core.l1i.sets - 1), np.uint64(core.l1i.ways), np.uint64(core.l1i.ways * 8)
    l1d_mask, l1d_ways, l1d_bytes = np.uint64(core.l1d.sets - 1), np.uint64(core.l1d.ways), np.uint64(core.l1d.ways * 8)
    l2_mask, l2_ways, l2_bytes = np.uint64(core.l2.sets - 1), np.uint64(core.l2.ways), np.uint64(core.l2.ways * 8)
    llc_mask, llc_ways, llc_bytes = np.uint64(core.llc.sets - 1), np.uint64(core.llc.ways), np.uint64(core.llc.ways * 8)
    llc_at, directory_at = shared.llc, shared.directory
    l2_hit, llc_hit, memory = np.uint64(core.l2_hit), np.uint64(core.llc_hit), np.uint64(core.memory)
    longest = np.uint64(core.llc_kept) >> AGE_SHIFT
    transfer, upgrade = np.uint64(core.transfer), np.uint64(core.upgrade)

    @njit
    def l1i_set(timing, line):
        return timing + l1i_at + (line & l1i_mask) * l1i_bytes

    @njit
    def l1d_set(timing, line):
        return timing + l1d_at + (line & l1d_mask) * l1d_bytes

    @njit
    def change_data(timing, line, state):
        """Gives a line in the L1 for data another state; 0: it loses it."""
        change(l1d_set(timing, line), line, state, l1d_ways)
        store_u64(timing + recent_at + (line & l1d_mask) * WORD, ZERO)

    @njit
    def entry_of(board, line):
        """Where the directory says who has a line."""
        return load_u64(board + board_record.TIMING_SHARED) + directory_at + line * TWO

    @njit
    def lose_code(timing, line):
        """The L1 for instructions loses a line."""
        change(l1i_set(timing, line), line, ZERO, l1i_ways)
        if load_u64(timing + last_line_at) == line + ONE:
            store_u64(timing + last_line_at, ZERO)

    @njit
    def others_lose(board, me, line, sharers, state):
        """Every other CPU that has the line has it in that state from now on; 0: it has it no longer."""
        cpus = load_u64(board + board_record.CPUS)
        other = ZERO
        while sharers >> other != ZERO:
            if sharers >> other & ONE != ZERO and other != me:
                timing = load_u64(load_u64(cpus + other * WORD) + cpu_record.TIMING)
                change_data(timing, line, state)
                if state == ZERO:
                    change(timing + l2_at + (line & l2_mask) * l2_bytes, line, state, l2_ways)
                    lose_code(timing, line)
            other += ONE

    @njit
    def evict(timing, board, me, line):
        """The L2 drops a line, and so do the L1s, which it holds."""
        change_data(timing, line, ZERO)
        lose_code(timing, line)
        if coherent:
            place = entry_of(board, line)
            entry = np.uint64(load_u16(place)) & ~(ONE << me)
            if entry >> OWNER_SHIFT == me + ONE:
                entry &= SHARERS
            store_u16(place, np.uint16(entry))

    @njit
    def kept(cpu, board, line):
        """Whether the last level has a line, which it has from now on. Those who share it with this machine use it, too: a line
        that was not used for long is theirs."""
        base = load_u64(board + board_record.TIMING_SHARED) + llc_at + (line & llc_mask) * llc_bytes
        entry, now = line << TWO | SHARED, load_u64(cpu + cpu_record.CYCLES) >> AGE_SHIFT & LOW32
        way = ZERO
        while way + ONE < llc_ways and load_u64(base + way * WORD) & LOW32 != entry:
            way += ONE
        before = put(base, now << HALF_WORD | entry, way + ONE)
        return before & LOW32 == entry and now - (before >> HALF_WORD) <= longest

    @njit
    def below(cpu, timing, board, me, line):
        """Gets a line from the L2, the last level or memory, into the L2. Cycles that this takes more than an L1 hit."""
        base = timing + l2_at + (line & l2_mask) * l2_bytes
        if find(base, line, l2_ways):
            return l2_hit
        record.count(timing, L2_MISSES)
        dropped = put(base, line << TWO | SHARED, l2_ways)
        if dropped != ZERO:
            evict(timing, board, me, dropped >> TWO)
        if not coherent:
            return llc_hit
        record.tally(timing, LLC_LOADS)
        if kept(cpu, board, line):
            return llc_hit
        record.count(timing, LLC_MISSES)
        return memory

    @njit
    def streams(timing, line):
        """Whether the prefetcher has seen that lines of a page are read in order, and has got this one before."""
        page = line >> LINES_IN_PAGE
        place = timing + streams_at + (page & STREAM_MASK) * WORD
        last = load_u64(place)
        store_u64(place, line + ONE)
        return last != ZERO and (last == line or last == line + TWO) and (last - ONE) >> LINES_IN_PAGE == page

    @outlined
    def coherent_miss(cpu, timing, board, line, write, code):
        """Fetches a line that the L1 does not have, or may not write."""
        me = load_u64(cpu + cpu_record.INDEX)
        place = entry_of(board, line)
        entry = np.uint64(load_u16(place))
        sharers, owner = entry & SHARERS, entry >> OWNER_SHIFT
        mine = ONE << me
        others = sharers & ~mine
        latency, state = ZERO, EXCLUSIVE
        if owner != ZERO and owner != me + ONE:  # its owner may have changed it
            record.count(timing, TRANSFERS)
            others_lose(board, me, line, others, ZERO if write else SHARED)
            below(cpu, timing, board, me, line)
            latency = transfer
            # The CPUs take turns at the line from now on: short ones, so that none has it longer than it would.
            store_u64(board + board_record.PACE, SHORTEST_PACE)
            end_turn(cpu)
        else:
            latency = below(cpu, timing, board, me, line)
            if write and others != ZERO:
                record.count(timing, UPGRADES)
                others_lose(board, me, line, others, ZERO)
                latency = max(latency, upgrade)
        if write:
            entry, state = mine | (me + ONE) << OWNER_SHIFT, MODIFIED
            lose_code(timing, line)
        elif code:  # who writes it next has to say so, be it this CPU
            entry, state = sharers | mine, SHARED
            change_data(timing, line, SHARED)
        elif others != ZERO or has(l1i_set(timing, line), line, l1i_ways):
            entry, state = sharers | mine, SHARED
        else:
            entry = mine | (me + ONE) << OWNER_SHIFT
        store_u16(place, np.uint16(entry))
        if code:
            put(l1i_set(timing, line), line << TWO | SHARED, l1i_ways)
        else:
            base = l1d_set(timing, line)
            if find(base, line, l1d_ways):
                store_u64(base, line << TWO | state)
            else:
                put(base, line << TWO | state, l1d_ways)
        return latency

    @outlined
    def data_miss(cpu, timing, board, line, write, shared):
        """Fetches a line of data. `shared`: the L1 has it, but may not write it."""
        if shared:
            return coherent_miss(cpu, timing, board, line, write, False)
        if write:
            record.count(timing, DATA_STORE_MISSES)
        else:
            record.count(timing, DATA_LOAD_MISSES)
        expected = streams(timing, line)
        latency = coherent_miss(cpu, timing, board, line, write, False)
        if expected and latency > l2_hit and latency != transfer:
            record.count(timing, PREFETCHES)
            return l2_hit
        return latency

    @njit
    def access(cpu, timing, board, line, write):
        base = l1d_set(timing, line)
        if find(base, line, l1d_ways):
            entry = load_u64(base)
            if entry & THREE == MODIFIED:
                return ZERO, ONE
            if not write:
                return ZERO, ZERO
            if entry & THREE != SHARED:
                store_u64(base, entry | MODIFIED)
                return ZERO, ONE
            return data_miss(cpu, timing, board, line, write, True), ONE
        return data_miss(cpu, timing, board, line, write, False), ONE if write else ZERO

    @outlined
    def code_miss(cpu, timing, board, line):
        """Fetches a line of instructions that the L1 does not have."""
        record.count(timing, CODE_MISSES)
        if coherent:
            return coherent_miss(cpu, timing, board, line, False, True)
        latency = below(cpu, timing, board, load_u64(cpu + cpu_record.INDEX), line)
        put(l1i_set(timing, line), line << TWO | SHARED, l1i_ways)
        return latency

    @njit
    def fetch(cpu, timing, board, line):
        record.tally(timing, CODE_LOADS)
        if find(l1i_set(timing, line), line, l1i_ways):
            return ZERO
        return code_miss(cpu, timing, board, line)

    @njit
    def lose(board, line):
        if coherent:
            place = entry_of(board, line)
            sharers = np.uint64(load_u16(place)) & SHARERS
            if sharers != ZERO:
                others_lose(board, NOBODY, line, sharers, ZERO)
                store_u16(place, np.uint16(0))
        else:
            others_lose(board, NOBODY, line, (ONE << load_u64(board + board_record.CPU_COUNT)) - ONE, ZERO)

    return Hierarchy(access, fetch, lose)
