# SPDX-License-Identifier: GPL-2.0-only
"""The x86-64 callbacks. When a trampoline's block begins, the stack is

    0(%rsp)     the site plus five: the call's return address
    8(%rsp)     the traced function's own return address, in the caller
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.arch.x86_64.state import register
from emu.cpu.native import cpu_record
from emu.ftrace.native import (
    array_record,
    context,
    event,
    event_context,
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
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["SITE_SIZE", "build", "build_for_events", "build_for_tasks", "called_from", "callers"]

_HANDLER = types.void(types.uint64, types.uint64)
AX, CX, DX, SP, SI, DI = (np.uint64(register(name)) for name in ("ax", "cx", "dx", "sp", "si", "di"))
ZERO, WORD = np.uint64(0), np.uint64(8)
SITE_SIZE = 5  # bytes, of a site's call
SITE = np.uint64(SITE_SIZE)


@njit
def arguments(cpu):
    """The first two of a C function at whose label the CPU is."""
    env = load_u64(cpu + cpu_record.ENV)
    return load_u64(env + DI), load_u64(env + SI)


@njit
def callers(cpu):
    """The arguments, where they are addresses of callers."""
    return arguments(cpu)


@njit
def called_from(cpu):
    """Where that function was called."""
    return load_u64(host_address(array_of(cpu), load_u64(load_u64(cpu + cpu_record.ENV) + SP)))


def build(guest: GuestLayout, irqs_off: Any, general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(memory, guest, about, general, entry_depth=1)

    @njit
    def go_on(env, array, place):
        """Has the trampoline return to a place (0: to the function), or to a direct call, which returns there."""
        sp = load_u64(env + SP)
        if place != ZERO:
            store_u64(host_address(array, sp), place)
        if general:
            called = load_u64(array + array_record.EVENT_CONTEXT) + event_context.CALLS_FIRST
            target = load_u64(called)
            if target != ZERO:
                store_u64(called, ZERO)
                store_u64(env + SP, sp - WORD)
                store_u64(host_address(array, sp - WORD), target)

    @cfunc(_HANDLER)
    def function_entry(cpu, address):
        """ftrace_caller."""
        env, array = load_u64(cpu + cpu_record.ENV), array_of(cpu)
        stack = host_address(array, load_u64(env + SP))
        go_on(env, array, record_function(cpu, load_u64(stack) - SITE, load_u64(stack + WORD), irqs_off(env)))

    @cfunc(_HANDLER)
    def graph_entry(cpu, address):
        """ftrace_graph_caller: the stack slot of its return address identifies a call."""
        env, array = load_u64(cpu + cpu_record.ENV), array_of(cpu)
        sp = load_u64(env + SP)
        stack = host_address(array, sp)
        ip, parent_ip = load_u64(stack) - SITE, load_u64(stack + WORD)
        before_graph(cpu, ip, parent_ip, irqs_off(env))
        # A return probe may have replaced the return address by now: function_graph replaces what it has put there.
        if record_graph_entry(cpu, ip, load_u64(stack + WORD), sp + WORD, irqs_off(env)):
            store_u64(stack + WORD, load_u64(array + array_record.RETURN_TRAMPOLINE))
        go_on(env, array, after_graph(cpu, ip))

    @cfunc(_HANDLER)
    def graph_return(cpu, address):
        """ftrace_return_to_handler: the call of it has pushed into the slot that the return address came from."""
        env, array = load_u64(cpu + cpu_record.ENV), array_of(cpu)
        slot = load_u64(env + SP)
        store_u64(host_address(array, slot), record_graph_return(cpu, slot, irqs_off(env)))

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
        record_event(cpu, load_u64(env + DI), load_u64(env + SI), load_u64(env + DX), load_u64(env + CX), irqs_off(env))

    return EventCallbacks(Callback("trace_event_buffer_commit", buffer_commit.address))
