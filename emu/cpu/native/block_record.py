# SPDX-License-Identifier: GPL-2.0-only
"""What a CPU knows of a block that it has translated: a record of four words among the CPU's BLOCKS.

The translated block adds its own cost to the CPU's counters. The host is called when that moves the clock to the CPU's
DEADLINE or past it. A cost that is not known yet is later than any deadline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.cpu_records import Block
from emu.native import njit
from emu.native.pointers import call_handler, load_u32, load_u64, store_u32, store_u64
from emu.native.record import offsets

globals().update(offsets(Block))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


UNKNOWN, STRING = np.uint64(1 << 63), np.uint64(1 << 62)
DESCRIPTION, OFFSET, LOW = np.uint64(40), np.uint64(16), np.uint64(0xFFFF)  # of a string block's cost: shifts, and a mask
DESCRIPTION_MASK = np.uint64(0x3F_FFFF)
ZERO, ONE = np.uint64(0), np.uint64(1)
PHYSICAL = np.uint64(16)  # in DECODE's argument: a shift


def asked_for(packed: int) -> tuple[int, int]:
    """DECODE's argument, unpacked: the RAM address and the size in bytes of a block."""
    return packed >> int(PHYSICAL), packed & (1 << int(PHYSICAL)) - 1


def string_cost(cycles: int, offset: int, description: int) -> int:
    """The cost of a block whose last instruction, at `offset`, is repeated. The block hook sees each of its executions.

    Args:
        cycles: of the block, without the repetitions.
        offset: in bytes, from the block's beginning.
        description: of the instruction, what the architecture's hook wants to know of it.
    """
    return int(STRING) | description << int(DESCRIPTION) | offset << int(OFFSET) | min(cycles, int(LOW))


@njit
def _count(cpu, cycles, instructions):
    store_u64(cpu + cpu_record.CYCLES, load_u64(cpu + cpu_record.CYCLES) + cycles)
    store_u64(cpu + cpu_record.INSTRUCTIONS, load_u64(cpu + cpu_record.INSTRUCTIONS) + instructions)


@njit
def take_back(cpu, block):
    """Undoes what the block has added to its CPU's counters."""
    _count(cpu, ~load_u64(block + CYCLES) + ONE, ~np.uint64(load_u32(block + INSTRUCTIONS)) + ONE)


@njit
def learn(cpu, block, address, physical):
    """Fills in what a block costs, which begins at `address`. It stays unknown if its code is not in RAM."""
    board = load_u64(cpu + cpu_record.BOARD)
    if physical < load_u64(board + board_record.RAM_SIZE):
        store_u64(cpu + cpu_record.BLOCK, address)
        call_handler(load_u64(board + board_record.DECODE), cpu, (physical << PHYSICAL) | np.uint64(load_u32(block + SIZE)))
        store_u64(block + CYCLES, load_u64(cpu + cpu_record.BLOCK_CYCLES))
        store_u64(block + SUMMARY, load_u64(cpu + cpu_record.BLOCK_SUMMARY))
        store_u64(block + PLACE, physical)
        store_u32(block + INSTRUCTIONS, np.uint32(load_u64(cpu + cpu_record.BLOCK_INSTRUCTIONS)))


@njit
def charge(cpu, block):
    """Adds a block's cycles and instructions to its CPU's counters. A block outside RAM faults, and costs one cycle."""
    cycles = load_u64(block + CYCLES)
    if cycles == UNKNOWN:
        _count(cpu, ONE, ZERO)
    else:
        _count(cpu, cycles, np.uint64(load_u32(block + INSTRUCTIONS)))


@njit
def string_place(block, address):
    """The virtual address of the repeated instruction with which a block ends."""
    return address + (load_u64(block + CYCLES) >> OFFSET & LOW)


@njit
def begins_string(cpu, block, address):
    """Whether a block that ends with a repeated instruction costs something.

    After the first repetition the instruction begins a block of its own, which goes on with it. That costs nothing unless
    something else was executed in between.
    """
    place = string_place(block, address)
    begun = load_u64(cpu + cpu_record.STRING) == place
    goes_on = begun and load_u64(cpu + cpu_record.STRING_BEGUN) == load_u64(cpu + cpu_record.INSTRUCTIONS)
    return place != address or not goes_on


@njit
def string_description(cpu, block, address):
    """Notes that a block begins that ends with a repeated instruction, and has been charged.

    Returns the instruction's description if the block begins with it, or else 0.
    """
    place = string_place(block, address)
    store_u64(cpu + cpu_record.STRING, place)
    store_u64(cpu + cpu_record.STRING_BEGUN, load_u64(cpu + cpu_record.INSTRUCTIONS))
    return ZERO if place != address else load_u64(block + CYCLES) >> DESCRIPTION & DESCRIPTION_MASK


@njit
def charge_string(cpu, block, address):
    """Charges a block that ends with a repeated instruction. Returns what `string_description` does."""
    if begins_string(cpu, block, address):
        _count(cpu, load_u64(block + CYCLES) & LOW, np.uint64(load_u32(block + INSTRUCTIONS)))
    return string_description(cpu, block, address)
