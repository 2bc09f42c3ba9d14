# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9 inside `cpu_exec`: traps, interrupts, the host-call trap and the block hook."""

from __future__ import annotations

from emu.cpu.arch.sparc64 import state as arch_state
from emu.cpu.internals import CpuStructures
from emu.cpu.native import block_begin, block_record, callouts, listening, translator, watching
from emu.cpu.native.arch import NativeCpu, sparc64_env, sparc64_told
from emu.cpu.native.arch.sparc64_env import Env
from emu.cpu.native.cpu_records import ARGUMENT_COUNT, Cpu, CpuState, Uc
from emu.cpu.native.history import took_trap
from emu.cpu.native.interrupts import highest, interrupt_waits, nmi_waits, take_highest, went_on_flushed
from emu.native.functions import Native, external
from emu.native.records import i32, u32, u64

_do_interrupt = external("sparc_cpu_do_interrupt_sparc64", None, CpuState)

IE, PRIV = u64(arch_state.PSTATE_IE), u64(arch_state.PSTATE_PRIV)
TRAPS = 0x200
HOST_CALL_TRAP = 0x17E  # `ta 0x7e`
INTERRUPT_TRAP = u64(0x40)  # of level 0 (manual, table 14)
NMI_LEVEL = u64(15)
LAST_MASKABLE = 14
INSTRUCTION_SIZE = 4
PAGE_BITS = 13

LONGEST_BLOCK = 512  # instructions, of about five operations each


def build(layout: CpuStructures) -> NativeCpu:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(sparc64_env.layouts(layout))
    state_of, tell, in_program = sparc64_told.build(layout)

    @native.shared
    def irqs_off(env: u64) -> bool:
        """Whether all interrupts except NMIs are off."""
        return Env(env).pstate & IE == 0 or Env(env).psrpil >= LAST_MASKABLE

    @native.njit
    def takes_interrupt(cpu: Cpu) -> bool:
        env = Env(cpu.env)
        return interrupt_waits(cpu) and env.pstate & IE != 0 and highest(cpu) > env.psrpil and env.tl < env.maxtl

    @native.njit
    def takes_nmi(cpu: Cpu) -> bool:
        """Level 15 ignores PSTATE.IE, so it must not interrupt entry code (TL above 0), where a trap would be lost."""
        env = Env(cpu.env)
        return nmi_waits(cpu) and env.psrpil < NMI_LEVEL and env.tl == 0

    begin = block_begin.build("sparc64", takes_nmi, takes_interrupt)

    @native.callback
    def block_hook(uc: Uc, address: u64, why: u32, cpu: Cpu) -> None:
        if why & translator.LISTENED:
            tell(uc, address, why, cpu.address)
            return
        if not why & translator.BLOCK:
            if why == translator.SHOWN:
                callouts.call_if_shown_first(cpu, address)
            return
        block = begin(uc, cpu, address, why)
        block_record.charge(cpu, block)
        Env(cpu.env).tick_cmpr = cpu.cycles
        callouts.call_function_at(cpu, cpu.board, address)

    @native.njit
    def host_call(cpu: Cpu, env: Env) -> None:
        window = env.regwptr
        for n in range(u64(ARGUMENT_COUNT)):
            cpu.arguments[n] = window[n]  # %o0 and following
        following = env.npc
        env.pc = following
        env.npc = following + INSTRUCTION_SIZE
        if callouts.host_call(cpu, env.gregs[1]):
            window[0] = cpu.result

    @native.njit
    def interrupt(cpu: Cpu, state: CpuState, env: Env) -> None:
        """Delivers an interrupt if one is due."""
        resume = cpu.resume
        if resume != 0:
            env.npc = resume
            cpu.resume = 0
        taken = u64(0)
        if takes_nmi(cpu):
            cpu.nmi = False
            taken = NMI_LEVEL
        elif takes_interrupt(cpu):
            taken = take_highest(cpu)
        if taken != 0:
            cpu.taken += 1
            state.exception_index = INTERRUPT_TRAP + taken
            _do_interrupt(state)
            took_trap(cpu)
            state.exception_index = -1

    @native.callback
    def stop_interrupt(uc: Uc, trap: i32) -> bool:
        """The trap unit. Returns True to end the run. (QEMU would abort at a trap at MAXTL: error state, manual 7.2.1.)"""
        state = uc.cpu
        cpu = Cpu(state.opaque)
        env = Env(cpu.env)
        if trap < 0:
            interrupt(cpu, state, env)
            return False
        if trap >= TRAPS:
            if went_on_flushed(cpu):
                state.exception_index = -1
            return False
        if trap == HOST_CALL_TRAP and env.pstate & PRIV:
            host_call(cpu, env)
        elif env.tl >= env.maxtl:
            return True
        else:
            _do_interrupt(state)
            took_trap(cpu)
        state.exception_index = -1
        return False

    watched = watching.build("sparc64", layout, PAGE_BITS)

    return NativeCpu(
        block_hook=block_hook,
        stop_interrupt=stop_interrupt,
        instruction_hooks=(),
        translator={**translator.build("sparc64", layout, LONGEST_BLOCK), **watched.replaced},
        instructions=(),
        openings=(),
        noticed=(),
        # Unicorn's `rd %tick` reads as 0, but this register is in memory
        cycle_counter=arch_state.Env.tick_cmpr.offset,
        listening=listening.build("sparc64", layout, state_of, in_program),
        watching=watched,
        irqs_off=irqs_off,
    )
