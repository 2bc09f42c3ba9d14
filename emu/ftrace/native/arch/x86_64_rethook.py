# SPDX-License-Identifier: GPL-2.0-only
"""Return probes on x86-64. A call is identified by the stack slot of its return address."""

from __future__ import annotations

from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, probes, rethook
from emu.ftrace.native.arch import RethookCallbacks, x86_64_unwind
from emu.ftrace.native.arch.x86_64 import arguments, set_result
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import Guest, GuestMemory
from emu.ftrace.native.trace_records import Consumer, Rethook
from emu.ftrace.native.unwind import build_real_address
from emu.native.functions import Native
from emu.native.records import u64

__all__ = ["build"]

SLOT = 8  # bytes of a word on the stack


def build(guest: Guest) -> RethookCallbacks:
    """Compiles for a guest."""
    native = Native(guest.layouts)
    njit, callback = native.njit, native.callback
    about = context.build(guest)
    real_address = build_real_address(guest, about, *x86_64_unwind.REPLACED)
    handlers = rethook.build(guest, about, real_address, return_offset=0)
    hook, handle_return, _ = handlers

    @njit
    def on_stack(cpu: Cpu, slot: u64) -> GuestMemory:
        return GuestMemory(host_address(array_of(cpu), slot))

    @callback
    def entry(cpu: Cpu, acting: Consumer) -> None:
        """At a site. A call is identified by the stack slot of its return address."""
        slot = Registers(cpu.env).sp + SLOT
        place = on_stack(cpu, slot)
        if hook(cpu, Rethook(acting.address), place.as_u64, slot):
            place.as_u64 = array_of(cpu).rethook_trampoline

    @callback
    def trampoline(cpu: Cpu, address: u64) -> None:
        """arch_rethook_trampoline: the function's `ret` has popped the return address."""
        registers, array = Registers(cpu.env), array_of(cpu)
        registers.sp -= SLOT
        on_stack(cpu, registers.sp).as_u64 = address  # a backtrace starts with it
        returns_to = handle_return(cpu, registers.sp)
        probes.write_at_site(cpu, array)
        on_stack(cpu, registers.sp).as_u64 = returns_to  # as in Linux, consumers cannot change it
        trap = rethook.take_goes_on_at(array)
        if trap != 0:  # the trap finds the return address on the stack
            registers.sp -= SLOT
            on_stack(cpu, registers.sp).as_u64 = trap

    return rethook.build_callbacks(handlers, entry, trampoline, arguments, set_result)
