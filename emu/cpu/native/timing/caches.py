# SPDX-License-Identifier: GPL-2.0-only
"""Caches of lines of 64 bytes, which the CPUs keep coherent, and the TLBs.

Each CPU has an L1 for instructions, one for data, and an L2 that holds what both hold. All share a last-level cache and a
directory, which says of each line of RAM which CPUs have it and which of them may have changed it (MESI).

A cache is an array of sets. A set's lines are words, the one that was used last first: line << 2 | state. Who is given a
line by `put` drops the last. The last level's have above that, in 65,536 cycles, when they were used.
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
NOBODY = u64(1 << 16)  # as a CPU's number: none of them
PAGE_BITS = 6  # of a line's number: which of its page it is
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
    """access(cpu, timing, board, line, write) -> (cycles that an access to data takes more than one that hits the L1; 1 if the
    CPU can write the line now without a word, or 0)."""

    fetch: Callable[[Cpu, Timing, Board, u64], u64]
    """fetch(cpu, timing, board, line) -> the same of a line of instructions."""

    lose: Callable[[Board, u64], None]
    """lose(board, line): somebody who is no CPU has written the line; no CPU has it any longer."""


@njit
def with_state(line: u64, state: u64) -> u64:
    """A line as a cache holds it."""
    return line << STATE_BITS | state


@njit
def is_of(entry: u64, line: u64) -> bool:
    """Whether an entry of a set holds a line."""
    return entry >> STATE_BITS == line and entry != 0


@njit
def find(lines: Values[u64], line: u64, ways: u64) -> bool:
    """Whether a set has the line; it is then its first."""
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
    """Puts a line first in its set, which does not have it; returns what is dropped, or 0."""
    way = ways - 1
    out = lines[way]
    while way > 0:
        lines[way] = lines[way - 1]
        way -= 1
    lines[0] = entry
    return out


@njit
def change(lines: Values[u64], line: u64, state: u64, ways: u64) -> None:
    """Gives a line another state, if the set has it. A line that becomes invalid makes room behind the others."""
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
    """Whether a set has the line, which stays where it is."""
    way = u64(0)
    while way < ways:
        if is_of(lines[way], line):
            return True
        way += 1
    return False


def build(core: Caches, native: Native, coherent: bool) -> Hierarchy:
    """Compiles for a core, with its layouts. `coherent`: there are caches of data; else instructions alone are followed, each
    CPU's apart."""
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
        """Gives a line in the L1 for data another state; INVALID: it loses it."""
        change(l1d_set(timing, line), line, state, l1d_ways)
        timing.caches.recent[line & l1d_mask] = 0

    @njit
    def lose_code(timing: Timing, line: u64) -> None:
        """The L1 for instructions loses a line."""
        change(l1i_set(timing, line), line, INVALID, l1i_ways)
        if timing.caches.last_line == line + 1:
            timing.caches.last_line = 0

    @njit
    def others_lose(board: Board, me: u64, line: u64, sharers: u64, state: u64) -> None:
        """Every other CPU that has the line has it in that state from now on; INVALID: it has it no longer."""
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
        """The L2 drops a line, and so do the L1s, which it holds."""
        change_data(timing, line, INVALID)
        lose_code(timing, line)
        if coherent:
            entry = board.timing_shared.directory[line]
            entry.sharers &= ~(u64(1) << me)
            if entry.owner == me + 1:
                entry.owner = 0

    @njit
    def kept(cpu: Cpu, board: Board, line: u64) -> bool:
        """Whether the last level has a line, which it has from now on. Those who share it with this machine use it, too: a line
        that was not used for long is theirs."""
        lines = board.timing_shared.llc[line & llc_mask].lines
        entry, now = with_state(line, SHARED), cpu.cycles >> AGE_SHIFT & LINE_MASK
        way = u64(0)
        while way + 1 < llc_ways and lines[way] & LINE_MASK != entry:
            way += 1
        before = put(lines, now << USED_SHIFT | entry, way + 1)
        return before & LINE_MASK == entry and now - (before >> USED_SHIFT) <= longest

    @njit
    def below(cpu: Cpu, timing: Timing, board: Board, me: u64, line: u64) -> u64:
        """Gets a line from the L2, the last level or memory, into the L2. Cycles that this takes more than an L1 hit."""
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
        """Whether the prefetcher has seen that lines of a page are read in order, and has got this one before."""
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
        if owner != 0 and owner != me + 1:  # its owner may have changed it
            record.count(timing, TRANSFERS)
            others_lose(board, me, line, others, INVALID if write else SHARED)
            below(cpu, timing, board, me, line)
            latency = transfer
            # The CPUs take turns at the line from now on: short ones, so that none has it longer than it would.
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
            if code:  # who writes it next has to say so, be it this CPU
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
