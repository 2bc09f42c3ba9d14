# SPDX-License-Identifier: GPL-2.0-only
"""The RISC-V callbacks. When a trampoline's block begins:

    t0      the site plus four: the call's return address
    ra      the traced function's own return address, in the caller
    sp      identifies the call: it is the same when the function returns
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numba import types

from emu.cpu.arch.riscv64.state import REGISTERS, Env
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, context, event, function, function_graph, task_callbacks
from emu.ftrace.native.arch import Callback, Callbacks, EventCallbacks, TaskCallbacks
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["SITE_SIZE", "build", "build_for_events", "build_for_tasks", "called_from", "callers"]

_HANDLER = types.void(types.uint64, types.uint64)
RA, SP, T0, A0, A1, A2, A3 = (
    np.uint64(Env.gpr.offset + REGISTERS.index(name) * ctypes.sizeof(ctypes.c_uint64))
    for name in ("ra", "sp", "t0", "a0", "a1", "a2", "a3")
)
ZERO = np.uint64(0)
SITE_SIZE = 4
SITE = np.uint64(SITE_SIZE)


@njit
def arguments(cpu):
    """The first two of a C function at whose label the CPU is."""
    env = load_u64(cpu + cpu_record.ENV)
    return load_u64(env + A0), load_u64(env + A1)


@njit
def callers(cpu):
    """The arguments, where they are addresses of callers."""
    return arguments(cpu)


@njit
def called_from(cpu):
    """Where that function was called."""
    return load_u64(load_u64(cpu + cpu_record.ENV) + RA)


def build(guest: GuestLayout, irqs_off: Any, general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(memory, guest, about, general, entry_depth=1)

    @njit
    def go_on(env, place):
        """Has the trampoline return to a place; 0: to the function."""
        if place != ZERO:
            store_u64(env + T0, place)

    @cfunc(_HANDLER)
    def function_entry(cpu, address):
        """ftrace_caller."""
        env = load_u64(cpu + cpu_record.ENV)
        go_on(env, record_function(cpu, load_u64(env + T0) - SITE, load_u64(env + RA), irqs_off(env)))

    @cfunc(_HANDLER)
    def graph_entry(cpu, address):
        """ftrace_graph_caller."""
        env = load_u64(cpu + cpu_record.ENV)
        ip = load_u64(env + T0) - SITE
        before_graph(cpu, ip, load_u64(env + RA), irqs_off(env))
        # A return probe may have replaced the return address by now: function_graph replaces what it has put there.
        if record_graph_entry(cpu, ip, load_u64(env + RA), load_u64(env + SP), irqs_off(env)):
            store_u64(env + RA, load_u64(array_of(cpu) + array_record.RETURN_TRAMPOLINE))
        go_on(env, after_graph(cpu, ip))

    @cfunc(_HANDLER)
    def graph_return(cpu, address):
        """ftrace_return_to_handler."""
        env = load_u64(cpu + cpu_record.ENV)
        store_u64(env + RA, record_graph_return(cpu, load_u64(env + SP), irqs_off(env)))

    return Callbacks(
        Callback("ftrace_caller", function_entry.address),
        Callback("ftrace_graph_caller", graph_entry.address),
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

    return task_callbacks.build(in_byte_order("little"), guest, first_argument, second_argument)


def build_for_events(guest: GuestLayout, irqs_off: Any) -> EventCallbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`."""
    memory = in_byte_order("little")
    record_event = event.build(memory, guest, context.build(memory, guest))

    @cfunc(_HANDLER)
    def buffer_commit(cpu, address):
        """trace_event_buffer_commit(call, entry, dynamic, count)."""
        env = load_u64(cpu + cpu_record.ENV)
        record_event(cpu, load_u64(env + A0), load_u64(env + A1), load_u64(env + A2), load_u64(env + A3), irqs_off(env))

    return EventCallbacks(Callback("trace_event_buffer_commit", buffer_commit.address))
