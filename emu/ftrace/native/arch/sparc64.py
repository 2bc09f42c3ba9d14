# SPDX-License-Identifier: GPL-2.0-only
"""The SPARC V9 callbacks. A traced function calls its trampoline from a register window of its own:

    %o7     the site: the address of that call
    %i7     the address of the call in the caller; the function returns to eight bytes after it
    %fp     identifies the call: it is the caller's %sp again when the function returns

ftrace_graph_caller and return_to_handler are guest code. They call two functions that the host implements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.arch.sparc64.state import Env, window_register
from emu.cpu.native import cpu_record
from emu.ftrace.native import (
    array_record,
    context,
    event,
    function,
    function_graph,
    task_callbacks,
)
from emu.ftrace.native.arch import (
    Callback,
    Callbacks,
    EventCallbacks,
    TaskCallbacks,
)
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["build", "build_for_events", "build_for_tasks", "called_from", "callers"]

_HANDLER = types.void(types.uint64, types.uint64)
WINDOW = np.uint64(Env.regwptr.offset)
O0, O1, O2, O3, O7, I7 = (np.uint64(window_register(name)) for name in ("o0", "o1", "o2", "o3", "o7", "i7"))
ZERO, BEHIND = np.uint64(0), np.uint64(RETURN_OFFSET)


@njit
def arguments(cpu):
    """The first two of a C function at whose label the CPU is."""
    window = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW)
    return load_u64(window + O0), load_u64(window + O1)


@njit
def caller(cpu, parent):
    """The caller as events show it: for a function that returns to a trampoline, the trampoline itself."""
    array, goes_on_at = array_of(cpu), parent + BEHIND
    of_graph, of_probes = load_u64(array + array_record.RETURN_TRAMPOLINE), load_u64(array + array_record.RETHOOK_TRAMPOLINE)
    return goes_on_at if goes_on_at in (of_graph, of_probes) else parent


@njit
def callers(cpu):
    """The arguments, where they are addresses of callers."""
    ip, parent_ip = arguments(cpu)
    return caller(cpu, ip), caller(cpu, parent_ip)


@njit
def called_from(cpu):
    """Where that function was called."""
    return load_u64(load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW) + O7)


def build(guest: GuestLayout, irqs_off: Any, general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    memory = in_byte_order("big")
    about = context.build(memory, guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(memory, guest, about, general, entry_depth=0)

    @njit
    def go_on(returns_to, place):
        """Has the trampoline return to a place; 0: to the function. `returns_to`: where the register is from which it does."""
        if place != ZERO:
            store_u64(returns_to, place - BEHIND)

    @cfunc(_HANDLER)
    def function_entry(cpu, address):
        """ftrace_caller."""
        env = load_u64(cpu + cpu_record.ENV)
        window = load_u64(env + WINDOW)
        parent = caller(cpu, load_u64(window + I7))
        go_on(window + O7, record_function(cpu, load_u64(window + O7), parent, irqs_off(env)))

    @cfunc(_HANDLER)
    def graph_entry(cpu, address):
        """prepare_ftrace_return(parent, ip, fp): the address at which the traced function is to continue its caller."""
        env = load_u64(cpu + cpu_record.ENV)
        window = load_u64(env + WINDOW)
        ip = load_u64(window + O1)
        before_graph(cpu, ip, caller(cpu, load_u64(window + O0)), irqs_off(env))
        # A return probe may have replaced the parent by now: function_graph replaces what it has put there.
        parent = load_u64(window + O0)
        goes_on_at = parent + BEHIND
        if record_graph_entry(cpu, ip, parent, load_u64(window + O2), irqs_off(env)):
            goes_on_at = load_u64(array_of(cpu) + array_record.RETURN_TRAMPOLINE)
        store_u64(window + O0, goes_on_at)
        go_on(window + I7, after_graph(cpu, ip))

    @cfunc(_HANDLER)
    def graph_return(cpu, address):
        """ftrace_return_to_handler(fp): the address of the call from which the traced function returns.

        It also becomes the trampoline's %i7: whoever follows the stack from now on finds it nowhere else.
        """
        env = load_u64(cpu + cpu_record.ENV)
        window = load_u64(env + WINDOW)
        call = record_graph_return(cpu, load_u64(window + O0), irqs_off(env))
        store_u64(window + O0, call)
        store_u64(window + I7, call)

    return Callbacks(
        Callback("ftrace_caller", function_entry.address),
        Callback("prepare_ftrace_return", graph_entry.address),
        Callback("ftrace_return_to_handler", graph_return.address),
    )


def build_for_tasks(guest: GuestLayout) -> TaskCallbacks:
    """Compiles for a guest."""

    @njit
    def first_argument(cpu):
        return arguments(cpu)[0]

    @njit
    def second_argument(cpu):
        return arguments(cpu)[1]

    return task_callbacks.build(in_byte_order("big"), guest, first_argument, second_argument)


def build_for_events(guest: GuestLayout, irqs_off: Any) -> EventCallbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`."""
    memory = in_byte_order("big")
    record_event = event.build(memory, guest, context.build(memory, guest))

    @cfunc(_HANDLER)
    def buffer_commit(cpu, address):
        """trace_event_buffer_commit(call, entry, dynamic, count)."""
        env = load_u64(cpu + cpu_record.ENV)
        window = load_u64(env + WINDOW)
        call, entry = load_u64(window + O0), load_u64(window + O1)
        record_event(cpu, call, entry, load_u64(window + O2), load_u64(window + O3), irqs_off(env))

    return EventCallbacks(Callback("trace_event_buffer_commit", buffer_commit.address))
