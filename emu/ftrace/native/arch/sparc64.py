# SPDX-License-Identifier: GPL-2.0-only
"""The SPARC V9 callbacks. A traced function calls its trampoline from a register window of its own:

    %o7     the site: the address of that call
    %i7     the address of the call in the caller; the function returns to eight bytes after it
    %fp     identifies the call: it is the caller's %sp again when the function returns

ftrace_graph_caller and return_to_handler are guest code. They call two functions that the host implements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from emu.cpu.arch.sparc64.state import Env, window_register
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
    sparc64_unwind,
    sparc64_user,
)
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.unwind import build_real_address, in_stub
from emu.native import cfunc, njit
from emu.native.pointers import in_byte_order, load_u64, store_u64

if TYPE_CHECKING:
    from emu.ftrace.native.probe_event import ProbeHandlers

__all__ = [
    "RETURN_OFFSET", "build", "build_for_events", "build_for_fetching", "build_for_filters", "build_for_probes",
    "build_for_rethooks", "build_for_stacks", "build_for_tasks", "build_for_uprobes",
]  # fmt: skip

_HANDLER = types.void(types.uint64, types.uint64)
WINDOW = np.uint64(Env.regwptr.offset)
O0, O1, O2, O3, O6, O7, I6, I7 = (
    np.uint64(window_register(name)) for name in ("o0", "o1", "o2", "o3", "o6", "o7", "i6", "i7")
)
ZERO, BEHIND = np.uint64(0), np.uint64(RETURN_OFFSET)


@njit
def array_of(cpu):
    """The top array's record."""
    return load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.ARRAY)


def build(guest: GuestLayout, irqs_off: Any, general: bool) -> Callbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`: see `Callbacks`."""
    memory = in_byte_order("big")
    about = context.build(memory, guest)
    record_function, before_graph, after_graph = function.build(about, general)
    record_graph_entry, record_graph_return = function_graph.build(memory, guest, about, general, entry_depth=0)

    @njit
    def caller(cpu, parent):
        """The caller as events show it: for a function that returns to a trampoline, the trampoline itself."""
        array, goes_on_at = array_of(cpu), parent + BEHIND
        of_graph, of_probes = load_u64(array + array_record.RETURN_TRAMPOLINE), load_u64(array + array_record.RETHOOK_TRAMPOLINE)
        return goes_on_at if goes_on_at in (of_graph, of_probes) else parent

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
        return load_u64(load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW) + O0)

    @njit
    def second_argument(cpu):
        return load_u64(load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW) + O1)

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


def build_for_rethooks(guest: GuestLayout) -> RethookCallbacks:
    """Compiles for a guest."""
    memory = in_byte_order("big")
    about = context.build(memory, guest)
    real_address = build_real_address(memory, guest, about, *sparc64_unwind.REPLACED)
    hook, handle_return, find_replaced = rethook.build(memory, guest, about, real_address, RETURN_OFFSET)

    @cfunc(_HANDLER)
    def entry(cpu, rethook_record):
        """At a site: the function's %fp identifies a call. function_graph's label is given that, and gives back the parent."""
        window, array = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW), array_of(cpu)
        parent, frame = window + I7, load_u64(window + I6)
        if in_stub(array, load_u64(window + O7)):
            parent, frame = window + O0, load_u64(window + O2)
        if hook(cpu, rethook_record, load_u64(parent), frame):
            store_u64(parent, load_u64(array + array_record.RETHOOK_TRAMPOLINE) - BEHIND)

    @cfunc(_HANDLER)
    def trampoline(cpu, address):
        """arch_rethook_trampoline, in the caller's window: %o7 becomes the address of the call that has returned."""
        window = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW)
        call = handle_return(cpu, load_u64(window + O6))
        probes.write_at_site(cpu, array_of(cpu))
        store_u64(window + O7, call)

    @cfunc(_HANDLER)
    def find(cpu, address):
        """rethook_find_ret_addr(task, frame)."""
        window = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW)
        store_u64(window + O0, find_replaced(cpu, load_u64(window + O0), load_u64(window + O1)))

    return RethookCallbacks(
        entry.address,
        Callback("arch_rethook_trampoline", trampoline.address),
        Callback("rethook_find_ret_addr", find.address),
    )


def build_for_stacks(guest: GuestLayout, irqs_off: Any) -> StackCallbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`."""
    memory = in_byte_order("big")
    about = context.build(memory, guest)
    unwind, unwind_user = sparc64_unwind.build(guest, about), sparc64_user.build(guest, about)
    return stack_callbacks.build(memory, guest, about, irqs_off, unwind, unwind_user)


def build_for_filters(guest: GuestLayout) -> int:
    """Compiles for a guest."""
    memory = in_byte_order("big")
    about = context.build(memory, guest)
    user_address = user_memory.build(memory, guest, about, sparc64_user.PAGE_TABLES)
    address: int = filter_program.build(memory, guest, about, user_address).address
    return address


def build_for_probes(guest: GuestLayout) -> ProbeCallbacks:
    """Compiles for a guest."""
    from emu.ftrace.native.arch import sparc64_probe

    return sparc64_probe.build(guest)


def build_for_fetching(guest: GuestLayout) -> ProbeHandlers:
    """Compiles for a guest."""
    from emu.ftrace.native import probe_event

    memory = in_byte_order("big")
    about = context.build(memory, guest)
    user_address = user_memory.build(memory, guest, about, sparc64_user.PAGE_TABLES)
    return probe_event.build(memory, guest, about, user_address)


def build_for_uprobes(guest: GuestLayout) -> UprobeCallbacks:
    """Compiles for a guest."""
    from emu.ftrace.native.arch import sparc64_uprobe

    return sparc64_uprobe.build(guest)
