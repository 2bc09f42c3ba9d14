# SPDX-License-Identifier: GPL-2.0-only
"""Charging a block by a model with state: the core, branch prediction, caches, TLBs.

A block is charged when it begins. How the block before went on is known then, and so are the addresses of its accesses
that were not known when it began.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import block_record, board_record, cpu_record
from emu.cpu.native.timing import caches, calculate, compose, predict, recent, record, summary_record, tlb
from emu.cpu.native.timing.layout import Layout
from emu.cpu.timing import CYCLE, NO_REGISTER
from emu.cpu.timing.core import Core
from emu.native import njit, outlined
from emu.native.pointers import call_handler, load_u64, store_u64, unlikely

__all__ = ["Charging", "build"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
WHOLE, HALF = np.uint64(CYCLE), np.uint64(CYCLE // 2)
LINE_SHIFT, LINE_OFFSET, LINE = np.uint64(6), np.uint64(63), np.uint64(64)
LAST_LINE = np.uint64(63)  # of a page
ACCESS_SIZE = np.uint64(16)
LOW8, LOW16, HALF_WORD = np.uint64(0xFF), np.uint64(0xFFFF), np.uint64(32)
NONE = np.uint64(NO_REGISTER)
STORE_WAITS = np.uint64(3)  # shift: by how much less a store is waited for, as it waits in the store buffer

SERIALISING, UNRESOLVED = record.counter("serialising"), record.counter("unresolved-accesses")
LOADS, STORES = record.counter("L1-dcache-loads"), record.counter("L1-dcache-stores")
STATIC_BLOCKS = record.counter("static-blocks")


class Charging(NamedTuple):
    """The compiled functions."""

    charge: Any
    """charge(cpu, block, address): the block begins at a virtual address."""

    elements: Any
    """elements(cpu, from, to, step, begins, write): a string instruction accesses elements from one virtual address on, before
    another one, which are `step` apart. `begins`: the first is the instruction's first. It adds to the CPU's clock."""

    settle: Any
    """settle(cpu): the CPU's turn has ended."""

    written: Any
    """written(board, first, last): lines of RAM have been written by somebody who is no CPU."""


