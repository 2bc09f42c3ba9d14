# SPDX-License-Identifier: GPL-2.0-only
"""The x86-64 callbacks. When a trampoline's block begins, the stack is

    0(%rsp)     the site plus five: the call's return address
    8(%rsp)     the traced function's own return address, in the caller
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record as cpu
from emu.ftrace.native import task_callbacks, tracers
from emu.ftrace.native import trace_record as trace
from emu.ftrace.native.context import host_address
from emu.native import cfunc, njit
from emu.native.pointers import load_u64, store_u64

_HANDLER = types.void(types.uint64, types.uint64)
SP, SI, DI = np.uint64(8 * 4), np.uint64(8 * 6), np.uint64(8 * 7)
ZERO, WORD = np.uint64(0), np.uint64(8)
SITE_SIZE = np.uint64(5)


def build(irqs_off: Any) -> Mapping[str, int]:
    """The compiled callbacks' addresses, by label. `irqs_off`: the CPU's native function of that name."""
    record = tracers.build("little")
    record_function, record_beside_graph = record.record_function, record.record_beside_graph
    record_graph_entry, record_graph_return = record.record_graph_entry, record.record_graph_return

    @njit
    def shared_of(s):
        return load_u64(load_u64(s + cpu.CALLOUT) + trace.SHARED)

    @cfunc(_HANDLER)
    def function_entry(s, address):
        """ftrace_caller."""
        env, shared = load_u64(s + cpu.ENV), shared_of(s)
        stack = host_address(shared, load_u64(env + SP))
        record_function(s, load_u64(stack) - SITE_SIZE, load_u64(stack + WORD), irqs_off(env))

    @cfunc(_HANDLER)
    def graph_entry(s, address):
        """ftrace_graph_caller: a call is known by the stack slot that holds its return address."""
        env, shared = load_u64(s + cpu.ENV), shared_of(s)
        sp = load_u64(env + SP)
        stack = host_address(shared, sp)
        ip, parent_ip = load_u64(stack) - SITE_SIZE, load_u64(stack + WORD)
        record_beside_graph(s, ip, parent_ip, irqs_off(env))
        if record_graph_entry(s, ip, parent_ip, sp + WORD, irqs_off(env)):
            store_u64(stack + WORD, load_u64(shared + trace.RETURN_TRAMPOLINE))

    @cfunc(_HANDLER)
    def graph_return(s, address):
        """return_to_handler: the slot that the return address came from lies just below the stack pointer."""
        env, shared = load_u64(s + cpu.ENV), shared_of(s)
        slot = load_u64(env + SP) - WORD
        store_u64(host_address(shared, slot), record_graph_return(s, slot, irqs_off(env)))

    @njit
    def first_argument(s):
        return load_u64(load_u64(s + cpu.ENV) + DI)

    @njit
    def second_argument(s):
        return load_u64(load_u64(s + cpu.ENV) + SI)

    return {
        "ftrace_caller": function_entry.address,
        "ftrace_graph_caller": graph_entry.address,
        "return_to_handler": graph_return.address,
        **task_callbacks.build(record, first_argument, second_argument),
    }
