# SPDX-License-Identifier: GPL-2.0-only
"""Return probes on RISC-V. The caller's frame pointer identifies a call."""

from __future__ import annotations

from emu.cpu.native.arch.riscv64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, probes, rethook
from emu.ftrace.native.arch import RethookCallbacks, riscv64_unwind
from emu.ftrace.native.arch.riscv64 import arguments, set_result
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer, Rethook
from emu.ftrace.native.unwind import build_real_address
from emu.native.functions import Native
from emu.native.records import u64

__all__ = ["build"]


def build(guest: Guest) -> RethookCallbacks:
    """Compiles for a guest."""
    callback = Native(guest.layouts).callback
    about = context.build(guest)
    real_address = build_real_address(guest, about, *riscv64_unwind.REPLACED)
    handlers = rethook.build(guest, about, real_address, return_offset=0)
    hook, handle_return, _ = handlers

    @callback
    def entry(cpu: Cpu, acting: Consumer) -> None:
        """At a site."""
        registers = Registers(cpu.env)
        if hook(cpu, Rethook(acting.address), registers.ra, registers.s0):
            registers.ra = array_of(cpu).rethook_trampoline

    @callback
    def trampoline(cpu: Cpu, address: u64) -> None:
        """arch_rethook_trampoline, which returns through ra."""
        registers, array = Registers(cpu.env), array_of(cpu)
        registers.ra = address  # a backtrace starts with it
        returns_to = handle_return(cpu, registers.s0)
        probes.write_at_site(cpu, array)
        registers.ra = returns_to  # as in Linux, consumers cannot change it
        trap = rethook.take_goes_on_at(array)
        if trap != 0:  # the trap finds the return address in t0
            registers.t0, registers.ra = returns_to, trap

    return rethook.build_callbacks(handlers, entry, trampoline, arguments, set_result)
