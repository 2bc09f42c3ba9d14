# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 inside `cpu_exec`: traps, interrupts, `syscall`, `rdtsc`, the host-call port and the block hook."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np
from numba import types
from unicorn import x86_const as x86

from emu.cpu.arch.x86_64.state import CS, SS, Layout, SegmentCache, register
from emu.cpu.native import block_begin, block_record, callouts, cpu_record, tcg, translator
from emu.cpu.native.arch import NativeCpu, TimedHooks, x86_64_strings
from emu.cpu.native.interrupts import take_highest
from emu.cpu.native.timing import record
from emu.native import cfunc, external, njit
from emu.native.pointers import load_u32, load_u64, store_u32, store_u64

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core

_void_pointer = types.uint64
_do_interrupt = external("x86_cpu_do_interrupt_x86_64", types.void(_void_pointer))
_do_hardware_interrupt = external("do_interrupt_x86_hardirq_x86_64", types.void(_void_pointer, types.int32, types.int32))
_emu_stop = external("uc_emu_stop", types.int32(_void_pointer))
_raise = external("raise_exception_err_x86_64", types.void(_void_pointer, types.int32, types.int32))
_read_flags = external("helper_read_eflags_x86_64", types.uint64(_void_pointer))
_write_flags = external("helper_write_eflags_x86_64", types.void(_void_pointer, types.uint64, types.uint32))

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
HOST_CALL_PORT = np.uint32(0xE0)

AX, CX, DX, SI, DI, R11 = (np.uint64(register(name)) for name in ("ax", "cx", "dx", "si", "di", "r11"))

# Manual volume 3, 2.3: EFLAGS.IF. QEMU: hflags bit 3 is the shadow of `sti` and `mov ss`; hflags2 bit 2 masks NMIs.
IF, SHADOW, NMI_MASKED = np.uint32(0x200), np.uint32(8), np.uint32(4)
PRIVILEGE = np.uint32(3)
NMI_VECTOR, GENERAL_PROTECTION = np.int32(2), np.int32(13)

# QEMU's numbers above the vectors.
EXCP_INTERRUPT, EXCP_HLT = 0x10000, 0x10001

# The descriptor caches that `syscall` loads (manual volume 2B, SYSCALL): flat, ring 0, 64-bit code and writable data.
CODE_FLAGS, DATA_FLAGS = np.uint32(0x00A0_9B00), np.uint32(0x00C0_9300)
FLAT_LIMIT = np.uint32(0xFFFF_FFFF)
SELECTOR, BASE = np.uint64(SegmentCache.selector.offset), np.uint64(SegmentCache.base.offset)
LIMIT, FLAGS = np.uint64(SegmentCache.limit.offset), np.uint64(SegmentCache.flags.offset)
WRITABLE_FLAGS = np.uint32(0xFFFF_FFFF)
SYSCALL_LENGTH = np.uint64(2)

# An invalid operation, division by zero, overflow, underflow, an inexact result: MXCSR's and the x87 status word's flags but
# for the denormal operand, which softfloat does not report (manual volume 1, 8.1.3 and 10.2.3).
EXCEPTIONS = np.uint64(0x3D)
# The helpers of instructions that read or write one of the two; `stmxcsr` has none.
EXCEPTION_USERS = (
    "ldmxcsr", "fxsave", "fxrstor", "xsave", "xsaveopt", "xrstor", "fnstsw", "fclex", "fninit", "fstenv", "fldenv", "fsave",
    "frstor",
)  # fmt: skip

SYSCALL = 0  # its place among `instructions`


