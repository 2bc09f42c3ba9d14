# SPDX-License-Identifier: GPL-2.0-only
"""The SPARC V9 callbacks. A traced function calls its trampoline from its own register window:

    %o7     the site: the address of this call
    %i7     the address of the call in the caller; the function returns to eight bytes after it
    %fp     identifies the call: it is the caller's %sp after the function's return

ftrace_graph_caller and return_to_handler are guest code, which calls two functions implemented by the host.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, function, function_graph, task_calls
from emu.ftrace.native.arch import Callback, Callbacks
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.arch.sparc64_windows import current_window
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_records import Guest
from emu.native.functions import callback, njit
from emu.native.records import u64

__all__ = ["arguments", "build", "called_from", "callers", "set_result"]


@njit
def arguments(cpu: Cpu) -> tuple[u64, u64, u64, u64]:
    """The first four of a C function at whose label the CPU is."""
    window = current_window(cpu)
    return window.o0, window.o1, window.o2, window.o3


@njit
def set_result(cpu: Cpu, value: u64) -> None:
    """Has that function, whose label does nothing but return, return a value."""
    current_window(cpu).o0 = value


@njit
def caller(cpu: Cpu, parent: u64) -> u64:
    """The caller as shown in events: for a function that returns to a trampoline, the trampoline itself."""
    array, goes_on_at = array_of(cpu), parent + RETURN_OFFSET
    return goes_on_at if goes_on_at in (array.return_trampoline, array.rethook_trampoline) else parent


@njit
def callers(cpu: Cpu) -> tuple[u64, u64]:
    """The first two arguments, where they are addresses of callers."""
    window = current_window(cpu)
    return caller(cpu, window.o0), caller(cpu, window.o1)


@njit
def called_from(cpu: Cpu) -> u64:
    """The call site of that function."""
    return current_window(cpu).o7


def build(guest: Guest, irqs_off: Callable[[u64], bool], general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    about = context.build(guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(guest, about, task_calls.build(guest), general, entry_depth=0)

    @callback
    def function_entry(cpu: Cpu, address: u64) -> None:
        """ftrace_caller."""
        window = current_window(cpu)
        goes_on_at = record_function(cpu, window.o7, caller(cpu, window.i7), irqs_off(cpu.env))
        if goes_on_at != 0:  # instead of at the function
            window.o7 = goes_on_at - RETURN_OFFSET

    @callback
    def graph_entry(cpu: Cpu, address: u64) -> None:
        """prepare_ftrace_return(parent, ip, fp): the address at which the traced function is to continue its caller."""
        window = current_window(cpu)
        ip = window.o1
        before_graph(cpu, ip, caller(cpu, window.o0), irqs_off(cpu.env))
        # A return probe may have replaced the parent by now: then function_graph replaces the probe's address.
        parent = window.o0
        replaced = record_graph_entry(cpu, ip, parent, window.o2, irqs_off(cpu.env))
        window.o0 = array_of(cpu).return_trampoline if replaced else parent + RETURN_OFFSET
        goes_on_at = after_graph(cpu, ip)
        if goes_on_at != 0:
            window.i7 = goes_on_at - RETURN_OFFSET

    @callback
    def graph_return(cpu: Cpu, address: u64) -> None:
        """ftrace_return_to_handler(fp): the address of the call from which the traced function returns.

        It is also stored in the trampoline's %i7, because later unwinding would find it nowhere else.
        """
        window = current_window(cpu)
        window.o0 = window.i7 = record_graph_return(cpu, window.o0, irqs_off(cpu.env))

    return Callbacks(
        Callback("ftrace_caller", function_entry),
        Callback("prepare_ftrace_return", graph_entry),
        Callback("ftrace_return_to_handler", graph_return),
    )
