# SPDX-License-Identifier: GPL-2.0-only
"""Following x86-64 stacks by frame pointers.

    %rbp -> 0(%rbp)     the caller's frame pointer
            8(%rbp)     where the function returns to

A function that has just been called has no frame yet: where it returns to is at the stack pointer, and %rbp is still its
caller's. An odd frame pointer is the address of a struct pt_regs plus one: the registers of what was interrupted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.arch.x86_64.state import register
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, event_context
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.sites import site_flags
from emu.ftrace.native.unwind import build_put, build_real_address, data_at, is_code, kernel_memory, original, without_frame
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u64

__all__ = ["REPLACED", "build", "stack_pointer"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
SITE = np.uint64(5)  # bytes, of a site's call
SP, BP = (np.uint64(register(name)) for name in ("sp", "bp"))
REPLACED = 0, 5  # the addresses on a stack that lead to a trampoline, from its own on: one begins with a call of five bytes
LOW_BITS, INTERRUPTED = WORD - ONE, ONE


@njit
def stack_pointer(cpu, array):
    """Where the stack of the function ends at whose call site a CPU stands: its return address is there."""
    return load_u64(load_u64(cpu + cpu_record.ENV) + SP)


def build(guest: GuestLayout, context: Context, with_places: bool = False) -> Any:
    """Compiles unwind() for a guest. A function's frame begins with where it goes on: its callee's return address."""
    put = build_put(with_places)
    real_address = build_real_address(in_byte_order("little"), guest, context, *REPLACED)

    @njit
    def follow(cpu, array, memory, frame, out, count, most):
        """Stores where the functions with frames return to. Returns what comes instead of a frame's address, and the count."""
        last = ZERO
        while count < most and frame & LOW_BITS == ZERO and frame > last:
            slot, more = frame, True
            while more and count < most:
                slot += WORD
                address = real_address(cpu, array, slot, load_u64(data_at(memory, array, slot)))
                if not is_code(memory, address):
                    return ZERO, count
                put(out, count, address, slot)
                count += ONE
                # A direct call returns to behind a call site, where the function has no frame yet.
                more = site_flags(array, address - SITE) & array_record.PROBED != 0
            frame, last = load_u64(data_at(memory, array, frame)), frame
        return frame, count

    @njit
    def unwind(cpu, array, place, out, most):
        env = load_u64(cpu + cpu_record.ENV)
        memory = kernel_memory(array)
        of_graph = load_u64(array + array_record.RETURN_TRAMPOLINE)
        of_probes = load_u64(array + array_record.RETHOOK_TRAMPOLINE)
        sp, frame = load_u64(env + SP), load_u64(env + BP)
        if place == event_context.PLACE_HOST_CALL:  # the host answers when hostcall() has returned
            sp -= WORD
        words, trampoline, count = ONE, ZERO, ZERO
        told = load_u64(array + array_record.EVENT_CONTEXT)
        if place == event_context.PLACE_REGISTERS:
            words, frame = ZERO, load_u64(told + event_context.SAVED) + INTERRUPTED
        if place == event_context.PLACE_BLOCK:
            address = load_u64(told + event_context.IP)
            if not is_code(memory, address) or most == ZERO:
                return count
            put(out, count, address, sp)
            count += ONE
            words = without_frame(array, address)
        while count < most:
            begun = False  # whether the address may be one at which a function has no frame yet
            if trampoline != ZERO:  # the function that returned to it has taken its return address off the stack
                slot = sp - WORD
                address, trampoline = real_address(cpu, array, slot, trampoline), ZERO
            elif words != ZERO:
                sp += words * WORD
                slot = sp - WORD
                address, begun = real_address(cpu, array, slot, load_u64(data_at(memory, array, slot))), True
            else:
                frame, count = follow(cpu, array, memory, frame, out, count, most)
                if frame & LOW_BITS != INTERRUPTED or count == most:
                    break
                saved = frame - INTERRUPTED
                slot = saved + guest.saved_pc
                address, begun = original(array, load_u64(data_at(memory, array, slot))), True
                if place == event_context.PLACE_REGISTERS and count == ZERO:
                    address = load_u64(told + event_context.IP)
                sp = load_u64(data_at(memory, array, saved + guest.saved_sp))
                frame = load_u64(data_at(memory, array, saved + guest.saved_link))
                trampoline = address if address in (of_graph, of_probes) else ZERO
            if not is_code(memory, address):
                break
            put(out, count, address, slot)
            count += ONE
            words = without_frame(array, address) if begun else ZERO
        return count

    return unwind
