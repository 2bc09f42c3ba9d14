# SPDX-License-Identifier: GPL-2.0-only
"""The x86-64 callbacks. When a trampoline's block starts, the stack is:

    0(%rsp)     the site plus five: the return address of the site's call
    8(%rsp)     the traced function's own return address, in the caller
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, function, function_graph, task_calls
from emu.ftrace.native.arch import Callback, Callbacks
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import Guest, GuestMemory
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import Native, njit
from emu.native.records import Words, u64

__all__ = ["SITE_SIZE", "arguments", "build", "called_from", "callers", "set_result"]

SITE_SIZE = 5  # bytes, of a site's call
SLOT_SIZE = 8  # bytes, of an address on a stack


@njit
def arguments(cpu: Cpu) -> tuple[u64, u64, u64, u64]:
    """The first four of a C function at whose label the CPU is."""
    registers = Registers(cpu.env)
    return registers.di, registers.si, registers.dx, registers.cx


@njit
def set_result(cpu: Cpu, value: u64) -> None:
    """Has that function, whose label does nothing but return, return a value."""
    Registers(cpu.env).ax = value


@njit
def callers(cpu: Cpu) -> tuple[u64, u64]:
    """The first two arguments, where they are addresses of callers."""
    registers = Registers(cpu.env)
    return registers.di, registers.si


@njit
def called_from(cpu: Cpu) -> u64:
    """The call site of that function."""
    return Words(host_address(array_of(cpu), Registers(cpu.env).sp))[0]


def build(guest: Guest, irqs_off: Callable[[u64], bool], general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    native = Native(guest.layouts)
    about = context.build(guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(guest, about, task_calls.build(guest), general, entry_depth=1)

    @native.njit
    def go_on(registers: Registers, array: TraceArray, place: u64) -> None:
        """Makes the trampoline return to `place` (0: to the function), or to a direct call, which returns there."""
        sp = registers.sp
        if place != 0:
            GuestMemory(host_address(array, sp)).as_u64 = place
        if general:
            told = array.event_context
            target = told.calls_first
            if target != 0:
                told.calls_first = 0
                registers.sp = sp - SLOT_SIZE
                GuestMemory(host_address(array, sp - SLOT_SIZE)).as_u64 = target

    @native.callback
    def function_entry(cpu: Cpu, address: u64) -> None:
        """ftrace_caller."""
        registers, array = Registers(cpu.env), array_of(cpu)
        stack = GuestMemory(host_address(array, registers.sp)).as_words
        go_on(registers, array, record_function(cpu, stack[0] - SITE_SIZE, stack[1], irqs_off(cpu.env)))

    @native.callback
    def graph_entry(cpu: Cpu, address: u64) -> None:
        """ftrace_graph_caller. A call is identified by the stack slot of its return address."""
        registers, array = Registers(cpu.env), array_of(cpu)
        sp = registers.sp
        stack = GuestMemory(host_address(array, sp)).as_words
        ip = stack[0] - SITE_SIZE
        before_graph(cpu, ip, stack[1], irqs_off(cpu.env))
        # A return probe may have replaced the return address by now: then function_graph replaces the probe's address.
        if record_graph_entry(cpu, ip, stack[1], sp + SLOT_SIZE, irqs_off(cpu.env)):
            stack[1] = array.return_trampoline
        go_on(registers, array, after_graph(cpu, ip))

    @native.callback
    def graph_return(cpu: Cpu, address: u64) -> None:
        """ftrace_return_to_handler: its own call has pushed into the slot from which the return address was popped."""
        array, slot = array_of(cpu), Registers(cpu.env).sp
        GuestMemory(host_address(array, slot)).as_u64 = record_graph_return(cpu, slot, irqs_off(cpu.env))

    return Callbacks(
        Callback("ftrace_caller", function_entry),
        Callback("ftrace_graph_caller", graph_entry),
        Callback("ftrace_return_to_handler", graph_return),
    )
