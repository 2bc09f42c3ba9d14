# SPDX-License-Identifier: GPL-2.0-only
"""Return probes on SPARC V9. The function's %fp identifies a call: it is the caller's %sp after the return."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, probes, rethook
from emu.ftrace.native.arch import RethookCallbacks, sparc64_unwind
from emu.ftrace.native.arch.sparc64 import arguments, set_result
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.arch.sparc64_windows import SHAPES, Env, current_window
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer, Rethook
from emu.ftrace.native.unwind import build_real_address, in_stub
from emu.native.functions import Native
from emu.native.records import u64

__all__ = ["build"]


def build(guest: Guest) -> RethookCallbacks:
    """Compiles for a guest."""
    callback = Native(guest.layouts.extended(SHAPES)).callback
    about = context.build(guest)
    real_address = build_real_address(guest, about, *sparc64_unwind.REPLACED)
    handlers = rethook.build(guest, about, real_address, RETURN_OFFSET)
    hook, handle_return, _ = handlers

    @callback
    def entry(cpu: Cpu, acting: Consumer) -> None:
        """At a site: the function's %fp identifies a call. function_graph's label gets it as argument and returns the parent."""
        window, array = current_window(cpu), array_of(cpu)
        by_graph = in_stub(array, window.o7)
        parent, frame = (window.o0, window.o2) if by_graph else (window.i7, window.i6)
        if hook(cpu, Rethook(acting.address), parent, frame):
            parent = array.rethook_trampoline - RETURN_OFFSET
            if by_graph:
                window.o0 = parent
            else:
                window.i7 = parent

    @callback
    def trampoline(cpu: Cpu, address: u64) -> None:
        """arch_rethook_trampoline, in the caller's window: %o7 becomes the address of the call that has returned."""
        env = Env(cpu.env)
        window = env.regwptr
        call = handle_return(cpu, window.o6)
        probes.write_at_site(cpu, array_of(cpu))
        trap = rethook.take_goes_on_at(array_of(cpu))
        if trap != 0:  # the trap finds the address of the call in %g1
            env.gregs[1] = call
            call = trap - RETURN_OFFSET
        window.o7 = call

    return rethook.build_callbacks(handlers, entry, trampoline, arguments, set_result)
