# SPDX-License-Identifier: GPL-2.0-only
"""Caches with lines of 64 bytes, which the CPUs keep coherent, and the TLBs.

Each CPU has an L1 instruction cache, an L1 data cache, and an L2 that includes both. All share a last-level cache and a
directory, which records for each line of RAM the CPUs that have it and the CPU that may have modified it (MESI).

A cache is an array of sets. A set's lines are words, most recently used first: line << 2 | state. Adding a line with `put`
drops the last one. Above that, the last level's lines have the time of their last use, in units of 65,536 cycles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Board, Cpu
from emu.cpu.native.interrupts import end_turn
from emu.cpu.native.timing import record
from emu.cpu.native.timing.cache_records import STREAMS
from emu.cpu.native.timing.record import Timing
from emu.cpu.timing.core import Caches
from emu.native.functions import Native, njit
from emu.native.records import Values, u64

__all__ = ["Hierarchy", "build", "find", "put", "with_state"]

SHARED, EXCLUSIVE, MODIFIED = u64(1), u64(2), u64(3)  # states of a line
INVALID = u64(0)
STATE_BITS, STATE_MASK = 2, 3
USED_SHIFT, LINE_MASK, AGE_SHIFT = 32, 0xFFFF_FFFF, 16  # of the last level's lines
NOBODY = u64(1 << 16)  # as a CPU number: no CPU
PAGE_BITS = 6  # of a line's number: its index in its page
STREAM_MASK = STREAMS - 1
SHORTEST_PACE = 48  # cycles

DATA_LOAD_MISSES, DATA_STORE_MISSES = record.counter("L1-dcache-load-misses"), record.counter("L1-dcache-store-misses")
CODE_LOADS, CODE_MISSES = record.counter("L1-icache-loads"), record.counter("L1-icache-load-misses")
PREFETCHES, L2_MISSES = record.counter("prefetches"), record.counter("l2-misses")
LLC_LOADS, LLC_MISSES = record.counter("LLC-loads"), record.counter("LLC-load-misses")
TRANSFERS, UPGRADES = record.counter("coherence-transfers"), record.counter("coherence-upgrades")


class Hierarchy(NamedTuple):
    """The compiled functions."""

    access: Callable[[Cpu, Timing, Board, u64, bool], tuple[u64, u64]]
    """access(cpu, timing, board, line, write) -> (cycles that a data access takes beyond an L1 hit; 1 if the CPU can now write
    the line without asking the directory, otherwise 0)."""

    fetch: Callable[[Cpu, Timing, Board, u64], u64]
    """fetch(cpu, timing, board, line) -> the same for a line of instructions."""

    lose: Callable[[Board, u64], None]
    """lose(board, line): the line was written by something other than a CPU; no CPU has it any longer."""


@njit
def with_state(line: u64, state: u64) -> u64:
    """A line in a cache's format."""
    return line << STATE_BITS | state


@njit
def is_of(entry: u64, line: u64) -> bool:
    """Whether an entry of a set holds a line."""
    return entry >> STATE_BITS == line and entry != 0


@njit
def find(lines: Values[u64], line: u64, ways: u64) -> bool:
    """Whether a set has the line, which then becomes its first."""
    if is_of(lines[0], line):
        return True
    way = u64(1)
    while way < ways:
        entry = lines[way]
        if is_of(entry, line):
            while way > 0:
                lines[way] = lines[way - 1]
                way -= 1
            lines[0] = entry
            return True
        way += 1
    return False


@njit
def put(lines: Values[u64], entry: u64, ways: u64) -> u64:
    """Inserts a line that its set does not have as the first one. Returns the dropped line, or 0."""
    way = ways - 1
    out = lines[way]
    while way > 0:
        lines[way] = lines[way - 1]
        way -= 1
    lines[0] = entry
    return out


@njit
def change(lines: Values[u64], line: u64, state: u64, ways: u64) -> None:
    """Changes the state of a line, if the set has it. A line that becomes invalid frees a place at the end."""
    way = u64(0)
    while way < ways:
        if is_of(lines[way], line):
            if state != INVALID:
                lines[way] = with_state(line, state)
                return
            while way + 1 < ways:
                lines[way] = lines[way + 1]
                way += 1
            lines[way] = 0
            return
        way += 1