def build(layout: Layout) -> NativeCpu:
    """Compiles for one layout of Unicorn."""
    uc_cpu, opaque = np.uint64(layout.uc_cpu), np.uint64(layout.cpu_opaque)
    exception_index = np.uint64(layout.cpu_exception_index)
    eip, eflags = np.uint64(layout.env_eip), np.uint64(layout.env_eflags)
    hflags, hflags2 = np.uint64(layout.env_hflags), np.uint64(layout.env_hflags2)
    cs, ss = (np.uint64(layout.env_segments + segment * ctypes.sizeof(SegmentCache)) for segment in (CS, SS))
    star, lstar, fmask = (np.uint64(offset) for offset in (layout.env_star, layout.env_lstar, layout.env_fmask))

    execute_string = x86_64_strings.build(layout)
    ops = tcg.build("x86_64", layout.translator)
    constant, bit_and, bit_or = ops.constant, ops.bit_and, ops.bit_or
    emit_load_u8, emit_load_u16, emit_load_u32 = ops.load_u8, ops.load_u16, ops.load_u32
    emit_store_u8, emit_store_u16, emit_store_u32 = ops.store_u8, ops.store_u16, ops.store_u32
    mxcsr, sse_flags = np.uint64(layout.env_mxcsr), np.uint64(layout.env_sse_flags)
    status_word, x87_flags = np.uint64(layout.env_fpus), np.uint64(layout.env_x87_flags)

    # Exceptions of SSE and of the x87 FPU gather beside MXCSR and the FPU's status word. Unicorn never puts them there,
    # although instructions read these registers, and never clears them, although instructions write them.

    @njit
    def gathered(ctx, env, flags):
        """Emits that exceptions are taken from where they gather. They have softfloat's bits, which are the registers', too."""
        found = bit_and(ctx, emit_load_u8(ctx, env, flags), constant(ctx, EXCEPTIONS))
        emit_store_u8(ctx, constant(ctx, ZERO), env, flags)
        return found

    @njit
    def keep_exceptions(cpu, ctx):
        """Emits that both registers get their exceptions."""
        env = constant(ctx, load_u64(cpu + cpu_record.ENV))
        emit_store_u32(ctx, bit_or(ctx, emit_load_u32(ctx, env, mxcsr), gathered(ctx, env, sse_flags)), env, mxcsr)
        emit_store_u16(ctx, bit_or(ctx, emit_load_u16(ctx, env, status_word), gathered(ctx, env, x87_flags)), env, status_word)

    @njit
    def before_operation(cpu, ctx, offset):
        if offset == mxcsr:
            keep_exceptions(cpu, ctx)

    @njit
    def irqs_off(env):
        """Whether interrupts are off, all but NMIs."""
        return load_u32(env + eflags) & IF == 0

    # A request to Python comes before an interrupt: a host call's answer belongs to the code that made the call.

    @njit
    def takes_interrupt(cpu, env):
        if load_u64(cpu + cpu_record.PENDING_COUNT) == ZERO or load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return False
        return load_u32(env + eflags) & IF != 0 and load_u32(env + hflags) & SHADOW == 0

    @njit
    def takes_nmi(cpu, env):
        if load_u64(cpu + cpu_record.NMI) == ZERO or load_u64(cpu + cpu_record.REQUEST) != ZERO:
            return False
        return load_u32(env + hflags2) & NMI_MASKED == 0 and load_u32(env + hflags) & SHADOW == 0

    @njit
    def trap(cpu):
        record.trap(load_u64(cpu + cpu_record.TIMING), load_u64(cpu + cpu_record.TRAP_TIME))

    @cfunc(types.boolean(types.uint64, types.int32))
    def stop_interrupt(uc, vector):
        """The trap unit: delivers exceptions and interrupts through the guest's IDT with QEMU's own code."""
        state = load_u64(uc + uc_cpu)
        cpu = load_u64(state + opaque)
        env = load_u64(cpu + cpu_record.ENV)
        if vector < 0:
            if takes_nmi(cpu, env):
                store_u64(cpu + cpu_record.NMI, ZERO)
                trap(cpu)
                store_u32(env + hflags2, load_u32(env + hflags2) | NMI_MASKED)
                store_u64(cpu + cpu_record.TAKEN, load_u64(cpu + cpu_record.TAKEN) + ONE)
                _do_hardware_interrupt(env, NMI_VECTOR, np.int32(1))
            elif takes_interrupt(cpu, env):
                trap(cpu)
                store_u64(cpu + cpu_record.TAKEN, load_u64(cpu + cpu_record.TAKEN) + ONE)
                _do_hardware_interrupt(env, np.int32(take_highest(cpu)), np.int32(1))
            return False
        if vector < cpu_record.VECTORS:
            trap(cpu)
            _do_interrupt(state)
            store_u32(state + exception_index, np.uint32(0xFFFF_FFFF))
        elif vector == EXCP_HLT:
            store_u64(cpu + cpu_record.STATUS, cpu_record.HALTED if load_u32(env + eflags) & IF else cpu_record.STOPPED)
        elif vector == EXCP_INTERRUPT:  # `pause`, or the end of a turn
            _emu_stop(uc)
        return False

    @njit
    def syscall(cpu):
        """SYSCALL as the manual has it (volume 2B). Unicorn would leave the whole instruction to a hook."""
        env = load_u64(cpu + cpu_record.ENV)
        flags = _read_flags(env)
        store_u64(env + CX, load_u64(env + eip) + SYSCALL_LENGTH)
        store_u64(env + R11, flags)
        _write_flags(env, flags & ~load_u64(env + fmask), WRITABLE_FLAGS)
        selector = np.uint32(load_u64(env + star) >> np.uint64(32)) & np.uint32(0xFFFC)
        for segment, value, attributes in ((cs, selector, CODE_FLAGS), (ss, selector + np.uint32(8), DATA_FLAGS)):
            store_u32(env + segment + SELECTOR, value)
            store_u64(env + segment + BASE, ZERO)
            store_u32(env + segment + LIMIT, FLAT_LIMIT)
            store_u32(env + segment + FLAGS, attributes)
        store_u32(env + hflags, load_u32(env + hflags) & ~PRIVILEGE)
        store_u64(env + eip, load_u64(env + lstar))

    @cfunc(types.int32(types.uint64, types.uint64))
    def rdtsc(uc, cpu):
        """RDTSC reads the cycle counter. A result of 1 tells Unicorn that the instruction is done."""
        env, cycles = load_u64(cpu + cpu_record.ENV), load_u64(cpu + cpu_record.CYCLES)
        store_u64(env + AX, cycles & np.uint64(0xFFFF_FFFF))
        store_u64(env + DX, cycles >> np.uint64(32))
        return np.int32(1)

    @cfunc(types.int32(types.uint64, types.uint64))
    def rdtscp(uc, cpu):
        """RDTSCP: the cycle counter, and the CPU's number in ECX."""
        env, cycles = load_u64(cpu + cpu_record.ENV), load_u64(cpu + cpu_record.CYCLES)
        store_u64(env + AX, cycles & np.uint64(0xFFFF_FFFF))
        store_u64(env + DX, cycles >> np.uint64(32))
        store_u64(env + CX, load_u64(cpu + cpu_record.INDEX))
        return np.int32(1)

    @njit
    def execute(cpu, number):
        """Executes one of `instructions`."""
        if number == SYSCALL:
            syscall(cpu)

    begin = block_begin.build("x86_64", takes_nmi, takes_interrupt)

    @cfunc(types.void(types.uint64, types.uint64, types.uint32, types.uint64))
    def block_hook(uc, address, why, cpu):
        if why & translator.INSTRUCTION:
            execute(cpu, why & translator.NUMBER_MASK)
        if not why & translator.BLOCK:
            return
        block = begin(uc, cpu, address, why)
        if load_u64(block + block_record.CYCLES) & block_record.STRING:
            description = block_record.charge_string(cpu, block, address)
            if description != ZERO:
                execute_string(cpu, description)
        else:
            block_record.charge(cpu, block)
        callouts.call_function_at(cpu, load_u64(cpu + cpu_record.BOARD), address)

    def timed(core: Core, with_data: bool) -> TimedHooks:
        from emu.cpu.native.arch import x86_64_timed  # compiled when it is needed

        return x86_64_timed.build(layout, begin, execute, execute_string, core, with_data)

    @njit
    def check_port(env):
        """IOPL is 0: ports are the kernel's. Unicorn leaves the check out (SDM volume 1, 19.5.1)."""
        if load_u32(env + hflags) & PRIVILEGE:
            _raise(env, GENERAL_PROTECTION, np.int32(0))

    @cfunc(types.uint32(types.uint64, types.uint32, types.int32, types.uint64))
    def port_in(uc, port, size, cpu):
        """`in`: every port reads as all ones."""
        check_port(load_u64(cpu + cpu_record.ENV))
        return np.uint32(0xFFFF_FFFF)

    @cfunc(types.void(types.uint64, types.uint32, types.int32, types.uint32, types.uint64))
    def host_call(uc, port, size, value, cpu):
        """`out` to the host-call port (docs/board.md). Other ports do nothing."""
        env = load_u64(cpu + cpu_record.ENV)
        check_port(env)
        if port != HOST_CALL_PORT:
            return
        for n, source in enumerate((DI, SI, DX, CX)):
            store_u64(cpu + cpu_record.ARGUMENTS + np.uint64(n) * WORD, load_u64(env + source))
        if callouts.host_call(cpu, load_u64(env + AX)):
            store_u64(env + AX, load_u64(cpu + cpu_record.RESULT))

    return NativeCpu(
        block_hook=block_hook.address,
        stop_interrupt=stop_interrupt.address,
        instruction_hooks=(
            (x86.UC_X86_INS_RDTSC, rdtsc.address),
            (x86.UC_X86_INS_RDTSCP, rdtscp.address),
            (x86.UC_X86_INS_IN, port_in.address),
            (x86.UC_X86_INS_OUT, host_call.address),
        ),
        translator=translator.build("x86_64", layout, keep_exceptions, before_operation),
        instructions=("helper_syscall_x86_64",),
        noticed=[f"helper_{name}_x86_64" for name in EXCEPTION_USERS],
        cycle_counter=None,
        irqs_off=irqs_off,
        timed=timed,
    )
