# SPDX-License-Identifier: GPL-2.0-only
"""Charging a block: its cost is looked up by the physical address at which it begins.

An entry is made by `cost_entry`; 0: the cost is unknown. There are two tables, because two blocks of different size
often begin at one address: after an instruction that delays interrupts by one instruction (`sti`), Unicorn makes the
next instruction a block of its own. A block in neither table is decoded.
"""

from __future__ import annotations

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u64

ONE, WORD = np.uint64(1), np.uint64(8)
SIZE, INSTRUCTIONS, MOST = np.uint64(32), np.uint64(16), np.uint64(0xFFFF)  # in an entry: shifts, and a mask
PHYSICAL = np.uint64(16)  # in DECODE's argument: a shift


def cost_entry(size: int, instructions: int, cycles: int) -> int:
    """The entry of a block. `size`: in bytes."""
    return size << int(SIZE) | min(instructions, int(MOST)) << int(INSTRUCTIONS) | min(cycles, int(MOST))


def asked_for(packed: int) -> tuple[int, int]:
    """DECODE's argument, unpacked: the RAM address and the size in bytes of a block."""
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
