# SPDX-License-Identifier: GPL-2.0-only
"""Unwinds x86-64 stacks by frame pointers.

    %rbp -> 0(%rbp)     the caller's frame pointer
            8(%rbp)     the return address

A function that has just been called has no frame yet: its return address is at the stack pointer, and %rbp is still its
caller's. An odd frame pointer is the address of a struct pt_regs plus one: the registers of the interrupted code.
"""

from __future__ import annotations

from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.arch.x86_64 import SITE_SIZE
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest, GuestMemory, PtRegs
from emu.ftrace.native.sites import site_flags
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import PLACE_BLOCK, PLACE_HOST_CALL, PLACE_REGISTERS, PROBED
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
from emu.native.functions import Native, njit
from emu.native.records import Values, u64

__all__ = ["REPLACED", "build", "stack_pointer"]

REPLACED = 0, 5  # stacked addresses that mean a trampoline, relative to it: one of them begins with a five-byte call
SLOT_SIZE = 8  # bytes of an address on a stack
LOW_BITS, INTERRUPTED = u64(7), u64(1)


@njit
def stack_pointer(cpu: Cpu, array: TraceArray) -> u64:
    """The end of the stack of the function at whose call site the CPU is, with its return address."""
    return Registers(cpu.env).sp


def build(guest: Guest, context: Context, with_places: bool = False) -> Unwind:
    """Compiles unwind() for a guest. A function's frame begins with its callee's return address."""
    of_guest = guest.layouts
    njit, pc_offset = Native(of_guest).njit, u64(of_guest.fields(PtRegs)["pc"].offset)
    put = build_put(with_places)
    real_address = build_real_address(guest, context, *REPLACED)

    @njit
    def word_at(memory: KernelMemory, array: TraceArray, address: u64) -> u64:
        return GuestMemory(data_at(memory, array, address)).as_u64

    @njit
    def follow(
        cpu: Cpu, array: TraceArray, memory: KernelMemory, frame: u64, out: Values[u64], count: u64, most: u64
    ) -> tuple[u64, u64]:
        """Stores return addresses of functions with frames. Returns the value in place of a frame's address, and the count."""
        last = u64(0)
        while count < most and frame & LOW_BITS == 0 and frame > last:
            slot, more = frame, True
            while more and count < most:
                slot += SLOT_SIZE
                address = real_address(cpu, array, slot, word_at(memory, array, slot))
                if not is_code(memory, address):
                    return u64(0), count
                put(out, count, address, slot)
                count += 1
                # A direct call returns to just after a call site, where the function has no frame yet.
                more = site_flags(array, address - SITE_SIZE) & PROBED != 0
            frame, last = word_at(memory, array, frame), frame
        return frame, count

    @njit
    def unwind(cpu: Cpu, array: TraceArray, place: u64, out: Values[u64], most: u64) -> u64:
        registers, memory, told = Registers(cpu.env), kernel_memory(array), array.event_context
        of_graph, of_probes = array.return_trampoline, array.rethook_trampoline
        sp, frame = registers.sp, registers.bp
        if place == PLACE_HOST_CALL:  # the host answers after hostcall() has returned
            sp -= SLOT_SIZE
        words, trampoline, count = u64(1), u64(0), u64(0)
        if place == PLACE_REGISTERS:
            words, frame = u64(0), told.saved + INTERRUPTED
        if place == PLACE_BLOCK:
            address = told.ip
            if not is_code(memory, address) or most == 0:
                return count
            put(out, count, address, sp)
            count += 1
            words = without_frame(array, address)
        while count < most:
            begun = False  # whether the function at the address may have no frame yet
            if trampoline != 0:  # the function that returned to it has popped its return address
                slot = sp - SLOT_SIZE
                address, trampoline = real_address(cpu, array, slot, trampoline), u64(0)
            elif words != 0:
                sp += words * SLOT_SIZE
                slot = sp - SLOT_SIZE
                address, begun = real_address(cpu, array, slot, word_at(memory, array, slot)), True
            else:
                frame, count = follow(cpu, array, memory, frame, out, count, most)
                if frame & LOW_BITS != INTERRUPTED or count == most:
                    break
                slot = frame - INTERRUPTED + pc_offset
                saved = PtRegs(data_at(memory, array, frame - INTERRUPTED))
                address, begun = original(array, saved.pc), True
                if place == PLACE_REGISTERS and count == 0:
                    address = told.ip
                sp, frame = saved.sp, saved.link
                trampoline = address if address in (of_graph, of_probes) else 0
            if not is_code(memory, address):
                break
            put(out, count, address, slot)
            count += 1
            words = without_frame(array, address) if begun else 0
        return count

    return unwind
