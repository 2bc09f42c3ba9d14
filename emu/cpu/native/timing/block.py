# SPDX-License-Identifier: GPL-2.0-only
"""Charges a block in a model with state: core, branch prediction, caches, TLBs.

A block is charged when it begins. At that time the outcome of the previous block is known, and so are the addresses of its
accesses that were unknown when it began.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Block, Board, Cpu
from emu.cpu.native.timing import caches, calculate, compose, predict, recent, record, tlb
from emu.cpu.native.timing.record import Timing
from emu.cpu.native.timing.summary_record import (
    FLUSHES_TLB,
    SERIALISES,
    STATIC,
    CalculatedAccess,
    Summary,
    first_calculated,
    next_calculated,
    summary_at,
)
from emu.cpu.timing import CYCLE, NO_REGISTER
from emu.cpu.timing.core import Core
from emu.native.functions import Native, njit, unlikely
from emu.native.records import Words, i64, u64

__all__ = ["Charging", "build"]

HALF = CYCLE // 2
LINE_SHIFT, LINE, LINE_OFFSET = 6, 64, u64(63)
LAST_LINE = 63  # of a page
STORE_WAITS = 3  # shift by which a store is charged less than a load, since it waits in the store buffer

SERIALISING, UNRESOLVED = record.counter("serialising"), record.counter("unresolved-accesses")
LOADS, STORES = record.counter("L1-dcache-loads"), record.counter("L1-dcache-stores")
STATIC_BLOCKS = record.counter("static-blocks")


@njit
def count_by_function(cpu: Cpu, address: u64) -> None:
    profile = cpu.board.profile
    if profile is not None:
        profile(cpu, address)


@njit
def sample(cpu: Cpu, address: u64) -> None:
    handler = cpu.board.sample
    if handler is not None:
        handler(cpu, address)


class Charging(NamedTuple):
    """The compiled functions."""

    charge: Callable[[Cpu, Block, u64], None]
    """charge(cpu, block, address): the block begins at a virtual address."""

    elements: Callable[[Cpu, u64, u64, u64, bool, bool], None]
    """elements(cpu, from, to, step, begins, write): a string instruction accesses elements from one virtual address on, before
    another one, which are `step` apart. `begins`: the first is the instruction's first. It adds to the CPU's clock."""

    settle: Callable[[Cpu], None]
    """settle(cpu): the CPU's turn has ended."""

    written: Callable[[Board, u64, u64], None]
    """written(board, first, last): lines of RAM were written by something other than a CPU."""


