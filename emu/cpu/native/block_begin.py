# SPDX-License-Identifier: GPL-2.0-only
"""The first part of all architectures' block hooks: ends the turn or takes an interrupt, and looks up the block's cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from emu.cpu.native import block_record, translator
from emu.cpu.native.cpu_records import NEVER, Block, Cpu, CpuState, Uc
from emu.cpu.native.history import note_trap
from emu.cpu.native.interrupts import look_around, next_due, turn_is_over
from emu.native.functions import external, njit
from emu.native.records import i32, u32, u64

__all__ = ["Begin", "build"]

Begin: TypeAlias = Callable[[Uc, Cpu, u64, u32], Block]
"""begin(uc, cpu, address, why) returns the record of the block that begins, whose cost is known but not charged. Or it exits:
then the block begins again, so its time is charged after the last exit."""


@njit
def never(cpu: Cpu) -> bool:
    return False


def build(
    arch: str,
    takes_nmi: Callable[[Cpu], bool],
    takes_interrupt: Callable[[Cpu], bool],
    tells_when: Callable[[Cpu], bool] = never,
) -> Begin:
    """Compiles for an architecture.

    Args:
        arch: the architecture, as in the suffix of Unicorn's symbols.
        takes_nmi, takes_interrupt: (cpu) -> whether the CPU would take one now, compiled.
        tells_when: (cpu) -> whether the deadline will be 0 as soon as that may have changed (NativeCpu.openings), compiled.
            Otherwise each block looks while one is pending.
    """
    loop_exit = external(f"cpu_loop_exit_noexc_{arch}", None, CpuState)
    emu_stop = external("uc_emu_stop", i32, Uc)
    code_address = external(f"get_page_addr_code_{arch}", u64, u64, u64)

    @njit
    def learn(cpu: Cpu, block: Block, address: u64) -> None:
        if block.cycles == block_record.UNKNOWN:
            block_record.learn(cpu, block, address, code_address(cpu.env, address))

    @njit
    def is_goal(cpu: Cpu, block: Block, address: u64) -> bool:
        """Whether the turn ends because the block would reach the CPU's goal."""
        if cpu.goal == NEVER:
            return False
        learn(cpu, block, address)
        if cpu.instructions + block.instructions < cpu.goal:
            return False
        if block.cycles & block_record.STRING and not block_record.begins_string(cpu, block, address):
            return False
        cpu.goal_block = block
        return True

    @njit
    def begin(uc: Uc, cpu: Cpu, address: u64, why: u32) -> Block:
        block = Block(cpu.address + (why & translator.OFFSET_MASK))
        if why & translator.ACCOUNTED:
            block_record.take_back(cpu, block)
        if cpu.cycles >= cpu.deadline:
            if cpu.shown:  # what has become due in the block is seen where the block ends, which is not here
                emu_stop(uc)
                loop_exit(cpu.state)
            look_around(cpu)
            if cpu.leaves:
                cpu.leaves = False
                loop_exit(cpu.state)
            if takes_nmi(cpu) or takes_interrupt(cpu):
                loop_exit(cpu.state)
            if turn_is_over(cpu) or is_goal(cpu, block, address):
                emu_stop(uc)
                loop_exit(cpu.state)
            if cpu.goal == NEVER and tells_when(cpu):
                cpu.deadline = next_due(cpu)
            note_trap(cpu, block, address)
        learn(cpu, block, address)
        return block

    return begin
