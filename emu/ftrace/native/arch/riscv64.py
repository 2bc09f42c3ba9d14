# SPDX-License-Identifier: GPL-2.0-only
"""The RISC-V callbacks. When a trampoline's block starts:

    t0      the site plus four: the return address of the site's call
    ra      the traced function's own return address, in the caller
    s0      the caller's frame pointer, which identifies the call: it is the same when the function returns
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.arch.riscv64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, function, function_graph, task_calls
from emu.ftrace.native.arch import Callback, Callbacks
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest
from emu.native.functions import callback, njit
from emu.native.records import u64

__all__ = ["SITE_SIZE", "arguments", "build", "called_from", "callers", "set_result"]

SITE_SIZE = 4  # bytes, of a site's call


@njit
def arguments(cpu: Cpu) -> tuple[u64, u64, u64, u64]:
    """The first four of a C function at whose label the CPU is."""
    registers = Registers(cpu.env)
    return registers.a0, registers.a1, registers.a2, registers.a3


@njit
def set_result(cpu: Cpu, value: u64) -> None:
    """Has that function, whose label does nothing but return, return a value."""
    Registers(cpu.env).a0 = value


@njit
def callers(cpu: Cpu) -> tuple[u64, u64]:
    """The first two arguments, where they are addresses of callers."""
    registers = Registers(cpu.env)
    return registers.a0, registers.a1


@njit
def called_from(cpu: Cpu) -> u64:
    """The return address of that function."""
    return Registers(cpu.env).ra


def build(guest: Guest, irqs_off: Callable[[u64], bool], general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    about = context.build(guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(guest, about, task_calls.build(guest), general, entry_depth=0)

    @njit
    def go_on(registers: Registers, place: u64) -> None:
        """Makes the trampoline return to `place` (0: to the function)."""
        if place != 0:
            registers.t0 = place

    @callback
    def function_entry(cpu: Cpu, address: u64) -> None:
        """ftrace_caller."""
        registers = Registers(cpu.env)
        go_on(registers, record_function(cpu, registers.t0 - SITE_SIZE, registers.ra, irqs_off(cpu.env)))

    @callback
    def graph_entry(cpu: Cpu, address: u64) -> None:
        """ftrace_graph_caller."""
        registers = Registers(cpu.env)
        ip = registers.t0 - SITE_SIZE
        before_graph(cpu, ip, registers.ra, irqs_off(cpu.env))
        # A return probe may have replaced the return address by now: then function_graph replaces the probe's address.
        if record_graph_entry(cpu, ip, registers.ra, registers.s0, irqs_off(cpu.env)):
            registers.ra = array_of(cpu).return_trampoline
        go_on(registers, after_graph(cpu, ip))

    @callback
    def graph_return(cpu: Cpu, address: u64) -> None:
        """ftrace_return_to_handler: the stub returns through ra."""
        registers = Registers(cpu.env)
        registers.ra = record_graph_return(cpu, registers.s0, irqs_off(cpu.env))

    return Callbacks(
        Callback("ftrace_caller", function_entry),
        Callback("ftrace_graph_caller", graph_entry),
        Callback("ftrace_return_to_handler", graph_return),
    )
