# SPDX-License-Identifier: GPL-2.0-only
"""Return probes on SPARC V9. Its function's %fp identifies a call: the caller's %sp when the function has returned."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.arch.sparc64.state import Env
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, context, probes, rethook
from emu.ftrace.native.arch import Callback, RethookCallbacks, sparc64_unwind
from emu.ftrace.native.arch.sparc64_unwind import RETURN_OFFSET
from emu.ftrace.native.arch.sparc64_windows import I6, I7, O0, O1, O2, O6, O7, WINDOW
from emu.ftrace.native.context import array_of
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.unwind import build_real_address, in_stub
from emu.native import cfunc
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE, BEHIND = np.uint64(0), np.uint64(1), np.uint64(RETURN_OFFSET)
G1 = np.uint64(Env.gregs.offset + 8)


def build(guest: GuestLayout) -> RethookCallbacks:
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
        env = load_u64(cpu + cpu_record.ENV)
        window = load_u64(env + WINDOW)
        call = handle_return(cpu, load_u64(window + O6))
        probes.write_at_site(cpu, array_of(cpu))
        trap = rethook.take_goes_on_at(array_of(cpu))
        if trap != ZERO:  # which finds the address of the call in %g1
            store_u64(env + G1, call)
            call = trap - BEHIND
        store_u64(window + O7, call)

    @cfunc(_HANDLER)
    def find(cpu, address):
        """rethook_find_ret_addr(task, frame)."""
        window = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW)
        store_u64(window + O0, find_replaced(cpu, load_u64(window + O0), load_u64(window + O1)))

    @cfunc(_HANDLER)
    def hook_call(cpu, address):
        """rethook_hook(ret, frame)."""
        window = load_u64(load_u64(cpu + cpu_record.ENV) + WINDOW)
        hooked = hook(cpu, rethook.of_guest(cpu), load_u64(window + O0), load_u64(window + O1))
        store_u64(window + O0, ONE if hooked else ZERO)

    return RethookCallbacks(
        entry.address,
        Callback("arch_rethook_trampoline", trampoline.address),
        Callback("rethook_find_ret_addr", find.address),
        Callback("rethook_hook", hook_call.address),
    )
