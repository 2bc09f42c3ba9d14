# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V inside `cpu_exec`: traps, interrupts, host calls and the block hook."""

from __future__ import annotations

from emu.cpu.arch.riscv64.state import SIE, SUPERVISOR
from emu.cpu.internals import CpuStructures
from emu.cpu.native import block_begin, block_record, callouts, code_pages, listening, translator, watching
from emu.cpu.native.arch import NativeCpu, riscv64_code, riscv64_csrs, riscv64_env, riscv64_told
from emu.cpu.native.arch.riscv64_code import FENCE_I
from emu.cpu.native.arch.riscv64_csrs import DOUBLE_TRAP, NMI_CAUSE, NMI_ENABLED
from emu.cpu.native.arch.riscv64_env import Env, Registers
from emu.cpu.native.cpu_records import ARGUMENT_COUNT, HALTED, OFF, Cpu, CpuState, Uc
from emu.cpu.native.history import took_trap
from emu.cpu.native.interrupts import interrupt_waits, nmi_waits, take_highest, went_on_flushed
from emu.native.functions import Native, external
from emu.native.records import Words, i32, u32, u64

_do_interrupt = external("riscv_cpu_do_interrupt_riscv64", None, CpuState)

INTERRUPTS_ON, S_MODE = u64(SIE), u64(SUPERVISOR)
LOAD_MISALIGNED, STORE_MISALIGNED, FETCH_FAULT, LOAD_FAULT, STORE_FAULT = 4, 6, 12, 13, 15
EXCEPTIONS, ECALL, EXCP_INTERRUPT, EXCP_HLT = 64, 8, 0x10000, 0x10001  # QEMU's numbers: those below 64, of any `ecall`, of `wfi`
INTERRUPT = u64(0x8000_0000)  # QEMU: beside the cause
INSTRUCTION_SIZE = 4
FIRST_ARGUMENT = 10  # a0

LONGEST_BLOCK = 128  # instructions, of at most 23 operations each (divw)


def build(layout: CpuStructures) -> NativeCpu:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(riscv64_env.layouts(layout))
    state_of, tell, in_program = riscv64_told.build(layout)
    code = riscv64_code.build(layout)
    drop_stale, is_atomic_store, ends_before = code.drop_stale, code.is_atomic_store, code.ends_before

    @native.shared
    def irqs_off(env: u64) -> bool:
        """Whether all interrupts except NMIs are off."""
        return Env(env).priv >= S_MODE and Env(env).mstatus & INTERRUPTS_ON == 0

    @native.njit
    def takes_interrupt(cpu: Cpu) -> bool:
        return interrupt_waits(cpu) and not irqs_off(cpu.env)

    @native.njit
    def may_trap(env: Env) -> bool:
        """Whether a trap would not be a double trap (Ssdbltrp)."""
        return env.mstatus & DOUBLE_TRAP == 0 or env.priv < S_MODE

    @native.njit
    def takes_nmi(cpu: Cpu) -> bool:
        env = Env(cpu.env)
        return nmi_waits(cpu) and env.mie & NMI_ENABLED != 0 and may_trap(env)

    begin = block_begin.build("riscv64", takes_nmi, takes_interrupt)

    @native.callback
    def block_hook(uc: Uc, address: u64, why: u32, cpu: Cpu) -> None:
        if why & translator.LISTENED:
            tell(uc, address, why, cpu.address)
            return
        if why & translator.INSTRUCTION and why & translator.NUMBER_MASK == FENCE_I:
            drop_stale(cpu)
        if not why & translator.BLOCK:
            if why == translator.SHOWN:
                callouts.call_if_shown_first(cpu, address)
            return
        block = begin(uc, cpu, address, why)
        block_record.charge(cpu, block)
        callouts.call_function_at(cpu, cpu.board, address)

    @native.njit
    def host_call(cpu: Cpu, env: Env) -> None:
        registers = Registers(cpu.env)
        general = Words(cpu.env)
        for n in range(u64(ARGUMENT_COUNT)):
            cpu.arguments[n] = general[FIRST_ARGUMENT + n]
        env.pc += INSTRUCTION_SIZE
        if callouts.host_call(cpu, registers.a7):
            registers.a0 = cpu.result

    @native.njit
    def trap(cpu: Cpu, state: CpuState, env: Env, cause: u64) -> None:
        """Delivers a trap to stvec."""
        state.exception_index = cause
        _do_interrupt(state)
        took_trap(cpu)
        env.mstatus |= DOUBLE_TRAP
        state.exception_index = -1

    @native.njit
    def interrupt(cpu: Cpu, state: CpuState, env: Env) -> None:
        """Delivers an interrupt if one is due. An NMI masks further ones."""
        taken = u64(0)
        if takes_nmi(cpu):
            cpu.nmi = False
            env.mie &= ~NMI_ENABLED
            taken = NMI_CAUSE
        elif takes_interrupt(cpu):
            taken = take_highest(cpu)
        if taken != 0:
            cpu.taken += 1
            trap(cpu, state, env, INTERRUPT | taken)

    @native.njit
    def true_cause(cpu: Cpu, env: Env, cause: u64) -> u64:
        """QEMU has the causes of loads for atomic operations that also store."""
        if cause in (LOAD_FAULT, LOAD_MISALIGNED) and is_atomic_store(cpu, env.pc):
            return u64(STORE_FAULT) if cause == LOAD_FAULT else u64(STORE_MISALIGNED)
        return cause

    @native.callback
    def stop_interrupt(uc: Uc, number: i32) -> bool:
        """The trap unit: delivers exceptions and interrupts to stvec with QEMU's own code. Returns True to end the run."""
        state = uc.cpu
        cpu = Cpu(state.opaque)
        env = Env(cpu.env)
        if number < 0:
            interrupt(cpu, state, env)
        elif number == EXCP_HLT:
            if cpu.status != OFF:  # it may just have switched itself off
                cpu.status = HALTED
        elif number == ECALL and env.priv == S_MODE:
            host_call(cpu, env)
            state.exception_index = -1
        elif number == FETCH_FAULT and ends_before(cpu, state, env.pc, env.badaddr):
            state.exception_index = -1
        elif number < EXCEPTIONS:
            if not may_trap(env):
                return True
            trap(cpu, state, env, true_cause(cpu, env, u64(number)))
        elif number == EXCP_INTERRUPT and went_on_flushed(cpu):  # the buffer of translations was full
            state.exception_index = -1
        return False

    riscv64_csrs.install(layout)
    watched = watching.build("riscv64", layout)

    return NativeCpu(
        block_hook=block_hook,
        stop_interrupt=stop_interrupt,
        instruction_hooks=(),
        translator={
            **translator.build("riscv64", layout, LONGEST_BLOCK, code.before_sret, last=code.last),
            **watched.replaced,
            **code_pages.build("riscv64", riscv64_env.layouts(layout), watched.speed_up),
            **code.translator,
        },
        instructions=(),
        openings=(),
        noticed=("helper_sret_riscv64",),
        cycle_counter=None,
        listening=listening.build("riscv64", layout, state_of, in_program),
        watching=watched,
        irqs_off=irqs_off,
    )
