# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9 inside `cpu_exec`: traps, interrupts, the host-call trap and the block hook."""

from __future__ import annotations

import ctypes

import numpy as np
from numba import types

from emu.cpu.arch.sparc64.state import PSTATE_IE, PSTATE_PRIV, Env
from emu.cpu.internals import CpuStructures
from emu.cpu.native import block_begin, block_record, callouts, cpu_record, translator
from emu.cpu.native.arch import NativeCpu
from emu.cpu.native.interrupts import highest, take_highest
from emu.native import cfunc, external, njit
from emu.native.pointers import load_u32, load_u64, store_u32, store_u64

_do_interrupt = external("sparc_cpu_do_interrupt_sparc64", types.void(types.uint64))

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
IE, PRIV = np.uint32(PSTATE_IE), np.uint32(PSTATE_PRIV)
TRAPS = 0x200
HOST_CALL_TRAP = 0x17E  # `ta 0x7e`
INTERRUPT_TRAP = np.uint32(0x40)  # of level 0 (manual, table 14)
NMI_LEVEL = np.uint32(15)
LAST_MASKABLE = np.uint32(14)
INSTRUCTION_SIZE = np.uint64(4)

PC, NPC = np.uint64(Env.pc.offset), np.uint64(Env.npc.offset)
PIL, PSTATE = np.uint64(Env.psrpil.offset), np.uint64(Env.pstate.offset)
TL, MAXTL = np.uint64(Env.tl.offset), np.uint64(Env.maxtl.offset)
WINDOW, G1 = np.uint64(Env.regwptr.offset), np.uint64(Env.gregs.offset + ctypes.sizeof(ctypes.c_uint64))
CYCLE_COUNTER = np.uint64(Env.tick_cmpr.offset)  # `rd %tick` is 0 in Unicorn; this register is memory


def build(layout: CpuStructures) -> NativeCpu:
    """Compiles for one layout of Unicorn."""
    uc_cpu, opaque = np.uint64(layout.uc_cpu), np.uint64(layout.cpu_opaque)
    exception_index = np.uint64(layout.cpu_exception_index)

    @njit
    def irqs_off(env):
        """Whether interrupts are off, all but NMIs."""
        return load_u32(env + PSTATE) & IE == 0 or load_u32(env + PIL) >= LAST_MASKABLE

    # A request to Python comes before an interrupt: a host call's answer belongs to the code that made the call.

    @njit
    def takes_interrupt(cpu, env):
        if load_u64(cpu + cpu_record.PENDING_COUNT) == ZERO or load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return False
        return (
            load_u32(env + PSTATE) & IE != 0
            and highest(cpu) > np.uint64(load_u32(env + PIL))
            and load_u32(env + TL) < load_u32(env + MAXTL)
        )

    @njit
    def takes_nmi(cpu, env):
        """Level 15 ignores PSTATE.IE, so it must stay out of entry code (TL above 0), where a trap would be lost."""
        if load_u64(cpu + cpu_record.NMI) == ZERO or load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return False
        return load_u32(env + PIL) < NMI_LEVEL and load_u32(env + TL) == 0

    begin = block_begin.build("sparc64", takes_nmi, takes_interrupt)

    @cfunc(types.void(types.uint64, types.uint64, types.uint32, types.uint64))
    def block_hook(uc, address, why, cpu):
        if not why & translator.BLOCK:
            return
        block = begin(uc, cpu, address, why)
        block_record.charge(cpu, block)
        store_u64(load_u64(cpu + cpu_record.ENV) + CYCLE_COUNTER, load_u64(cpu + cpu_record.CYCLES))
        callouts.call_function_at(cpu, load_u64(cpu + cpu_record.BOARD), address)

    @njit
    def host_call(cpu, env):
        window = load_u64(env + WINDOW)
        for n in range(cpu_record.ARGUMENT_COUNT):
            offset = np.uint64(n) * WORD  # also from %o0 on
            store_u64(cpu + cpu_record.ARGUMENTS + offset, load_u64(window + offset))
        following = load_u64(env + NPC)
        store_u64(env + PC, following)
        store_u64(env + NPC, following + INSTRUCTION_SIZE)
        if callouts.host_call(cpu, load_u64(env + G1)):
            store_u64(window, load_u64(cpu + cpu_record.RESULT))

    @cfunc(types.boolean(types.uint64, types.int32))
    def stop_interrupt(uc, trap):
        """The trap unit. True ends the run: QEMU would abort at a trap at MAXTL (error state, manual 7.2.1)."""
        state = load_u64(uc + uc_cpu)
        cpu = load_u64(state + opaque)
        env = load_u64(cpu + cpu_record.ENV)
        if trap < 0:
            resume = load_u64(cpu + cpu_record.RESUME)
            if resume != ZERO:
                store_u64(env + NPC, resume)
                store_u64(cpu + cpu_record.RESUME, ZERO)
            taken = np.uint32(0)
            if takes_nmi(cpu, env):
                store_u64(cpu + cpu_record.NMI, ZERO)
                taken = NMI_LEVEL
            elif takes_interrupt(cpu, env):
                taken = np.uint32(take_highest(cpu))
            if taken:
                store_u64(cpu + cpu_record.TAKEN, load_u64(cpu + cpu_record.TAKEN) + ONE)
                store_u32(state + exception_index, INTERRUPT_TRAP + taken)
                _do_interrupt(state)
                store_u32(state + exception_index, np.uint32(0xFFFF_FFFF))
            return False
        if trap >= TRAPS:
            return False
        if trap == HOST_CALL_TRAP and load_u32(env + PSTATE) & PRIV:
            host_call(cpu, env)
        elif load_u32(env + TL) >= load_u32(env + MAXTL):
            return True
        else:
            _do_interrupt(state)
        store_u32(state + exception_index, np.uint32(0xFFFF_FFFF))
        return False

    return NativeCpu(
        block_hook=block_hook.address,
        stop_interrupt=stop_interrupt.address,
        instruction_hooks=(),
        translator=translator.build("sparc64", layout),
        instructions=(),
        noticed=(),
        cycle_counter=int(CYCLE_COUNTER),
        irqs_off=irqs_off,
    )