def build(
    core: Core, native: Native, segments: tuple[int, int], walk: Callable[[Cpu, Board, u64], u64], with_data: bool
) -> Charging:
    """Compiles for a core and an architecture.

    Args:
        core: the CPU model.
        native: compiles for its layouts.
        segments: the indices in the CPU's state of the segment bases for accesses (Access.segment).
        walk: walk(cpu, board, address), compiled: returns the RAM address behind a virtual one, or NEVER.
        with_data: model caches and TLBs of data (the model `caches`).
    """
    njit = native.njit
    advance = compose.build(core)
    expect = predict.build(core.predictor, native)
    access_line, fetch_line, lose_line = caches.build(core.caches, native, with_data)
    translate, find_place, fetch_page, empty_tlbs = tlb.build(core.caches, native, walk)
    access = recent.build(core.caches.l1d, native, STORE_WAITS, translate, access_line)
    address_of = calculate.build(native, segments, find_place)
    first_base, second_base = segments

    @njit
    def access_bytes(cpu: Cpu, timing: Timing, board: Board, address: u64, size: u64, write: bool, locked: bool) -> u64:
        """Accesses data in one line, or in two."""
        latency = access(cpu, timing, board, address, write, locked)
        if unlikely((address & LINE_OFFSET) + size > LINE):  # it extends into the next line
            following = (address | LINE_OFFSET) + 1
            latency = max(latency, access(cpu, timing, board, following, write, locked))
        return latency

    @native.outlined
    def calculated(cpu: Cpu, timing: Timing, board: Board, how: CalculatedAccess, count: u64, slowest: u64) -> tuple[u64, u64]:
        """Makes `count` accesses with calculated addresses. Returns the same as `accesses`, for these and the accesses known at
        entry, the slowest of which took `slowest`."""
        loaded = held = u64(0)
        for _ in range(count):
            address, known = address_of(cpu, timing, board, how.steps, how.count)
            if known:
                latency = access_bytes(cpu, timing, board, address, how.size, how.write != 0, how.locked != 0)
                if how.locked != 0:
                    held = max(held, latency)
                elif how.follows != 0:
                    loaded = max(loaded, latency)
                else:
                    slowest = max(slowest, latency)
            else:
                record.tally(timing, UNRESOLVED)
            how = next_calculated(how)
        return slowest + loaded, held

    @njit
    def accesses(cpu: Cpu, timing: Timing, board: Board, summary: Summary, first: u64, count: u64) -> tuple[u64, u64]:
        """Makes `count` accesses with the registers as they are. Returns the cycles by which the slowest is late, and the same
        for locked accesses, which cannot be overtaken."""
        state = Words(cpu.env)
        slowest = held = u64(0)
        for n in range(first, first + count):
            how = summary.accesses[n]
            address = how.displacement
            if how.base != NO_REGISTER:
                address += state[how.base]
            if how.scaled != NO_REGISTER:
                address += state[how.scaled] << how.shift
            if how.segment != 0:
                address += state[first_base if how.segment == 1 else second_base]
            latency = access_bytes(cpu, timing, board, address, how.size, how.write != 0, how.locked != 0)
            if how.locked != 0:
                held = max(held, latency)
            else:
                slowest = max(slowest, latency)
        return slowest, held

    @njit
    def fetch(cpu: Cpu, timing: Timing, board: Board, block: Block, address: u64) -> u64:
        """Fetches a block's instructions. Returns the parts of a cycle by which they are late."""
        place, of_cpu = block.place, timing.caches
        line = place >> LINE_SHIFT
        last = min((place + block.size - 1) >> LINE_SHIFT, line | LAST_LINE)  # the next page can be anywhere, even outside RAM
        if of_cpu.last_line == line + 1:
            if line == last:
                return u64(0)
            line += 1
        waited, late = u64(0), fetch_page(timing, board, address) * CYCLE
        while line <= last:
            of_cpu.last_line = line + 1
            waited += fetch_line(cpu, timing, board, line)
            line += 1
        return late + waited * HALF  # fetching runs ahead of dispatching, so only half of it shows

    @njit
    def restart(timing: Timing, issue: u64) -> None:
        """Time has jumped: everything is complete, and nothing is under way."""
        compose.empty(timing)
        timing.state = compose.ALL_READY
        timing.issue = issue

    @njit
    def catch_up(timing: Timing, now: u64) -> None:
        """Accounts for what has happened since the previous block."""
        if unlikely(now != timing.known_cycles):
            restart(timing, now * CYCLE)
        if unlikely(timing.trapped != 0):
            restart(timing, now * CYCLE + timing.trapped)
            timing.trapped = 0

    @njit
    def leave(cpu: Cpu, timing: Timing, board: Board, address: u64) -> tuple[u64, u64, u64]:
        """The previous block has continued at `address`. Returns its outcome, by how much it retires late, and for how long
        nothing could overtake it."""
        if timing.previous == 0:
            return compose.AS_EXPECTED, u64(0), u64(0)
        tables = board.timing_tables
        before = summary_at(tables, timing.previous)
        outcome = expect(timing, before.ending, timing.previous_end, address)
        late = held = u64(0)
        if with_data and before.at_exit != 0:
            late, held = accesses(cpu, timing, board, before, before.at_entry, before.at_exit)
            late *= CYCLE
            if late != 0:
                compose.delay(timing, tables, before, late)
        return outcome, late, held * CYCLE

    @njit
    def enter(cpu: Cpu, timing: Timing, board: Board, summary: Summary) -> tuple[u64, u64]:
        """Makes the accesses that are known when a block begins. Returns by how much their data are late, and for how long
        nothing can overtake them."""
        data = held = u64(0)
        if summary.at_entry != 0:
            data, held = accesses(cpu, timing, board, summary, u64(0), summary.at_entry)
        if summary.calculated != 0:
            data, more = calculated(cpu, timing, board, first_calculated(summary), summary.calculated, data)
            held += more
        timing.counts[LOADS] += summary.loads
        timing.counts[STORES] += summary.stores
        if summary.unknown != 0:
            timing.counts[UNRESOLVED] += summary.unknown
        return data * CYCLE, held * CYCLE

    @njit
    def note(timing: Timing, flags: u64) -> None:
        """Notes the special properties of a block."""
        if flags & FLUSHES_TLB != 0:
            empty_tlbs(timing)
        if flags & STATIC != 0:
            record.count(timing, STATIC_BLOCKS)
        if flags & SERIALISES != 0:
            record.tally(timing, SERIALISING)

    @njit
    def charge(cpu: Cpu, block: Block, address: u64) -> None:
        timing, board, now, offset = cpu.timing, cpu.board, cpu.cycles, block.summary
        if unlikely(offset == 0):  # its code is not in RAM: it faults
            cpu.cycles = now + 1
            timing.previous = 0
            return
        summary = summary_at(board.timing_tables, offset)
        catch_up(timing, now)
        outcome, late, front = leave(cpu, timing, board, address)
        if unlikely(board.profile is not None):
            count_by_function(cpu, address)
        front += fetch(cpu, timing, board, block, address)
        data = u64(0)
        if with_data:
            data, held = enter(cpu, timing, board, summary)
            front += held
        if unlikely(summary.flags != 0):
            note(timing, summary.flags)
        retire = advance(timing, board.timing_tables, summary, outcome, front, data, late)
        now = (timing.issue + retire) // CYCLE
        cpu.cycles = timing.known_cycles = now
        timing.previous = offset
        timing.previous_end = address + block.size
        cpu.instructions += block.instructions
        if unlikely(timing.sampled != 0):
            sample(cpu, address)

    @njit
    def elements(cpu: Cpu, begin: u64, end: u64, step: u64, begins: bool, write: bool) -> None:
        """A line counts with the element that reaches it first, regardless of interrupts."""
        timing, board, waited = cpu.timing, cpu.board, u64(0)
        if i64(step) > 0:
            line = begin & ~LINE_OFFSET if begins else (begin + LINE_OFFSET) & ~LINE_OFFSET
            while line < end:
                waited += access(cpu, timing, board, line, write, False)
                line += LINE
        else:
            first, last = begin - step - 1, end - step  # the highest byte, and the lowest
            line = (first if begins else first - LINE_OFFSET) | LINE_OFFSET
            while line >= last:
                waited += access(cpu, timing, board, line, write, False)
                line -= LINE
        cpu.cycles += waited

    @njit
    def settle(cpu: Cpu) -> None:
        compose.settle(cpu.timing, cpu.board.timing_tables)

    @njit
    def written(board: Board, first: u64, last: u64) -> None:
        for line in range(first, last + 1):
            lose_line(board, line)

    return Charging(charge, elements, settle, written)
