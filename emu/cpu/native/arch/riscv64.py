# SPDX-License-Identifier: GPL-2.0-only
"""RISC-V inside `cpu_exec`: traps, interrupts, host calls, the counters and the block hook."""

from __future__ import annotations

import ctypes

import numpy as np
from numba import types

from emu.cpu.arch.riscv64.state import SIE, SUPERVISOR, Env
from emu.cpu.internals import LIBRARY, CpuStructures
from emu.cpu.native import block_begin, block_record, callouts, cpu_record, translator
from emu.cpu.native.arch import NativeCpu
from emu.cpu.native.interrupts import take_highest
from emu.native import cfunc, external, njit
from emu.native.pointers import load_u32, load_u64, store_u32, store_u64

_do_interrupt = external("riscv_cpu_do_interrupt_riscv64", types.void(types.uint64))

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
INTERRUPTS_ON, S_MODE = np.uint64(SIE), np.uint64(SUPERVISOR)
FETCH_ACCESS, FETCH_FAULT = 1, 12
EXCEPTIONS, ECALL, HALT = 64, 8, 0x10001  # QEMU's numbers: below that of exceptions; of all `ecall`; of `wfi`
INTERRUPT = np.uint32(0x8000_0000)  # QEMU: beside the cause
NMI_CAUSE = np.uint32(63)
INSTRUCTION_SIZE = np.uint64(4)
REGISTER = ctypes.sizeof(ctypes.c_uint64)

PC, STVEC = np.uint64(Env.pc.offset), np.uint64(Env.stvec.offset)
PRIV, STATUS = np.uint64(Env.priv.offset), np.uint64(Env.mstatus.offset)
A0, A7 = np.uint64(Env.gpr.offset + 10 * REGISTER), np.uint64(Env.gpr.offset + 17 * REGISTER)

CYCLE, TIME, INSTRET = 0xC00, 0xC01, 0xC02


class CsrOperations(ctypes.Structure):
    """QEMU's riscv_csr_operations."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("predicate", "read", "write", "op"))


def build(layout: CpuStructures) -> NativeCpu:
    """Compiles for one layout of Unicorn."""
    uc_cpu, opaque = np.uint64(layout.uc_cpu), np.uint64(layout.cpu_opaque)
    exception_index, cpu_env = np.uint64(layout.cpu_exception_index), np.uint64(layout.cpu_env)

    @njit
    def irqs_off(env):
        """Whether interrupts are off, all but NMIs."""
        return load_u64(env + PRIV) >= S_MODE and load_u64(env + STATUS) & INTERRUPTS_ON == ZERO

    # A request to Python comes before an interrupt: a host call's answer belongs to the code that made the call.

    @njit
    def takes_interrupt(cpu, env):
        if load_u64(cpu + cpu_record.PENDING_COUNT) == ZERO or load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return False
        return not irqs_off(env)

    @njit
    def takes_nmi(cpu, env):
        if load_u64(cpu + cpu_record.NMI) == ZERO or load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return False
        return not irqs_off(env)  # to do: sepc is not saved yet in entry code

    begin = block_begin.build("riscv64", takes_nmi, takes_interrupt)

    @cfunc(types.void(types.uint64, types.uint64, types.uint32, types.uint64))
    def block_hook(uc, address, why, cpu):
        if not why & translator.BLOCK:
            return
        block = begin(uc, cpu, address, why)
        block_record.charge(cpu, block)
        callouts.call_function_at(cpu, load_u64(cpu + cpu_record.BOARD), address)

    @njit
    def host_call(cpu, env):
        for n in range(cpu_record.ARGUMENT_COUNT):
            offset = np.uint64(n) * WORD
            store_u64(cpu + cpu_record.ARGUMENTS + offset, load_u64(env + A0 + offset))
        store_u64(env + PC, load_u64(env + PC) + INSTRUCTION_SIZE)
        if callouts.host_call(cpu, load_u64(env + A7)):
            store_u64(env + A0, load_u64(cpu + cpu_record.RESULT))

    @cfunc(types.boolean(types.uint64, types.int32))
    def stop_interrupt(uc, trap):
        """The trap unit: delivers exceptions and interrupts to stvec with QEMU's own code."""
        state = load_u64(uc + uc_cpu)
        cpu = load_u64(state + opaque)
        env = load_u64(cpu + cpu_record.ENV)
        if trap < 0:
            taken = np.uint32(0)
            if takes_nmi(cpu, env):
                store_u64(cpu + cpu_record.NMI, ZERO)
                taken = NMI_CAUSE
            elif takes_interrupt(cpu, env):
                taken = np.uint32(take_highest(cpu))
            if taken:
                store_u64(cpu + cpu_record.TAKEN, load_u64(cpu + cpu_record.TAKEN) + ONE)
                store_u32(state + exception_index, INTERRUPT | taken)
                _do_interrupt(state)
        elif trap == HALT:
            store_u64(cpu + cpu_record.STATUS, cpu_record.HALTED)
        elif trap == ECALL and load_u64(env + PRIV) == S_MODE:
            host_call(cpu, env)
            store_u32(state + exception_index, np.uint32(0xFFFF_FFFF))
        elif trap < EXCEPTIONS:
            # Without code at stvec the CPU would trap for ever, and no block begin.
            if (trap == FETCH_FAULT or trap == FETCH_ACCESS) and load_u64(env + PC) == load_u64(env + STVEC) & ~np.uint64(3):
                return True
            _do_interrupt(state)
        return False

    @cfunc(types.int32(types.uint64, types.int32, types.uint64))
    def read_counter(env, number, value):
        """`rdcycle` and its like. The host's clock would answer, or nobody."""
        cpu = load_u64(env - cpu_env + opaque)
        store_u64(value, ZERO if cpu == ZERO else load_u64(cpu + (cpu_record.INSTRUCTIONS if number == INSTRET else cpu_record.CYCLES)))
        return np.int32(0)

    for number in (CYCLE, TIME, INSTRET):
        operations = CsrOperations()
        LIBRARY.riscv_get_csr_ops_riscv64(number, ctypes.byref(operations))
        operations.read = read_counter.address
        LIBRARY.riscv_set_csr_ops_riscv64(number, ctypes.byref(operations))

    return NativeCpu(
        block_hook=block_hook.address,
        stop_interrupt=stop_interrupt.address,
        instruction_hooks=(),
        translator=translator.build("riscv64", layout),
        instructions=(),
        noticed=(),
        cycle_counter=None,
        irqs_off=irqs_off,
    )
