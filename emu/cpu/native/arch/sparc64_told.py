# SPDX-License-Identifier: GPL-2.0-only
"""What the listeners of an instruction find in the CPU's state.

In the midst of a block, both program counters in the state are older ones. Here they are right while the listeners run. The next
one is known unless the instruction is in the delay slot of a branch: then the branch tells where it goes to, and a conditional
one has left in `cond` whether it goes there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.arch.sparc64 import state
from emu.cpu.internals import CpuStructures
from emu.cpu.native import listeners
from emu.cpu.native.arch.sparc64_env import Env, layouts
from emu.cpu.native.cpu_records import Cpu, DisasContext, Uc
from emu.cpu.native.translator import NAMED, NUMBER_MASK
from emu.native.functions import Native, external, njit
from emu.native.records import Bytes, Words, i64, u32, u64

__all__ = ["Told", "build"]

PRIV = u64(state.PSTATE_PRIV)
INSTRUCTION_SIZE = u64(4)
# In DisasContext, in words: pc_first of its base, then pc and npc
FIRST, PC, NPC = 1, 5, 6
DYNAMIC = u64(1)  # QEMU's DYNAMIC_PC: the state's npc is the right one
# Where the next program counter is
FOLLOWING, IN_STATE, BRANCHED = u64(0), u64(1), u64(2)
ALWAYS = u64(8)  # the condition of a branch that is always taken


class Told(NamedTuple):
    """The compiled functions."""

    state_of: Callable[[DisasContext], u64]
    """state_of(context): as for `listening.build`."""

    tell: Callable[[Uc, u64, u32, u64], None]
    """tell(uc, address, why, place): the block hook was called before an instruction with listeners."""

    in_program: Callable[[Cpu], bool]
    """in_program(cpu): as for `listening.build`."""


@njit
def signed(value: u64, bits: u64) -> u64:
    """The low bits of a number as a signed one, modulo 2**64."""
    shift = u64(64) - bits
    return u64(i64(value << shift) >> i64(shift))


@njit
def target_of(instruction: u64, address: u64) -> u64:
    """Where a branch or a call goes to (SPARC V9 manual, appendix A: the formats of op 0 and 1)."""
    if instruction >> u64(30) == 1:
        return address + (signed(instruction, u64(30)) << u64(2))
    kind = instruction >> u64(22) & u64(7)
    if kind == 3:  # BPr
        disp = (instruction >> u64(20) & u64(3)) << u64(14) | instruction & u64(0x3FFF)
        return address + (signed(disp, u64(16)) << u64(2))
    bits = u64(19) if kind in (1, 5) else u64(22)  # BPcc and FBPfcc; Bicc and FBfcc
    return address + (signed(instruction, bits) << u64(2))


@njit
def is_conditional(instruction: u64) -> bool:
    """Whether it may also go on behind the delay slot."""
    if instruction >> u64(30) == 1:
        return False
    return instruction >> u64(22) & u64(7) == 3 or instruction >> u64(25) & u64(15) != ALWAYS


def build(layout: CpuStructures) -> Told:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(layouts(layout))
    code_address = external("get_page_addr_code_sparc64", u64, u64, u64)

    @njit
    def state_of(context: DisasContext) -> u64:
        words = Words(context.address)
        pc, npc = words[PC], words[NPC]
        if npc == pc + INSTRUCTION_SIZE:
            return FOLLOWING
        return IN_STATE if npc == DYNAMIC or pc == words[FIRST] else BRANCHED

    @native.njit
    def in_program(cpu: Cpu) -> bool:
        return Env(cpu.env).pstate & PRIV == 0

    @native.njit
    def branched_to(cpu: Cpu, slot: u64) -> u64:
        """Where the branch before a delay slot goes to."""
        branch = slot - INSTRUCTION_SIZE
        code = Bytes(cpu.board.ram + code_address(cpu.env, branch))
        instruction = u64(0)
        for n in range(4):
            instruction = instruction << u64(8) | u64(code[n])
        if is_conditional(instruction) and Env(cpu.env).cond == 0:
            return slot + INSTRUCTION_SIZE
        return target_of(instruction, branch)

    @native.njit
    def tell(uc: Uc, address: u64, why: u32, place: u64) -> None:
        cpu = Cpu(uc.cpu.opaque)
        env = Env(cpu.env)
        pc, npc = env.pc, env.npc
        known = why & NUMBER_MASK
        env.pc = address
        if known == FOLLOWING:
            env.npc = address + INSTRUCTION_SIZE
        elif known == BRANCHED:
            env.npc = branched_to(cpu, address)
        listeners.tell(cpu, cpu.board.named_listeners if why & NAMED else cpu.board.listeners, place)
        env.pc = pc
        env.npc = npc

    return Told(state_of, tell, in_program)