@njit
def has(lines: Values[u64], line: u64, ways: u64) -> bool:
    """Whether a set has the line, whose place does not change."""
    way = u64(0)
    while way < ways:
        if is_of(lines[way], line):
            return True
        way += 1
    return False


def build(core: Caches, native: Native, coherent: bool) -> Hierarchy:
    """Compiles for a core, with its layouts. `coherent`: there are data caches; otherwise only instructions are modelled, for
    each CPU separately."""
    njit, outlined = native.njit, native.outlined
    l1i_mask, l1i_ways = u64(core.l1i.sets - 1), u64(core.l1i.ways)
    l1d_mask, l1d_ways = u64(core.l1d.sets - 1), u64(core.l1d.ways)
    l2_mask, l2_ways = u64(core.l2.sets - 1), u64(core.l2.ways)
    llc_mask, llc_ways = u64(core.llc.sets - 1), u64(core.llc.ways)
    l2_hit, llc_hit, memory = u64(core.l2_hit), u64(core.llc_hit), u64(core.memory)
    longest = u64(core.llc_kept >> AGE_SHIFT)
    transfer, upgrade = u64(core.transfer), u64(core.upgrade)

    @njit
    def l1i_set(timing: Timing, line: u64) -> Values[u64]:
        return timing.caches.l1i[line & l1i_mask].lines

    @njit
    def l1d_set(timing: Timing, line: u64) -> Values[u64]:
        return timing.caches.l1d[line & l1d_mask].lines

    @njit
    def l2_set(timing: Timing, line: u64) -> Values[u64]:
        return timing.caches.l2[line & l2_mask].lines

    @njit
    def change_data(timing: Timing, line: u64, state: u64) -> None:
        """Changes the state of a line in the L1 data cache; INVALID removes it."""
        change(l1d_set(timing, line), line, state, l1d_ways)
        timing.caches.recent[line & l1d_mask] = 0

    @njit
    def lose_code(timing: Timing, line: u64) -> None:
        """Removes a line from the L1 instruction cache."""
        change(l1i_set(timing, line), line, INVALID, l1i_ways)
        if timing.caches.last_line == line + 1:
            timing.caches.last_line = 0

    @njit
    def others_lose(board: Board, me: u64, line: u64, sharers: u64, state: u64) -> None:
        """Changes the state of a line in the caches of all other CPUs that have it; INVALID removes it."""
        other = u64(0)
        while sharers >> other != 0:
            if sharers >> other & 1 != 0 and other != me:
                timing = board.cpus[other].timing
                change_data(timing, line, state)
                if state == INVALID:
                    change(l2_set(timing, line), line, state, l2_ways)
                    lose_code(timing, line)
            other += 1

    @njit
    def evict(timing: Timing, board: Board, me: u64, line: u64) -> None:
        """Drops a line from the L2, and thus from the L1s, which it includes."""
        change_data(timing, line, INVALID)
        lose_code(timing, line)
        if coherent:
            entry = board.timing_shared.directory[line]
            entry.sharers &= ~(u64(1) << me)
            if entry.owner == me + 1:
                entry.owner = 0

    @njit
    def kept(cpu: Cpu, board: Board, line: u64) -> bool:
        """Whether the last level has a line, which it has from now on. Its lines are also used by others outside this machine: a
        line that was unused for long has been evicted by them."""
        lines = board.timing_shared.llc[line & llc_mask].lines
        entry, now = with_state(line, SHARED), cpu.cycles >> AGE_SHIFT & LINE_MASK
        way = u64(0)
        while way + 1 < llc_ways and lines[way] & LINE_MASK != entry:
            way += 1
        before = put(lines, now << USED_SHIFT | entry, way + 1)
        return before & LINE_MASK == entry and now - (before >> USED_SHIFT) <= longest

    @njit
    def below(cpu: Cpu, timing: Timing, board: Board, me: u64, line: u64) -> u64:
        """Brings a line into the L2 from the last level or memory, if necessary. Returns the cycles beyond an L1 hit."""
        lines = l2_set(timing, line)
        if find(lines, line, l2_ways):
            return l2_hit
        record.count(timing, L2_MISSES)
        dropped = put(lines, with_state(line, SHARED), l2_ways)
        if dropped != 0:
            evict(timing, board, me, dropped >> STATE_BITS)
        if not coherent:
            return llc_hit
        record.tally(timing, LLC_LOADS)
        if kept(cpu, board, line):
            return llc_hit
        record.count(timing, LLC_MISSES)
        return memory

    @njit
    def streams(timing: Timing, line: u64) -> bool:
        """Whether the prefetcher has detected sequential reading of the page, and has prefetched this line."""
        page = line >> PAGE_BITS
        place = page & STREAM_MASK
        last = timing.caches.streams[place]
        timing.caches.streams[place] = line + 1
        return last != 0 and (last == line or last == line + 2) and (last - 1) >> PAGE_BITS == page

    @outlined
    def coherent_miss(cpu: Cpu, timing: Timing, board: Board, line: u64, write: bool, code: bool) -> u64:
        """Fetches a line that the L1 does not have, or may not write."""
        me, entry = cpu.index, board.timing_shared.directory[line]
        sharers, owner = entry.sharers, entry.owner
        mine = u64(1) << me
        others = sharers & ~mine
        if owner != 0 and owner != me + 1:  # its owner may have modified it
            record.count(timing, TRANSFERS)
            others_lose(board, me, line, others, INVALID if write else SHARED)
            below(cpu, timing, board, me, line)
            latency = transfer
            # CPUs contend for the line from now on: turns are short, so that no CPU has the line longer than on hardware.
            board.pace = SHORTEST_PACE
            end_turn(cpu)
        else:
            latency = below(cpu, timing, board, me, line)
            if write and others != 0:
                record.count(timing, UPGRADES)
                others_lose(board, me, line, others, INVALID)
                latency = max(latency, upgrade)
        sharers, owner, state = mine, me + 1, EXCLUSIVE
        if write:
            state = MODIFIED
            lose_code(timing, line)
        elif code or others != 0 or has(l1i_set(timing, line), line, l1i_ways):
            sharers, owner, state = others | mine, u64(0), SHARED
            if code:  # any later writer must ask the directory, even this CPU
                change_data(timing, line, SHARED)
        entry.sharers, entry.owner = sharers, owner
        if code:
            put(l1i_set(timing, line), with_state(line, SHARED), l1i_ways)
            return latency
        lines = l1d_set(timing, line)
        if find(lines, line, l1d_ways):
            lines[0] = with_state(line, state)
        else:
            put(lines, with_state(line, state), l1d_ways)
        return latency

    @outlined
    def data_miss(cpu: Cpu, timing: Timing, board: Board, line: u64, write: bool, shared: bool) -> u64:
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
    def access(cpu: Cpu, timing: Timing, board: Board, line: u64, write: bool) -> tuple[u64, u64]:
        lines = l1d_set(timing, line)
        if find(lines, line, l1d_ways):
            entry = lines[0]
            state = entry & STATE_MASK
            if state == MODIFIED:
                return u64(0), u64(1)
            if not write:
                return u64(0), u64(0)
            if state != SHARED:
                lines[0] = entry | MODIFIED
                return u64(0), u64(1)
            return data_miss(cpu, timing, board, line, write, True), u64(1)
        return data_miss(cpu, timing, board, line, write, False), u64(write)

    @outlined
    def code_miss(cpu: Cpu, timing: Timing, board: Board, line: u64) -> u64:
        """Fetches a line of instructions that the L1 does not have."""
        record.count(timing, CODE_MISSES)
        if coherent:
            return coherent_miss(cpu, timing, board, line, False, True)
        latency = below(cpu, timing, board, cpu.index, line)
        put(l1i_set(timing, line), with_state(line, SHARED), l1i_ways)
        return latency

    @njit
    def fetch(cpu: Cpu, timing: Timing, board: Board, line: u64) -> u64:
        record.tally(timing, CODE_LOADS)
        if find(l1i_set(timing, line), line, l1i_ways):
            return u64(0)
        return code_miss(cpu, timing, board, line)

    @njit
    def lose(board: Board, line: u64) -> None:
        if coherent:
            entry = board.timing_shared.directory[line]
            if entry.sharers != 0:
                others_lose(board, NOBODY, line, entry.sharers, INVALID)
                entry.sharers, entry.owner = 0, 0
        else:
            others_lose(board, NOBODY, line, (u64(1) << board.cpu_count) - 1, INVALID)

    return Hierarchy(access, fetch, lose)
