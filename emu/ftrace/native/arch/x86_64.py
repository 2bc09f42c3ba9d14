# SPDX-License-Identifier: GPL-2.0-only
"""The x86-64 callbacks. When a trampoline's block begins, the stack is

    0(%rsp)     the site plus five: the call's return address
    8(%rsp)     the traced function's own return address, in the caller
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numba import types

from emu.cpu.arch.x86_64.state import Layout
from emu.cpu.native import cpu_record as cpu
from emu.ftrace.native import trace_record as trace
from emu.ftrace.native.context import host_address
from emu.ftrace.native.tracers import process_switch, record_function, record_graph_entry, record_graph_return
from emu.native import cfunc, njit
from emu.native.pointers import load_u32, load_u64, store_u64

_HANDLER = types.void(types.uint64, types.uint64)
SP, SI, DI = np.uint64(8 * 4), np.uint64(8 * 6), np.uint64(8 * 7)
IF = np.uint32(0x200)
ZERO, WORD = np.uint64(0), np.uint64(8)


def build(layout: Layout) -> SimpleNamespace:
    """The compiled callbacks, for one layout of Unicorn."""
    eflags = np.uint64(layout.env_eflags)

    @njit
    def irqs_off(env):
        return load_u32(env + eflags) & IF == 0

    @njit
    def shared_of(s):
        return load_u64(load_u64(s + cpu.CALLOUT) + trace.SHARED)

    @cfunc(_HANDLER)
    def function_entry(s, address):
        """ftrace_caller."""
        env, shared = load_u64(s + cpu.ENV), shared_of(s)
        stack = host_address(shared, load_u64(env + SP))
        site = load_u64(stack) - load_u64(shared + trace.SITE_SIZE)
        record_function(s, site, load_u64(stack + WORD), irqs_off(env))

    @cfunc(_HANDLER)
    def graph_entry(s, address):
        """ftrace_graph_caller."""
        env, shared = load_u64(s + cpu.ENV), shared_of(s)
        sp = load_u64(env + SP)
        stack = host_address(shared, sp)
        site = load_u64(stack) - load_u64(shared + trace.SITE_SIZE)
        replacement = record_graph_entry(s, site, sp + WORD, irqs_off(env))
        if replacement != ZERO:
            store_u64(stack + WORD, replacement)

    @cfunc(_HANDLER)
    def graph_return(s, address):
        """return_to_handler: the slot that the return address came from lies just below the stack pointer."""
        env, shared = load_u64(s + cpu.ENV), shared_of(s)
        slot = load_u64(env + SP) - WORD
        store_u64(host_address(shared, slot), record_graph_return(s, slot, irqs_off(env)))

    @cfunc(_HANDLER)
    def sched_switch(s, address):
        """ftrace_sched_switch(prev, next)."""
        env = load_u64(s + cpu.ENV)
        process_switch(s, load_u64(env + DI), load_u64(env + SI))

    return SimpleNamespace(
        function_entry=function_entry, graph_entry=graph_entry, graph_return=graph_return, sched_switch=sched_switch
    )
