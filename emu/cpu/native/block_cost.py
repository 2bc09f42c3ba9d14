# SPDX-License-Identifier: GPL-2.0-only
"""Charging a block: its cost is looked up by the physical address at which it begins.

An entry is what `cost_entry` gives; 0 is unknown. There are two tables, one behind the other, because blocks of two sizes
often take turns at one place: when an instruction keeps interrupts off for the next one, Unicorn makes the next one a block
of its own. Only what is in neither table is decoded.
"""

from __future__ import annotations

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u64

ONE, WORD = np.uint64(1), np.uint64(8)
SIZE, INSTRUCTIONS, MOST = np.uint64(32), np.uint64(16), np.uint64(0xFFFF)  # in an entry: shifts, and a mask
PHYSICAL = np.uint64(16)  # in what DECODE is asked: a shift


def cost_entry(size: int, instructions: int, cycles: int) -> int:
    """The entry of a block of so many bytes."""
    return size << int(SIZE) | min(instructions, int(MOST)) << int(INSTRUCTIONS) | min(cycles, int(MOST))


def asked_for(packed: int) -> tuple[int, int]:
    """What DECODE is asked: the RAM address and the size of a block."""
    return packed >> int(PHYSICAL), packed & (1 << int(PHYSICAL)) - 1


@njit
def charge(cpu, board, address, size, physical):
    """Adds a block's cycles and instructions to its CPU's counters. A block outside RAM faults, and costs one cycle."""
    if physical >= load_u64(board + board_record.RAM_SIZE):
        store_u64(cpu + cpu_record.CYCLES, load_u64(cpu + cpu_record.CYCLES) + ONE)
        return
    place = load_u64(board + board_record.COSTS) + physical * WORD
    entry = load_u64(place)
    if entry >> SIZE != size:
        entry = load_u64(place + load_u64(board + board_record.RAM_SIZE) * WORD)
    if entry >> SIZE != size:
        store_u64(cpu + cpu_record.BLOCK, address)
        call_handler(load_u64(board + board_record.DECODE), cpu, (physical << PHYSICAL) | size)
        entry = load_u64(place)
    store_u64(cpu + cpu_record.CYCLES, load_u64(cpu + cpu_record.CYCLES) + (entry & MOST))
    store_u64(cpu + cpu_record.INSTRUCTIONS, load_u64(cpu + cpu_record.INSTRUCTIONS) + (entry >> INSTRUCTIONS & MOST))
    store_u64(cpu + cpu_record.BLOCKS, load_u64(cpu + cpu_record.BLOCKS) + ONE)
