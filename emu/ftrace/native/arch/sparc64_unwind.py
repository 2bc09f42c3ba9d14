# SPDX-License-Identifier: GPL-2.0-only
"""Unwinds SPARC V9 stacks by register windows. In a function's window,

    %i7     is the address of the call that entered the function
    %fp     is its caller's %sp, which identifies the call for function_graph

The innermost windows are in the CPU. Each other window is saved at its %sp. A function that has just been called has no window
yet, and a leaf function never has one: the call that entered it is in %o7 of its caller's window.

A trap gives its handler a window like a call, but its %i7 is the %o7 of the interrupted function. The interrupted program
counter is in the struct pt_regs above the stack frame of the code that calls the handler.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.arch.sparc64_windows import BIAS, SHAPES, Env, OnStack, current_window, ins
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import PLACE_REGISTERS
from emu.ftrace.native.unwind import (
    Unwind,
    build_put,
    build_real_address,
    data_at,
    in_stub,
    is_code,
    kernel_memory,
    original,
    without_frame,
)
from emu.kernel.arch.sparc64 import TRAP_REGISTERS
from emu.native.functions import Native, njit
from emu.native.records import Values, u64

__all__ = ["REPLACED", "RETURN_OFFSET", "build", "stack_pointer"]

RETURN_OFFSET = 8  # bytes: a function returns after the call and its delay slot
REPLACED = -RETURN_OFFSET, -RETURN_OFFSET  # the addresses in %i7 that mean a trampoline, relative to it: first and last


@njit
def stack_pointer(cpu: Cpu, array: TraceArray) -> u64:
    """The end of the stack of the function at whose call site the CPU is."""
    window = current_window(cpu)
    called_by_stub = in_stub(array, window.o7)  # ftrace_graph_caller has a window of its own
    return (ins(Env(cpu.env), 0).o6 if called_by_stub else window.o6) + BIAS


def build(guest: Guest, context: Context, with_places: bool = False) -> Unwind:
    """Compiles unwind() for a guest. A function's frame begins at its %sp."""
    njit = Native(guest.layouts.extended(SHAPES)).njit
    put = build_put(with_places)
    real_address = build_real_address(guest, context, *REPLACED)

    @njit
    def in_trap_entry(array: TraceArray, address: u64) -> bool:
        return address - array.trap_entry < array.trap_entry_size

    @njit
    def unwind(cpu: Cpu, array: TraceArray, place: u64, out: Values[u64], most: u64) -> u64:
        env, memory, window = Env(cpu.env), kernel_memory(array), current_window(cpu)
        sp = window.o6
        address = real_address(cpu, array, sp, window.o7)
        in_cpu = env.canrestore + 1
        called_from, passed, count = u64(0), u64(0), u64(0)
        hidden = place == PLACE_REGISTERS or in_stub(array, address)  # a call made by tracing itself
        while count < most:
            if not is_code(memory, address):
                break
            if not hidden:
                put(out, count, address, sp + BIAS)
                count += 1
            hidden = False
            if called_from != 0:
                address, called_from = real_address(cpu, array, sp, called_from), u64(0)
            elif in_trap_entry(array, address):
                saved = PtRegs(data_at(memory, array, sp + TRAP_REGISTERS))
                passed += 1
                address, sp = original(array, saved.pc), saved.sp
                if without_frame(array, address) != 0:
                    called_from = saved.link
            else:
                if passed < in_cpu:
                    outer = ins(env, passed)
                    fp, address = outer.o6, outer.o7
                else:
                    on_stack = OnStack(data_at(memory, array, sp))
                    fp, address = on_stack.fp, on_stack.call
                if fp <= sp:
                    break
                sp = fp
                address = real_address(cpu, array, sp, address)
                passed += 1
        return count

    return unwind
