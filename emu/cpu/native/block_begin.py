# SPDX-License-Identifier: GPL-2.0-only
"""What the block hooks of all architectures do first: end the turn or take an interrupt, and know what the block costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import block_record, cpu_record, translator
from emu.cpu.native.interrupts import look_around, turn_is_over
from emu.native import external, njit
from emu.native.pointers import load_u64

__all__ = ["build"]


def build(arch: str, takes_nmi: Any, takes_interrupt: Any) -> Any:
    """begin(uc, cpu, address, why) -> the record of the block that begins, whose cost is known and not charged. Or it exits:
    then the block begins again, so its time is charged after the last exit.

    `takes_nmi` and `takes_interrupt`: (cpu, env) -> whether the CPU would take one now, compiled.
    """
    loop_exit = external(f"cpu_loop_exit_noexc_{arch}", types.void(types.uint64))
    emu_stop = external("uc_emu_stop", types.int32(types.uint64))
    code_address = external(f"get_page_addr_code_{arch}", types.uint64(types.uint64, types.uint64))

    @njit
    def begin(uc, cpu, address, why):
        env, block = load_u64(cpu + cpu_record.ENV), cpu + np.uint64(why & translator.OFFSET_MASK)
        if why & translator.ACCOUNTED:
            block_record.take_back(cpu, block)
        if load_u64(cpu + cpu_record.CYCLES) >= load_u64(cpu + cpu_record.DEADLINE):
            look_around(cpu)
            if takes_nmi(cpu, env) or takes_interrupt(cpu, env):
                loop_exit(load_u64(cpu + cpu_record.CPU))
            if turn_is_over(cpu):
                emu_stop(uc)
                loop_exit(load_u64(cpu + cpu_record.CPU))
        if load_u64(block + block_record.CYCLES) == block_record.UNKNOWN:
            block_record.learn(cpu, block, address, code_address(env, address))
        return block

    return begin
