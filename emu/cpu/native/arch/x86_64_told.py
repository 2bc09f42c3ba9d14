# SPDX-License-Identifier: GPL-2.0-only
"""What the listeners of an instruction find in the CPU's state.

In the midst of a block, the program counter in the state is an older one. The arithmetic flags are computed when they are needed,
from the last arithmetic instruction: its result and operands, which are in the state, and its kind (QEMU's CCOp), which only the
translator knows. Here both are right while the listeners run, so that helper_read_eflags() returns all flags. Then they are put
back, so the code of the block goes on as if nothing had been called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.arch.x86_64.state import CS, PRIVILEGE_LEVEL, USER, Layout
from emu.cpu.native import listeners
from emu.cpu.native.arch.x86_64_env import Env, layouts
from emu.cpu.native.cpu_records import Cpu, DisasContext, Uc
from emu.cpu.native.translator import NAMED, NUMBER_MASK
from emu.native.functions import Native, njit
from emu.native.records import Ints, u32, u64

__all__ = ["Told", "build"]

DYNAMIC = u64(0)  # CC_OP_DYNAMIC: the kind is in the state


class Told(NamedTuple):
    """The compiled functions."""

    state_of: Callable[[DisasContext], u64]
    """state_of(context): as for `listening.build`."""

    tell: Callable[[Uc, u64, u32, u64], None]
    """tell(uc, address, why, place): the block hook was called before an instruction with listeners."""

    in_program: Callable[[Cpu], bool]
    """in_program(cpu): as for `listening.build`."""


def build(layout: Layout) -> Told:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(layouts(layout))
    context_cc_op = layout.context_cc_op

    @njit
    def state_of(context: DisasContext) -> u64:
        return Ints(context.address + context_cc_op)[0]

    @native.njit
    def in_program(cpu: Cpu) -> bool:
        return Env(cpu.env).hflags & PRIVILEGE_LEVEL == USER

    @native.njit
    def tell(uc: Uc, address: u64, why: u32, place: u64) -> None:
        cpu = Cpu(uc.cpu.opaque)
        env = Env(cpu.env)
        eip, cc_op = env.eip, env.cc_op
        known = why & NUMBER_MASK
        if known != DYNAMIC:
            env.cc_op = known
        env.eip = address - env.segments[CS].base
        listeners.tell(cpu, cpu.board.named_listeners if why & NAMED else cpu.board.listeners, place)
        env.eip = eip
        env.cc_op = cc_op

    return Told(state_of, tell, in_program)