def build(core: Core, layout: Layout, segments: tuple[np.uint64, np.uint64], walk: Any, with_data: bool) -> Charging:
    """Compiles for a core and an architecture.

    Args:
        core: the CPU model.
        layout: of its records.
        segments: offsets in the CPU's state of the bases that accesses can name (Access.segment).
        walk: walk(cpu, board, address), compiled -> the RAM address behind a virtual one, or NEVER.
        with_data: with caches and TLBs of data (the model `caches`).
    """
    advance = compose.build(core)
    expect = predict.build(core.predictor)
    access_line, fetch_line, lose_line = caches.build(core.caches, layout.caches, layout.shared, with_data)
    translate, find_place, fetch_page, empty_tlbs = tlb.build(core.caches, layout.caches, walk)
    access = recent.build(core.caches.l1d, layout.caches.recent, STORE_WAITS, translate, access_line)
    address_of = calculate.build(segments, find_place)
    last_line = layout.caches.last_line
    first_base, second_base = segments

    @njit
    def access_bytes(cpu, timing, board, address, size, write, locked):
        """Accesses data in one line, or in two."""
        latency = access(cpu, timing, board, address, write, locked)
        if unlikely((address & LINE_OFFSET) + size > LINE):  # it goes on in the next line
            following = (address | LINE_OFFSET) + ONE
            latency = max(latency, access(cpu, timing, board, following, write, locked))
        return latency

    @outlined
    def calculated(cpu, timing, board, at, count, slowest):
        """Makes `count` accesses whose addresses are calculated. Returns the same as `accesses`, of these and those known at
        entry, of which the slowest was `slowest`."""
        loaded, held = ZERO, ZERO
        while count != ZERO:
            how = load_u64(at)
            steps = how & LOW16
            address, known = address_of(cpu, timing, board, at + WORD, steps)
            if known:
                write = how >> summary_record.WRITE_SHIFT & ONE != ZERO
                locked = how >> summary_record.LOCKED_SHIFT & ONE != ZERO
                latency = access_bytes(cpu, timing, board, address, how >> summary_record.SIZE_SHIFT, write, locked)
                if locked:
                    held = max(held, latency)
                elif how >> summary_record.FOLLOWS_SHIFT & ONE != ZERO:
                    loaded = max(loaded, latency)
                else:
                    slowest = max(slowest, latency)
            else:
                record.tally(timing, UNRESOLVED)
            at += WORD + steps * WORD
            count -= ONE
        return slowest + loaded, held

    @njit
    def accesses(cpu, timing, board, at, count):
        """Makes `count` accesses with the registers as they are. Returns the cycles that the slowest is late; and of locked ones,
        which nothing overtakes."""
        env = load_u64(cpu + cpu_record.ENV)
        slowest = held = ZERO
        while count != ZERO:
            how, address = load_u64(at), load_u64(at + WORD)
            base, index = how & LOW8, how >> summary_record.INDEX_SHIFT & LOW8
            if base != NONE:
                address += load_u64(env + base * WORD)
            if index != NONE:
                address += load_u64(env + index * WORD) << (how >> summary_record.SHIFT_SHIFT & LOW8)
            segment = how >> summary_record.SEGMENT_SHIFT & summary_record.SEGMENT_MASK
            if segment != ZERO:
                address += load_u64(env + (first_base if segment == ONE else second_base))
            write = how >> summary_record.WRITE_SHIFT & ONE != ZERO
            locked = how >> summary_record.LOCKED_SHIFT & ONE != ZERO
            latency = access_bytes(cpu, timing, board, address, how >> summary_record.SIZE_SHIFT, write, locked)
            if locked:
                held = max(held, latency)
            else:
                slowest = max(slowest, latency)
            at += ACCESS_SIZE
            count -= ONE
        return slowest, held

    @njit
    def fetch(cpu, timing, board, address, place, size):
        """Fetches a block's instructions. Returns the parts of a cycle by which they come late."""
        line = place >> LINE_SHIFT
        last = min((place + size - ONE) >> LINE_SHIFT, line | LAST_LINE)  # the next page can be anywhere, and need not be in RAM
        if load_u64(timing + last_line) == line + ONE:
            if line == last:
                return ZERO
            line += ONE
        waited, late = ZERO, fetch_page(timing, board, address) * WHOLE
        while line <= last:
            store_u64(timing + last_line, line + ONE)
            waited += fetch_line(cpu, timing, board, line)
            line += ONE
        return late + waited * HALF  # fetching runs ahead of dispatching: half of it shows

    @njit
    def restart(timing, now):
        """Time has jumped: all is done, and nothing is under way."""
        compose.empty(timing)
        store_u64(timing + record.STATE, compose.ALL_READY)
        store_u64(timing + record.ISSUE, now * WHOLE)

    @njit
    def charge(cpu, block, address):
        timing, board = load_u64(cpu + cpu_record.TIMING), load_u64(cpu + cpu_record.BOARD)
        now = load_u64(cpu + cpu_record.CYCLES)
        offset = load_u64(block + block_record.SUMMARY)
        if unlikely(offset == ZERO):  # its code is not in RAM: it faults
            store_u64(cpu + cpu_record.CYCLES, now + ONE)
            store_u64(timing + record.PREVIOUS, ZERO)
            return
        tables = load_u64(board + board_record.TIMING_TABLES)
        summaries = load_u64(tables + summary_record.SUMMARIES)
        summary = summaries + offset
        if unlikely(now != load_u64(timing + record.KNOWN_CYCLES)):
            restart(timing, now)
        trapped = load_u64(timing + record.TRAPPED)
        if unlikely(trapped != ZERO):
            store_u64(timing + record.TRAPPED, ZERO)
            restart(timing, now)
            store_u64(timing + record.ISSUE, now * WHOLE + trapped)
        head = load_u64(summary + summary_record.HEAD)
        outcome, front, late, data = compose.AS_EXPECTED, ZERO, ZERO, ZERO
        previous = load_u64(timing + record.PREVIOUS)
        if previous != ZERO:
            before = summaries + previous
            ending = load_u64(before + summary_record.HEAD) & summary_record.ENDING_MASK
            outcome = expect(timing, ending, load_u64(timing + record.PREVIOUS_END), address)
            if with_data:
                counts = load_u64(before + summary_record.ACCESSES)
                at_exit = counts >> summary_record.EXIT_SHIFT & LOW16
                if at_exit != ZERO:
                    place = before + summary_record.FIRST_ACCESS + (counts & LOW16) * ACCESS_SIZE
                    late, held = accesses(cpu, timing, board, place, at_exit)
                    late *= WHOLE
                    front += held * WHOLE
                    if late != ZERO:
                        compose.delay(timing, tables, before, late)
        profile = load_u64(board + board_record.PROFILE)
        if unlikely(profile != ZERO):
            call_handler(profile, cpu, address)
        size = load_u64(block + block_record.SIZE) & np.uint64(0xFFFF_FFFF)
        front += fetch(cpu, timing, board, address, load_u64(block + block_record.PLACE), size)
        if with_data:
            counts = load_u64(summary + summary_record.ACCESSES)
            at_entry, first = counts & LOW16, summary + summary_record.FIRST_ACCESS
            if at_entry != ZERO:
                data, held = accesses(cpu, timing, board, first, at_entry)
                front += held * WHOLE
            if counts >> summary_record.CALCULATED_SHIFT != ZERO:
                place = first + (at_entry + (counts >> summary_record.EXIT_SHIFT & LOW16)) * ACCESS_SIZE
                data, held = calculated(cpu, timing, board, place, counts >> summary_record.CALCULATED_SHIFT, data)
                front += held * WHOLE
            data *= WHOLE
            accessed = load_u64(summary + summary_record.ACCESSED)
            store_u64(timing + LOADS, load_u64(timing + LOADS) + (accessed & summary_record.LOADS_MASK))
            store_u64(timing + STORES, load_u64(timing + STORES) + (accessed >> summary_record.STORES_SHIFT))
            unknown = counts >> summary_record.UNKNOWN_SHIFT & LOW16
            if unknown != ZERO:
                store_u64(timing + UNRESOLVED, load_u64(timing + UNRESOLVED) + unknown)
        if unlikely(head >> summary_record.FLAGS_SHIFT != ZERO):
            if head & summary_record.FLUSHES_TLB:
                empty_tlbs(timing)
            if head & summary_record.STATIC:
                record.count(timing, STATIC_BLOCKS)
            if head >> summary_record.SERIALISING_SHIFT != ZERO:
                record.tally(timing, SERIALISING)
        retire = advance(timing, tables, summary, outcome, front, data, late)
        now = (load_u64(timing + record.ISSUE) + retire) // WHOLE
        store_u64(cpu + cpu_record.CYCLES, now)
        store_u64(timing + record.KNOWN_CYCLES, now)
        store_u64(timing + record.PREVIOUS, offset)
        store_u64(timing + record.PREVIOUS_END, address + size)
        instructions = load_u64(block + block_record.SIZE) >> HALF_WORD
        store_u64(cpu + cpu_record.INSTRUCTIONS, load_u64(cpu + cpu_record.INSTRUCTIONS) + instructions)
        if unlikely(load_u64(timing + record.SAMPLED) != ZERO):
            call_handler(load_u64(board + board_record.SAMPLE), cpu, address)

    @njit
    def elements(cpu, begin, end, step, begins, write):
        """A line counts with the element that comes to it first, whatever interrupts the instruction."""
        timing, board = load_u64(cpu + cpu_record.TIMING), load_u64(cpu + cpu_record.BOARD)
        waited = ZERO
        if np.int64(step) > 0:
            line = begin & ~LINE_OFFSET if begins else (begin + LINE_OFFSET) & ~LINE_OFFSET
            while line < end:
                waited += access(cpu, timing, board, line, write, False)
                line += LINE
        else:
            first, last = begin - step - ONE, end - step  # the highest byte, and the lowest
            line = (first if begins else first - LINE_OFFSET) | LINE_OFFSET
            while line >= last:
                waited += access(cpu, timing, board, line, write, False)
                line -= LINE
        store_u64(cpu + cpu_record.CYCLES, load_u64(cpu + cpu_record.CYCLES) + waited)

    @njit
    def settle(cpu):
        compose.settle(load_u64(cpu + cpu_record.TIMING), load_u64(load_u64(cpu + cpu_record.BOARD) + board_record.TIMING_TABLES))

    @njit
    def written(board, first, last):
        line = first
        while line <= last:
            lose_line(board, line)
            line += ONE

    return Charging(charge, elements, settle, written)
