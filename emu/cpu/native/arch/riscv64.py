# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V inside `cpu_exec`: traps, interrupts, host calls, the counters and the block hook."""

from __future__ import annotations

import ctypes

from emu.cpu.arch.riscv64.state import SIE, SUPERVISOR
from emu.cpu.internals import LIBRARY, CpuStructures
from emu.cpu.native import block_begin, block_record, callouts, translator
from emu.cpu.native.arch import NativeCpu, riscv64_env
from emu.cpu.native.arch.riscv64_env import Env, Registers
from emu.cpu.native.cpu_records import ARGUMENT_COUNT, HALTED, OFF, Cpu, CpuState, Uc
from emu.cpu.native.interrupts import interrupt_waits, nmi_waits, take_highest, went_on_flushed
from emu.native.functions import Native, external
from emu.native.records import Words, i32, u32, u64

_do_interrupt = external("riscv_cpu_do_interrupt_riscv64", None, CpuState)

INTERRUPTS_ON, S_MODE = u64(SIE), u64(SUPERVISOR)
FETCH_ACCESS, FETCH_FAULT = 1, 12
EXCEPTIONS, ECALL, EXCP_INTERRUPT, EXCP_HLT = 64, 8, 0x10000, 0x10001  # QEMU's numbers: those below 64, of any `ecall`, of `wfi`
INTERRUPT = u64(0x8000_0000)  # QEMU: beside the cause
NMI_CAUSE = u64(63)
INSTRUCTION_SIZE = 4
FIRST_ARGUMENT = 10  # a0
VECTOR = ~u64(3)  # stvec, without its mode

CYCLE, TIME, INSTRET = 0xC00, 0xC01, 0xC02  # numbers of CSRs

LONGEST_BLOCK = 256  # instructions, of about ten operations each


class CsrOperations(ctypes.Structure):
    """QEMU's riscv_csr_operations."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("predicate", "read", "write", "op"))


def build(layout: CpuStructures) -> NativeCpu:
    """Compiles for a layout of Unicorn's structures."""
    native = Native(riscv64_env.layouts(layout))
    cpu_env, opaque = layout.cpu_env, layout.cpu_opaque

    @native.shared
    def irqs_off(env: u64) -> bool:
        """Whether all interrupts except NMIs are off."""
        return Env(env).priv >= S_MODE and Env(env).mstatus & INTERRUPTS_ON == 0

    @native.njit
    def takes_interrupt(cpu: Cpu) -> bool:
        return interrupt_waits(cpu) and not irqs_off(cpu.env)

    @native.njit
    def takes_nmi(cpu: Cpu) -> bool:
        return nmi_waits(cpu) and not irqs_off(cpu.env)

    begin = block_begin.build("riscv64", takes_nmi, takes_interrupt)

    @native.callback
    def block_hook(uc: Uc, address: u64, why: u32, cpu: Cpu) -> None:
        if not why & translator.BLOCK:
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
    def interrupt(cpu: Cpu, state: CpuState) -> None:
        """Delivers an interrupt if one is due."""
        taken = u64(0)
        if takes_nmi(cpu):
            cpu.nmi = False
            taken = NMI_CAUSE
        elif takes_interrupt(cpu):
            taken = take_highest(cpu)
        if taken != 0:
            cpu.taken += 1
            state.exception_index = INTERRUPT | taken
            _do_interrupt(state)
            state.exception_index = -1

    @native.callback
    def stop_interrupt(uc: Uc, trap: i32) -> bool:
        """The trap unit: delivers exceptions and interrupts to stvec with QEMU's own code. Returns True to end the run."""
        state = uc.cpu
        cpu = Cpu(state.opaque)
        env = Env(cpu.env)
        if trap < 0:
            interrupt(cpu, state)
        elif trap == EXCP_HLT:
            if cpu.status != OFF:  # it may just have switched itself off
                cpu.status = HALTED
        elif trap == ECALL and env.priv == S_MODE:
            host_call(cpu, env)
            state.exception_index = -1
        elif trap < EXCEPTIONS:
            # Without code at stvec, the CPU would trap again and again, and no block would begin.
            if (trap == FETCH_FAULT or trap == FETCH_ACCESS) and env.pc == env.stvec & VECTOR:
                return True
            _do_interrupt(state)
            state.exception_index = -1
        elif trap == EXCP_INTERRUPT and went_on_flushed(cpu):  # the buffer of translations was full
            state.exception_index = -1
        return False

    @native.callback
    def read_counter(env: u64, number: i32, value: Words) -> i32:
        """Reads cycle, time or instret. Unicorn would give the host's clock, or an undefined instruction."""
        record = Words(env - cpu_env + opaque)[0]
        value[0] = 0
        if record != 0:
            cpu = Cpu(record)
            value[0] = cpu.instructions if number == INSTRET else cpu.cycles
        return 0

    for number in (CYCLE, TIME, INSTRET):
        operations = CsrOperations()
        LIBRARY.riscv_get_csr_ops_riscv64(number, ctypes.byref(operations))
        operations.read = read_counter.address
        LIBRARY.riscv_set_csr_ops_riscv64(number, ctypes.byref(operations))

    return NativeCpu(
        block_hook=block_hook,
        stop_interrupt=stop_interrupt,
        instruction_hooks=(),
        translator=translator.build("riscv64", layout, LONGEST_BLOCK),
        instructions=(),
        openings=(),
        noticed=(),
        cycle_counter=None,
        irqs_off=irqs_off,
    )
