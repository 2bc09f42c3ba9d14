# SPDX-License-Identifier: GPL-2.0-only
"""The x86-64 callbacks. When a trampoline's block begins, the stack is

    0(%rsp)     the site plus five: the call's return address
    8(%rsp)     the traced function's own return address, in the caller
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from emu.cpu.arch.x86_64.state import layout, register
from emu.cpu.native import cpu_record
from emu.ftrace.native import (
    array_cpu_record,
    array_record,
    context,
    event,
    filter_program,
    function,
    function_graph,
    probes,
    rethook,
    stack_callbacks,
    task_callbacks,
    user_memory,
)
from emu.ftrace.native.arch import (
    Callback,
    Callbacks,
    EventCallbacks,
    ProbeCallbacks,
    RethookCallbacks,
    StackCallbacks,
    TaskCallbacks,
    UprobeCallbacks,
    x86_64_unwind,
    x86_64_user,
)
from emu.ftrace.native.context import host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.unwind import build_real_address
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

if TYPE_CHECKING:
    from emu.ftrace.native.probe_event import ProbeHandlers

__all__ = [
    "SITE_SIZE", "build", "build_for_events", "build_for_fetching", "build_for_filters", "build_for_probes",
    "build_for_rethooks", "build_for_stacks", "build_for_tasks", "build_for_uprobes",
]  # fmt: skip

_HANDLER = types.void(types.uint64, types.uint64)
AX, CX, DX, SP, SI, DI = (np.uint64(register(name)) for name in ("ax", "cx", "dx", "sp", "si", "di"))
ZERO, WORD = np.uint64(0), np.uint64(8)
SITE_SIZE = 5  # bytes, of a site's call
SITE = np.uint64(SITE_SIZE)


def build(guest: GuestLayout, irqs_off: Any, general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(memory, guest, about, general, entry_depth=1)

    @njit
    def array_of(cpu):
        """The top array's record."""
        return load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.ARRAY)

    @njit
    def go_on(stack, place):
        """Has the trampoline return to a place; 0: to the function."""
        if place != ZERO:
            store_u64(stack, place)

    @cfunc(_HANDLER)
    def function_entry(cpu, address):
        """ftrace_caller."""
        env, array = load_u64(cpu + cpu_record.ENV), array_of(cpu)
        stack = host_address(array, load_u64(env + SP))
        go_on(stack, record_function(cpu, load_u64(stack) - SITE, load_u64(stack + WORD), irqs_off(env)))

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
        go_on(stack, after_graph(cpu, ip))

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
        return load_u64(load_u64(cpu + cpu_record.ENV) + DI)

    @njit
    def second_argument(cpu):
        return load_u64(load_u64(cpu + cpu_record.ENV) + SI)

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


def build_for_rethooks(guest: GuestLayout) -> RethookCallbacks:
    """Compiles for a guest."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    real_address = build_real_address(memory, guest, about, *x86_64_unwind.REPLACED)
    hook, handle_return, find_replaced = rethook.build(memory, guest, about, real_address, return_offset=0)

    @njit
    def array_of(cpu):
        return load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.ARRAY)

    @cfunc(_HANDLER)
    def entry(cpu, rethook_record):
        """At a site: the stack slot of its return address identifies a call."""
        array = array_of(cpu)
        slot = load_u64(load_u64(cpu + cpu_record.ENV) + SP) + WORD
        place = host_address(array, slot)
        if hook(cpu, rethook_record, load_u64(place), slot):
            store_u64(place, load_u64(array + array_record.RETHOOK_TRAMPOLINE))

    @cfunc(_HANDLER)
    def trampoline(cpu, address):
        """arch_rethook_trampoline: the function's `ret` has taken the return address off the stack."""
        env, array = load_u64(cpu + cpu_record.ENV), array_of(cpu)
        slot = load_u64(env + SP) - WORD
        store_u64(env + SP, slot)
        store_u64(host_address(array, slot), address)  # a backtrace begins with it
        returns_to = handle_return(cpu, slot)
        probes.write_at_site(cpu, array)
        store_u64(host_address(array, load_u64(env + SP)), returns_to)  # as in Linux, consumers cannot change it

    @cfunc(_HANDLER)
    def find(cpu, address):
        """rethook_find_ret_addr(task, frame)."""
        env = load_u64(cpu + cpu_record.ENV)
        store_u64(env + AX, find_replaced(cpu, load_u64(env + DI), load_u64(env + SI)))

    return RethookCallbacks(
        entry.address,
        Callback("arch_rethook_trampoline", trampoline.address),
        Callback("rethook_find_ret_addr", find.address),
    )


def build_for_stacks(guest: GuestLayout, irqs_off: Any) -> StackCallbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    unwind, unwind_user = x86_64_unwind.build(guest, about), x86_64_user.build(guest, about)
    return stack_callbacks.build(memory, guest, about, irqs_off, unwind, unwind_user)


def build_for_filters(guest: GuestLayout) -> int:
    """Compiles for a guest."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    user_address = user_memory.build(memory, guest, about, x86_64_user.PAGE_TABLES)
    address: int = filter_program.build(memory, guest, about, user_address).address
    return address


def build_for_fetching(guest: GuestLayout) -> ProbeHandlers:
    """Compiles for a guest."""
    from emu.ftrace.native import probe_event

    memory = in_byte_order("little")
    about = context.build(memory, guest)
    user_address = user_memory.build(memory, guest, about, x86_64_user.PAGE_TABLES)
    return probe_event.build(memory, guest, about, user_address)


def build_for_probes(guest: GuestLayout) -> ProbeCallbacks:
    """Compiles for a guest."""
    from emu.ftrace.native.arch import x86_64_probe

    return x86_64_probe.build(guest, layout())


def build_for_uprobes(guest: GuestLayout) -> UprobeCallbacks:
    """Compiles for a guest."""
    from emu.ftrace.native.arch import x86_64_uprobe

    return x86_64_uprobe.build(guest)
