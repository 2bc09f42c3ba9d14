# SPDX-License-Identifier: GPL-2.0-only
"""Following SPARC V9 stacks by register windows. Of a function's window,

    %i7     is the address of the call that led to the function
    %fp     is its caller's %sp; function_graph knows the call by it

The innermost windows are in the CPU. Each of the others is where its %sp says that it has been saved. A function that has just
been called has no window yet, and a leaf never has one: the call that led to it is in %o7 of its caller's window.

A trap gives its handler a window like any call, but its %i7 is what the interrupted function had in %o7. Where that function was
is in the struct pt_regs above the frame of the code that calls the handler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, event_context
from emu.ftrace.native.arch.sparc64_windows import CANRESTORE, O6, O7, WINDOW, ins
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.unwind import (
    build_put,
    build_real_address,
    data_at,
    in_stub,
    is_code,
    kernel_memory,
    original,
    without_frame,
)
from emu.kernel.arch.sparc64 import SAVED_CALL, SAVED_FP, SAVED_WINDOW, TRAP_REGISTERS
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u32, load_u64

__all__ = ["REPLACED", "RETURN_OFFSET", "build", "stack_pointer"]

ZERO, ONE, BIAS = np.uint64(0), np.uint64(1), np.uint64(SAVED_WINDOW)
RETURN_OFFSET = 8  # bytes: a function returns behind the call and its delay slot
REPLACED = -RETURN_OFFSET, -RETURN_OFFSET  # the addresses in %i7 that lead to a trampoline, from its own on
FP_PLACE, CALL_PLACE, REGISTERS_PLACE = np.uint64(SAVED_FP), np.uint64(SAVED_CALL), np.uint64(TRAP_REGISTERS)


@njit
def stack_pointer(cpu, array):
    """Where the stack of the function ends at whose call site a CPU stands."""
    window = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW)
    called_by_stub = in_stub(array, load_u64(window + O7))  # ftrace_graph_caller has a window of its own
    return load_u64(ins(load_u64(cpu + cpu_record.ENV), ZERO) + O6 if called_by_stub else window + O6) + BIAS


def build(guest: GuestLayout, context: Context, with_places: bool = False) -> Any:
    """Compiles unwind() for a guest. A function's frame begins where its %sp points to."""
    put = build_put(with_places)
    in_guest = in_byte_order("big")
    guest_u64 = in_guest.load_u64
    real_address = build_real_address(in_guest, guest, context, *REPLACED)

    @njit
    def in_trap_entry(array, address):
        return address - load_u64(array + array_record.TRAP_ENTRY) < load_u64(array + array_record.TRAP_ENTRY_SIZE)

    @njit
    def unwind(cpu, array, place, out, most):
        env = load_u64(cpu + cpu_record.ENV)
        memory = kernel_memory(array)
        window = load_u64(env + WINDOW)
        sp = load_u64(window + O6)
        address = real_address(cpu, array, sp, load_u64(window + O7))
        in_cpu = np.uint64(load_u32(env + CANRESTORE)) + ONE
        called_from, passed, count = ZERO, ZERO, ZERO
        hidden = place == event_context.PLACE_REGISTERS or in_stub(array, address)  # a call that tracing makes itself
        while count < most:
            if not is_code(memory, address):
                break
            if not hidden:
                put(out, count, address, sp + BIAS)
                count += ONE
            hidden = False
            if called_from != ZERO:
                address, called_from = real_address(cpu, array, sp, called_from), ZERO
            elif in_trap_entry(array, address):
                saved = sp + REGISTERS_PLACE
                passed += ONE
                address = original(array, guest_u64(data_at(memory, array, saved + guest.saved_pc)))
                sp = guest_u64(data_at(memory, array, saved + guest.saved_sp))
                if without_frame(array, address) != ZERO:
                    called_from = guest_u64(data_at(memory, array, saved + guest.saved_link))
            else:
                if passed < in_cpu:
                    in_window = ins(env, passed)
                    fp, address = load_u64(in_window + O6), load_u64(in_window + O7)
                else:
                    on_stack = data_at(memory, array, sp)
                    fp, address = guest_u64(on_stack + FP_PLACE), guest_u64(on_stack + CALL_PLACE)
                if fp <= sp:
                    break
                sp = fp
                address = real_address(cpu, array, sp, address)
                passed += ONE
        return count

    return unwind
