# SPDX-License-Identifier: GPL-2.0-only
"""Return probes on x86-64. The stack slot of its return address identifies a call."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.arch.x86_64.state import register
from emu.cpu.native import cpu_record
from emu.ftrace.native import array_record, context, probes, rethook
from emu.ftrace.native.arch import Callback, RethookCallbacks, x86_64_unwind
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.unwind import build_real_address
from emu.native import cfunc
from emu.native.pointers import in_byte_order, load_u64, store_u64

__all__ = ["build"]

_HANDLER = types.void(types.uint64, types.uint64)
AX, SP, SI, DI = (np.uint64(register(name)) for name in ("ax", "sp", "si", "di"))
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)


def build(guest: GuestLayout) -> RethookCallbacks:
    """Compiles for a guest."""
    memory = in_byte_order("little")
    about = context.build(memory, guest)
    real_address = build_real_address(memory, guest, about, *x86_64_unwind.REPLACED)
    hook, handle_return, find_replaced = rethook.build(memory, guest, about, real_address, return_offset=0)

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
        slot = load_u64(env + SP)
        store_u64(host_address(array, slot), returns_to)  # as in Linux, consumers cannot change it
        trap = rethook.take_goes_on_at(array)
        if trap != ZERO:  # which finds the return address on the stack
            store_u64(env + SP, slot - WORD)
            store_u64(host_address(array, slot - WORD), trap)

    @cfunc(_HANDLER)
    def find(cpu, address):
        """rethook_find_ret_addr(task, frame)."""
        env = load_u64(cpu + cpu_record.ENV)
        store_u64(env + AX, find_replaced(cpu, load_u64(env + DI), load_u64(env + SI)))

    @cfunc(_HANDLER)
    def hook_call(cpu, address):
        """rethook_hook(ret, frame)."""
        env = load_u64(cpu + cpu_record.ENV)
        hooked = hook(cpu, rethook.of_guest(cpu), load_u64(env + DI), load_u64(env + SI))
        store_u64(env + AX, ONE if hooked else ZERO)

    return RethookCallbacks(
        entry.address,
        Callback("arch_rethook_trampoline", trampoline.address),
        Callback("rethook_find_ret_addr", find.address),
        Callback("rethook_hook", hook_call.address),
    )
