# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on SPARC V9: `ta 0x70` at any instruction, and the registers at the call site of a function.

function_graph's site calls a label from a window of its own, inside the function's.
"""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, event_context, kprobe, kprobe_record
from emu.ftrace.native.arch import Callback, ProbeCallbacks, sparc64_emulate, sparc64_registers
from emu.ftrace.native.arch.sparc64_registers import TNPC, TPC
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.arch.sparc64_windows import I0, I7, O0, O1, O7, WINDOW
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.unwind import in_stub
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE, INSTRUCTION = np.uint64(0), np.uint64(1), np.uint64(4)
BEHIND = np.uint64(RETURN_OFFSET)
WINDOW_OF_CALLER = ZERO  # when a function has returned to arch_rethook_trampoline, the current one
UNDOES_WINDOW = np.uint64(12)  # where return_to_handler has jmpl %o0 + 8, %g0; restore


@njit
def env_of(cpu):
    return load_u64(cpu + cpu_record.ENV)


@njit
def window_at_site(env, array, probed):
    """Which window is in use at an address; 0: the current one. The CPU is at the call site there, or of the function there."""
    window = load_u64(env + WINDOW)
    site, function_window = load_u64(window + O7), ZERO
    if in_stub(array, site):
        site, function_window = load_u64(window + I7), ONE
    return function_window if probed == site else function_window + ONE


def build(guest: GuestLayout) -> ProbeCallbacks:
    """Compiles for a guest."""
    memory = in_byte_order("big")
    guest_u64, guest_store_u64 = memory.load_u64, memory.store_u64
    registers = sparc64_registers.build(guest)
    emulate = sparc64_emulate.build(guest, registers)
    fill_from_trap, store_to_trap = registers.fill_from_trap, registers.store_to_trap
    fill_from_window, store_to_window = registers.fill_from_window, registers.store_to_window

    # In the handler of a breakpoint

    @njit
    def saved(cpu):
        return load_u64(load_u64(env_of(cpu) + WINDOW) + O0)

    @njit
    def address(regs):
        return guest_u64(regs + guest.saved_pc)

    @njit
    def fill(cpu, array, regs, told):
        fill_from_trap(env_of(cpu), array, regs, load_u64(told + event_context.REGISTERS))
        store_u64(told + event_context.FILL, ZERO)

    @njit
    def write(cpu, array, regs, told):
        image = load_u64(told + event_context.REGISTERS)
        store_to_trap(env_of(cpu), array, regs, image)
        pc, following = load_u64(image + TPC), load_u64(image + TNPC)
        if pc == load_u64(told + event_context.IP):
            return False
        if following == guest_u64(regs + guest.saved_next_pc):
            following = pc + INSTRUCTION
        guest_store_u64(regs + guest.saved_pc, pc)
        guest_store_u64(regs + guest.saved_next_pc, following)
        return True

    @njit
    def go_on(cpu, array, regs, probe):
        copy = load_u64(probe + kprobe_record.COPY)
        if copy != ZERO:
            guest_store_u64(regs + guest.saved_pc, copy)
        else:
            emulate(env_of(cpu), array, regs, load_u64(probe + kprobe_record.INSTRUCTION))

    @njit
    def handled(cpu):
        """kprobe_trap(regs, 0) returns its second argument."""
        store_u64(load_u64(env_of(cpu) + WINDOW) + O1, ONE)

    handlers = kprobe.build(kprobe.Trap(saved, address, fill, write, go_on, handled))

    # At the call site of a function, and when it has returned

    @cfunc(_HANDLER)
    def fill_at_site(cpu, told):
        env, array, image = env_of(cpu), array_of(cpu), load_u64(told + event_context.REGISTERS)
        probed, returns_to = load_u64(told + event_context.IP), load_u64(told + event_context.RETURN_IP)
        if returns_to != ZERO:
            fill_from_window(env, array, WINDOW_OF_CALLER, returns_to, image)
        else:
            fill_from_window(env, array, window_at_site(env, array, probed), probed, image)
        store_u64(told + event_context.FILL, ZERO)

    @njit
    def go_elsewhere(env, array, probed, pc):
        """Has the site's call return to a place other than the function.

        At the first instruction the function has no window yet: the call returns to the end of return_to_handler, which
        undoes the window and jumps to where %o0 leads.
        """
        window = load_u64(env + WINDOW)
        returns_to, leads = window + O7, window + O0
        if in_stub(array, load_u64(window + O7)):
            returns_to, leads = window + I7, window + I0
        if load_u64(returns_to) != probed:
            store_u64(leads, pc - BEHIND)
            pc = load_u64(array + array_record.RETURN_TRAMPOLINE) + UNDOES_WINDOW
        store_u64(returns_to, pc - BEHIND)

    @cfunc(_HANDLER)
    def write_at_site(cpu, told):
        env, array, probed = env_of(cpu), array_of(cpu), load_u64(told + event_context.IP)
        image = load_u64(told + event_context.REGISTERS)
        if load_u64(told + event_context.RETURN_IP) != ZERO:
            store_to_window(env, array, WINDOW_OF_CALLER, image)
            return
        store_to_window(env, array, window_at_site(env, array, probed), image)
        if load_u64(image + TPC) != probed:
            go_elsewhere(env, array, probed, load_u64(image + TPC))

    return ProbeCallbacks(
        Callback("kprobe_trap", handlers.at_breakpoint.address),
        handlers.fill.address,
        fill_at_site.address,
        write_at_site.address,
        handlers.say_where.address,
    )
