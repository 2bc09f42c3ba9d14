# SPDX-License-Identifier: GPL-2.0-only
"""What the listeners of an instruction find in the CPU's state.

In the midst of a block, the program counter in the state is an older one. Here it is right while the listeners run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.arch.riscv64.state import USER
from emu.cpu.internals import CpuStructures
from emu.cpu.native import listeners
from emu.cpu.native.arch.riscv64_env import Env, layouts
from emu.cpu.native.cpu_records import Cpu, DisasContext, Uc
from emu.cpu.native.translator import NAMED
from emu.native.functions import Native, njit
from emu.native.records import u32, u64

__all__ = ["Told", "build"]

USER_MODE = u64(USER)


class Told(NamedTuple):
    """The compiled functions."""

    state_of: Callable[[DisasContext], u64]
    """state_of(context): as for `listening.build`."""

    tell: Callable[[Uc, u64, u32, u64], None]
    """tell(uc, address, why, place): the block hook was called before an instruction with listeners."""

    in_program: Callable[[Cpu], bool]
    """in_program(cpu): as for `listening.build`."""


def build(layout: CpuStructures) -> Told:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(layouts(layout))

    @njit
    def state_of(context: DisasContext) -> u64:
        return u64(0)

    @native.njit
    def in_program(cpu: Cpu) -> bool:
        return Env(cpu.env).priv == USER_MODE

    @native.njit
    def tell(uc: Uc, address: u64, why: u32, place: u64) -> None:
        cpu = Cpu(uc.cpu.opaque)
        env = Env(cpu.env)
        pc = env.pc
        env.pc = address
        listeners.tell(cpu, cpu.board.named_listeners if why & NAMED else cpu.board.listeners, place)
        env.pc = pc

    return Told(state_of, tell, in_program)
