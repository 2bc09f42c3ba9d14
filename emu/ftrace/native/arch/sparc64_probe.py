# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on SPARC V9: `ta 0x70` at any instruction, and the registers at a function's call site.

function_graph's site calls a label from a register window of its own, inside the function's.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import kprobe
from emu.ftrace.native.arch import Callback, ProbeCallbacks, sparc64_emulate, sparc64_registers
from emu.ftrace.native.arch.sparc64 import arguments
from emu.ftrace.native.arch.sparc64_registers import INSTRUCTION, TNPC, TPC
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.arch.sparc64_windows import SHAPES, Env, current_window
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest, PtRegs
from emu.ftrace.native.kprobe_record import Kprobe
from emu.ftrace.native.trace_records import EventContext, TraceArray
from emu.ftrace.native.unwind import in_stub
from emu.native.functions import Native
from emu.native.records import u64

__all__ = ["build"]

WINDOW_OF_CALLER = u64(0)  # after a function's return to arch_rethook_trampoline, it is the current one
UNDOES_WINDOW = 12  # offset in return_to_handler of: jmpl %o0 + 8, %g0; restore


def build(guest: Guest) -> ProbeCallbacks:
    """Compiles for a guest."""
    here = guest.layouts.extended(SHAPES)
    native = Native(here)
    njit, callback = native.njit, native.callback
    registers = sparc64_registers.build(here)
    emulate = sparc64_emulate.build(here, registers)
    _, _, fill_from_trap, fill_from_window, store_to_trap, store_to_window = registers

    # In the breakpoint handler

    @njit
    def fill(cpu: Cpu, array: TraceArray, regs: PtRegs, told: EventContext) -> None:
        fill_from_trap(Env(cpu.env), array, regs, told.registers)
        told.fill = None

    @njit
    def write(cpu: Cpu, array: TraceArray, regs: PtRegs, told: EventContext) -> bool:
        image = told.registers
        store_to_trap(Env(cpu.env), array, regs, image)
        pc, following = image[TPC], image[TNPC]
        if pc == told.ip:
            return False
        regs.next_pc, regs.pc = pc + INSTRUCTION if following == regs.next_pc else following, pc
        return True

    @njit
    def go_on(cpu: Cpu, array: TraceArray, regs: PtRegs, probe: Kprobe) -> None:
        if probe.copy != 0:
            regs.pc = probe.copy
        else:
            emulate(Env(cpu.env), array, regs, probe.instruction)

    @njit
    def handled(cpu: Cpu) -> None:
        """kprobe_trap(regs, 0) returns its second argument."""
        current_window(cpu).o1 = 1

    handlers = kprobe.build(here, arguments, kprobe.Trap(0, fill, write, go_on, handled))

    # At a function's call site, and after its return

    @njit
    def window_at_site(env: Env, array: TraceArray, probed: u64) -> u64:
        """The window in use at the call site, or at the function's first instruction, as `probed` says; 0: the current one."""
        window = env.regwptr
        site, function_window = window.o7, u64(0)
        if in_stub(array, site):
            site, function_window = window.i7, u64(1)
        return function_window if probed == site else function_window + 1

    @callback
    def fill_at_site(cpu: Cpu, told: EventContext) -> None:
        env, array = Env(cpu.env), array_of(cpu)
        if told.return_ip != 0:
            fill_from_window(env, array, WINDOW_OF_CALLER, told.return_ip, told.registers)
        else:
            fill_from_window(env, array, window_at_site(env, array, told.ip), told.ip, told.registers)
        told.fill = None

    @njit
    def go_elsewhere(env: Env, array: TraceArray, probed: u64, pc: u64) -> None:
        """Makes the site's call return to a place other than the function.

        At its first instruction the function has no window yet: the call returns to the end of return_to_handler, which
        undoes the window and jumps to the address in %o0.
        """
        window = env.regwptr
        by_graph = in_stub(array, window.o7)
        returns_to = pc
        if (window.i7 if by_graph else window.o7) != probed:
            returns_to = array.return_trampoline + UNDOES_WINDOW
            if by_graph:
                window.i0 = pc - RETURN_OFFSET
            else:
                window.o0 = pc - RETURN_OFFSET
        if by_graph:
            window.i7 = returns_to - RETURN_OFFSET
        else:
            window.o7 = returns_to - RETURN_OFFSET

    @callback
    def write_at_site(cpu: Cpu, told: EventContext) -> None:
        env, array, image = Env(cpu.env), array_of(cpu), told.registers
        if told.return_ip != 0:
            store_to_window(env, array, WINDOW_OF_CALLER, image)
            return
        store_to_window(env, array, window_at_site(env, array, told.ip), image)
        if image[TPC] != told.ip:
            go_elsewhere(env, array, told.ip, image[TPC])

    return ProbeCallbacks(
        Callback("kprobe_trap", handlers.at_breakpoint),
        handlers.fill,
        fill_at_site,
        write_at_site,
        handlers.say_where,
    )
