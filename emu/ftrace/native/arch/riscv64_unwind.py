# SPDX-License-Identifier: GPL-2.0-only
"""Unwinds RISC-V stacks by frame pointers.

    s0 ->   -8(s0)      the return address
            -16(s0)     the caller's frame pointer, which identifies the call for function_graph

Where a function has no frame, or only a leaf function's, `emu.kernel.arch.riscv64_frames` says where its return address is. An
odd frame pointer is the address of a struct pt_regs plus one: the registers of the interrupted code.
"""

from __future__ import annotations

from emu.cpu.native.arch.riscv64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest, GuestMemory, PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import PLACE_FUNCTION, PLACE_REGISTERS
from emu.ftrace.native.unwind import (
    KernelMemory,
    Unwind,
    build_put,
    build_real_address,
    data_at,
    is_code,
    kernel_memory,
    original,
    without_frame,
)
from emu.kernel.arch.riscv64_frames import FRAME, IN_RA, IN_T0, LEAF, ON_STACK
from emu.native.functions import Native, njit
from emu.native.records import Values, u64

__all__ = ["REPLACED", "build", "stack_pointer"]

REPLACED = 0, 0  # return addresses that mean a trampoline, relative to it: first and last
WORD, FRAME_SIZE = 8, 16  # bytes
RA, T0 = 1, 5  # numbers of registers: struct pt_regs has them behind the program counter, in their order
LOW_BITS, INTERRUPTED = u64(7), u64(1)


@njit
def stack_pointer(cpu: Cpu, array: TraceArray) -> u64:
    """The end of the stack of the function at whose call site the CPU is: it has no frame yet."""
    return Registers(cpu.env).sp


def build(guest: Guest, context: Context, with_places: bool = False) -> Unwind:
    """Compiles unwind() for a guest. A function's frame begins where its callee's ends."""
    of_guest = guest.layouts
    njit, pc_offset = Native(of_guest).njit, u64(of_guest.fields(PtRegs)["pc"].offset)
    put = build_put(with_places)
    real_address = build_real_address(guest, context, *REPLACED)

    @njit
    def word_at(memory: KernelMemory, array: TraceArray, address: u64) -> u64:
        return GuestMemory(data_at(memory, array, address)).as_u64

    @njit
    def unwind(cpu: Cpu, array: TraceArray, place: u64, out: Values[u64], most: u64) -> u64:
        registers, memory, told = Registers(cpu.env), kernel_memory(array), array.event_context
        sp, frame, ra, t0 = registers.sp, registers.s0, registers.ra, registers.t0
        found, last, count = u64(IN_RA), u64(0), u64(0)
        if place == PLACE_FUNCTION:
            found = u64(IN_T0)
        elif place == PLACE_REGISTERS:
            found, frame = u64(FRAME), told.saved + INTERRUPTED
        while count < most:
            begun = False  # whether the function at the address may have no frame
            if found == IN_T0:
                address, begun = t0, True
            elif found == LEAF:
                frame = word_at(memory, array, frame - WORD)
                address = real_address(cpu, array, frame, ra)
            elif found == IN_RA:
                address = real_address(cpu, array, frame, ra)
            elif found != FRAME:
                address = real_address(cpu, array, frame, word_at(memory, array, sp + (found - ON_STACK) * WORD))
            elif frame & LOW_BITS == INTERRUPTED:
                saved = PtRegs(data_at(memory, array, frame - INTERRUPTED))
                general = GuestMemory(saved.address + pc_offset)
                address, begun, last = original(array, saved.pc), True, u64(0)
                if place == PLACE_REGISTERS and count == 0:
                    address = told.ip
                sp, frame, ra, t0 = saved.sp, saved.link, general.as_words[RA], general.as_words[T0]
            elif frame & LOW_BITS == 0 and frame > last:
                sp, last = frame, frame
                frame = word_at(memory, array, sp - FRAME_SIZE)
                address = real_address(cpu, array, frame, word_at(memory, array, sp - WORD))
            else:
                break
            if not is_code(memory, address):
                break
            put(out, count, address, sp)
            count += 1
            found = without_frame(array, address) if begun else u64(FRAME)
        return count

    return unwind
