# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's data about a block that it has translated: a `Block` among the CPU's `blocks`.

The translated block adds its own cost to the CPU's counters. The host is called if that moves the clock to the CPU's
deadline or past it. An unknown cost is later than any deadline.
"""

from __future__ import annotations

from emu.cpu.native import known_blocks
from emu.cpu.native.cpu_records import Block, Cpu, StringCost
from emu.native.functions import njit, shared
from emu.native.records import u64

UNKNOWN, STRING = u64(1 << 63), u64(1 << 62)
_MOST = 0xFFFF  # maximum of a field of a StringCost


def string_cost(cycles: int, offset: int, description: int) -> int:
    """The cost of a block whose last instruction, at `offset`, is repeated. The block hook is called for each repetition.

    Args:
        cycles: the block's cycles without the repetitions.
        offset: the instruction's offset in the block, in bytes.
        description: describes the instruction for the architecture's hook.
    """
    assert offset <= _MOST
    assert description <= _MOST
    cost = StringCost.allocate()
    cost.cycles, cost.offset, cost.description = min(cycles, _MOST), offset, description
    return int(STRING) | int(cost.words[0])


@njit
def string_cost_of(block: Block) -> StringCost:
    """The string cost of a block whose cost has the bits STRING."""
    return StringCost(block.address)


@njit
def _count(cpu: Cpu, cycles: u64, instructions: u64) -> None:
    cpu.cycles += cycles
    cpu.instructions += instructions


@njit
def take_back(cpu: Cpu, block: Block) -> None:
    """Undoes the block's additions to its CPU's counters."""
    cpu.cycles -= block.cycles
    cpu.instructions -= block.instructions


@njit
def learn(cpu: Cpu, block: Block, address: u64, physical: u64) -> None:
    """Fills in the cost of a block that begins at `address`. It stays unknown if the code is not in RAM."""
    board = cpu.board
    if physical < board.ram_size:
        cpu.block = address
        block.place = physical
        if not known_blocks.recall(board, block, address):
            board.decode(cpu, block)
            if block.cycles != UNKNOWN:
                known_blocks.remember(board, block, address)


@njit
def charge(cpu: Cpu, block: Block) -> None:
    """Adds a block's cycles and instructions to its CPU's counters. A block outside RAM faults, and costs one cycle."""
    cycles = block.cycles
    if cycles == UNKNOWN:
        _count(cpu, 1, 0)
    else:
        _count(cpu, cycles, block.instructions)


@shared
def cost_of(block: Block) -> u64:
    """The cycles that a block costs when it begins, without repetitions."""
    if block.cycles == UNKNOWN:
        return 1
    return string_cost_of(block).cycles if block.cycles & STRING else block.cycles


@njit
def string_place(block: Block, address: u64) -> u64:
    """The virtual address of the repeated instruction that ends a block."""
    return address + string_cost_of(block).offset


@njit
def begins_string(cpu: Cpu, block: Block, address: u64) -> bool:
    """Whether a block that ends with a repeated instruction costs anything.

    After the first repetition the instruction has a block of its own, which continues it. That costs nothing unless other code
    was executed in between.
    """
    place = string_place(block, address)
    goes_on = cpu.string == place and cpu.string_begun == cpu.instructions
    return place != address or not goes_on


@njit
def string_description(cpu: Cpu, block: Block, address: u64) -> u64:
    """Notes the start of a block that ends with a repeated instruction, and that has been charged.

    Returns the instruction's description if the block begins with it, otherwise 0.
    """
    place = string_place(block, address)
    cpu.string = place
    cpu.string_begun = cpu.instructions
    return 0 if place != address else string_cost_of(block).description


@njit
def charge_string(cpu: Cpu, block: Block, address: u64) -> u64:
    """Charges a block that ends with a repeated instruction. Returns the same as `string_description`."""
    if begins_string(cpu, block, address):
        _count(cpu, string_cost_of(block).cycles, block.instructions)
    return string_description(cpu, block, address)
